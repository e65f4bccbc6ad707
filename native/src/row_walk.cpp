#include "coterie/row_walk.hpp"

#include <array>
#include <vector>

#include "coterie/predict.hpp"
#include "packed_walk.hpp"

namespace coterie {
namespace {

// Nodes are numbered through all trees.
template <class T>
class PackedRowWalk final : public RowWalk<T> {
  public:
    PackedRowWalk(const ForestView& forest, const Packing<T>& packing)
        : packing_(packing), hops_(forest.nodes.size()) {
        for (std::size_t t = 0; t < forest.trees(); ++t) {
            const auto begin = static_cast<std::uint32_t>(forest.node_offsets[t]);
            const auto end = static_cast<std::uint32_t>(forest.node_offsets[t + 1]);
            for (std::uint32_t at = begin; at < end; ++at) {
                Node node = forest.nodes[at];
                std::uint32_t leaf = 0;
                if (node.is_leaf()) {
                    leaf = static_cast<std::uint32_t>(forest.leaf_offsets[t] + ~node.left);
                } else {
                    node.left += static_cast<std::int32_t>(begin);
                }
                hops_[at] = packing_.pack(node, at, leaf);
            }
        }
    }

    void add(const ForestView& forest, const Matrix<const T>& X,
             std::span<const double> tree_weight, const Matrix<double>& out) const override {
        std::vector<T> row(X.cols);
        std::vector<std::uint32_t> leaves(forest.trees());
        for (std::size_t i = 0; i < X.rows; ++i) {
            bool missing = false;
            for (std::size_t j = 0; j < X.cols; ++j) {
                row[j] = X(i, j);
                missing |= row[j] != row[j];
            }
            missing ? walk<true>(forest, row.data(), leaves)
                    : walk<false>(forest, row.data(), leaves);
            vote(forest, leaves, tree_weight, out, out.row(i));
        }
    }

  private:
    static constexpr std::size_t kLanes = 8;  // trees in step, so that their loads overlap
    static constexpr int kFirst = 4;          // steps before anyone looks who has arrived

    template <bool Missing>
    void walk(const ForestView& forest, const T* x, std::vector<std::uint32_t>& leaves) const {
        std::size_t t = 0;
        for (; t + kLanes <= leaves.size(); t += kLanes)
            walk_some<Missing, kLanes>(forest.node_offsets.data() + t, x, leaves.data() + t);
        for (; t < leaves.size(); ++t)
            walk_some<Missing, 1>(forest.node_offsets.data() + t, x, leaves.data() + t);
    }

    template <bool Missing, std::size_t Lanes>
    void walk_some(const std::int64_t* roots, const T* x, std::uint32_t* leaves) const {
        const PackedTree<T> nodes{hops_.data(), packing_};
        std::array<std::uint32_t, Lanes> at;
        for (std::size_t k = 0; k < Lanes; ++k) at[k] = static_cast<std::uint32_t>(roots[k]);
        for (int s = 0; s < kFirst; ++s)
#pragma GCC unroll 8
            for (std::size_t k = 0; k < Lanes; ++k) at[k] = nodes.template next<Missing>(at[k], x);
        for (std::uint32_t moved = 1; moved;) {
            moved = 0;
#pragma GCC unroll 8
            for (std::size_t k = 0; k < Lanes; ++k) {
                const std::uint32_t next = nodes.template next<Missing>(at[k], x);
                moved |= next ^ at[k];
                at[k] = next;
            }
        }
        for (std::size_t k = 0; k < Lanes; ++k) leaves[k] = Packing<T>::values(hops_[at[k]]);
    }

    void vote(const ForestView& forest, const std::vector<std::uint32_t>& leaves,
              std::span<const double> tree_weight, const Matrix<double>& out, double* sums) const {
        const std::size_t outputs = forest.outputs();
        std::size_t turn = 0;
        for (std::size_t t = 0; t < leaves.size(); ++t) {
            const double weight = tree_weight.empty() ? 1.0 : tree_weight[t];
            const double* value = forest.values.row(leaves[t]);
            for (std::size_t k = 0; k < outputs; ++k) sums[turn + k] += weight * value[k];
            // As first_output() has it, without a division.
            if (outputs == 1 && ++turn == out.cols) turn = 0;
        }
    }

    const Packing<T> packing_;
    std::vector<Hop<T>> hops_;
};

}  // namespace

template <class T>
std::shared_ptr<const RowWalk<T>> RowWalk<T>::of(const ForestView& forest, std::size_t columns) {
    const Packing<T> packing(columns);
    if (!forest.categories.empty()) return nullptr;
    if (!packing.holds(static_cast<std::int64_t>(forest.nodes.size()))) return nullptr;
    return std::make_shared<const PackedRowWalk<T>>(forest, packing);
}

template class RowWalk<float>;
template class RowWalk<double>;

}  // namespace coterie
