// What a tree is fitted to, and sums of it that do not depend on their order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "coterie/matrix.hpp"

namespace coterie {

// Rounds numbers to a common grid so coarse that adding any of them is exact in
// double: sums are then the same in every order and for every number of threads,
// and a histogram minus its child is exactly the other child. The grid is 2^-51
// of the largest possible sum, as fine as the error ordinary summation makes.
class Grid {
  public:
    explicit Grid(double largest_sum) {
        int exponent = 0;
        std::frexp(largest_sum, &exponent);
        anchor_ = std::ldexp(1.5, exponent + 1);  // doubles near 1.5 * 2^(e+1) are 2^(e-51) apart
        if (!(largest_sum > 0.0)) anchor_ = 0.0;
    }
    double snap(double value) const { return (value + anchor_) - anchor_; }

  private:
    double anchor_;
};

// Labels: `codes` holds a class code per row and output, output o having
// n_classes[o] classes. Values: `values` holds numbers per row and output.
struct TargetView {
    Matrix<const std::int32_t> codes;
    std::vector<std::int32_t> n_classes;
    Matrix<const double> values;
    Matrix<const double> entry;  // of survival: when rows came under observation, or without data

    bool labels() const { return codes.data != nullptr; }
    std::size_t rows() const { return labels() ? codes.rows : values.rows; }
    std::size_t outputs() const { return labels() ? codes.cols : values.cols; }
    // Channels of a histogram besides the weight.
    std::size_t channels() const {
        if (!labels()) return values.cols;
        std::size_t total = 0;
        for (const auto k : n_classes) total += static_cast<std::size_t>(k);
        return total;
    }
};

}  // namespace coterie
