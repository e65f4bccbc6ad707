// A forest of deep trees, packed for walking many rows; see packed_walk.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "coterie/forest.hpp"
#include "coterie/matrix.hpp"
#include "coterie/team.hpp"
#include "packed_walk.hpp"

namespace coterie {

// Holds some of the trees at a time, so that a forest of gigabytes is not copied as a whole.
template <class T>
class PackedForest {
  public:
    PackedForest(const ForestView& forest, std::size_t columns,
                 std::int64_t group_nodes = std::int64_t{1} << 21)
        : forest_(forest), packing_(columns), group_nodes_(group_nodes) {}

    // Can it be packed, and are there enough rows to pay for it?
    static bool suits(const ForestView& forest, const Matrix<const T>& X) {
        if (!forest.categories.empty() || X.rows < kLeastRows) return false;
        if (forest.nodes.size() > kNodesPerRow * X.rows * forest.trees()) return false;
        const Packing<T> packing(X.cols);
        for (std::size_t t = 0; t < forest.trees(); ++t)
            if (!packing.holds(forest.node_offsets[t + 1] - forest.node_offsets[t])) return false;
        return true;
    }

    // Packs trees from `first` on, as many as have room; returns the one behind the last.
    std::size_t pack(std::size_t first, Team& team) {
        first_ = last_ = first;
        const auto begin = forest_.node_offsets[first];
        do ++last_;
        while (last_ < forest_.trees() && forest_.node_offsets[last_ + 1] - begin <= group_nodes_);
        hops_.resize(static_cast<std::size_t>(forest_.node_offsets[last_] - begin));
        team.run(last_ - first_, [&](std::size_t t) { pack_tree(first_ + t); });
        return last_;
    }

    // Rows that stay in the second cache beside a tree. The more there are, the less often a tree
    // comes from afar.
    static std::size_t block(const Matrix<const T>& X) {
        const std::size_t bytes = std::max<std::size_t>(X.cols, 1) * sizeof(T);
        return std::clamp<std::size_t>(kBlockBytes / bytes, 128, 4096);
    }

    // Calls visit(tree, hops, at) for each of the packed trees in turn; rows begin … end have
    // arrived at hops[at[0]], hops[at[1]] …
    template <class Visit>
    void walk(const Matrix<const T>& X, std::size_t begin, std::size_t end, Visit&& visit) const {
        std::vector<T> copy;
        const Strip<T> strip = lay_out(X, begin, end, copy);
        std::vector<std::uint32_t> at(end - begin);
        Walkers walkers;
        for (std::size_t t = first_; t < last_; ++t) {
            const Hop<T>* tree =
                hops_.data() + (forest_.node_offsets[t] - forest_.node_offsets[first_]);
            walkers.walk(PackedTree<T>{tree, packing_}, strip, at.data());
            visit(t, tree, static_cast<const std::uint32_t*>(at.data()));
        }
    }

  private:
    static constexpr std::size_t kLeastRows = 64;
    static constexpr std::size_t kNodesPerRow = 4;  // packing one is that much faster than a walk
    static constexpr std::size_t kBlockBytes = 448 * 1024;

    void pack_tree(std::size_t t) {
        const auto begin = forest_.node_offsets[t];
        const Node* nodes = forest_.nodes.data() + begin;
        Hop<T>* hops = hops_.data() + (begin - forest_.node_offsets[first_]);
        const auto n = static_cast<std::uint32_t>(forest_.node_offsets[t + 1] - begin);
        const std::vector<std::uint32_t> rows = rows_of_values(t);
        for (std::uint32_t at = 0; at < n; ++at) {
            const auto leaf = static_cast<std::uint32_t>(nodes[at].is_leaf() ? ~nodes[at].left : 0);
            hops[at] = packing_.pack(nodes[at], at, rows[leaf]);
        }
    }

    // The row of values of each leaf, counted from the tree's first. All leaves that are sure of
    // one and the same class read the row of the first of them, which then stays in the cache.
    std::vector<std::uint32_t> rows_of_values(std::size_t t) const {
        const auto begin = static_cast<std::size_t>(forest_.leaf_offsets[t]);
        const auto n = static_cast<std::size_t>(forest_.leaf_offsets[t + 1]) - begin;
        std::vector<std::uint32_t> rows(n), first(forest_.outputs() + 1, ~0u);
        for (std::uint32_t leaf = 0; leaf < n; ++leaf) {
            const std::size_t sure = sure_class(forest_.values.row(begin + leaf));
            if (first[sure] == ~0u || sure == forest_.outputs()) first[sure] = leaf;
            rows[leaf] = first[sure];
        }
        return rows;
    }

    // The output that is one where all others are zero, to the bit; otherwise how many there are.
    std::size_t sure_class(const double* values) const {
        const std::size_t outputs = forest_.outputs();
        std::size_t ones = 0, at = 0;
        std::uint64_t others = 0;
        for (std::size_t k = 0; k < outputs; ++k) {
            const auto bits = std::bit_cast<std::uint64_t>(values[k]);
            const bool one = bits == std::bit_cast<std::uint64_t>(1.0);
            ones += one;
            at = one ? k : at;
            others |= one ? 0 : bits;
        }
        return ones == 1 && !others ? at : outputs;
    }

    const ForestView forest_;
    const Packing<T> packing_;
    const std::int64_t group_nodes_;    // that are held at a time, if they are not of one tree
    std::size_t first_ = 0, last_ = 0;  // trees that are packed
    std::vector<Hop<T>> hops_;
};

}  // namespace coterie
