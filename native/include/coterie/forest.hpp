// Grown trees as flat arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/matrix.hpp"

namespace coterie {

// What a walk down the tree reads: 16 bytes, four to a cache line. The children
// of an inner node are neighbours, `left` and `left + 1`, counted from the root
// of the tree; a leaf has left = ~(its number among the leaves).
struct Node {
    double threshold;      // numeric: left if x <= threshold; categories: see below
    std::uint32_t column;  // lowest 30 bits; kMissingLeft and kCategorical above them
    std::int32_t left;

    static constexpr std::uint32_t kMissingLeft = 1u << 31;
    static constexpr std::uint32_t kCategorical = 1u << 30;
    static constexpr std::uint32_t kColumn = kCategorical - 1;

    bool is_leaf() const { return left < 0; }
    std::uint32_t feature() const { return column & kColumn; }
    bool missing_left() const { return (column & kMissingLeft) != 0; }
    bool categorical() const { return (column & kCategorical) != 0; }
};
static_assert(sizeof(Node) == 16);

// One tree as it comes from the grower. A categorical node's threshold is the
// position in `categories` of its set: a word count, then that many 64-bit
// words with a bit for each category that goes left. Categories beyond the last
// word, and values that are no category, go where missing values go.
struct Tree {
    std::vector<Node> nodes;
    std::vector<std::int32_t> n_samples;
    std::vector<double> weight;
    std::vector<double> impurity;
    std::vector<double> values;  // (leaves, outputs)
    std::vector<std::uint64_t> categories;
    std::vector<double> medians;  // (nodes, outputs) of absolute error, otherwise empty
};

// Many trees end to end: tree t owns nodes[node_offsets[t] … node_offsets[t+1]),
// and likewise its leaves' rows of `values` and its `categories`.
struct ForestView {
    std::span<const Node> nodes;
    std::span<const std::int64_t> node_offsets;
    std::span<const std::int64_t> leaf_offsets;
    std::span<const std::int64_t> category_offsets;
    std::span<const std::uint64_t> categories;
    Matrix<const double> values;

    std::size_t trees() const { return node_offsets.size() - 1; }
    std::size_t outputs() const { return values.cols; }
};

// Throws std::invalid_argument unless every index in the arrays is in range, every child
// lies behind its parent and has no other, and every leaf belongs to one node: no walk
// leaves the arrays, and none takes longer than there are nodes. Linear in the number of
// nodes. Arrays that come from outside pass here once.
void check_forest(const ForestView& forest, std::size_t n_columns);

}  // namespace coterie
