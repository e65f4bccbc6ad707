// Trees that isolate rows by random cuts of raw values: no target, no bins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/forest.hpp"
#include "coterie/interrupt.hpp"
#include "coterie/matrix.hpp"

namespace coterie {

// What each tree is grown from: a row of `rows` (a row of the table may be there more than once),
// the columns it may cut, and its seed.
struct IsolationSamples {
    Matrix<const std::int64_t> rows;
    Matrix<const std::int32_t> columns;
    std::span<const std::uint64_t> seeds;
};

// Where growth ends, and what a leaf that holds several rows adds to its depth.
struct IsolationRule {
    std::int64_t max_depth;
    std::span<const double> path;  // by number of rows, from 0 to as many as a tree has
};

// Cuts along the axes. A column of `levels[j]` > 0 categories is cut into random sets of them.
// The value of a leaf is the length of its path. Trees do not depend on n_threads or on the order
// of a tree's rows.
template <class T>
std::vector<Tree> grow_isolation(const Matrix<const T>& X, std::span<const std::uint32_t> levels,
                                 const IsolationSamples& samples, const IsolationRule& rule,
                                 int n_threads, Interrupt& interrupt);

// A tree whose cuts are slanted: left if the sum of width products is not above the offset. The
// i-th inner node made has its children at 2i + 1 and 2i + 2 and its slant at i * width; a leaf
// has left = -1 and its path length for an offset.
struct SlantedTree {
    std::vector<std::int32_t> left;
    std::vector<double> offsets;
    std::vector<std::int32_t> columns;
    std::vector<double> slants;
};

// Cuts through random points of the nodes' boxes, with normals of `width` columns that are not 0.
// A cut that leaves a side empty is drawn again, `redraw` times at most.
std::vector<SlantedTree> grow_slanted(const Matrix<const double>& X,
                                      const IsolationSamples& samples, const IsolationRule& rule,
                                      std::size_t width, int redraw, int n_threads,
                                      Interrupt& interrupt);

// Many slanted trees end to end; tree t owns the nodes from starts[t] to starts[t + 1].
struct SlantedView {
    std::span<const std::int32_t> left;
    std::span<const double> offsets;
    std::span<const std::int32_t> columns;
    std::span<const double> slants;
    std::span<const std::int64_t> starts;
    std::size_t width;
};

// Throws std::invalid_argument unless every index is in range and every child behind its parent.
void check_slanted(const SlantedView& forest, std::size_t n_columns);

// Adds the path lengths of all trees, tree by tree.
void slanted_paths(const SlantedView& forest, const Matrix<const double>& X, std::span<double> out,
                   int n_threads, Interrupt& interrupt);

}  // namespace coterie
