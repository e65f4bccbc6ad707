#include "coterie/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "coterie/team.hpp"
#include "small_walk.hpp"
#include "step.hpp"

namespace coterie {
namespace {

constexpr std::size_t kLanes = 32;  // walks taken in step, so that their loads overlap

// A tree's root with the words its category sets lie in.
struct Root {
    const Node* node;
    const std::uint64_t* categories;
};

Root root_of(const ForestView& forest, std::size_t tree) {
    return {forest.nodes.data() + forest.node_offsets[tree],
            forest.categories.data() + forest.category_offsets[tree]};
}

// Makes `n` walks, the k-th from start(k), and notes the leaf of each in `leaves`.
// Several walks are under way at any time, so that their loads overlap; one that
// arrives hands its lane to the next.
template <bool Categories, class T, class Start>
void make_walks(std::size_t n, std::ptrdiff_t column_stride, const Node** leaves, Start&& start) {
    struct Lane {
        const Node* at;
        Root root;
        const T* x;
        std::size_t walk;
    };
    std::array<Lane, kLanes> lanes;
    std::size_t active = std::min(n, kLanes), next = active;
    const auto begin = [&](Lane& lane, std::size_t walk) {
        const auto [root, x] = start(walk);
        lane = {root.node, root, x, walk};
    };
    for (std::size_t i = 0; i < active; ++i) begin(lanes[i], i);
    while (active) {
        for (std::size_t i = 0; i < active; ++i) {
            Lane& lane = lanes[i];
            const Node node = *lane.at;
            if (node.is_leaf()) {
                leaves[lane.walk] = lane.at;
                if (next < n) {
                    begin(lane, next++);
                } else {
                    lane = lanes[--active];
                    --i;
                }
                continue;
            }
            const T x = lane.x[static_cast<std::ptrdiff_t>(node.feature()) * column_stride];
            lane.at =
                lane.root.node + node.left + goes_right<Categories>(node, x, lane.root.categories);
            __builtin_prefetch(lane.at);
        }
    }
}

template <class T, class Start>
void make_walks(const ForestView& forest, std::size_t n, std::ptrdiff_t column_stride,
                const Node** leaves, Start&& start) {
    if (forest.categories.empty()) {
        make_walks<false, T>(n, column_stride, leaves, start);
    } else {
        make_walks<true, T>(n, column_stride, leaves, start);
    }
}

// Walks rows down one tree, several in step: a row at its leaf stays there until the others have
// arrived. The deepest of a group makes the rest wait, but nothing is mispredicted, which costs
// more. `x` are the cells of `n` rows, row by row; returns how many rows were walked.
template <bool Missing, class T>
std::size_t walk_in_step(const Node* root, const T* x, std::ptrdiff_t step, std::size_t n,
                         const Node** leaves) {
    constexpr std::size_t lanes = 16;
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes, x += static_cast<std::ptrdiff_t>(lanes) * step) {
        std::array<std::uint32_t, lanes> at{};
        for (std::uint32_t moved = 1; moved;) {
            moved = 0;
#pragma GCC unroll 16
            for (std::size_t k = 0; k < lanes; ++k) {
                const Node node = root[at[k]];
                const T value = x[static_cast<std::ptrdiff_t>(k) * step + node.feature()];
                std::uint32_t right = static_cast<double>(value) > node.threshold;
                if constexpr (Missing) right |= (value != value) & !node.missing_left();
                const auto leaf = static_cast<std::uint32_t>(node.left >> 31);  // all ones, or none
                const std::uint32_t next = static_cast<std::uint32_t>(node.left) + right;
                const std::uint32_t to = (at[k] & leaf) | (next & ~leaf);
                moved |= to ^ at[k];
                at[k] = to;
            }
        }
        for (std::size_t k = 0; k < lanes; ++k) leaves[i + k] = root + at[k];
    }
    return i;
}

// Rows that are walked in step by all trees, one tree after another.
template <class T>
class StepRows {
  public:
    StepRows(const Matrix<const T>& X, std::size_t begin, std::size_t end)
        : x_(X.row(begin)), step_(X.row_stride), n_(end - begin) {
        const auto width = static_cast<std::ptrdiff_t>(X.cols);
        if (X.col_stride != 1) {
            copy_.reserve(n_ * X.cols);
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t j = 0; j < X.cols; ++j) copy_.push_back(X(i, j));
            x_ = copy_.data();
            step_ = width;
        }
        for (std::size_t i = 0; i < n_ && !missing_; ++i) {
            const T* row = x_ + static_cast<std::ptrdiff_t>(i) * step_;
            for (std::ptrdiff_t j = 0; j < width; ++j) missing_ |= row[j] != row[j];
        }
    }

    std::size_t walk(const Node* root, const Node** leaves) const {
        return missing_ ? walk_in_step<true>(root, x_, step_, n_, leaves)
                        : walk_in_step<false>(root, x_, step_, n_, leaves);
    }

  private:
    std::vector<T> copy_;
    const T* x_;
    std::ptrdiff_t step_;
    std::size_t n_;
    bool missing_ = false;
};

// Calls found(row, tree, leaf) for every pair, for each row in the order of the trees.
template <class T, class Found>
void walk_rows(const ForestView& forest, const Matrix<const T>& X, std::size_t begin,
               std::size_t end, Found&& found) {
    const std::size_t trees = forest.trees();
    if (end - begin < kLanes) {  // few rows: walk several trees at once
        std::vector<const Node*> leaves(trees);
        for (std::size_t row = begin; row < end; ++row) {
            make_walks<T>(forest, trees, X.col_stride, leaves.data(), [&](std::size_t tree) {
                return std::pair{root_of(forest, tree), X.row(row)};
            });
            for (std::size_t tree = 0; tree < trees; ++tree) found(row, tree, leaves[tree]);
        }
        return;
    }
    std::vector<const Node*> leaves(end - begin);
    const bool numeric = forest.categories.empty();
    const StepRows<T> rows(X, begin, numeric ? end : begin);
    for (std::size_t tree = 0; tree < trees; ++tree) {
        const Root root = root_of(forest, tree);
        const std::size_t done = numeric ? rows.walk(root.node, leaves.data()) : 0;
        make_walks<T>(forest, end - begin - done, X.col_stride, leaves.data() + done,
                      [&](std::size_t i) { return std::pair{root, X.row(begin + done + i)}; });
        for (std::size_t row = begin; row < end; ++row) found(row, tree, leaves[row - begin]);
    }
}

// Rows in blocks that stay in the second cache, beside a tree, while one tree after another passes.
template <class T, class Work>
void for_blocks(const ForestView& forest, const Matrix<const T>& X, int n_threads,
                Interrupt& interrupt, Work&& work) {
    const std::size_t width = std::max<std::size_t>(X.cols, 1);
    const std::size_t block = std::clamp<std::size_t>((std::size_t{1} << 15) / width, 64, 1024);
    const std::size_t blocks = (X.rows + block - 1) / block;
    // Signals can only be asked for by the calling thread: between groups of blocks.
    const std::size_t group = static_cast<std::size_t>(std::max(n_threads, 1)) * 4;
    for (std::size_t first = 0; first < blocks; first += group) {
        const std::size_t n = std::min(group, blocks - first);
        Team(n_threads).run(n, [&](std::size_t b) {
            const std::size_t begin = (first + b) * block;
            work(begin, std::min(begin + block, X.rows));
        });
        interrupt.after(n * block * forest.trees() * 16);
    }
}

// Adds the weighted values of a leaf to the scores of a row.
auto adder(const ForestView& forest, std::span<const double> tree_weight,
           const Matrix<double>& out) {
    const std::size_t outputs = forest.outputs();
    return [&forest, tree_weight, out, outputs](std::size_t row, std::size_t tree,
                                                const Node* leaf_node) {
        const double weight = tree_weight.empty() ? 1.0 : tree_weight[tree];
        const auto leaf = forest.leaf_offsets[tree] + ~leaf_node->left;
        const double* value = forest.values.row(static_cast<std::size_t>(leaf));
        double* sum = out.row(row) + first_output(outputs, out, tree);
        for (std::size_t k = 0; k < outputs; ++k) sum[k] += weight * value[k];
    };
}

}  // namespace

template <class T>
void predict(const ForestView& forest, const Matrix<const T>& X,
             std::span<const double> tree_weight, const Matrix<double>& out, int n_threads,
             Interrupt& interrupt) {
    if (X.rows >= SmallForest<T>::kWorth && SmallForest<T>::suits(forest)) {
        const SmallForest<T> small(forest, tree_weight);
        for_blocks(forest, X, n_threads, interrupt,
                   [&](std::size_t begin, std::size_t end) { small.add(X, begin, end, out); });
        return;
    }
    const auto add = adder(forest, tree_weight, out);
    for_blocks(forest, X, n_threads, interrupt,
               [&](std::size_t begin, std::size_t end) { walk_rows(forest, X, begin, end, add); });
}

template <class T>
void apply(const ForestView& forest, const Matrix<const T>& X, const Matrix<std::int32_t>& out,
           int n_threads, Interrupt& interrupt) {
    for_blocks(forest, X, n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
        walk_rows(forest, X, begin, end, [&](std::size_t row, std::size_t tree, const Node* leaf) {
            out(row, tree) = static_cast<std::int32_t>(leaf - root_of(forest, tree).node);
        });
    });
}

// One row after the other is written out, walked down several trees at once, and wiped out.
template <class T, class Found>
static void walk_sparse(const ForestView& forest, const SparseLines<T>& X, int n_threads,
                        Interrupt& interrupt, Found&& found) {
    constexpr std::size_t block = 256;
    const std::size_t rows = X.lines(), trees = forest.trees();
    const std::size_t group = static_cast<std::size_t>(std::max(n_threads, 1)) * 4;
    for (std::size_t first = 0; first < rows; first += group * block) {
        const std::size_t blocks = std::min(group, (rows - first + block - 1) / block);
        Team(n_threads).run(blocks, [&](std::size_t b) {
            std::vector<T> x(X.across, T{0});
            std::vector<const Node*> leaves(trees);
            const std::size_t begin = first + b * block;
            for (std::size_t row = begin; row < std::min(rows, begin + block); ++row) {
                const Line<T> cells = X.line(row);
                for (std::size_t k = 0; k < cells.size; ++k) x[cells.at[k]] += cells.values[k];
                make_walks<T>(forest, trees, 1, leaves.data(), [&](std::size_t tree) {
                    return std::pair{root_of(forest, tree), static_cast<const T*>(x.data())};
                });
                for (std::size_t tree = 0; tree < trees; ++tree) found(row, tree, leaves[tree]);
                for (std::size_t k = 0; k < cells.size; ++k) x[cells.at[k]] = T{0};
            }
        });
        interrupt.after(blocks * block * trees * 16);
    }
}

template <class T>
void predict(const ForestView& forest, const SparseLines<T>& X, std::span<const double> tree_weight,
             const Matrix<double>& out, int n_threads, Interrupt& interrupt) {
    walk_sparse(forest, X, n_threads, interrupt, adder(forest, tree_weight, out));
}

template <class T>
void apply(const ForestView& forest, const SparseLines<T>& X, const Matrix<std::int32_t>& out,
           int n_threads, Interrupt& interrupt) {
    walk_sparse(forest, X, n_threads, interrupt,
                [&](std::size_t row, std::size_t tree, const Node* leaf) {
                    out(row, tree) = static_cast<std::int32_t>(leaf - root_of(forest, tree).node);
                });
}

template <class T>
Paths decision_paths(const ForestView& forest, const Matrix<const T>& X) {
    Paths paths;
    paths.starts.push_back(0);
    for (std::size_t row = 0; row < X.rows; ++row) {
        for (std::size_t tree = 0; tree < forest.trees(); ++tree) {
            const std::int64_t start = forest.node_offsets[tree];
            const std::uint64_t* categories =
                forest.categories.data() + forest.category_offsets[tree];
            std::int64_t at = 0;
            for (;;) {
                const Node& node = forest.nodes[static_cast<std::size_t>(start + at)];
                paths.nodes.push_back(start + at);
                if (node.is_leaf()) break;
                at = node.left + goes_right<true>(node, X(row, node.feature()), categories);
            }
        }
        paths.starts.push_back(static_cast<std::int64_t>(paths.nodes.size()));
    }
    return paths;
}

void node_values(const ForestView& forest, std::span<const double> weight,
                 const Matrix<double>& out) {
    for (std::size_t tree = 0; tree < forest.trees(); ++tree) {
        const std::int64_t start = forest.node_offsets[tree];
        for (std::int64_t at = forest.node_offsets[tree + 1] - 1; at >= start; --at) {
            const Node& node = forest.nodes[static_cast<std::size_t>(at)];
            double* value = out.row(static_cast<std::size_t>(at));
            if (node.is_leaf()) {
                const auto leaf = static_cast<std::size_t>(forest.leaf_offsets[tree] + ~node.left);
                std::copy_n(forest.values.row(leaf), out.cols, value);
                continue;
            }
            const auto left = static_cast<std::size_t>(start + node.left);
            const double share = weight[left] / (weight[left] + weight[left + 1]);
            for (std::size_t k = 0; k < out.cols; ++k)
                value[k] = share * out(left, k) + (1.0 - share) * out(left + 1, k);
        }
    }
}

#define COTERIE_INSTANTIATE(T)                                                                  \
    template void predict(const ForestView&, const Matrix<const T>&, std::span<const double>,   \
                          const Matrix<double>&, int, Interrupt&);                              \
    template void apply(const ForestView&, const Matrix<const T>&, const Matrix<std::int32_t>&, \
                        int, Interrupt&);                                                       \
    template void predict(const ForestView&, const SparseLines<T>&, std::span<const double>,    \
                          const Matrix<double>&, int, Interrupt&);                              \
    template void apply(const ForestView&, const SparseLines<T>&, const Matrix<std::int32_t>&,  \
                        int, Interrupt&);                                                       \
    template Paths decision_paths(const ForestView&, const Matrix<const T>&)
COTERIE_INSTANTIATE(float);
COTERIE_INSTANTIATE(double);
#undef COTERIE_INSTANTIATE

}  // namespace coterie
