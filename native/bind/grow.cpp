#include "coterie/grow.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <string>
#include <unordered_map>

#include "arrays.hpp"
#include "bins_view.hpp"
#include "sparse_arrays.hpp"

namespace coterie {
namespace {

Criterion criterion_of(const std::string& name) {
    static const std::unordered_map<std::string, Criterion> names{
        {"squared_error", Criterion::squared_error},
        {"gini", Criterion::gini},
        {"entropy", Criterion::entropy},
        {"misclassification", Criterion::misclassification},
        {"poisson", Criterion::poisson},
        {"absolute_error", Criterion::absolute_error},
        {"log_rank_score", Criterion::squared_error},
        {"log_rank", Criterion::squared_error}};
    const auto found = names.find(name);
    if (found == names.end()) throw std::invalid_argument("unknown criterion '" + name + "'");
    return found->second;
}

// Settings that are plain numbers; arrays come as arguments of grow.
struct Settings {
    std::string criterion = "squared_error";
    Growth growth;
};

struct GrowArrays {
    std::optional<InMatrix<std::int32_t>> labels;
    std::vector<std::int32_t> n_classes;
    std::optional<InMatrix<double>> values;
    InVector<double> weight;
    std::optional<InVector<std::int8_t>> monotone;
    std::optional<InMatrix<std::uint8_t>> interactions;
    InVector<std::int32_t> columns;
};

TargetView as_target(const GrowArrays& arrays, std::size_t rows) {
    TargetView target;
    require(arrays.labels.has_value() != arrays.values.has_value(), "give either labels or values");
    if (arrays.labels) {
        target.codes = as_matrix(*arrays.labels);
        target.n_classes = arrays.n_classes;
        require(target.n_classes.size() == target.codes.cols, "n_classes: one per output expected");
        for (const auto classes : target.n_classes)
            require(classes >= 1, "n_classes must be positive");
        for (std::size_t i = 0; i < target.codes.rows; ++i)
            for (std::size_t o = 0; o < target.codes.cols; ++o)
                require(target.codes(i, o) >= 0 && target.codes(i, o) < target.n_classes[o],
                        "labels: a code lies outside its classes");
    } else {
        target.values = as_matrix(*arrays.values);
    }
    require(target.rows() == rows, "target: one row per row of codes expected");
    require(target.outputs() >= 1, "target: at least one output expected");
    return target;
}

// Times in the first column, and in a second one when rows came under observation.
void read_times(TargetView& target, const Growth& growth) {
    const Matrix<const double> both = target.values;
    require(!target.labels() && both.cols <= 2 && growth.monotone.empty(),
            "log_rank takes times, entries if any, and no monotone directions");
    require(growth.recheck > 0 && growth.min_events_leaf >= 0,
            "log_rank rechecks at least one cut, and counts events from 0");
    require(!growth.random_thresholds || !(growth.exact || growth.min_events_leaf),
            "log_rank draws no thresholds where cuts are tested or events are asked for");
    if (both.cols < 2) return;
    target.values.cols = 1;
    target.entry = {both.col(1), both.rows, 1, both.row_stride, 1};
    for (std::size_t i = 0; i < both.rows; ++i)
        require(both(i, 1) < std::abs(both(i, 0)), "entry: not before the time of its row");
}

template <class Code>
void check_codes(const Matrix<const Code>& codes, const BinsView& bins,
                 std::span<const double> weight) {
    require(codes.cols == bins.columns(), "codes: number of columns differs from the bins");
    require(codes.rows == weight.size(), "weight: one number per row expected");
    require(codes.rows < std::numeric_limits<std::uint32_t>::max(), "more than 2^32 rows");
    bool any = false;
    for (const double w : weight) {
        require(w >= 0.0 && w <= std::numeric_limits<double>::max(),
                "weight: negative, NaN or infinite");
        any |= w > 0.0;
    }
    require(any, "weight: no row has a positive weight");
}

// A code outside its histogram would write out of bounds; one pass per tree is cheap
// against the growing, and a table may come from a file.
template <class Code>
void check_code_range(const Matrix<const Code>& codes, const BinsView& bins) {
    std::vector<std::uint32_t> most(codes.cols, 0);
    for (std::size_t i = 0; i < codes.rows; ++i)
        for (std::size_t j = 0; j < codes.cols; ++j)
            most[j] = std::max<std::uint32_t>(most[j], codes(i, j));
    for (std::size_t j = 0; j < codes.cols; ++j)
        require(most[j] <= bins.count(j), "codes: a code lies outside the bins of its column");
}

template <class Code>
void check_table(const InMatrix<Code>& codes, const InVector<std::int64_t>& offsets,
                 const InVector<double>& lower, const InVector<double>& upper,
                 const InVector<std::uint8_t>& categorical) {
    const BinsView bins = as_bins(offsets, lower, upper, categorical);
    require(codes.shape(1) == bins.columns(), "codes: number of columns differs from the bins");
    const nb::gil_scoped_release unlock;
    check_code_range(as_matrix(codes), bins);
}

// `codes` are all of them, or those of a sparse table.
template <class Codes>
auto grow_tree(
    const Codes& codes, const InVector<std::int64_t>& offsets, const InVector<double>& lower,
    const InVector<double>& upper, const InVector<std::uint8_t>& categorical,
    const GrowArrays& arrays, const Settings& settings, std::uint64_t seed, int n_threads,
    const std::optional<nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>&
        leaves,
    const std::optional<InVector<std::uint8_t>>& stop, bool signals) {
    const BinsView bins = as_bins(offsets, lower, upper, categorical);
    const auto table = as_table(codes, bins);
    const auto& matrix = table.all;
    const auto weight = as_span(arrays.weight);
    check_codes(matrix, bins, weight);
    TargetView target = as_target(arrays, matrix.rows);
    Growth growth = settings.growth;
    growth.criterion = criterion_of(settings.criterion);
    growth.exact = settings.criterion == "log_rank";
    growth.log_rank = growth.exact || settings.criterion == "log_rank_score";
    if (arrays.monotone) growth.monotone = as_span(*arrays.monotone);
    require(growth.monotone.empty() || growth.monotone.size() == matrix.cols,
            "monotone: one direction per column expected");
    if (arrays.interactions) growth.interactions = as_matrix(*arrays.interactions);
    require(!growth.interactions.data || growth.interactions.cols == matrix.cols,
            "interactions: one flag per column expected");
    growth.columns = as_span(arrays.columns);
    for (const auto column : growth.columns)
        require(column >= 0 && static_cast<std::size_t>(column) < matrix.cols,
                "columns: out of range");
    const bool for_labels = growth.criterion == Criterion::gini ||
                            growth.criterion == Criterion::entropy ||
                            growth.criterion == Criterion::misclassification;
    require(target.labels() == for_labels, "the criterion does not suit the kind of target");
    if (growth.log_rank) read_times(target, growth);
    require(!stop || stop->shape(0) == 1, "stop: an array of one flag expected");

    require(!leaves || leaves->shape(0) == matrix.rows, "leaves: one per row expected");
    const std::span<std::int32_t> leaf_of_row =
        leaves ? std::span(leaves->data(), leaves->shape(0)) : std::span<std::int32_t>{};

    Tree tree;
    run_interruptible(stop ? stop->data() : nullptr, signals, [&](Interrupt& interrupt) {
        tree = grow(table, bins, target, weight, growth, seed, n_threads, leaf_of_row, interrupt);
    });
    return tree_arrays(tree);
}

template <class Code>
void define_growth(nb::module_& module) {
    const auto define_grow = [&](auto* function) {
        module.def("grow", function, nb::arg("codes").noconvert(), nb::arg("offsets").noconvert(),
                   nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
                   nb::arg("categorical").noconvert(), nb::arg("arrays"), nb::arg("settings"),
                   nb::arg("seed"), nb::arg("n_threads"), nb::arg("leaves").noconvert().none(),
                   nb::arg("stop").noconvert().none(), nb::arg("signals"),
                   "Grow one tree; returns nodes, n_samples, weight, impurity, values, "
                   "categories.");
    };
    define_grow(&grow_tree<InMatrix<Code>>);
    define_grow(&grow_tree<SparseArrays<Code>>);
    module.def("check_table", &check_table<Code>, nb::arg("codes").noconvert(),
               nb::arg("offsets").noconvert(), nb::arg("lower").noconvert(),
               nb::arg("upper").noconvert(), nb::arg("categorical").noconvert(),
               "Raise ValueError unless every code lies within the bins of its column.");
}

}  // namespace

void init_grow(nb::module_& module) {
    nb::class_<Settings>(module, "Settings", "Plain numbers that steer the growth of a tree.")
        .def(nb::init<>())
        .def_rw("criterion", &Settings::criterion)
#define COTERIE_FIELD(name)                                     \
    .def_prop_rw(                                               \
        #name, [](const Settings& s) { return s.growth.name; }, \
        [](Settings& s, decltype(Growth::name) value) { s.growth.name = value; })
        // clang-format off
        COTERIE_FIELD(max_depth)
        COTERIE_FIELD(max_leaf_nodes)
        COTERIE_FIELD(min_samples_split)
        COTERIE_FIELD(min_samples_leaf)
        COTERIE_FIELD(min_weight_leaf)
        COTERIE_FIELD(min_impurity_decrease)
        COTERIE_FIELD(min_gain)
        COTERIE_FIELD(max_features)
        COTERIE_FIELD(random_thresholds)
        COTERIE_FIELD(l2)
        COTERIE_FIELD(recheck)
        COTERIE_FIELD(min_events_leaf);
    // clang-format on
#undef COTERIE_FIELD
    nb::class_<GrowArrays>(module, "GrowArrays", "The arrays a tree is grown on besides its codes.")
        .def(
            "__init__",
            [](GrowArrays* self, std::optional<InMatrix<std::int32_t>> labels,
               std::vector<std::int32_t> n_classes, std::optional<InMatrix<double>> values,
               InVector<double> weight, std::optional<InVector<std::int8_t>> monotone,
               std::optional<InMatrix<std::uint8_t>> interactions, InVector<std::int32_t> columns) {
                new (self)
                    GrowArrays{std::move(labels), std::move(n_classes), std::move(values),
                               std::move(weight), std::move(monotone),  std::move(interactions),
                               std::move(columns)};
            },
            nb::arg("labels").noconvert().none(), nb::arg("n_classes"),
            nb::arg("values").noconvert().none(), nb::arg("weight").noconvert(),
            nb::arg("monotone").noconvert().none(), nb::arg("interactions").noconvert().none(),
            nb::arg("columns").noconvert());
    define_growth<std::uint8_t>(module);
    define_growth<std::uint16_t>(module);
}

}  // namespace coterie
