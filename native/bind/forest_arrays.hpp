// The arrays of a forest, as every function that walks one takes them.
#pragma once

#include "arrays.hpp"

namespace coterie {

// Held together, and checked once when they are put together.
struct ForestArrays {
    InVector<std::uint64_t> nodes;  // pairs of words, one pair per node
    InVector<std::int64_t> node_offsets, leaf_offsets, category_offsets;
    InVector<std::uint64_t> categories;
    nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> values;
    std::size_t n_columns;

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
};

template <class T>
void check_width(const ForestArrays& forest, const InMatrix<T>& X) {
    require(X.shape(1) == forest.n_columns, "X: number of columns differs from the forest's");
}

}  // namespace coterie
