// A table small enough to reckon by hand, binned and ready to grow on.
#pragma once

#include <limits>
#include <numeric>
#include <vector>

#include "coterie/bins.hpp"
#include "coterie/grow.hpp"

namespace coterie {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

template <class T>
ColumnBins cut_column(const Matrix<const T>& X, std::size_t column,
                      std::span<const double> weight = {}, std::uint32_t max_bins = 255,
                      std::size_t sample_rows = 1000, std::uint64_t seed = 0) {
    const std::size_t columns[] = {column};
    return find_numeric_bins(X, std::span<const std::size_t>(columns), weight, max_bins,
                             sample_rows, seed, {}, 1)[0];
}

struct SmallTable {
    std::vector<double> cells;  // row by row
    std::size_t rows, cols;
    std::vector<std::uint8_t> categorical;
    std::vector<std::int64_t> offsets{0};
    std::vector<double> lower, upper;
    std::vector<std::uint8_t> codes;
    std::vector<std::int32_t> columns;

    SmallTable(std::vector<double> values, std::size_t width, std::vector<std::uint8_t> kinds = {})
        : cells(std::move(values)), rows(cells.size() / width), cols(width),
          categorical(kinds.empty() ? std::vector<std::uint8_t>(width, 0) : std::move(kinds)),
          codes(cells.size()), columns(width) {
        std::iota(columns.begin(), columns.end(), 0);
        for (std::size_t j = 0; j < cols; ++j) {
            const ColumnBins bins =
                categorical[j] ? find_category_bins(matrix(), j) : cut_column(matrix(), j);
            lower.insert(lower.end(), bins.lower.begin(), bins.lower.end());
            upper.insert(upper.end(), bins.upper.begin(), bins.upper.end());
            offsets.push_back(static_cast<std::int64_t>(lower.size()));
        }
        encode(matrix(), bins(),
               Matrix<std::uint8_t>{codes.data(), rows, cols, static_cast<std::ptrdiff_t>(cols), 1},
               1);
    }

    Matrix<const double> matrix() const {
        return {cells.data(), rows, cols, static_cast<std::ptrdiff_t>(cols), 1};
    }
    BinsView bins() const { return {offsets, lower, upper, categorical}; }

    Tree fit_values(const std::vector<double>& y, Growth growth,
                    std::vector<double> weight = {}) const {
        if (weight.empty()) weight.assign(rows, 1.0);
        TargetView target;
        target.values = {y.data(), rows, 1, 1, 1};
        return fit(target, growth, weight);
    }
    Tree fit_labels(const std::vector<std::int32_t>& y, std::int32_t classes, Growth growth,
                    std::vector<double> weight = {}) const {
        if (weight.empty()) weight.assign(rows, 1.0);
        TargetView target;
        target.codes = {y.data(), rows, 1, 1, 1};
        target.n_classes = {classes};
        return fit(target, growth, weight);
    }
    Tree fit(const TargetView& target, Growth growth, const std::vector<double>& weight) const {
        growth.columns = columns;
        Interrupt interrupt;
        return grow(CodeTable<std::uint8_t>{{codes.data(), rows, cols,
                                             static_cast<std::ptrdiff_t>(cols), 1}},
                    bins(), target, weight, growth, 7, 1, {}, interrupt);
    }
};

}  // namespace coterie
