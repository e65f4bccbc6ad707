// Growing one tree on slopes: first and second derivatives of a loss by row.
//
// With G and H the sums of a node's slopes, a leaf is -S(G) / (H + l2), where S moves its argument
// towards zero by l1, and a split gains what the score S(G)^2 / (H + l2) of its two sides exceeds
// that of the node by (Chen & Guestrin 2016, not halved).
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "coterie/bins.hpp"
#include "coterie/bundle.hpp"
#include "coterie/forest.hpp"
#include "coterie/interrupt.hpp"
#include "coterie/joint.hpp"
#include "coterie/matrix.hpp"
#include "coterie/workspace.hpp"

namespace coterie {

struct NewtonGrowth {
    static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

    std::int64_t max_leaf_nodes = kNoLimit;
    std::int64_t max_depth = kNoLimit;
    bool level_wise = false;  // by levels, pruned from below; otherwise the best leaf first
    bool symmetric = false;   // by levels, all nodes of a level alike
    bool in_middle = false;   // thresholds midway between the values of the node, not of the table
    std::int64_t min_samples_split = 2;
    std::int64_t min_samples_leaf = 1;
    double min_child_weight = 0.0;
    double l1 = 0.0;
    double l2 = 0.0;
    double min_gain = 0.0;
    double max_delta_step = 0.0;              // 0: none
    std::int64_t level_features = 0;          // columns drawn per level; 0: all
    std::int64_t max_features = 0;            // columns drawn per node of those; 0: all
    int precision = 0;                        // 0: as the slopes ask; 1: packed; 2: exact
    std::span<const std::int8_t> monotone;    // per column, or empty
    Matrix<const std::uint8_t> interactions;  // (groups, columns), or without data
    std::span<const std::int32_t> columns;    // what the tree may use, ascending
};

// Slopes of every row of the table; an empty hessian is 1 everywhere. `rows`, if not empty, are
// those to learn from, ascending.
template <class Real>
struct SlopesView {
    std::span<const Real> gradient;
    std::span<const Real> hessian;
    std::span<const std::int32_t> rows;

    std::size_t learnt() const { return rows.empty() ? gradient.size() : rows.size(); }
};

// `codes` is what is counted; if `bundles` is not empty, the table they describe. `by_column` are
// the same codes, best with the rows of a column side by side. If `unusual` is given, that is
// counted and `codes` is not; if `joint`, that of large nodes. Of a sparse table both matrices have
// the shape alone.
template <class Code>
struct NewtonTable {
    Matrix<const Code> codes, by_column;
    BinsView bins;
    BundlesView bundles = {};
    const Unusual* unusual = nullptr;
    const SparseCodes<Code>* sparse = nullptr;
    const Joint* joint = nullptr;

    std::uint32_t code(std::size_t row, std::size_t column) const {
        if (sparse) return sparse->code(row, column);
        const std::uint32_t found = by_column(row, bundles.home_of(column));
        return bundles.shares(column) ? bundles.code_of(column, bins.count(column), found) : found;
    }
};

// One tree to grow: on what, how, and what it leaves behind.
template <class Code, class Real>
struct NewtonTask {
    NewtonTable<Code> table;
    SlopesView<Real> slopes;
    NewtonGrowth growth;
    std::uint64_t seed = 0;
    std::uint64_t first_row = 0;  // number of the first row where the table is part of a larger one
    std::span<std::int32_t> leaves;  // receives the leaf of every row, learnt from or not
};

// The tree does not depend on n_threads. `workspace` is lent by the caller, who grows many trees.
template <class Code, class Real>
Tree grow_newton(const NewtonTask<Code, Real>& task, int n_threads, Workspace& workspace,
                 Interrupt& interrupt);

}  // namespace coterie
