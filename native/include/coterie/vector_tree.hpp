// Growing one tree whose leaves hold a step for each of several scores.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "coterie/bins.hpp"
#include "coterie/forest.hpp"
#include "coterie/interrupt.hpp"
#include "coterie/matrix.hpp"
#include "coterie/sparse.hpp"

namespace coterie {

struct VectorGrowth {
    static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

    std::int64_t max_depth = kNoLimit;
    std::int64_t max_leaf_nodes = kNoLimit;
    std::int64_t min_samples_leaf = 1;
    double min_child_weight = 0.0;  // in units of the mean hessian of a row over its scores
    double l2 = 0.0;
    double min_gain = 0.0;
    std::int64_t max_features = 0;  // columns drawn per node; 0 = all
    int precision = 0;              // 1: packed, 2: exact, 0: packed if that loses nothing
    Matrix<const std::uint8_t> interactions;  // (groups, columns), or without data
    std::span<const std::int32_t> columns;    // what the tree may use
};

// First and second derivatives, (rows, scores); without data, hessians are ones. `rows` are those
// to learn from, ascending; none stands for all.
template <class Real>
struct VectorSlopes {
    Matrix<const Real> gradient, hessian;
    std::span<const std::int32_t> rows;

    std::size_t learnt() const { return rows.empty() ? gradient.rows : rows.size(); }
    std::size_t row(std::size_t i) const {
        return rows.empty() ? i : static_cast<std::size_t>(rows[i]);
    }
};

// Best first. With h the mean hessian of a row, a side of a split is worth Σ_k G_k² / (H + l2);
// leaves get the Newton step of each score by itself. `leaves` receives the leaf of every row that
// is learnt from. The result depends neither on n_threads nor on the processor.
template <class Code, class Real>
Tree grow_vector(const CodeTable<Code>& codes, const BinsView& bins,
                 const VectorSlopes<Real>& slopes, const VectorGrowth& growth, std::uint64_t seed,
                 int n_threads, std::span<std::int32_t> leaves, Interrupt& interrupt);

}  // namespace coterie
