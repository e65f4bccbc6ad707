// Walking many rows down small trees.
//
// A tree of some hundred nodes stays in the first cache, so what a walk costs is not waiting for
// nodes but mispredicting where it ends. Here a leaf leads to itself, and eight rows go down in
// step until none of them moves. Numbers are compared by keys, and the keys of the eight rows lie
// side by side, so that a step is four loads, a comparison and an addition (see heap_walk.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "coterie/forest.hpp"
#include "coterie/matrix.hpp"
#include "coterie/predict.hpp"
#include "keys.hpp"
#include "packed_walk.hpp"

namespace coterie {

template <class T>
class SmallForest {
  public:
    static constexpr std::size_t kWorth = 64;     // rows that pay for making the copy
    static constexpr std::int64_t kNodes = 1024;  // of a small tree

    static bool suits(const ForestView& forest, std::size_t n_columns) {
        if (!forest.categories.empty() || n_columns > kColumns) return false;
        for (std::size_t t = 0; t < forest.trees(); ++t)
            if (forest.node_offsets[t + 1] - forest.node_offsets[t] > kNodes) return false;
        return true;
    }

    SmallForest(const ForestView& forest, std::span<const double> tree_weight)
        : forest_(forest), tree_weight_(tree_weight),
          // Not cleared: of a forest of megabytes that would cost as much as writing it.
          stops_(std::make_unique_for_overwrite<Stop[]>(forest.nodes.size())),
          leaves_(std::make_unique_for_overwrite<std::uint16_t[]>(forest.nodes.size())) {
        for (std::size_t t = 0; t < forest.trees(); ++t) {
            const auto begin = static_cast<std::size_t>(forest.node_offsets[t]);
            const auto end = static_cast<std::size_t>(forest.node_offsets[t + 1]);
            for (std::size_t at = begin; at < end; ++at) {
                const Node& node = forest.nodes[at];
                const bool leaf = node.is_leaf();
                const auto own = static_cast<Half>(at - begin);
                stops_[at] = {leaf ? kMissingKey<T> : key_of(largest_below<T>(node.threshold)),
                              static_cast<Half>(leaf ? 0 : node.feature() * kLanes),
                              leaf ? own : static_cast<Half>(node.left)};
                leaves_[at] = static_cast<std::uint16_t>(leaf ? ~node.left : 0);
            }
        }
    }

    // Adds the votes of all trees on rows begin … end.
    void add(const Matrix<const T>& X, std::size_t begin, std::size_t end,
             const Matrix<double>& out) const {
        const std::size_t group = kLanes * X.cols;
        const std::size_t strip =
            kLanes * std::clamp<std::size_t>(kStripBytes / (group * sizeof(Key<T>)), 1, 64);
        std::vector<Key<T>> keys(strip * X.cols);
        for (std::size_t first = begin; first < end; first += strip) {
            const std::size_t last = std::min(end, first + strip);
            const bool missing = write_keys<kLanes>(X, first, last, keys.data());
            for (std::size_t t = 0; t < forest_.trees(); ++t) {
                const Tree tree = tree_of(t, out);
                const Key<T>* lanes = keys.data();
                for (std::size_t row = first; row < last; row += kLanes, lanes += group) {
                    const auto at = missing ? walk<true>(tree, lanes) : walk<false>(tree, lanes);
                    vote(tree, at, row, std::min(last, row + kLanes), out);
                }
            }
        }
    }

  private:
    using Half = std::conditional_t<sizeof(T) == 4, std::uint16_t, std::uint32_t>;
    static constexpr std::size_t kLanes = 8;
    static constexpr std::size_t kColumns = 65'535 / kLanes;
    static constexpr std::size_t kStripBytes = 96 * 1024;  // stay in the second cache
    static constexpr int kFirst = 8;  // steps before anyone looks who has arrived
    static constexpr int kSteps = 3;  // between two looks

    struct Stop {
        Key<T> cut;   // a leaf's is above or equal to all keys
        Half column;  // times the number of lanes
        Half left;
    };
    static_assert(sizeof(Stop) == 2 * sizeof(T));

    struct Tree {
        const Stop* stops;
        const Node* nodes;
        const std::uint16_t* leaves;
        const double* values;
        double weight;
        std::size_t output;  // the first that it votes on
    };
    using Places = std::array<std::size_t, kLanes>;

    Tree tree_of(std::size_t t, const Matrix<double>& out) const {
        const auto begin = static_cast<std::size_t>(forest_.node_offsets[t]);
        return {stops_.get() + begin,
                forest_.nodes.data() + begin,
                leaves_.get() + begin,
                forest_.values.row(static_cast<std::size_t>(forest_.leaf_offsets[t])),
                tree_weight_.empty() ? 1.0 : tree_weight_[t],
                first_output(forest_.outputs(), out, t)};
    }

    template <bool Missing>
    static std::size_t step(const Tree& tree, std::size_t at, const Key<T>* keys) {
        const Stop& stop = tree.stops[at];
        const Key<T> key = keys[stop.column];
        bool right = stop.cut < key;
        if constexpr (Missing) right &= key != kMissingKey<T> || !tree.nodes[at].missing_left();
        return static_cast<std::size_t>(stop.left) + right;
    }

    // Where rows whose keys lie side by side end.
    template <bool Missing>
    static Places walk(const Tree& tree, const Key<T>* keys) {
        Places at{};
        const auto move = [&] {
            std::size_t moved = 0;
#pragma GCC unroll 8
            for (std::size_t k = 0; k < kLanes; ++k) {
                const std::size_t next = step<Missing>(tree, at[k], keys + k);
                moved |= next ^ at[k];
                at[k] = next;
            }
            return moved;
        };
        for (int s = 0; s < kFirst; ++s) move();
        do
            for (int s = 1; s < kSteps; ++s) move();
        while (move());
        return at;
    }

    void vote(const Tree& tree, const Places& at, std::size_t begin, std::size_t end,
              const Matrix<double>& out) const {
        const auto votes = [&](std::size_t outputs) {
            for (std::size_t row = begin; row < end; ++row) {
                const double* value = tree.values + tree.leaves[at[row - begin]] * outputs;
                double* sum = out.row(row) + tree.output;
                for (std::size_t k = 0; k < outputs; ++k) sum[k] += tree.weight * value[k];
            }
        };
        switch (forest_.outputs()) {  // loops of a known length cost a third
            case 1:
                return votes(1);
            case 2:
                return votes(2);
            default:
                return votes(forest_.outputs());
        }
    }

    const ForestView forest_;
    const std::span<const double> tree_weight_;
    std::unique_ptr<Stop[]> stops_;            // by node
    std::unique_ptr<std::uint16_t[]> leaves_;  // by node; only leaves have any
};

}  // namespace coterie
