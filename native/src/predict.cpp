#include "coterie/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "coterie/team.hpp"
#include "heap_walk.hpp"
#include "leaf_bits.hpp"
#include "packed_forest.hpp"
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

// Walks rows down one tree after the other; all splits are numeric.
template <class T, class Found>
void walk_plain(const ForestView& forest, const Matrix<const T>& X, std::size_t begin,
                std::size_t end, Found&& found) {
    std::vector<T> copy;
    const Strip<T> strip = lay_out(X, begin, end, copy);
    std::vector<std::uint32_t> at(end - begin);
    Walkers walkers;
    for (std::size_t tree = 0; tree < forest.trees(); ++tree) {
        const Node* nodes = root_of(forest, tree).node;
        walkers.walk(PlainTree<T>{nodes}, strip, at.data());
        for (std::size_t row = begin; row < end; ++row) found(row, tree, nodes + at[row - begin]);
    }
}

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
    if (forest.categories.empty()) return walk_plain(forest, X, begin, end, found);
    std::vector<const Node*> leaves(end - begin);
    for (std::size_t tree = 0; tree < trees; ++tree) {
        const Root root = root_of(forest, tree);
        make_walks<T>(forest, end - begin, X.col_stride, leaves.data(),
                      [&](std::size_t i) { return std::pair{root, X.row(begin + i)}; });
        for (std::size_t row = begin; row < end; ++row) found(row, tree, leaves[row - begin]);
    }
}

// Calls work(begin, end) for blocks of rows, each of which passes so many trees.
template <class Work>
void for_blocks(std::size_t rows, std::size_t block, std::size_t trees, Team& team,
                Interrupt& interrupt, Work&& work) {
    const std::size_t blocks = (rows + block - 1) / block;
    // Signals can only be asked for by the calling thread: between groups of blocks.
    const std::size_t group = team.size() * 4;
    for (std::size_t first = 0; first < blocks; first += group) {
        const std::size_t n = std::min(group, blocks - first);
        team.run(n, [&](std::size_t b) {
            const std::size_t begin = (first + b) * block;
            work(begin, std::min(begin + block, rows));
        });
        interrupt.after(n * block * trees * 16);
    }
}

// Rows that stay in the second cache, beside a tree, while one tree after another passes.
template <class T>
std::size_t cached_rows(const Matrix<const T>& X) {
    const std::size_t width = std::max<std::size_t>(X.cols, 1);
    return std::clamp<std::size_t>((std::size_t{1} << 15) / width, 64, 1024);
}

// Packs some trees after the others, and walks all rows down them. Calls visit(begin, end, tree,
// hops, at) as PackedForest does.
template <class T, class Visit>
void walk_packed(const ForestView& forest, const Matrix<const T>& X, Team& team,
                 Interrupt& interrupt, Visit&& visit) {
    PackedForest<T> packed(forest, X.cols);
    const std::size_t share = std::max<std::size_t>((X.rows + team.size() - 1) / team.size(), 1);
    const std::size_t block = std::min(PackedForest<T>::block(X), share);
    for (std::size_t first = 0, last; first < forest.trees(); first = last) {
        last = packed.pack(first, team);
        for_blocks(X.rows, block, last - first, team, interrupt,
                   [&](std::size_t begin, std::size_t end) {
                       packed.walk(X, begin, end, [&](auto tree, const Hop<T>* hops, auto* at) {
                           visit(begin, end, tree, hops, at);
                       });
                   });
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

// Adds the votes of one tree on rows that have arrived at its hops. `N` is the number of values of
// a leaf, where it is known: loops of a known length cost a third.
template <std::size_t N, class T>
void vote_as(const Matrix<const double>& values, double weight, const Matrix<double>& out,
             std::size_t begin, std::size_t end, const Hop<T>* hops, const std::uint32_t* at) {
    const std::size_t n = N ? N : values.cols;
    for (std::size_t row = begin; row < end; ++row) {
        const double* value = values.row(Packing<T>::values(hops[at[row - begin]]));
        double* sum = out.row(row);
        for (std::size_t k = 0; k < n; ++k) sum[k] += weight * value[k];
    }
}

template <class T>
void vote_packed(const ForestView& forest, std::span<const double> tree_weight,
                 const Matrix<double>& out, std::size_t begin, std::size_t end, std::size_t tree,
                 const Hop<T>* hops, const std::uint32_t* at) {
    const double weight = tree_weight.empty() ? 1.0 : tree_weight[tree];
    Matrix<const double> values = forest.values;
    values.data = values.row(static_cast<std::size_t>(forest.leaf_offsets[tree]));
    Matrix<double> sums = out;
    sums.data += first_output(values.cols, out, tree);
    const auto vote = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
        vote_as<N, T>(values, weight, sums, begin, end, hops, at);
    };
    switch (values.cols) {
        case 1:
            return vote(std::integral_constant<std::size_t, 1>{});
        case 2:
            return vote(std::integral_constant<std::size_t, 2>{});
        case 3:
            return vote(std::integral_constant<std::size_t, 3>{});
        case 4:
            return vote(std::integral_constant<std::size_t, 4>{});
        case 5:
            return vote(std::integral_constant<std::size_t, 5>{});
        case 6:
            return vote(std::integral_constant<std::size_t, 6>{});
        case 7:
            return vote(std::integral_constant<std::size_t, 7>{});
        case 8:
            return vote(std::integral_constant<std::size_t, 8>{});
        default:
            return vote(std::integral_constant<std::size_t, 0>{});
    }
}

}  // namespace

template <class T>
void predict(const ForestView& forest, const Matrix<const T>& X,
             std::span<const double> tree_weight, const Matrix<double>& out, int n_threads,
             Interrupt& interrupt) {
    Team team(n_threads);
    if (const auto bits = LeafBits<T>::of(forest, tree_weight, X))
        return for_blocks(
            X.rows, kStripRows * 8, forest.trees(), team, interrupt,
            [&](std::size_t begin, std::size_t end) { bits->add(X, begin, end, out); });
    if (X.rows >= SmallForest<T>::kWorth && SmallForest<T>::suits(forest, X.cols)) {
        const SmallForest<T> small(forest, tree_weight);
        const auto add = [&](std::size_t begin, std::size_t end) { small.add(X, begin, end, out); };
        if (!HeapForest<T>::suits(forest, X.cols))
            return for_blocks(X.rows, cached_rows(X), forest.trees(), team, interrupt, add);
        const HeapForest<T> heaps(forest, tree_weight);
        return for_blocks(
            X.rows, cached_rows(X), forest.trees(), team, interrupt,
            [&](std::size_t begin, std::size_t end) { heaps.add(X, begin, end, out, add); });
    }
    if (PackedForest<T>::suits(forest, X)) {
        return walk_packed(forest, X, team, interrupt, [&](auto begin, auto end, auto... arrived) {
            vote_packed<T>(forest, tree_weight, out, begin, end, arrived...);
        });
    }
    const auto add = adder(forest, tree_weight, out);
    for_blocks(X.rows, cached_rows(X), forest.trees(), team, interrupt,
               [&](std::size_t begin, std::size_t end) { walk_rows(forest, X, begin, end, add); });
}

template <class T>
void apply(const ForestView& forest, const Matrix<const T>& X, const Matrix<std::int32_t>& out,
           int n_threads, Interrupt& interrupt) {
    Team team(n_threads);
    if (PackedForest<T>::suits(forest, X))
        return walk_packed(
            forest, X, team, interrupt,
            [&](auto begin, auto end, auto tree, const Hop<T>*, const std::uint32_t* at) {
                for (std::size_t row = begin; row < end; ++row)
                    out(row, tree) = static_cast<std::int32_t>(at[row - begin]);
            });
    for_blocks(X.rows, cached_rows(X), forest.trees(), team, interrupt, [&](auto begin, auto end) {
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
