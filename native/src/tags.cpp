#include "tags.hpp"

#include <algorithm>

#include "coterie/clones.hpp"
#include "lanes.hpp"

namespace coterie {
namespace {

struct Both {
    std::uint32_t weight, other;
};

COTERIE_CLONES Both sum_block(const std::uint16_t* codes, const std::uint16_t* tags, std::size_t n,
                              std::uint16_t last) {
    Lanes weights{}, others{};
    for (std::size_t i = 0; i < n; i += Tags::kLanes) {
        Lanes code, tag;
        load_lanes(code, codes + i);
        load_lanes(tag, tags + i);
        tag &= reinterpret_cast<Lanes>(code <= last);
        weights += tag & 255;
        others += tag >> 8;
    }
    return {total(weights), total(others)};
}

COTERIE_CLONES bool find_between(const std::uint16_t* codes, std::size_t n, std::uint16_t from,
                                 std::uint16_t size) {
    Lanes any{};
    for (std::size_t i = 0; i < n; i += Tags::kLanes) {
        Lanes code;
        load_lanes(code, codes + i);
        any |= reinterpret_cast<Lanes>(static_cast<Lanes>(code - from) < size);
    }
    const auto words = reinterpret_cast<LaneWords>(any);
    return (words[0] | words[1] | words[2] | words[3]) != 0;
}

COTERIE_CLONES void sum_few_classes(const std::uint16_t* codes, const std::uint16_t* tags,
                                    std::size_t n, std::uint16_t last, std::size_t classes,
                                    double* sums) {
    ClassLanes found;
    for (std::size_t i = 0; i < n; i += Tags::kLanes) {
        Lanes code, tag;
        load_lanes(code, codes + i);
        load_lanes(tag, tags + i);
        found.add(tag & reinterpret_cast<Lanes>(code <= last));
    }
    for (std::size_t c = 0; c < classes; ++c) sums[c] += total(found.sums[c]);
}

COTERIE_CLONES void write_tags(const Item* items, std::size_t n, std::uint16_t* tags) {
    for (std::size_t i = 0; i < n; ++i)
        tags[i] = static_cast<std::uint16_t>(static_cast<std::int32_t>(items[i].w) |
                                             static_cast<std::int32_t>(items[i].s) << 8);
}

}  // namespace

void Tags::of(const Item* items, std::size_t n, std::uint16_t* tags) { write_tags(items, n, tags); }

bool Tags::any_between(const std::uint16_t* codes, std::size_t n, std::uint32_t from,
                       std::uint32_t to) {
    return find_between(codes, n, static_cast<std::uint16_t>(from),
                        static_cast<std::uint16_t>(to - from));
}

void Tags::sum_pairs(const std::uint16_t* codes, const std::uint16_t* tags, std::size_t n,
                     std::uint32_t last, double* sums) {
    std::uint64_t weight = 0, other = 0;
    for (std::size_t i = 0; i < n; i += kLaneRows) {
        const Both sum = sum_block(codes + i, tags + i, std::min(kLaneRows, n - i),
                                   static_cast<std::uint16_t>(last));
        weight += sum.weight;
        other += sum.other;
    }
    sums[0] = static_cast<double>(weight);
    sums[1] = static_cast<double>(other);
}

// Rows side by side have counts of their own: no addition waits for the one before.
void Tags::sum_classes(const std::uint16_t* codes, const std::uint16_t* tags, std::size_t n,
                       std::uint32_t last, std::size_t classes, double* sums) {
    if (classes <= ClassLanes::kMost) {
        for (std::size_t i = 0; i < n; i += kLaneRows)
            sum_few_classes(codes + i, tags + i, std::min(kLaneRows, n - i),
                            static_cast<std::uint16_t>(last), classes, sums);
        return;
    }
    if (n <= kLanes) {  // as most nodes have
        for (std::size_t i = 0; i < n; ++i)
            sums[other(tags[i])] += codes[i] <= last ? weight(tags[i]) : 0;
        return;
    }
    std::uint32_t counts[4][kClasses];
    for (auto& lane : counts) std::fill_n(lane, classes, 0u);
    const auto add = [&](std::uint32_t* lane, std::size_t i) {
        lane[other(tags[i])] += codes[i] <= last ? weight(tags[i]) : 0;
    };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) add(counts[k], i + k);
    for (; i < n; ++i) add(counts[0], i);
    for (std::size_t c = 0; c < classes; ++c)
        sums[c] += static_cast<double>(counts[0][c] + counts[1][c] + counts[2][c] + counts[3][c]);
}

void TagCounts::fill(std::span<const std::uint16_t> codes, const std::uint16_t* tags,
                     std::size_t n_codes, bool pairs) {
    constexpr std::size_t few = 1024;  // cells that rows side by side have copies of
    const std::size_t cells = n_codes * classes_, n = codes.size();
    const std::size_t step = cells <= few ? cells : 0;
    counts_.assign(step ? 4 * cells : cells, 0);
    const auto add = [&](std::uint32_t* counts, std::size_t i) {
        const std::uint32_t other = Tags::other(tags[i]), label = pairs ? other != 0 : other;
        counts[codes[i] * classes_ + label] += Tags::weight(tags[i]);
    };
    std::uint32_t* counts = counts_.data();
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) add(counts + k * step, i + k);
    for (; i < n; ++i) add(counts, i);
    if (step)
        for (std::size_t c = 0; c < cells; ++c)
            counts[c] += counts[step + c] + counts[2 * step + c] + counts[3 * step + c];
}

}  // namespace coterie
