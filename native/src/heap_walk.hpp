// Walking many rows down shallow trees.
//
// A tree of a few levels, such as an isolation tree, is laid out as a heap: the children of node i
// are 2i and 2i + 1. No child is looked up, and every walk takes the same number of steps. Numbers
// are compared by keys, which are unsigned integers in the same order. Several rows go down in
// step; their keys lie side by side, column by column, so that all of them have one address.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "coterie/forest.hpp"
#include "coterie/matrix.hpp"
#include "coterie/predict.hpp"
#include "keys.hpp"
#include "packed_walk.hpp"

namespace coterie {

// For trees without categories that have one value per leaf, and rows without missing values.
template <class T>
class HeapForest {
  public:
    static bool suits(const ForestView& forest, std::size_t n_columns) {
        if (!forest.categories.empty() || forest.outputs() != 1 || n_columns > kColumns)
            return false;
        std::size_t slots = 0;
        for (std::size_t t = 0; t < forest.trees(); ++t) {
            const unsigned depth = depth_of(forest, t);
            if (depth > kDepth) return false;
            slots += std::size_t{1} << depth;
        }
        return slots <= kSlotsPerNode * forest.nodes.size();
    }

    HeapForest(const ForestView& forest, std::span<const double> tree_weight) {
        for (std::size_t t = 0; t < forest.trees(); ++t) {
            heaps_.push_back({cuts_.size(), depth_of(forest, t)});
            const std::size_t size = cuts_.size() + (std::size_t{1} << heaps_.back().depth);
            // What is below a leaf leads to the left: no key is above the greatest.
            cuts_.resize(size, std::numeric_limits<Key<T>>::max());
            columns_.resize(size);
            votes_.resize(size);
            lay(forest, t, tree_weight.empty() ? 1.0 : tree_weight[t]);
        }
    }

    // Adds the votes of all trees on rows begin … end; calls otherwise(begin, end) for strips of
    // rows in which a cell is missing.
    template <class Otherwise>
    void add(const Matrix<const T>& X, std::size_t begin, std::size_t end,
             const Matrix<double>& out, Otherwise&& otherwise) const {
        const std::size_t bytes = kLanes * X.cols * sizeof(Key<T>);
        const std::size_t strip = kLanes * std::clamp<std::size_t>(kStripBytes / bytes, 1, 64);
        std::vector<Key<T>> keys(strip * X.cols);
        for (std::size_t at = begin; at < end; at += strip) {
            const std::size_t last = std::min(end, at + strip);
            if (write_keys<kLanes>(X, at, last, keys.data())) {
                otherwise(at, last);
                continue;
            }
            for (std::size_t t = 0; t < heaps_.size(); ++t)
                kWalks[heaps_[t].depth](*this, t, keys.data(), X.cols, at, last, out);
        }
    }

  private:
    static constexpr std::size_t kColumns = 4096;  // of more, most are written for nothing
    static constexpr unsigned kDepth = 8;
    static constexpr std::size_t kSlotsPerNode = 4;
    static constexpr std::size_t kLanes = 12;
    static constexpr std::size_t kStripBytes = 20 * 1024;  // stay in the first cache beside a tree

    struct Heap {
        std::size_t start;
        unsigned depth;
    };

    static unsigned depth_of(const ForestView& forest, std::size_t t) {
        const Node* nodes = forest.nodes.data() + forest.node_offsets[t];
        const auto n =
            static_cast<std::size_t>(forest.node_offsets[t + 1] - forest.node_offsets[t]);
        std::vector<unsigned> depth(n);  // children lie behind their parents
        for (std::size_t i = 0; i < n; ++i)
            if (!nodes[i].is_leaf()) {
                const auto left = static_cast<std::size_t>(nodes[i].left);
                depth[left] = depth[left + 1] = depth[i] + 1;
            }
        return *std::max_element(depth.begin(), depth.end());
    }

    void lay(const ForestView& forest, std::size_t t, double weight) {
        const Node* nodes = forest.nodes.data() + forest.node_offsets[t];
        const double* values = forest.values.row(static_cast<std::size_t>(forest.leaf_offsets[t]));
        const auto [start, depth] = heaps_[t];
        std::vector<std::pair<std::size_t, std::size_t>> waiting{
            {0, 1}};  // node, place in the heap
        while (!waiting.empty()) {
            const auto [at, place] = waiting.back();
            waiting.pop_back();
            const Node& node = nodes[at];
            if (node.is_leaf()) {
                const auto level = static_cast<unsigned>(std::bit_width(place)) - 1;
                const std::size_t end = (place << (depth - level)) - (std::size_t{1} << depth);
                votes_[start + end] = weight * values[~node.left];
                continue;
            }
            cuts_[start + place] = key_of(largest_below<T>(node.threshold));
            columns_[start + place] = node.feature() * std::uint32_t{kLanes};
            const auto left = static_cast<std::size_t>(node.left);
            waiting.emplace_back(left, 2 * place);
            waiting.emplace_back(left + 1, 2 * place + 1);
        }
    }

    template <unsigned Depth>
    static void walk(const HeapForest& forest, std::size_t t, const Key<T>* keys,
                     std::size_t n_columns, std::size_t begin, std::size_t end,
                     const Matrix<double>& out) {
        const std::size_t start = forest.heaps_[t].start;
        const Key<T>* cuts = forest.cuts_.data() + start;
        const std::uint32_t* columns = forest.columns_.data() + start;
        const double* votes = forest.votes_.data() + start;
        const std::size_t output = first_output(1, out, t);
        for (std::size_t i = begin; i < end; i += kLanes, keys += kLanes * n_columns) {
            std::array<std::size_t, kLanes> at;
            at.fill(1);
#pragma GCC unroll 8
            for (unsigned step = 0; step < Depth; ++step)
#pragma GCC unroll 16
                for (std::size_t k = 0; k < kLanes; ++k)
                    at[k] = 2 * at[k] + (cuts[at[k]] < (keys + columns[at[k]])[k]);
            const std::size_t n = std::min(kLanes, end - i);
            for (std::size_t k = 0; k < n; ++k)
                out.row(i + k)[output] += votes[at[k] - (std::size_t{1} << Depth)];
        }
    }

    using Walk = void (*)(const HeapForest&, std::size_t, const Key<T>*, std::size_t, std::size_t,
                          std::size_t, const Matrix<double>&);
    template <unsigned... Depth>
    static constexpr std::array<Walk, sizeof...(Depth)> walks(
        std::integer_sequence<unsigned, Depth...>) {
        return {&walk<Depth>...};
    }
    static constexpr std::array<Walk, kDepth + 1> kWalks =
        walks(std::make_integer_sequence<unsigned, kDepth + 1>{});

    std::vector<Heap> heaps_;  // by tree
    // By node; the root of a heap is its node 1. Apart, as a processor multiplies an index by 8 or
    // 4 for nothing, but not by 16.
    std::vector<Key<T>> cuts_;
    std::vector<std::uint32_t> columns_;  // times the number of lanes
    std::vector<double> votes_;           // of the lowest level
};

}  // namespace coterie
