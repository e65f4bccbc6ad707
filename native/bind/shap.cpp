#include "coterie/shap.hpp"

#include "forest_arrays.hpp"

namespace coterie {
namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class T>
void shap_into(const ForestArrays& forest, const InVector<double>& weight, const InMatrix<T>& X,
               const Rows& background, std::optional<InVector<double>> tree_weight, const Cube& out,
               int n_threads, bool signals) {
    check_width(forest, X);
    require(background.shape(1) == forest.n_columns,
            "background: number of columns differs from the forest's");
    require(weight.shape(0) == forest.n_nodes(), "weight: one per node expected");
    require(!tree_weight || tree_weight->shape(0) == forest.n_trees(),
            "tree_weight: one per tree expected");
    require(out.shape(0) == X.shape(0) && out.shape(1) == forest.n_columns + 1 &&
                out.shape(2) == forest.values.shape(1),
            "out: wrong shape");
    const std::size_t width = out.shape(1) * out.shape(2);
    const Matrix<double> sums{out.data(), out.shape(0), width, static_cast<std::ptrdiff_t>(width),
                              1};
    const Matrix<const double> others{background.data(), background.shape(0), background.shape(1),
                                      static_cast<std::ptrdiff_t>(background.shape(1)), 1};
    run_interruptible(nullptr, signals, [&](Interrupt& interrupt) {
        shap(forest.view(), as_span(weight), as_matrix(X), others,
             tree_weight ? as_span(*tree_weight) : std::span<const double>{}, sums, n_threads,
             interrupt);
    });
}

using Square = nb::ndarray<double, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

template <class T>
void interactions_into(const ForestArrays& forest, const InVector<double>& weight,
                       const InMatrix<T>& X, std::optional<InVector<double>> tree_weight,
                       const Square& out, int n_threads, bool signals) {
    check_width(forest, X);
    require(weight.shape(0) == forest.n_nodes(), "weight: one per node expected");
    for (std::size_t i = 0; i < weight.shape(0); ++i)
        require(weight.data()[i] >= 0.0, "weight: negative or NaN");
    require(!tree_weight || tree_weight->shape(0) == forest.n_trees(),
            "tree_weight: one per tree expected");
    require(out.shape(0) == X.shape(0) && out.shape(1) == forest.n_columns &&
                out.shape(2) == forest.n_columns && out.shape(3) == forest.values.shape(1),
            "out: wrong shape");
    const std::size_t width = out.shape(1) * out.shape(2) * out.shape(3);
    const Matrix<double> sums{out.data(), out.shape(0), width, static_cast<std::ptrdiff_t>(width),
                              1};
    run_interruptible(nullptr, signals, [&](Interrupt& interrupt) {
        shap_interactions(forest.view(), as_span(weight), as_matrix(X),
                          tree_weight ? as_span(*tree_weight) : std::span<const double>{}, sums,
                          n_threads, interrupt);
    });
}

template <class T>
void define_shap_of(nb::module_& module) {
    module.def("shap", &shap_into<T>, nb::arg("forest"), nb::arg("weight").noconvert(),
               nb::arg("X").noconvert(), nb::arg("background").noconvert(),
               nb::arg("tree_weight").noconvert().none(), nb::arg("out").noconvert(),
               nb::arg("n_threads"), nb::arg("signals"),
               "Add the Shapley values of all trees to out, the expected value last.");
    module.def("shap_interactions", &interactions_into<T>, nb::arg("forest"),
               nb::arg("weight").noconvert(), nb::arg("X").noconvert(),
               nb::arg("tree_weight").noconvert().none(), nb::arg("out").noconvert(),
               nb::arg("n_threads"), nb::arg("signals"),
               "Add the Shapley interaction values of all trees to out.");
}

}  // namespace

void init_shap(nb::module_& module) {
    define_shap_of<float>(module);
    define_shap_of<double>(module);
}

}  // namespace coterie
