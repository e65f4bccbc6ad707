// Binning: each column is cut once into at most 255 (or 65,535) bins, and all
// trees work on the bin numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "coterie/matrix.hpp"

namespace coterie {

// Halfway from below to above, but never equal to above.
inline double between(double below, double above) {
    const double middle = std::midpoint(below, above);
    return middle < above ? middle : below;
}

// The value-bins of column j are the slots offsets[j] … offsets[j+1]-1 of
// `lower` and `upper`, the smallest and largest training value in each bin.
// Keeping both, rather than the cut points between bins, lets a split be placed
// halfway between the values that are present in its node: CART's threshold.
struct BinsView {
    std::span<const std::int64_t> offsets;
    std::span<const double> lower;
    std::span<const double> upper;
    std::span<const std::uint8_t> categorical;

    std::size_t columns() const { return categorical.size(); }
    std::uint32_t count(std::size_t j) const {
        return static_cast<std::uint32_t>(offsets[j + 1] - offsets[j]);
    }
    const double* lower_of(std::size_t j) const { return lower.data() + offsets[j]; }
    const double* upper_of(std::size_t j) const { return upper.data() + offsets[j]; }

    // What parts two codes that are neighbours in a node; values from missing ones, infinity.
    double threshold(std::size_t j, std::uint32_t below, std::uint32_t above) const {
        return above < count(j) ? between(upper_of(j)[below], lower_of(j)[above])
                                : std::numeric_limits<double>::infinity();
    }
};

struct ColumnBins {
    std::vector<double> lower;
    std::vector<double> upper;
};

// The rows quantiles are judged on: all of them, or an evenly spread sample.
std::vector<std::size_t> spread_rows(std::size_t n, std::size_t limit, std::uint64_t seed);

// Cuts numeric columns. With at most max_bins distinct values each has its own bin;
// otherwise bins hold about equal weight, judged on at most `sample_rows` rows. `crowded`, if not
// empty, flags columns of the table that are known to have more values than these rows show.
template <class T>
std::vector<ColumnBins> find_numeric_bins(const Matrix<const T>& X,
                                          std::span<const std::size_t> columns,
                                          std::span<const double> weight, std::uint32_t max_bins,
                                          std::size_t sample_rows, std::uint64_t seed,
                                          std::span<const std::uint8_t> crowded, int n_threads);

// One bin per category code 0 … largest code.
template <class T>
ColumnBins find_category_bins(const Matrix<const T>& X, std::size_t column);

// Writes the bin of every value; a missing value gets the number of bins.
template <class T, class Code>
void encode(const Matrix<const T>& X, const BinsView& bins, const Matrix<Code>& out, int n_threads);

}  // namespace coterie
