#include "flags.hpp"

#include <algorithm>

#include "coterie/clones.hpp"
#include "lanes.hpp"

namespace coterie {
namespace {

COTERIE_CLONES void sum_flagged_classes(const Flags::Word* words, const std::uint16_t* tags,
                                        std::size_t n, int bit, std::size_t classes, double* sums) {
    using SixteenWords = Flags::Word __attribute__((vector_size(8 * Tags::kLanes)));
    ClassLanes found;
    for (std::size_t i = 0; i < n; i += Tags::kLanes) {
        SixteenWords some;
        Lanes tag;
        std::memcpy(&some, words + i, sizeof some);
        load_lanes(tag, tags + i);
        found.add(tag & -__builtin_convertvector(some >> bit & 1, Lanes));
    }
    for (std::size_t c = 0; c < classes; ++c) sums[c] += total(found.sums[c]);
}

}  // namespace

COTERIE_CLONES Flags::Word Flags::varying(const Word* words, std::size_t n) {
    Word all = ~Word{0}, any = 0;
    for (std::size_t i = 0; i < n; ++i) {
        all &= words[i];
        any |= words[i];
    }
    return any & ~all;
}

COTERIE_CLONES void Flags::sum_pairs(const Word* words, const std::uint16_t* tags, std::size_t n,
                                     int bit, double* sums) {
    constexpr Word bytes = 0x000000ff000000ff;
    Word sum = 0;  // of weights, and above them of those of the second class
    for (std::size_t i = 0; i < n; ++i) {
        const Word tag = tags[i];
        sum += (tag | tag << 24) & bytes & -(words[i] >> bit & 1);
    }
    sums[0] = static_cast<double>(sum & 0xffffffff);
    sums[1] = static_cast<double>(sum >> 32);
}

void Flags::sum_classes(const Word* words, const std::uint16_t* tags, std::size_t n, int bit,
                        std::size_t classes, double* sums) {
    if (classes <= ClassLanes::kMost) {
        std::fill_n(sums, classes, 0.0);
        for (std::size_t i = 0; i < n; i += kLaneRows)
            sum_flagged_classes(words + i, tags + i, std::min(kLaneRows, n - i), bit, classes,
                                sums);
        return;
    }
    // Rows side by side have counts of their own: no addition waits for the one before.
    std::uint32_t counts[4][Tags::kClasses];
    for (auto& lane : counts) std::fill_n(lane, classes, 0u);
    const auto add = [&](std::uint32_t* lane, std::size_t i) {
        const auto has = static_cast<std::uint32_t>(words[i] >> bit & 1);
        lane[Tags::other(tags[i])] += Tags::weight(tags[i]) & -has;
    };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) add(counts[k], i + k);
    for (; i < n; ++i) add(counts[0], i);
    for (std::size_t c = 0; c < classes; ++c)
        sums[c] = static_cast<double>(counts[0][c] + counts[1][c] + counts[2][c] + counts[3][c]);
}

}  // namespace coterie
