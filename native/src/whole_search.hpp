// Steps of the search for a split that Grower and Stump share.
#pragma once

#include "coterie/grow.hpp"
#include "coterie/histogram.hpp"
#include "coterie/split.hpp"

namespace coterie {

inline Limits plain_limits(const Growth& growth) {
    Limits limits;
    limits.min_samples_leaf = static_cast<std::uint32_t>(growth.min_samples_leaf);
    limits.min_weight_leaf = growth.min_weight_leaf;
    limits.l2 = growth.l2;
    return limits;
}

// A column of a histogram of all columns; `occupied` is room for its codes.
inline ColumnView whole_column(const WholeHistogram& whole, std::int32_t id, const BinsView& bins,
                               std::span<const std::size_t> starts, std::size_t stride,
                               std::vector<std::uint32_t>& occupied) {
    const auto column = static_cast<std::size_t>(id);
    const std::uint32_t count = bins.count(column);
    const double* sums = whole.sums.data() + starts[column] * stride;
    std::size_t found = 0;
    for (std::uint32_t code = 0; code < count; ++code) {
        occupied[found] = code;
        found += sums[code * stride] > 0.0;
    }
    return {id,
            sums,
            whole.counts.empty() ? nullptr : whole.counts.data() + starts[column],
            std::span(occupied.data(), found),
            sums[count * stride] > 0.0,
            count,
            bins.categorical[column] != 0,
            bins.lower_of(column),
            bins.upper_of(column)};
}

// Ties go to the earlier split, or to the lower column.
inline void keep_better(Split& candidate, double tie, bool lower_wins, Split& split) {
    const double ahead = candidate.gain - split.gain;
    const bool lower = lower_wins && candidate.column < split.column;
    if (!split.found() || ahead > tie || (lower && ahead >= -tie)) std::swap(split, candidate);
}

inline bool decreases_enough(double decrease, const Growth& growth) {
    constexpr double rounding = std::numeric_limits<double>::epsilon();
    return decrease + rounding >= growth.min_impurity_decrease;
}

}  // namespace coterie
