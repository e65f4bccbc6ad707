#include "coterie/vector_tree.hpp"

#include "arrays.hpp"
#include "bins_view.hpp"
#include "sparse_arrays.hpp"

namespace coterie {
namespace {

template <class T>
using OutVector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Arrays of the table besides its codes, which grow has checked.
struct VectorArrays {
    InVector<std::int64_t> offsets;
    InVector<double> lower, upper;
    InVector<std::uint8_t> categorical;
    std::optional<InVector<std::int32_t>> rows;
    std::optional<InMatrix<std::uint8_t>> interactions;
    InVector<std::int32_t> columns;
};

template <class Codes, class Real>
auto grow_on_vectors(const Codes& codes, const VectorArrays& arrays, const InMatrix<Real>& gradient,
                     const std::optional<InMatrix<Real>>& hessian, VectorGrowth growth,
                     std::uint64_t seed, int n_threads, const OutVector<std::int32_t>& leaves,
                     const std::optional<InVector<std::uint8_t>>& stop, bool signals) {
    const BinsView bins = as_bins(arrays.offsets, arrays.lower, arrays.upper, arrays.categorical);
    const auto table = as_table(codes, bins);
    const auto& matrix = table.all;
    const std::size_t n = matrix.rows;
    require(n >= 1 && matrix.cols == bins.columns(), "codes: wrong shape");
    require(n < (std::size_t{1} << 31), "codes: too many rows");
    VectorSlopes<Real> slopes{as_matrix(gradient), {}, {}};
    require(slopes.gradient.rows == n && slopes.gradient.cols >= 1, "gradient: wrong shape");
    if (hessian) slopes.hessian = as_matrix(*hessian);
    require(!hessian || (slopes.hessian.rows == n && slopes.hessian.cols == slopes.gradient.cols),
            "hessian: wrong shape");
    if (arrays.rows) slopes.rows = as_span(*arrays.rows);
    for (std::size_t i = 0; i < slopes.rows.size(); ++i)
        require(slopes.rows[i] >= 0 && static_cast<std::size_t>(slopes.rows[i]) < n &&
                    (i == 0 || slopes.rows[i] > slopes.rows[i - 1]),
                "rows: ascending positions expected");
    if (arrays.interactions) growth.interactions = as_matrix(*arrays.interactions);
    require(!growth.interactions.data || growth.interactions.cols == matrix.cols,
            "interactions: one flag per column expected");
    growth.columns = as_span(arrays.columns);
    for (const auto column : growth.columns)
        require(column >= 0 && static_cast<std::size_t>(column) < matrix.cols,
                "columns: out of range");
    require(leaves.shape(0) == n, "leaves: one per row expected");
    require(!stop || stop->shape(0) == 1, "stop: an array of one flag expected");
    Tree tree;
    run_interruptible(stop ? stop->data() : nullptr, signals, [&](Interrupt& interrupt) {
        tree = grow_vector(table, bins, slopes, growth, seed, n_threads, {leaves.data(), n},
                           interrupt);
    });
    return tree_arrays(tree);
}

template <class Codes, class Real>
void define_vector_tree_of(nb::module_& module) {
    module.def("grow_vector", &grow_on_vectors<Codes, Real>, nb::arg("codes").noconvert(),
               nb::arg("arrays"), nb::arg("gradient").noconvert(),
               nb::arg("hessian").noconvert().none(), nb::arg("growth"), nb::arg("seed"),
               nb::arg("n_threads"), nb::arg("leaves").noconvert(),
               nb::arg("stop").noconvert().none(), nb::arg("signals"),
               "Grow a tree whose leaves hold a step for every score.");
}

}  // namespace

void init_vector_tree(nb::module_& module) {
    nb::class_<VectorGrowth>(module, "VectorGrowth", "Plain numbers that steer such a tree.")
        .def(nb::init<>())
        .def_rw("max_depth", &VectorGrowth::max_depth)
        .def_rw("max_leaf_nodes", &VectorGrowth::max_leaf_nodes)
        .def_rw("min_samples_leaf", &VectorGrowth::min_samples_leaf)
        .def_rw("min_child_weight", &VectorGrowth::min_child_weight)
        .def_rw("l2", &VectorGrowth::l2)
        .def_rw("min_gain", &VectorGrowth::min_gain)
        .def_rw("max_features", &VectorGrowth::max_features)
        .def_rw("precision", &VectorGrowth::precision);
    nb::class_<VectorArrays>(module, "VectorArrays", "The arrays such a tree is grown on.")
        .def(
            "__init__",
            [](VectorArrays* self, InVector<std::int64_t> offsets, InVector<double> lower,
               InVector<double> upper, InVector<std::uint8_t> categorical,
               std::optional<InVector<std::int32_t>> rows,
               std::optional<InMatrix<std::uint8_t>> interactions, InVector<std::int32_t> columns) {
                new (self)
                    VectorArrays{std::move(offsets),     std::move(lower), std::move(upper),
                                 std::move(categorical), std::move(rows),  std::move(interactions),
                                 std::move(columns)};
            },
            nb::kw_only(), nb::arg("offsets").noconvert(), nb::arg("lower").noconvert(),
            nb::arg("upper").noconvert(), nb::arg("categorical").noconvert(),
            nb::arg("rows").noconvert().none(), nb::arg("interactions").noconvert().none(),
            nb::arg("columns").noconvert());
    define_vector_tree_of<InMatrix<std::uint8_t>, float>(module);
    define_vector_tree_of<InMatrix<std::uint8_t>, double>(module);
    define_vector_tree_of<InMatrix<std::uint16_t>, float>(module);
    define_vector_tree_of<InMatrix<std::uint16_t>, double>(module);
    define_vector_tree_of<SparseArrays<std::uint8_t>, float>(module);
    define_vector_tree_of<SparseArrays<std::uint8_t>, double>(module);
    define_vector_tree_of<SparseArrays<std::uint16_t>, float>(module);
    define_vector_tree_of<SparseArrays<std::uint16_t>, double>(module);
}

}  // namespace coterie
