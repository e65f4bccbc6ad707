#include "coterie/newton_halves.hpp"

#include <nanobind/stl/function.h>

#include "newton_arrays.hpp"

namespace coterie {
namespace {

using Bytes = OutVector<std::uint8_t>;

// What a half works with besides a workspace. Python keeps the arrays alive.
struct Own {
    explicit Own(int n_threads = 1) : team(n_threads) {}
    Team team;
    Interrupt interrupt;
    Tools tools(Workspace& workspace) { return {workspace, team, interrupt}; }
};

struct RowsHalf {
    std::unique_ptr<Own> own = std::make_unique<Own>();
    std::unique_ptr<RowSide> rows;
};

struct DeciderHalf {
    std::unique_ptr<Own> own = std::make_unique<Own>();
    std::unique_ptr<Workspace> workspace = std::make_unique<Workspace>();
    std::unique_ptr<Decider> decider;
};

SlopeScale measure_slopes(const TableArrays& table, const SlopesArrays& slopes,
                          const GrowthArrays& growth) {
    return with_task(table, slopes, growth, [](const auto& task) {
        const nb::gil_scoped_release unlock;
        Team team(1);
        return measure(task.slopes, team);
    });
}

void open(RowsHalf* self, const TableArrays& table, const SlopesArrays& slopes,
          const GrowthArrays& growth, const SlopeScale& scale, std::uint64_t seed,
          std::uint64_t first_row, const OutVector<std::int32_t>& leaves, Workspace& workspace,
          int n_threads) {
    with_task(table, slopes, growth, [&](auto& task) {
        require(leaves.shape(0) == task.table.codes.rows, "leaves: one per row expected");
        require(scale.rows >= task.slopes.learnt(), "scale: measured on fewer rows than there are");
        task.seed = seed;
        task.first_row = first_row;
        task.leaves = {leaves.data(), leaves.shape(0)};
        new (self) RowsHalf{std::make_unique<Own>(n_threads), nullptr};
        const nb::gil_scoped_release unlock;
        self->rows = open_rows(task, scale, plan_cells(task.table, task.growth, scale),
                               self->own->tools(workspace));
    });
}

void open_choice(DeciderHalf* self, const TableArrays& table, const GrowthArrays& growth,
                 const SlopeScale& scale, std::uint64_t seed) {
    require(scale.rows >= 1, "scale: at least one row expected");
    std::visit(
        [&](const auto& codes) {
            const auto view = table.view(codes);
            const NewtonGrowth settings = growth.view(view.bins.columns());
            new (self) DeciderHalf;
            self->decider =
                open_decider(view.bins, settings, seed, scale, plan_cells(view, settings, scale),
                             self->own->tools(*self->workspace));
        },
        table.codes);
}

template <class T>
std::vector<std::size_t> listed(std::span<const T> values) {
    return {values.begin(), values.end()};
}

// What of the halves travels between processes.
using ScaleState = std::tuple<double, double, double, double, double, std::size_t, bool>;
using SplitState = std::tuple<double, std::int32_t, bool, bool, bool, std::uint32_t, std::uint32_t,
                              double, double, double, std::vector<std::uint32_t>>;

ScaleState state_of(const SlopeScale& s) {
    return {s.most_g, s.most_h, s.sum_g, s.sum_h, s.least_h, s.rows, s.constant};
}
SplitState state_of(const CodeSplit& s) {
    return {s.gain, s.column,     s.categorical, s.missing_left, s.saw_missing, s.last_left,
            s.next, s.left_value, s.right_value, s.left_weight,  s.left_codes};
}
template <class Made, class State>
void restore(Made& made, const State& state) {
    std::apply([&](const auto&... part) { new (&made) Made{part...}; }, state);
}

std::vector<std::tuple<double, double>> pairs(const std::vector<SlopeSums>& sums) {
    std::vector<std::tuple<double, double>> out;
    for (const SlopeSums& sum : sums) out.emplace_back(sum.g, sum.h);
    return out;
}

}  // namespace

void init_halves(nb::module_& module) {
    nb::class_<SlopeScale>(module, "SlopeScale", "What both halves know of the slopes of all rows.")
        .def("add", &SlopeScale::add, nb::arg("other"), "Take in the slopes of other rows.")
        .def_ro("rows", &SlopeScale::rows)
        .def("__getstate__", [](const SlopeScale& scale) { return state_of(scale); })
        .def("__setstate__",
             [](SlopeScale& scale, const ScaleState& state) { restore(scale, state); });
    module.def("measure_slopes", &measure_slopes, nb::arg("table"), nb::arg("slopes"),
               nb::arg("growth"), "The scale of the slopes of a table.");
    nb::class_<CodeSplit>(module, "CodeSplit", "A split in terms of codes.")
        .def_ro("gain", &CodeSplit::gain)
        .def_ro("column", &CodeSplit::column)
        .def("__getstate__", [](const CodeSplit& split) { return state_of(split); })
        .def("__setstate__",
             [](CodeSplit& split, const SplitState& state) { restore(split, state); });
    nb::class_<RowsHalf>(module, "RowSide", "Everything that touches rows while a tree grows.")
        .def("__init__", &open, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             nb::keep_alive<1, 4>(), nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>(), nb::kw_only(),
             nb::arg("table"), nb::arg("slopes"), nb::arg("growth"), nb::arg("scale"),
             nb::arg("seed"), nb::arg("first_row"), nb::arg("leaves").noconvert(),
             nb::arg("workspace"), nb::arg("n_threads") = 1)
        .def_prop_ro("packed", [](const RowsHalf& half) { return half.rows->packed(); })
        .def_prop_ro("histogram_bytes",
                     [](const RowsHalf& half) { return half.rows->histogram_bytes(); })
        .def(
            "count",
            [](RowsHalf& half, std::size_t node, const InVector<std::uint8_t>& barren,
               const Bytes& out) {
                require(out.shape(0) == half.rows->histogram_bytes(),
                        "out: a histogram of another size");
                const nb::gil_scoped_release unlock;
                half.rows->count(node, as_span(barren), reinterpret_cast<std::byte*>(out.data()));
            },
            nb::arg("node"), nb::arg("barren").noconvert(), nb::arg("out").noconvert(),
            "Write the histogram of a node.")
        .def(
            "part",
            [](RowsHalf& half, std::size_t node, const CodeSplit& split) {
                const nb::gil_scoped_release unlock;
                return half.rows->part(node, split);
            },
            nb::arg("node"), nb::arg("split"), "Move rows; returns how many go left.")
        .def(
            "divide",
            [](RowsHalf& half, std::size_t node, std::size_t left) {
                half.rows->divide(node, left);
            },
            nb::arg("node"), nb::arg("left"), "Make the parts of a node nodes of their own.")
        .def(
            "count_codes",
            [](const RowsHalf& half, std::size_t node, std::size_t column,
               const OutVector<std::uint32_t>& out) {
                const nb::gil_scoped_release unlock;
                half.rows->count_codes(node, column, {out.data(), out.shape(0)});
            },
            nb::arg("node"), nb::arg("column"), nb::arg("out").noconvert(),
            "Add the rows of a node by their code in a column.")
        .def(
            "leaf_sums",
            [](RowsHalf& half, const std::vector<std::size_t>& nodes) {
                // While it runs, other threads of a worker must be able to pass on what others ask.
                const nb::gil_scoped_release unlock;
                return pairs(half.rows->leaf_sums(nodes));
            },
            nb::arg("nodes"), "Sums of the slopes of leaves, and notes the leaf of every row.");
    nb::class_<DeciderHalf>(module, "Decider", "Everything that chooses while a tree grows.")
        .def("__init__", &open_choice, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             nb::kw_only(), nb::arg("table"), nb::arg("growth"), nb::arg("scale"), nb::arg("seed"))
        .def("to_part", [](const DeciderHalf& half) { return listed(half.decider->to_part()); })
        .def("to_count", [](const DeciderHalf& half) { return listed(half.decider->to_count()); })
        .def(
            "split",
            [](const DeciderHalf& half, std::size_t node) { return half.decider->split(node); },
            nb::arg("node"))
        .def(
            "parted",
            [](DeciderHalf& half, std::size_t node, std::uint32_t left_rows) {
                return half.decider->parted(node, left_rows);
            },
            nb::arg("node"), nb::arg("left_rows"), "The left child; 0 if the split is refused.")
        .def(
            "barren",
            [](const DeciderHalf& half, std::size_t node) {
                const auto barren = half.decider->barren(node);
                return to_array(std::vector<std::uint8_t>(barren.begin(), barren.end()));
            },
            nb::arg("node"))
        .def(
            "tell",
            [](DeciderHalf& half, std::size_t node, const InVector<std::uint8_t>& histogram) {
                const std::span<std::byte> cells = half.decider->cells(node);
                require(histogram.shape(0) == cells.size(),
                        "histogram: of another size than the decider's");
                std::memcpy(cells.data(), histogram.data(), cells.size());
            },
            nb::arg("node"), nb::arg("histogram").noconvert(), "Tell the histogram of a node.")
        .def(
            "left_share",
            [](const DeciderHalf& half, std::size_t node) {
                return half.decider->left_share(node);
            },
            nb::arg("node"), "Which part of a node will go left, by weight.")
        .def(
            "counted_sibling",
            [](DeciderHalf& half, std::size_t node) { half.decider->counted_sibling(node); },
            nb::arg("node"), "Say that the histogram told of a node is its larger sibling's.")
        .def(
            "decide",
            [](DeciderHalf& half,
               const std::function<NewArray<std::uint32_t>(std::size_t, std::size_t, std::size_t)>&
                   count_codes) {
                const nb::gil_scoped_release unlock;
                half.decider->decide([&](std::size_t node, std::size_t column,
                                         std::span<std::uint32_t> counts) {
                    const nb::gil_scoped_acquire lock;
                    const auto told = count_codes(node, column, counts.size());
                    require(told.shape(0) == counts.size(), "count_codes: one per code expected");
                    std::copy_n(told.data(), counts.size(), counts.data());
                });
            },
            nb::arg("count_codes"), "Look for splits, and what to part next.")
        .def("leaves", [](DeciderHalf& half) { return listed(half.decider->leaves()); })
        .def(
            "write",
            [](DeciderHalf& half, const InMatrix<double>& sums) {
                const auto matrix = as_matrix(sums);
                require(matrix.rows == half.decider->leaves().size() && matrix.cols == 2,
                        "sums: gradient and hessian of every leaf expected");
                std::vector<SlopeSums> told;
                for (std::size_t k = 0; k < matrix.rows; ++k)
                    told.push_back({matrix(k, 0), matrix(k, 1), 0.0});
                return tree_arrays(half.decider->write(told));
            },
            nb::arg("sums").noconvert(), "The tree, given the sums of its leaves.")
        .def(
            "last_left", [](const DeciderHalf& half) { return half.decider->last_left(); },
            "The last code that goes left, of every node of the tree.");
}

}  // namespace coterie
