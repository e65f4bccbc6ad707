// Sixteen rows of 16 bits each, side by side. What is here is compiled into functions that have
// clones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tags.hpp"

namespace coterie {

using Lanes = std::uint16_t __attribute__((vector_size(2 * Tags::kLanes)));
using LaneWords = std::uint64_t __attribute__((vector_size(2 * Tags::kLanes)));

inline constexpr std::size_t kLaneRows = 256 * Tags::kLanes;  // whose sums fit into 16 bits each

[[gnu::always_inline]] inline void load_lanes(Lanes& lanes, const std::uint16_t* from) {
    std::memcpy(&lanes, from, sizeof lanes);
}

// The sum of all lanes.
[[gnu::always_inline]] inline std::uint32_t total(const Lanes& lanes) {
    constexpr std::uint64_t every_other = 0x0000ffff0000ffff;
    const auto words = reinterpret_cast<LaneWords>(lanes);
    const LaneWords sums = (words & every_other) + (words >> 16 & every_other);
    const std::uint64_t sum = sums[0] + sums[1] + sums[2] + sums[3];
    return static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(sum >> 32);
}

// Weights of a few classes, of at most kLaneRows rows.
struct ClassLanes {
    static constexpr std::size_t kMost = 8;

    [[gnu::always_inline]] void add(const Lanes& tags) {
        const Lanes weights = tags & 255, classes = tags >> 8;
        for (std::size_t c = 0; c < kMost; ++c)
            sums[c] += weights & reinterpret_cast<Lanes>(classes == static_cast<std::uint16_t>(c));
    }

    Lanes sums[kMost] = {};
};

}  // namespace coterie
