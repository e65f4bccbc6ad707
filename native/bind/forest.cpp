#include "coterie/forest.hpp"

#include "coterie/predict.hpp"
#include "coterie/prune.hpp"
#include "forest_arrays.hpp"

namespace coterie {
namespace {

using Arrays = ForestArrays;

template <class T>
void predict_into(const Arrays& forest, const InMatrix<T>& X,
                  std::optional<InVector<double>> tree_weight,
                  const nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& out,
                  int n_threads, bool signals) {
    check_width(forest, X);
    const Matrix<double> sums{out.data(), out.shape(0), out.shape(1),
                              static_cast<std::ptrdiff_t>(out.shape(1)), 1};
    const std::size_t values = forest.values.shape(1);
    require(sums.rows == X.shape(0) && (sums.cols == values || (values == 1 && sums.cols > 0)),
            "out: wrong shape");
    require(!tree_weight || tree_weight->shape(0) == forest.n_trees(),
            "tree_weight: one per tree expected");
    constexpr std::size_t few = 8;  // rows; more are best walked down one tree after the other
    if (sums.rows <= few) {
        if (const auto walk = forest.few_rows<T>()) {
            const nb::gil_scoped_release unlock;
            walk->add(forest.view(), as_matrix(X),
                      tree_weight ? as_span(*tree_weight) : std::span<const double>{}, sums);
            return;
        }
    }
    run_interruptible(nullptr, signals, [&](Interrupt& interrupt) {
        predict(forest.view(), as_matrix(X),
                tree_weight ? as_span(*tree_weight) : std::span<const double>{}, sums, n_threads,
                interrupt);
    });
}

template <class T>
void apply_into(const Arrays& forest, const InMatrix<T>& X, const OutMatrix<std::int32_t>& out,
                int n_threads, bool signals) {
    check_width(forest, X);
    require(out.shape(0) == X.shape(0) && out.shape(1) == forest.n_trees(), "out: wrong shape");
    run_interruptible(nullptr, signals, [&](Interrupt& interrupt) {
        apply(forest.view(), as_matrix(X), as_matrix(out), n_threads, interrupt);
    });
}

template <class T>
auto decision_path(const Arrays& forest, const InMatrix<T>& X) {
    check_width(forest, X);
    Paths paths;
    {
        const nb::gil_scoped_release unlock;
        paths = decision_paths(forest.view(), as_matrix(X));
    }
    return std::make_tuple(to_array(paths.starts), to_array(paths.nodes));
}

void node_values_into(const Arrays& forest, const InVector<double>& weight,
                      const OutMatrix<double>& out) {
    require(weight.shape(0) == forest.n_nodes(), "weight: one per node expected");
    require(out.shape(0) == forest.n_nodes() && out.shape(1) == forest.values.shape(1),
            "out: wrong shape");
    const nb::gil_scoped_release unlock;
    node_values(forest.view(), as_span(weight), as_matrix(out));
}

PrunableTree prunable(const Arrays& forest, const InVector<std::int32_t>& n_samples,
                      const InVector<double>& weight, const InVector<double>& impurity,
                      const std::optional<InVector<double>>& medians = {}) {
    require(forest.n_trees() == 1, "pruning takes one tree");
    require(n_samples.shape(0) == forest.n_nodes() && weight.shape(0) == forest.n_nodes() &&
                impurity.shape(0) == forest.n_nodes(),
            "n_samples, weight, impurity: one per node expected");
    require(!medians || medians->shape(0) == forest.n_nodes() * forest.values.shape(1),
            "medians: one per node and output expected");
    return {forest.view(), as_span(n_samples), as_span(weight), as_span(impurity),
            medians ? as_span(*medians) : std::span<const double>{}};
}

auto prune_tree(const Arrays& forest, const InVector<std::int32_t>& n_samples,
                const InVector<double>& weight, const InVector<double>& impurity,
                const std::optional<InVector<double>>& medians, double alpha) {
    const Tree tree = prune(prunable(forest, n_samples, weight, impurity, medians), alpha);
    return tree_arrays(tree);
}

auto path_of(const Arrays& forest, const InVector<std::int32_t>& n_samples,
             const InVector<double>& weight, const InVector<double>& impurity) {
    const PruningPath path = pruning_path(prunable(forest, n_samples, weight, impurity));
    return std::make_tuple(to_array(path.alphas), to_array(path.impurities));
}

template <class T>
void define_walks(nb::module_& module) {
    module.def(
        "predict", &predict_into<T>, nb::arg("forest"), nb::arg("X").noconvert(),
        nb::arg("tree_weight").noconvert().none(), nb::arg("out").noconvert(), nb::arg("n_threads"),
        nb::arg("signals"),
        "Add the weighted leaf values of all trees to out; trees of a single value take turns "
        "in its columns.");
    module.def("apply", &apply_into<T>, nb::arg("forest"), nb::arg("X").noconvert(),
               nb::arg("out").noconvert(), nb::arg("n_threads"), nb::arg("signals"),
               "Write the leaf node of every row in every tree.");
    module.def("decision_path", &decision_path<T>, nb::arg("forest"), nb::arg("X").noconvert(),
               "All nodes each row passes: row starts and node numbers.");
}

}  // namespace

void init_forest(nb::module_& module) {
    nb::class_<Arrays>(module, "ForestArrays", "The arrays of a forest, range-checked.")
        .def(
            "__init__",
            [](Arrays* self, InVector<std::uint64_t> nodes, InVector<std::int64_t> node_offsets,
               InVector<std::int64_t> leaf_offsets, InVector<std::int64_t> category_offsets,
               InVector<std::uint64_t> categories,
               nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> values,
               std::size_t n_columns) {
                require(nodes.shape(0) % 2 == 0, "nodes: two words per node expected");
                require(node_offsets.shape(0) >= 1, "node offsets are empty");
                Arrays arrays{std::move(nodes),
                              std::move(node_offsets),
                              std::move(leaf_offsets),
                              std::move(category_offsets),
                              std::move(categories),
                              std::move(values),
                              n_columns};
                check_forest(arrays.view(), n_columns);
                new (self) Arrays(std::move(arrays));
            },
            nb::arg("nodes").noconvert(), nb::arg("node_offsets").noconvert(),
            nb::arg("leaf_offsets").noconvert(), nb::arg("category_offsets").noconvert(),
            nb::arg("categories").noconvert(), nb::arg("values").noconvert(), nb::arg("n_columns"));
    define_walks<float>(module);
    define_walks<double>(module);
    module.def("node_values", &node_values_into, nb::arg("forest"), nb::arg("weight").noconvert(),
               nb::arg("out").noconvert(), "Values of all nodes: leaves and means of leaves.");
    module.def("prune", &prune_tree, nb::arg("forest"), nb::arg("n_samples").noconvert(),
               nb::arg("weight").noconvert(), nb::arg("impurity").noconvert(),
               nb::arg("medians").noconvert().none(), nb::arg("alpha"),
               "The smallest subtree that is best at complexity alpha.");
    module.def("pruning_path", &path_of, nb::arg("forest"), nb::arg("n_samples").noconvert(),
               nb::arg("weight").noconvert(), nb::arg("impurity").noconvert(),
               "Complexities and impurities of the nested best subtrees.");
}

}  // namespace coterie
