// The arrays of a forest, as every function that walks one takes them.
#pragma once

#include <memory>
#include <type_traits>

#include "arrays.hpp"
#include "coterie/row_walk.hpp"

namespace coterie {

// A copy for single rows, made when enough of them have been asked for.
template <class T>
struct RowCopy {
    std::shared_ptr<const RowWalk<T>> walk;
    int asked = 0;
};

// Held together, and checked once when they are put together.
struct ForestArrays {
    InVector<std::uint64_t> nodes;  // pairs of words, one pair per node
    InVector<std::int64_t> node_offsets, leaf_offsets, category_offsets;
    InVector<std::uint64_t> categories;
    nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> values;
    std::size_t n_columns;
    mutable RowCopy<float> floats = {};
    mutable RowCopy<double> doubles = {};

    ForestView view() const {
        return {{reinterpret_cast<const Node*>(nodes.data()), nodes.shape(0) / 2},
                as_span(node_offsets),
                as_span(leaf_offsets),
                as_span(category_offsets),
                as_span(categories),
                {values.data(), values.shape(0), values.shape(1),
                 static_cast<std::ptrdiff_t>(values.shape(1)), 1}};
    }
    std::size_t n_nodes() const { return nodes.shape(0) / 2; }
    std::size_t n_trees() const { return node_offsets.shape(0) - 1; }

    // What to walk a few rows with; null at first, and if the forest does not suit. Needs the GIL.
    template <class T>
    std::shared_ptr<const RowWalk<T>> few_rows() const {
        constexpr int worth = 50;  // calls, after which the copy is sure to pay
        auto& copy = [this]() -> RowCopy<T>& {
            if constexpr (std::is_same_v<T, float>)
                return floats;
            else
                return doubles;
        }();
        if (copy.asked <= worth && ++copy.asked > worth)
            copy.walk = RowWalk<T>::of(view(), n_columns);
        return copy.walk;
    }
};

template <class T>
void check_width(const ForestArrays& forest, const InMatrix<T>& X) {
    require(X.shape(1) == forest.n_columns, "X: number of columns differs from the forest's");
}

}  // namespace coterie
