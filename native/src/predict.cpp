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
    for (std::size_t tree = 0; tree < trees; ++tree) {
        const Root root = root_of(forest, tree);
        make_walks<T>(forest, end - begin, X.col_stride, leaves.data(),
                      [&](std::size_t i) { return std::pair{root, X.row(begin + i)}; });
        for (std::size_t row = begin; row < end; ++row) found(row, tree, leaves[row - begin]);
    }
}

// Rows in blocks that stay in the cache while one tree after another passes.
template <class T, class Work>
void for_blocks(const ForestView& forest, const Matrix<const T>& X, int n_threads,
                Interrupt& interrupt, Work&& work) {
    const std::size_t width = std::max<std::size_t>(X.cols, 1);
    const std::size_t block = std::clamp<std::size_t>((std::size_t{1} << 17) / width, 64, 4096);
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

}  // namespace

template <class T>
void predict(const ForestView& forest, const Matrix<const T>& X,
             std::span<const double> tree_weight, const Matrix<double>& out, int n_threads,
             Interrupt& interrupt) {
    const std::size_t outputs = forest.outputs();
    if (X.rows >= SmallForest<T>::kWorth && SmallForest<T>::suits(forest)) {
        const SmallForest<T> small(forest, tree_weight);
        for_blocks(forest, X, n_threads, interrupt,
                   [&](std::size_t begin, std::size_t end) { small.add(X, begin, end, out); });
        return;
    }
    const auto add = [&](std::size_t row, std::size_t tree, const Node* leaf_node) {
        const double weight = tree_weight.empty() ? 1.0 : tree_weight[tree];
        const auto leaf = forest.leaf_offsets[tree] + ~leaf_node->left;
        const double* value = forest.values.row(static_cast<std::size_t>(leaf));
        double* sum = out.row(row) + first_output(outputs, out, tree);
        for (std::size_t k = 0; k < outputs; ++k) sum[k] += weight * value[k];
    };
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

template <class Code>
void row_hashes(const Matrix<const Code>& codes, std::span<std::uint64_t> hashes, int n_threads) {
    constexpr std::size_t block = 4096;
    const auto mix = [](std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        return z ^ (z >> 27);
    };
    Team(n_threads).run((codes.rows + block - 1) / block, [&](std::size_t b) {
        const std::size_t begin = b * block, end = std::min(begin + block, codes.rows);
        for (std::size_t j = 0; j < codes.cols; ++j)
            for (std::size_t i = begin; i < end; ++i)
                hashes[i] = mix(hashes[i] * 0x9e3779b97f4a7c15ULL + codes(i, j) + 1);
    });
}

#define COTERIE_INSTANTIATE(T)                                                                  \
    template void predict(const ForestView&, const Matrix<const T>&, std::span<const double>,   \
                          const Matrix<double>&, int, Interrupt&);                              \
    template void apply(const ForestView&, const Matrix<const T>&, const Matrix<std::int32_t>&, \
                        int, Interrupt&);                                                       \
    template Paths decision_paths(const ForestView&, const Matrix<const T>&)
COTERIE_INSTANTIATE(float);
COTERIE_INSTANTIATE(double);
#undef COTERIE_INSTANTIATE
template void row_hashes(const Matrix<const std::uint8_t>&, std::span<std::uint64_t>, int);
template void row_hashes(const Matrix<const std::uint16_t>&, std::span<std::uint64_t>, int);

}  // namespace coterie
