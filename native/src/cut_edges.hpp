// The values at the edges of bins, as trees read them that draw thresholds.
//
// Such a tree reads the edges of every column it looks at in every node, here and there among some
// megabytes: most of its time would go by waiting for memory. Values that are single precision
// numbers, as those of most tables, are kept as such, and both edges of a bin side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "coterie/bins.hpp"
#include "coterie/pages.hpp"
#include "cut_guide.hpp"

namespace coterie {

class CutEdges {
  public:
    // No value is asked for unless columns are given.
    CutEdges(const BinsView& bins, std::span<const std::int32_t> columns)
        : bins_(bins), guide_(bins, columns) {
        const auto is_single = [](double value) {
            return static_cast<double>(static_cast<float>(value)) == value;
        };
        if (columns.empty() || !std::ranges::all_of(bins.lower, is_single) ||
            !std::ranges::all_of(bins.upper, is_single))
            return;
        pairs_.resize(bins.lower.size());
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            pairs_[i] = {static_cast<float>(bins.lower[i]), static_cast<float>(bins.upper[i])};
    }

    double lower(std::size_t column, std::uint32_t bin) const {
        const std::size_t at = place(column, bin);
        return pairs_.empty() ? bins_.lower[at] : static_cast<double>(pairs_[at].lower);
    }
    double upper(std::size_t column, std::uint32_t bin) const {
        const std::size_t at = place(column, bin);
        return pairs_.empty() ? bins_.upper[at] : static_cast<double>(pairs_[at].upper);
    }
    void prefetch(std::size_t column, std::uint32_t bin) const {
        const std::size_t at = place(column, bin);
        if (!pairs_.empty()) return __builtin_prefetch(pairs_.data() + at);
        __builtin_prefetch(bins_.lower.data() + at);
        __builtin_prefetch(bins_.upper.data() + at);
    }

    // The first bin that begins above a value is one of these, or the one behind them.
    std::pair<std::uint32_t, std::uint32_t> around(std::size_t column, double value) const {
        return guide_.around(column, value);
    }
    // The first bin in [from … to) that begins above a value, or `to`. A binary search without
    // branches, none of which could be predicted.
    std::uint32_t first_above(std::size_t column, double value, std::uint32_t from,
                              std::uint32_t to) const {
        for (std::uint32_t left = to - from; left;) {
            const std::uint32_t half = (left + 1) / 2;
            from += half & -std::uint32_t{lower(column, from + half - 1) <= value};
            left -= half;
        }
        return from;
    }

  private:
    struct Pair {
        float lower, upper;
    };

    std::size_t place(std::size_t column, std::uint32_t bin) const {
        return static_cast<std::size_t>(bins_.offsets[column]) + bin;
    }

    const BinsView bins_;
    const CutGuide guide_;
    Pages<Pair> pairs_;  // by bin, or empty
};

}  // namespace coterie
