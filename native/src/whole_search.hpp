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

// Where a column lies in a histogram of all columns.
struct Place {
    std::int32_t column;
    std::size_t start;    // its first bin
    std::uint32_t count;  // of bins
    bool categorical;
};

// A column of a histogram of all columns; `occupied` is room for its codes.
inline ColumnView whole_column(const WholeHistogram& whole, const Place& place, std::size_t stride,
                               std::vector<std::uint32_t>& occupied) {
    const auto& [id, start, count, categorical] = place;
    const double* sums = whole.sums.data() + start * stride;
    std::size_t found = 0;
    for (std::uint32_t code = 0; code < count; ++code) {
        occupied[found] = code;
        found += sums[code * stride] > 0.0;
    }
    return {id,
            sums,
            whole.counts.empty() ? nullptr : whole.counts.data() + start,
            std::span(occupied.data(), found),
            sums[count * stride] > 0.0,
            count,
            categorical};
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
