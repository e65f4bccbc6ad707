#include "coterie/newton.hpp"

#include "arrays.hpp"
#include "bins_view.hpp"
#include "coterie/slopes.hpp"

namespace coterie {
namespace {

template <class T>
using OutVector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Optional = std::optional<InVector<T>>;

template <class T>
std::span<const T> given(const Optional<T>& array) {
    return array ? as_span(*array) : std::span<const T>{};
}

// The arrays besides table and slopes.
using Column = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
struct NewtonArrays {
    std::optional<std::tuple<Column, Column, Column, Column>> bundles;
    const Unusual* unusual;  // Python keeps it alive
    Optional<std::int8_t> monotone;
    std::optional<InMatrix<std::uint8_t>> interactions;
    InVector<std::int32_t> columns;
    Optional<std::int32_t> rows;
};

void take_arrays(const NewtonArrays& arrays, std::size_t cols, NewtonGrowth& growth) {
    growth.monotone = given(arrays.monotone);
    require(growth.monotone.empty() || growth.monotone.size() == cols,
            "monotone: one direction per column expected");
    if (arrays.interactions) growth.interactions = as_matrix(*arrays.interactions);
    require(!growth.interactions.data || growth.interactions.cols == cols,
            "interactions: one flag per column expected");
    growth.columns = as_span(arrays.columns);
    std::int32_t before = -1;
    for (const auto column : growth.columns) {
        require(column > before && static_cast<std::size_t>(column) < cols,
                "columns: ascending numbers of columns expected");
        before = column;
    }
}

// Refuses bundles that would make the engine read or write outside its histograms.
BundlesView take_bundles(const NewtonArrays& arrays, const BinsView& bins, std::size_t counted) {
    BundlesView view;
    if (!arrays.bundles) return view;
    const auto& [home, first, usual, sizes] = *arrays.bundles;
    view = {as_span(home), as_span(first), as_span(usual), as_span(sizes)};
    const std::size_t d = bins.columns();
    require(view.home.size() == d && view.first.size() == d && view.usual.size() == d,
            "bundles: one entry per column expected");
    require(view.sizes.size() == counted, "bundles: one size per column of codes expected");
    for (const auto size : view.sizes)
        require(size >= 1 && size <= 65536, "bundles: a size is out of range");
    for (std::size_t j = 0; j < d; ++j) {
        const auto bins_here = static_cast<std::int32_t>(bins.count(j));
        require(view.home[j] >= 0 && static_cast<std::size_t>(view.home[j]) < counted,
                "bundles: home is out of range");
        require(view.usual[j] >= 0 && view.usual[j] <= bins_here, "bundles: usual is out of range");
        const std::int32_t size = view.sizes[static_cast<std::size_t>(view.home[j])];
        require(view.first[j] >= 0 &&
                    (view.first[j] ? view.first[j] + bins_here <= size : bins_here + 1 == size),
                "bundles: codes leave their column");
    }
    return view;
}

void check_rows(std::span<const std::int32_t> rows, std::size_t n) {
    std::int64_t before = -1;
    for (const auto row : rows) {
        require(row > before && static_cast<std::size_t>(row) < n,
                "rows: ascending numbers of rows expected");
        before = row;
    }
}

template <class Code, class Real>
auto grow_on_slopes(const InMatrix<Code>& codes, const std::optional<InMatrix<Code>>& by_column,
                    const InVector<std::int64_t>& offsets, const InVector<double>& lower,
                    const InVector<double>& upper, const InVector<std::uint8_t>& categorical,
                    const InVector<Real>& gradient, const Optional<Real>& hessian,
                    const NewtonArrays& arrays, const NewtonGrowth& settings, std::uint64_t seed,
                    int n_threads, Workspace& workspace, const OutVector<std::int32_t>& leaves,
                    const Optional<std::uint8_t>& stop, bool signals) {
    const BinsView bins = as_bins(offsets, lower, upper, categorical);
    const Matrix<const Code> matrix = as_matrix(codes);
    const Matrix<const Code> columns = by_column ? as_matrix(*by_column) : matrix;
    const BundlesView bundles = take_bundles(arrays, bins, matrix.cols);
    require(bundles.empty() ? matrix.cols == bins.columns() : by_column.has_value(),
            "codes: number of columns differs from the bins");
    require(matrix.rows >= 1 && matrix.rows < 2147483647u, "codes: 1 to 2^31 - 2 rows expected");
    require(columns.rows == matrix.rows && columns.cols == bins.columns(),
            "by_column: one column per column of the bins expected");
    const SlopesView<Real> slopes{as_span(gradient), given(hessian), given(arrays.rows)};
    require(slopes.gradient.size() == matrix.rows, "gradient: one number per row expected");
    require(!hessian || slopes.hessian.size() == matrix.rows,
            "hessian: one number per row expected");
    require(!arrays.rows || !slopes.rows.empty(), "rows: at least one expected");
    check_rows(slopes.rows, matrix.rows);
    require(leaves.shape(0) == matrix.rows, "leaves: one per row expected");
    require(!stop || stop->shape(0) == 1, "stop: an array of one flag expected");
    const Unusual* unusual = arrays.unusual;
    require(!unusual ||
                (bundles.empty() && unusual->starts.size() == matrix.rows + 1 &&
                 unusual->usual.size() == bins.columns() && unusual->n_cells == bins.upper.size()),
            "unusual: made for another table");
    NewtonGrowth growth = settings;
    take_arrays(arrays, bins.columns(), growth);
    Tree tree;
    run_interruptible(stop ? stop->data() : nullptr, signals, [&](Interrupt& interrupt) {
        tree = grow_newton<Code, Real>({{matrix, columns, bins, bundles, unusual},
                                        slopes,
                                        growth,
                                        seed,
                                        0,
                                        std::span(leaves.data(), leaves.shape(0))},
                                       n_threads, workspace, interrupt);
    });
    return tree_arrays(tree);
}

template <class Code, class Real>
void define_growth(nb::module_& module) {
    module.def("grow_newton", &grow_on_slopes<Code, Real>, nb::arg("codes").noconvert(),
               nb::arg("by_column").noconvert().none(), nb::arg("offsets").noconvert(),
               nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
               nb::arg("categorical").noconvert(), nb::arg("gradient").noconvert(),
               nb::arg("hessian").noconvert().none(), nb::arg("arrays"), nb::arg("settings"),
               nb::arg("seed"), nb::arg("n_threads"), nb::arg("workspace"),
               nb::arg("leaves").noconvert(), nb::arg("stop").noconvert().none(),
               nb::arg("signals"), "Grow one tree on slopes; returns what `grow` returns.");
}

template <class Real>
void define_slopes(nb::module_& module) {
    module.def(
        "logistic_slopes",
        [](const InVector<double>& raw, const InVector<double>& y, const Optional<double>& weight,
           const OutVector<Real>& gradient, const OutVector<Real>& hessian, int n_threads) {
            const std::size_t n = raw.shape(0);
            require(y.shape(0) == n && (!weight || weight->shape(0) == n) &&
                        gradient.shape(0) == n && hessian.shape(0) == n,
                    "arrays of one length expected");
            const nb::gil_scoped_release unlock;
            logistic_slopes<Real>(as_span(raw), as_span(y), given(weight), {gradient.data(), n},
                                  {hessian.data(), n}, n_threads);
        },
        nb::arg("raw").noconvert(), nb::arg("y").noconvert(), nb::arg("weight").noconvert().none(),
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert(), nb::arg("n_threads"),
        "Slopes of the logistic loss of log-odds.");
    module.def(
        "squared_slopes",
        [](const InVector<double>& raw, const InVector<double>& y, const Optional<double>& weight,
           const OutVector<Real>& gradient, int n_threads) {
            const std::size_t n = raw.shape(0);
            require(y.shape(0) == n && (!weight || weight->shape(0) == n) && gradient.shape(0) == n,
                    "arrays of one length expected");
            const nb::gil_scoped_release unlock;
            squared_slopes<Real>(as_span(raw), as_span(y), given(weight), {gradient.data(), n},
                                 n_threads);
        },
        nb::arg("raw").noconvert(), nb::arg("y").noconvert(), nb::arg("weight").noconvert().none(),
        nb::arg("gradient").noconvert(), nb::arg("n_threads"), "Slopes of half the squared error.");
    module.def(
        "softmax_slopes",
        [](const InMatrix<double>& raw, const InVector<std::int32_t>& y,
           const Optional<double>& weight, const OutMatrix<Real>& gradient,
           const OutMatrix<Real>& hessian, int n_threads) {
            const std::size_t n = raw.shape(0), classes = raw.shape(1);
            require(y.shape(0) == n && (!weight || weight->shape(0) == n) &&
                        gradient.shape(1) == n && gradient.shape(0) == classes &&
                        hessian.shape(1) == n && hessian.shape(0) == classes,
                    "raw of shape (n, K), slopes of shape (K, n) expected");
            const nb::gil_scoped_release unlock;
            softmax_slopes<Real>(as_matrix(raw), as_span(y), given(weight), as_matrix(gradient),
                                 as_matrix(hessian), n_threads);
        },
        nb::arg("raw").noconvert(), nb::arg("y").noconvert(), nb::arg("weight").noconvert().none(),
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert(), nb::arg("n_threads"),
        "Slopes of the multinomial loss.");
}

}  // namespace

void init_newton(nb::module_& module) {
    nb::class_<NewtonGrowth>(module, "NewtonGrowth", "Plain numbers that steer a tree on slopes.")
        .def(nb::init<>())
        .def_rw("max_leaf_nodes", &NewtonGrowth::max_leaf_nodes)
        .def_rw("max_depth", &NewtonGrowth::max_depth)
        .def_rw("level_wise", &NewtonGrowth::level_wise)
        .def_rw("symmetric", &NewtonGrowth::symmetric)
        .def_rw("min_samples_leaf", &NewtonGrowth::min_samples_leaf)
        .def_rw("min_child_weight", &NewtonGrowth::min_child_weight)
        .def_rw("l1", &NewtonGrowth::l1)
        .def_rw("l2", &NewtonGrowth::l2)
        .def_rw("min_gain", &NewtonGrowth::min_gain)
        .def_rw("max_delta_step", &NewtonGrowth::max_delta_step)
        .def_rw("level_features", &NewtonGrowth::level_features)
        .def_rw("max_features", &NewtonGrowth::max_features)
        .def_rw("precision", &NewtonGrowth::precision);
    nb::class_<Workspace>(module, "Workspace", "Memory that one tree leaves to the next.")
        .def(nb::init<>());
    nb::class_<Unusual>(module, "Unusual", "The unusual codes of a table, row by row.")
        .def(
            "__init__",
            [](Unusual* self, const InMatrix<std::uint8_t>& codes,
               const InVector<std::int64_t>& offsets, const InVector<double>& lower,
               const InVector<double>& upper, const InVector<std::uint8_t>& categorical,
               const Column& usual) {
                const BinsView bins = as_bins(offsets, lower, upper, categorical);
                require(codes.shape(1) == bins.columns() && usual.shape(0) == bins.columns(),
                        "codes, usual: one column per column of the bins expected");
                for (std::size_t j = 0; j < bins.columns(); ++j)
                    require(usual.data()[j] >= 0 &&
                                usual.data()[j] <= static_cast<std::int32_t>(bins.count(j)),
                            "usual: a code is out of range");
                const nb::gil_scoped_release unlock;
                new (self)
                    Unusual(as_matrix(codes), bins, {usual.data(), usual.data() + usual.shape(0)});
            },
            nb::arg("codes").noconvert(), nb::arg("offsets").noconvert(),
            nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
            nb::arg("categorical").noconvert(), nb::arg("usual").noconvert());
    nb::class_<NewtonArrays>(module, "NewtonArrays", "Constraints, and what the tree may use.")
        .def(
            "__init__",
            [](NewtonArrays* self,
               std::optional<std::tuple<Column, Column, Column, Column>> bundles,
               const Unusual* unusual, Optional<std::int8_t> monotone,
               std::optional<InMatrix<std::uint8_t>> interactions, InVector<std::int32_t> columns,
               Optional<std::int32_t> rows) {
                new (self) NewtonArrays{std::move(bundles),  unusual,
                                        std::move(monotone), std::move(interactions),
                                        std::move(columns),  std::move(rows)};
            },
            nb::keep_alive<1, 3>(), nb::arg("bundles").none(), nb::arg("unusual").none(),
            nb::arg("monotone").noconvert().none(), nb::arg("interactions").noconvert().none(),
            nb::arg("columns").noconvert(), nb::arg("rows").noconvert().none());
    define_growth<std::uint8_t, float>(module);
    define_growth<std::uint8_t, double>(module);
    define_growth<std::uint16_t, float>(module);
    define_growth<std::uint16_t, double>(module);
    define_slopes<float>(module);
    define_slopes<double>(module);
    module.def(
        "find_bundles",
        [](const InMatrix<std::uint8_t>& codes, const InVector<std::int64_t>& offsets,
           const InVector<double>& lower, const InVector<double>& upper,
           const InVector<std::uint8_t>& categorical, int n_threads) {
            const BinsView bins = as_bins(offsets, lower, upper, categorical);
            require(codes.shape(1) == bins.columns(),
                    "codes: number of columns differs from the bins");
            Bundles found;
            {
                const nb::gil_scoped_release unlock;
                found = find_bundles(as_matrix(codes), bins, n_threads);
            }
            return std::tuple{to_array(found.home), to_array(found.first), to_array(found.usual),
                              to_array(found.sizes), to_array(found.unusual)};
        },
        nb::arg("codes").noconvert(), nb::arg("offsets").noconvert(), nb::arg("lower").noconvert(),
        nb::arg("upper").noconvert(), nb::arg("categorical").noconvert(), nb::arg("n_threads"),
        "Columns that are never unusual together: home, first, usual, sizes; and how often each is "
        "unusual.");
    module.def(
        "encode_bundles",
        [](const InMatrix<std::uint8_t>& codes, const Column& home, const Column& first,
           const Column& usual, const Column& sizes, const OutMatrix<std::uint8_t>& out,
           int n_threads) {
            const std::size_t d = codes.shape(1);
            require(home.shape(0) == d && first.shape(0) == d && usual.shape(0) == d,
                    "bundles: one entry per column expected");
            require(out.shape(0) == codes.shape(0) && out.shape(1) == sizes.shape(0),
                    "out: one row per row of codes, one column per size expected");
            for (const auto place : as_span(home))
                require(place >= 0 && static_cast<std::size_t>(place) < out.shape(1),
                        "bundles: home is out of range");
            const nb::gil_scoped_release unlock;
            encode_bundles(as_matrix(codes),
                           {as_span(home), as_span(first), as_span(usual), as_span(sizes)},
                           as_matrix(out), n_threads);
        },
        nb::arg("codes").noconvert(), nb::arg("home").noconvert(), nb::arg("first").noconvert(),
        nb::arg("usual").noconvert(), nb::arg("sizes").noconvert(), nb::arg("out").noconvert(),
        nb::arg("n_threads"), "Write the codes of bundles.");
    module.def(
        "add_votes",
        [](const nb::ndarray<double, nb::ndim<1>, nb::device::cpu>& raw,
           const InVector<std::int32_t>& leaves, const InVector<double>& values, int n_threads) {
            require(raw.shape(0) == leaves.shape(0), "leaves: one per row expected");
            bool fine;
            {
                const nb::gil_scoped_release unlock;
                fine = add_votes(raw.data(), raw.stride(0), as_span(leaves), as_span(values),
                                 n_threads);
            }
            require(fine, "leaves: a leaf lies outside the values");
        },
        nb::arg("raw").noconvert(), nb::arg("leaves").noconvert(), nb::arg("values").noconvert(),
        nb::arg("n_threads"), "Add to every row's score the value of its leaf.");
}

}  // namespace coterie
