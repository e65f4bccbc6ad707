#include "coterie/newton.hpp"

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "coterie/slopes.hpp"
#include "newton_arrays.hpp"

namespace coterie {
namespace {

// Refuses bundles that would make the engine read or write outside its histograms.
BundlesView check_bundles(BundlesView view, const BinsView& bins, std::size_t counted) {
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

// Refuses joint columns of another table.
template <class Code>
void check_joint(const Joint& joint, const NewtonTable<Code>& table) {
    std::size_t columns = 0;
    bool fits = joint.rows == table.codes.rows && !table.unusual;
    for (const auto& factors : joint.columns)
        for (const Joint::Factor& factor : factors) {
            const std::size_t j = factor.column;
            fits = fits && j < table.codes.cols &&
                   factor.codes <= (table.bundles.empty()
                                        ? table.bins.count(j) + 1u
                                        : static_cast<std::uint32_t>(table.bundles.sizes[j]));
            ++columns;
        }
    require(fits && columns == table.codes.cols, "joint: made for another table");
}

auto grow_on_slopes(const TableArrays& table, const SlopesArrays& slopes,
                    const GrowthArrays& growth, std::uint64_t seed, int n_threads,
                    Workspace& workspace, const OutVector<std::int32_t>& leaves,
                    const Optional<std::uint8_t>& stop, bool signals) {
    require(!stop || stop->shape(0) == 1, "stop: an array of one flag expected");
    return with_task(table, slopes, growth, [&](auto& task) {
        require(task.table.codes.rows >= 1, "codes: at least one row expected");
        require(leaves.shape(0) == task.table.codes.rows, "leaves: one per row expected");
        task.seed = seed;
        task.leaves = {leaves.data(), leaves.shape(0)};
        Tree tree;
        run_interruptible(stop ? stop->data() : nullptr, signals, [&](Interrupt& interrupt) {
            tree = grow_newton(task, n_threads, workspace, interrupt);
        });
        return tree_arrays(tree);
    });
}

template <class Code>
void define_table(nb::class_<TableArrays>& table) {
    table.def(
        "__init__",
        [](TableArrays* self, InMatrix<Code> codes, InMatrix<Code> by_column,
           InVector<std::int64_t> offsets, InVector<double> lower, InVector<double> upper,
           InVector<std::uint8_t> categorical,
           std::optional<std::tuple<Column, Column, Column, Column>> bundles,
           const Unusual* unusual, const Joint* joint) {
            new (self) TableArrays{CodesOf<Code>{std::move(codes), std::move(by_column)},
                                   std::move(offsets),
                                   std::move(lower),
                                   std::move(upper),
                                   std::move(categorical),
                                   std::move(bundles),
                                   unusual,
                                   joint};
        },
        nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>(), nb::kw_only(),
        nb::arg("codes").noconvert(), nb::arg("by_column").noconvert(),
        nb::arg("offsets").noconvert(), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
        nb::arg("categorical").noconvert(), nb::arg("bundles").none(), nb::arg("unusual").none(),
        nb::arg("joint").none());
    table.def(
        "__init__",
        [](TableArrays* self, const SparseArrays<Code>& codes, InVector<std::int64_t> offsets,
           InVector<double> lower, InVector<double> upper, InVector<std::uint8_t> categorical,
           const Unusual& unusual) {
            new (self) TableArrays{CodesOf<Code>{{}, {}, &codes},
                                   std::move(offsets),
                                   std::move(lower),
                                   std::move(upper),
                                   std::move(categorical),
                                   {},
                                   &unusual,
                                   nullptr};
        },
        nb::keep_alive<1, 2>(), nb::keep_alive<1, 7>(), nb::kw_only(), nb::arg("codes"),
        nb::arg("offsets").noconvert(), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
        nb::arg("categorical").noconvert(), nb::arg("unusual"));
}

// The unusual codes of a sparse table.
template <class Code>
void define_unusual(nb::class_<Unusual>& unusual) {
    unusual.def(
        "__init__",
        [](Unusual* self, const SparseArrays<Code>& codes, const InVector<std::int64_t>& offsets,
           const InVector<double>& lower, const InVector<double>& upper,
           const InVector<std::uint8_t>& categorical) {
            const BinsView bins = as_bins(offsets, lower, upper, categorical);
            new (self) Unusual(codes.of(bins), bins);
        },
        nb::arg("codes"), nb::arg("offsets").noconvert(), nb::arg("lower").noconvert(),
        nb::arg("upper").noconvert(), nb::arg("categorical").noconvert());
}

template <class Real>
void define_given_slopes(nb::class_<SlopesArrays>& slopes) {
    slopes.def(
        "__init__",
        [](SlopesArrays* self, InVector<Real> gradient, Optional<Real> hessian,
           Optional<std::int32_t> rows) {
            new (self) SlopesArrays{SlopesOf<Real>{std::move(gradient), std::move(hessian)},
                                    std::move(rows)};
        },
        nb::kw_only(), nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert().none(),
        nb::arg("rows").noconvert().none());
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
            require(n < 2 || (gradient.stride(1) == 1 && hessian.stride(1) == 1),
                    "slopes: those of a class must lie side by side");
            const nb::gil_scoped_release unlock;
            softmax_slopes<Real>(as_matrix(raw), as_span(y), given(weight), as_matrix(gradient),
                                 as_matrix(hessian), n_threads);
        },
        nb::arg("raw").noconvert(), nb::arg("y").noconvert(), nb::arg("weight").noconvert().none(),
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert(), nb::arg("n_threads"),
        "Slopes of the multinomial loss.");
}

}  // namespace

void check_rows(const Optional<std::int32_t>& rows, std::size_t n) {
    require(!rows || rows->shape(0) > 0, "rows: at least one expected");
    std::int64_t before = -1;
    for (const auto row : given(rows)) {
        require(row > before && static_cast<std::size_t>(row) < n,
                "rows: ascending numbers of rows expected");
        before = row;
    }
}

template <class Code>
NewtonTable<Code> TableArrays::view(const CodesOf<Code>& given) const {
    const BinsView bins = as_bins(offsets, lower, upper, categorical);
    NewtonTable<Code> table;
    table.bins = bins;
    if (given.sparse) {
        table.sparse = &given.sparse->of(bins);
        table.codes = table.by_column = CodeTable<Code>::of(*table.sparse).all;
    } else {
        table.codes = as_matrix(*given.codes);
        table.by_column = as_matrix(*given.by_column);
    }
    const std::size_t n = table.codes.rows, d = table.bins.columns();
    if (bundles) {
        const auto& [home, first, usual, sizes] = *bundles;
        table.bundles =
            check_bundles({as_span(home), as_span(first), as_span(usual), as_span(sizes)},
                          table.bins, table.codes.cols);
    }
    require(bundles || table.codes.cols == d, "codes: number of columns differs from the bins");
    require(n < 2147483647u, "codes: at most 2^31 - 2 rows expected");
    require(table.by_column.rows == n && table.by_column.cols == table.codes.cols,
            "by_column: the shape of the codes expected");
    require(!unusual || (!bundles && unusual->starts.size() == n + 1 &&
                         unusual->usual.size() == d && unusual->n_cells == table.bins.upper.size()),
            "unusual: made for another table");
    table.unusual = unusual;
    if (joint) check_joint(*joint, table);
    table.joint = joint;
    return table;
}
template NewtonTable<std::uint8_t> TableArrays::view(const CodesOf<std::uint8_t>&) const;
template NewtonTable<std::uint16_t> TableArrays::view(const CodesOf<std::uint16_t>&) const;

template <class Real>
SlopesView<Real> SlopesArrays::view(const SlopesOf<Real>& from, std::size_t n) const {
    const SlopesView<Real> slopes{as_span(from.gradient), given(from.hessian), given(rows)};
    require(slopes.gradient.size() == n, "gradient: one number per row expected");
    require(!from.hessian || slopes.hessian.size() == n, "hessian: one number per row expected");
    check_rows(rows, n);
    return slopes;
}
template SlopesView<float> SlopesArrays::view(const SlopesOf<float>&, std::size_t) const;
template SlopesView<double> SlopesArrays::view(const SlopesOf<double>&, std::size_t) const;

NewtonGrowth GrowthArrays::view(std::size_t cols) const {
    NewtonGrowth growth = settings;
    growth.monotone = given(monotone);
    require(growth.monotone.empty() || growth.monotone.size() == cols,
            "monotone: one direction per column expected");
    if (interactions) growth.interactions = as_matrix(*interactions);
    require(!growth.interactions.data || growth.interactions.cols == cols,
            "interactions: one flag per column expected");
    growth.columns = as_span(columns);
    std::int32_t before = -1;
    for (const auto column : growth.columns) {
        require(column > before && static_cast<std::size_t>(column) < cols,
                "columns: ascending numbers of columns expected");
        before = column;
    }
    return growth;
}

void init_newton(nb::module_& module) {
    nb::class_<NewtonGrowth>(module, "NewtonGrowth", "Plain numbers that steer a tree on slopes.")
        .def(nb::init<>())
        .def_rw("max_leaf_nodes", &NewtonGrowth::max_leaf_nodes)
        .def_rw("max_depth", &NewtonGrowth::max_depth)
        .def_rw("level_wise", &NewtonGrowth::level_wise)
        .def_rw("symmetric", &NewtonGrowth::symmetric)
        .def_rw("in_middle", &NewtonGrowth::in_middle)
        .def_rw("min_samples_split", &NewtonGrowth::min_samples_split)
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
    nb::class_<Unusual> few(module, "Unusual", "The unusual codes of a table, row by row.");
    define_unusual<std::uint8_t>(few);
    define_unusual<std::uint16_t>(few);
    few.def(
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
        nb::arg("codes").noconvert(), nb::arg("offsets").noconvert(), nb::arg("lower").noconvert(),
        nb::arg("upper").noconvert(), nb::arg("categorical").noconvert(),
        nb::arg("usual").noconvert());
    nb::class_<Joint>(module, "Joint", "Columns of few codes, counted as one.")
        .def_prop_ro(
            "n_columns", [](const Joint& self) { return self.columns.size(); },
            "How many columns are counted.");
    module.def(
        "join_columns",
        [](const InMatrix<std::uint8_t>& codes, int n_threads) {
            const nb::gil_scoped_release unlock;
            return Joint::of(as_matrix(codes), n_threads);
        },
        nb::arg("codes").noconvert(), nb::arg("n_threads"),
        "Join columns of few codes; None if that saves too few of them.");
    nb::class_<TableArrays> table(module, "NewtonTable", "A binned table to grow trees on.");
    define_table<std::uint8_t>(table);
    define_table<std::uint16_t>(table);
    nb::class_<SlopesArrays> slopes(module, "NewtonSlopes", "Slopes, and the rows to learn from.");
    define_given_slopes<float>(slopes);
    define_given_slopes<double>(slopes);
    nb::class_<GrowthArrays>(module, "NewtonPlan", "Settings, constraints and columns of a tree.")
        .def(
            "__init__",
            [](GrowthArrays* self, const NewtonGrowth& settings, Optional<std::int8_t> monotone,
               std::optional<InMatrix<std::uint8_t>> interactions, Column columns) {
                new (self) GrowthArrays{settings, std::move(monotone), std::move(interactions),
                                        std::move(columns)};
            },
            nb::kw_only(), nb::arg("settings"), nb::arg("monotone").noconvert().none(),
            nb::arg("interactions").noconvert().none(), nb::arg("columns").noconvert());
    module.def("grow_newton", &grow_on_slopes, nb::arg("table"), nb::arg("slopes"),
               nb::arg("growth"), nb::kw_only(), nb::arg("seed"), nb::arg("n_threads"),
               nb::arg("workspace"), nb::arg("leaves").noconvert(),
               nb::arg("stop").noconvert().none(), nb::arg("signals"),
               "Grow one tree on slopes; returns what `grow` returns.");
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
        "copy_codes",
        [](const InMatrix<std::uint8_t>& codes, const OutMatrix<std::uint8_t>& out, int n_threads) {
            require(out.shape(0) == codes.shape(0) && out.shape(1) == codes.shape(1),
                    "out: the shape of the codes expected");
            const nb::gil_scoped_release unlock;
            copy_codes(as_matrix(codes), as_matrix(out), n_threads);
        },
        nb::arg("codes").noconvert(), nb::arg("out").noconvert(), nb::arg("n_threads"),
        "Copy codes from one layout to another.");
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
