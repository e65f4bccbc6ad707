// Where a value lies among the bins of a column, found in a few steps.
//
// A binary search among 65,535 bins waits for memory at nearly every step, and extremely randomised
// trees make one for every column of every node. The range of a column is divided into cells of
// equal width; each knows the bins that begin in it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "coterie/bins.hpp"

namespace coterie {

class CutGuide {
  public:
    CutGuide(const BinsView& bins, std::span<const std::int32_t> columns)
        : scales_(bins.columns()) {
        for (const std::int32_t column : columns) {
            const auto j = static_cast<std::size_t>(column);
            if (!bins.categorical[j] && bins.count(j)) add(bins, j);
        }
    }

    // The first bin that begins above the value is one of these, or the one behind them.
    std::pair<std::uint32_t, std::uint32_t> around(std::size_t column, double value) const {
        const Scale& scale = scales_[column];
        const std::size_t cell = scale.start + scale.cell(value);
        return {firsts_[cell], firsts_[cell + 1]};
    }

  private:
    static constexpr std::uint32_t kBinsPerCell = 8;

    struct Scale {
        double origin = 0.0, per_unit = 0.0, last = 0.0;
        std::size_t start = 0;

        // Never falls as the value rises, whatever is rounded.
        std::size_t cell(double value) const {
            const double at = (value - origin) * per_unit;
            return at > 0.0 ? static_cast<std::size_t>(std::min(at, last)) : 0;
        }
    };

    void add(const BinsView& bins, std::size_t j) {
        const double* lower = bins.lower_of(j);
        const std::uint32_t count = bins.count(j);
        const std::uint32_t cells = count / kBinsPerCell + 1;
        Scale& scale = scales_[j];
        scale.origin = lower[0];
        scale.last = cells - 1;
        const double per_unit = cells / (lower[count - 1] - lower[0]);
        if (std::isfinite(per_unit)) scale.per_unit = per_unit;
        scale.start = firsts_.size();
        for (std::uint32_t bin = 0; bin < count; ++bin)
            for (const std::size_t cell = scale.start + scale.cell(lower[bin]);
                 firsts_.size() <= cell;)
                firsts_.push_back(static_cast<std::uint16_t>(bin));
        firsts_.resize(scale.start + cells + 1, static_cast<std::uint16_t>(count));
    }

    std::vector<Scale> scales_;
    std::vector<std::uint16_t> firsts_;  // by cell; a column has one more for its end
};

}  // namespace coterie
