// Shapley values of forests: how much each column moves the prediction of a row.
#pragma once

#include <span>

#include "coterie/forest.hpp"
#include "coterie/interrupt.hpp"
#include "coterie/matrix.hpp"

namespace coterie {

// Adds the Shapley values of the weighted sum of the trees to out, (rows, columns + 1, outputs)
// with the last two axes laid end to end. The last "column" is what is expected of a row of
// which nothing is known. Columns that are not known are taken from the rows of `background`,
// one after the other, and the values are means over these. Without such rows a split on an
// unknown column sends a row both ways, in the proportion of `weight`, one per node. The sums do
// not depend on n_threads.
template <class T>
void shap(const ForestView& forest, std::span<const double> weight, const Matrix<const T>& X,
          const Matrix<const double>& background, std::span<const double> tree_weight,
          const Matrix<double>& out, int n_threads, Interrupt& interrupt);

// Adds the Shapley interaction values, without a background, to out, (rows, columns, columns,
// outputs) with all but the first axis laid end to end: half an interaction of two columns in
// either order, and on the diagonal what is left of the Shapley value of a column, so that rows of
// the square add up to those values.
template <class T>
void shap_interactions(const ForestView& forest, std::span<const double> weight,
                       const Matrix<const T>& X, std::span<const double> tree_weight,
                       const Matrix<double>& out, int n_threads, Interrupt& interrupt);

}  // namespace coterie
