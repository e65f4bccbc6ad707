#include "node_order.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "coterie/clones.hpp"

namespace coterie {
namespace {

using Shorts = std::int16_t __attribute__((vector_size(32)));

// How many codes are less than each of them; there is room for whole vectors.
COTERIE_CLONES void count_below(const std::int16_t* codes, std::size_t n, std::uint16_t* below) {
    constexpr std::size_t lanes = sizeof(Shorts) / sizeof(std::int16_t);
    for (std::size_t at = 0; at < n; at += lanes) {
        Shorts mine, count{};
        std::memcpy(&mine, codes + at, sizeof mine);
        for (std::size_t i = 0; i < n; ++i) count -= mine > codes[i];  // true is -1
        std::memcpy(below + at, &count, sizeof count);
    }
}

}  // namespace

std::span<const std::uint32_t> NodeOrder::sort(std::span<const std::uint16_t> codes) {
    return sort_with(codes, [](std::size_t i) { return static_cast<std::uint32_t>(i); });
}

std::span<const std::uint32_t> NodeOrder::sort(std::span<const std::uint16_t> codes,
                                               const std::uint16_t* tags) {
    return sort_with(codes, [=](std::size_t i) { return std::uint32_t{tags[i]}; });
}

template <class Low>
std::span<const std::uint32_t> NodeOrder::sort_with(std::span<const std::uint16_t> codes, Low low) {
    const std::size_t n = codes.size();
    const auto key = [=](std::size_t i) {
        return static_cast<std::uint32_t>(codes[i]) << 16 | low(i);
    };
    if (keys_.size() < n) {
        keys_.resize(n);
        spare_.resize(n);
    }
    if (n <= kRankedRows) {
        rank(codes, key);
    } else {
        sort_bytes(codes, key);
    }
    return {keys_.data(), n};
}

template <class Key>
void NodeOrder::rank(std::span<const std::uint16_t> codes, Key key) {
    const std::size_t n = codes.size();
    std::array<std::uint8_t, kRankedRows> equal{};  // rows of that rank so far
    for (std::size_t i = 0; i < n; ++i)
        signed_[i] = static_cast<std::int16_t>(codes[i] ^ 0x8000);  // what vectors can compare
    count_below(signed_.data(), n, below_.data());
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t rank = below_[i];
        keys_[rank + equal[rank]++] = key(i);
    }
}

template <class Key>
void NodeOrder::sort_bytes(std::span<const std::uint16_t> codes, Key key) {
    const std::size_t n = codes.size();
    std::array<std::array<std::uint32_t, 256>, 2> starts{};
    std::uint32_t differ = 0;
    for (const std::uint32_t code : codes) {
        ++starts[0][code & 255];
        ++starts[1][code >> 8];
        differ |= code ^ codes[0];
    }
    for (auto& digit : starts) {
        std::uint32_t sum = 0;
        for (auto& start : digit) sum += std::exchange(start, sum);
    }
    const bool low = (differ & 255) != 0, high = differ > 255;
    auto& first = low ? starts[0] : starts[1];
    const int shift = low ? 0 : 8;
    std::vector<std::uint32_t>& out = low && high ? spare_ : keys_;
    for (std::size_t i = 0; i < n; ++i) out[first[codes[i] >> shift & 255]++] = key(i);
    if (!(low && high)) return;
    for (std::size_t i = 0; i < n; ++i) keys_[starts[1][spare_[i] >> 24]++] = spare_[i];
}

}  // namespace coterie
