// Where a value lies among ascending ones, found in a few steps.
//
// A binary search among 65,535 values waits for memory at nearly every step; codes are found by one
// for every number of a table, and extremely randomised trees make one for every column of every
// node. The range of the values is divided into cells of equal width; each knows the values in it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "coterie/bins.hpp"

namespace coterie {

template <class T>
class CellGuide {
  public:
    CellGuide() = default;
    // At most 65,535 values.
    CellGuide(std::span<const T> ascending, std::uint32_t cells) {
        const auto count = static_cast<std::uint32_t>(ascending.size());
        last_ = static_cast<T>(cells - 1);
        if (count) origin_ = ascending.front();
        const T per_unit =
            static_cast<T>(cells) / (count ? ascending.back() - ascending.front() : T{0});
        if (std::isfinite(per_unit)) per_unit_ = per_unit;
        firsts_.reserve(cells + 1);
        for (std::uint32_t i = 0; i < count; ++i)
            for (const std::size_t at = cell(ascending[i]); firsts_.size() <= at;)
                firsts_.push_back(static_cast<std::uint16_t>(i));
        firsts_.resize(cells + 1, static_cast<std::uint16_t>(count));
        for (std::size_t c = 0; c < cells; ++c)
            widest_ = std::max<std::uint32_t>(widest_, firsts_[c + 1] - firsts_[c]);
    }

    // Never falls as the value rises, whatever is rounded; 0 for what is no number.
    std::uint32_t cell(T value) const {
        const T at = (value - origin_) * per_unit_;
        const T above = at > T{0} ? at : T{0};  // without branches, for many values at a time
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(above < last_ ? above : last_));
    }
    // The first of the values in a cell, or behind it.
    std::uint32_t first(std::uint32_t cell) const { return firsts_[cell]; }
    // Most values in one cell.
    std::uint32_t widest() const { return widest_; }

  private:
    T origin_ = 0, per_unit_ = 0, last_ = 0;
    std::uint32_t widest_ = 0;
    std::vector<std::uint16_t> firsts_;  // by cell, and one more for the end
};

// Guides to the bins of some columns, by where they begin. They are made for every tree, so they
// know of some bins only.
class CutGuide {
  public:
    CutGuide(const BinsView& bins, std::span<const std::int32_t> columns)
        : guides_(bins.columns()), counts_(bins.columns()) {
        std::vector<double> some;
        for (const std::int32_t column : columns) {
            const auto j = static_cast<std::size_t>(column);
            if (bins.categorical[j]) continue;
            counts_[j] = bins.count(j);
            some.clear();
            for (std::uint32_t bin = 0; bin < counts_[j]; bin += kStep)
                some.push_back(bins.lower_of(j)[bin]);
            guides_[j] = {some, static_cast<std::uint32_t>(some.size()) / kPerCell + 1};
        }
    }

    // The first bin that begins above the value is one of these, or the one behind them.
    std::pair<std::uint32_t, std::uint32_t> around(std::size_t column, double value) const {
        const CellGuide<double>& guide = guides_[column];
        const std::uint32_t cell = guide.cell(value);
        const std::uint32_t from = guide.first(cell) * kStep;
        return {from ? from - (kStep - 1) : 0,
                std::min(guide.first(cell + 1) * kStep, counts_[column])};
    }

  private:
    static constexpr std::uint32_t kStep = 4, kPerCell = 2;  // bins, and of those

    std::vector<CellGuide<double>> guides_;
    std::vector<std::uint32_t> counts_;  // of bins, by column
};

}  // namespace coterie
