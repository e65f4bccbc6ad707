// Walking forests: values, leaves and paths of raw rows (no binning needed).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/forest.hpp"
#include "coterie/interrupt.hpp"
#include "coterie/matrix.hpp"
#include "coterie/sparse.hpp"

namespace coterie {

// Where the values of a tree go. Trees of a single value may take turns: the t-th votes on output
// t % out.cols, so that a forest for every class need not carry a row of zeros in each leaf.
inline std::size_t first_output(std::size_t values, const Matrix<double>& out, std::size_t tree) {
    return values == 1 ? tree % out.cols : 0;
}

// Adds tree_weight[t] * value of each tree's leaf to out (rows, outputs), tree by
// tree, so the sum does not depend on n_threads. No weights means ones.
template <class T>
void predict(const ForestView& forest, const Matrix<const T>& X,
             std::span<const double> tree_weight, const Matrix<double>& out, int n_threads,
             Interrupt& interrupt);

// The same for rows of which only filled cells are given; cells of one place add up.
template <class T>
void predict(const ForestView& forest, const SparseLines<T>& X, std::span<const double> tree_weight,
             const Matrix<double>& out, int n_threads, Interrupt& interrupt);

// The node (counted from its tree's root) where each row ends in each tree.
template <class T>
void apply(const ForestView& forest, const Matrix<const T>& X, const Matrix<std::int32_t>& out,
           int n_threads, Interrupt& interrupt);

template <class T>
void apply(const ForestView& forest, const SparseLines<T>& X, const Matrix<std::int32_t>& out,
           int n_threads, Interrupt& interrupt);

// All nodes each row passes, as a sparse row structure over the nodes of all trees.
struct Paths {
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> nodes;
};
template <class T>
Paths decision_paths(const ForestView& forest, const Matrix<const T>& X);

// Values of inner nodes too: the weighted mean of their leaves.
void node_values(const ForestView& forest, std::span<const double> weight,
                 const Matrix<double>& out);

}  // namespace coterie
