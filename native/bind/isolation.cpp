#include "coterie/isolation.hpp"

#include "arrays.hpp"
#include "coterie/hashes.hpp"

namespace coterie {
namespace {

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T, class Trees, class Part>
NewArray<T> joined(const Trees& trees, Part&& part) {
    std::size_t size = 0;
    for (const auto& tree : trees) size += part(tree).size();
    Room room = make_room(size * sizeof(T));
    auto* at = static_cast<char*>(room.data);
    for (const auto& tree : trees) {
        const auto& piece = part(tree);
        const std::size_t bytes = piece.size() * sizeof(piece[0]);
        if (bytes) std::memcpy(at, piece.data(), bytes);
        at += bytes;
    }
    return NewArray<T>(room.data, {size}, room.owner);
}

// Where each tree begins in an array of all.
template <class Trees, class Part>
NewArray<std::int64_t> starts(const Trees& trees, Part&& part) {
    std::vector<std::int64_t> offsets{0};
    for (const auto& tree : trees)
        offsets.push_back(offsets.back() + static_cast<std::int64_t>(part(tree).size()));
    return to_array(offsets);
}

struct Samples {
    InMatrix<std::int64_t> rows;
    InMatrix<std::int32_t> columns;
    InVector<std::uint64_t> seeds;
    std::int64_t max_depth;
    InVector<double> path;

    void check(std::size_t n_rows, std::size_t n_columns) const {
        require(rows.shape(0) == seeds.shape(0) && columns.shape(0) == seeds.shape(0),
                "rows, columns and seeds: one of each per tree expected");
        require(rows.shape(1) >= 1 && path.shape(0) > rows.shape(1), "path: too short");
        require(rows.stride(1) == 1 && columns.stride(1) == 1, "rows, columns: gaps within a tree");
        for (std::size_t t = 0; t < rows.shape(0); ++t) {
            for (std::size_t i = 0; i < rows.shape(1); ++i) {
                const std::int64_t row = as_matrix(rows)(t, i);
                require(row >= 0 && static_cast<std::size_t>(row) < n_rows, "rows: out of range");
            }
            for (std::size_t k = 0; k < columns.shape(1); ++k) {
                const std::int32_t column = as_matrix(columns)(t, k);
                require(column >= 0 && static_cast<std::size_t>(column) < n_columns,
                        "columns: out of range");
            }
        }
    }
    IsolationSamples view() const { return {as_matrix(rows), as_matrix(columns), as_span(seeds)}; }
    IsolationRule rule() const { return {max_depth, as_span(path)}; }
};

using Grown = std::tuple<NewArray<std::uint64_t>, NewArray<std::int32_t>, NewArray<double>,
                         NewArray<double>, NewArray<std::int64_t>, NewArray<std::int64_t>,
                         NewArray<std::int64_t>, NewArray<std::uint64_t>>;

Grown as_arrays(const std::vector<Tree>& trees) {
    const auto nodes = [](const Tree& tree) -> const auto& { return tree.nodes; };
    const auto counts = [](const Tree& tree) -> const auto& { return tree.n_samples; };
    const auto weight = [](const Tree& tree) -> const auto& { return tree.weight; };
    const auto values = [](const Tree& tree) -> const auto& { return tree.values; };
    const auto words = [](const Tree& tree) -> const auto& { return tree.categories; };
    std::vector<std::uint64_t> pairs;
    for (const Tree& tree : trees) {
        const auto* first = reinterpret_cast<const std::uint64_t*>(tree.nodes.data());
        pairs.insert(pairs.end(), first, first + 2 * tree.nodes.size());
    }
    return {to_array(pairs),
            joined<std::int32_t>(trees, counts),
            joined<double>(trees, weight),
            joined<double>(trees, values),
            starts(trees, nodes),
            starts(trees, values),
            starts(trees, words),
            joined<std::uint64_t>(trees, words)};
}

template <class T>
Grown grow_axis(const InMatrix<T>& X, const InVector<std::uint32_t>& levels, const Samples& samples,
                int n_threads, std::optional<InVector<std::uint8_t>> stop, bool signals) {
    require(levels.shape(0) == X.shape(1), "levels: one number per column expected");
    require(!stop || stop->shape(0) == 1, "stop: an array of one flag expected");
    samples.check(X.shape(0), X.shape(1));
    std::vector<Tree> trees;
    run_interruptible(stop ? stop->data() : nullptr, signals, [&](Interrupt& interrupt) {
        trees = grow_isolation(as_matrix(X), as_span(levels), samples.view(), samples.rule(),
                               n_threads, interrupt);
    });
    return as_arrays(trees);
}

using GrownSlanted = std::tuple<NewArray<std::int32_t>, NewArray<double>, NewArray<std::int32_t>,
                                NewArray<double>, NewArray<std::int64_t>>;

GrownSlanted grow_slants(const Table& X, const Samples& samples, std::size_t width, int redraw,
                         int n_threads, std::optional<InVector<std::uint8_t>> stop, bool signals) {
    require(width >= 1 && width <= X.shape(1), "width: one to as many as columns expected");
    require(!stop || stop->shape(0) == 1, "stop: an array of one flag expected");
    samples.check(X.shape(0), X.shape(1));
    std::vector<SlantedTree> trees;
    const Matrix<const double> rows{X.data(), X.shape(0), X.shape(1),
                                    static_cast<std::ptrdiff_t>(X.shape(1)), 1};
    run_interruptible(stop ? stop->data() : nullptr, signals, [&](Interrupt& interrupt) {
        trees =
            grow_slanted(rows, samples.view(), samples.rule(), width, redraw, n_threads, interrupt);
    });
    const auto left = [](const SlantedTree& tree) -> const auto& { return tree.left; };
    return {joined<std::int32_t>(trees, left),
            joined<double>(trees, [](const auto& t) -> const auto& { return t.offsets; }),
            joined<std::int32_t>(trees, [](const auto& t) -> const auto& { return t.columns; }),
            joined<double>(trees, [](const auto& t) -> const auto& { return t.slants; }),
            starts(trees, left)};
}

struct Slanted {
    InVector<std::int32_t> left;
    InVector<double> offsets;
    InVector<std::int32_t> columns;
    InVector<double> slants;
    InVector<std::int64_t> starts;
    std::size_t width, n_columns;

    SlantedView view() const {
        return {as_span(left),   as_span(offsets), as_span(columns),
                as_span(slants), as_span(starts),  width};
    }
};

template <class T>
void define_isolation_of(nb::module_& module) {
    module.def("grow_isolation", &grow_axis<T>, nb::arg("X").noconvert(),
               nb::arg("levels").noconvert(), nb::arg("samples"), nb::arg("n_threads"),
               nb::arg("stop").noconvert().none(), nb::arg("signals"),
               "Grow trees by random cuts along the axes; the parts of a forest.");
    module.def(
        "cell_hashes",
        [](const InMatrix<T>& X,
           const nb::ndarray<std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& hashes,
           int n_threads) {
            require(hashes.shape(0) == X.shape(0), "hashes: one per row expected");
            const nb::gil_scoped_release unlock;
            cell_hashes(as_matrix(X), {hashes.data(), hashes.shape(0)}, n_threads);
        },
        nb::arg("X").noconvert(), nb::arg("hashes").noconvert(), nb::arg("n_threads"),
        "Fold the cells of each row into its hash.");
}

}  // namespace

void init_isolation(nb::module_& module) {
    nb::class_<Samples>(module, "IsolationSamples", "What isolation trees are grown from.")
        .def(
            "__init__",
            [](Samples* self, InMatrix<std::int64_t> rows, InMatrix<std::int32_t> columns,
               InVector<std::uint64_t> seeds, std::int64_t max_depth, InVector<double> path) {
                new (self) Samples{std::move(rows), std::move(columns), std::move(seeds), max_depth,
                                   std::move(path)};
            },
            nb::arg("rows").noconvert(), nb::arg("columns").noconvert(),
            nb::arg("seeds").noconvert(), nb::arg("max_depth"), nb::arg("path").noconvert());
    define_isolation_of<float>(module);
    define_isolation_of<double>(module);
    module.def("grow_slanted", &grow_slants, nb::arg("X").noconvert(), nb::arg("samples"),
               nb::arg("width"), nb::arg("redraw"), nb::arg("n_threads"),
               nb::arg("stop").noconvert().none(), nb::arg("signals"),
               "Grow trees by random slanted cuts; the parts of a slanted forest.");
    nb::class_<Slanted>(module, "SlantedArrays", "The arrays of slanted trees, range-checked.")
        .def(
            "__init__",
            [](Slanted* self, InVector<std::int32_t> left, InVector<double> offsets,
               InVector<std::int32_t> columns, InVector<double> slants,
               InVector<std::int64_t> starts, std::size_t width, std::size_t n_columns) {
                Slanted arrays{std::move(left),   std::move(offsets), std::move(columns),
                               std::move(slants), std::move(starts),  width,
                               n_columns};
                check_slanted(arrays.view(), n_columns);
                new (self) Slanted(std::move(arrays));
            },
            nb::arg("left").noconvert(), nb::arg("offsets").noconvert(),
            nb::arg("columns").noconvert(), nb::arg("slants").noconvert(),
            nb::arg("starts").noconvert(), nb::arg("width"), nb::arg("n_columns"));
    module.def(
        "slanted_paths",
        [](const Slanted& forest, const Table& X,
           const nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& out,
           int n_threads, bool signals) {
            require(X.shape(1) == forest.n_columns,
                    "X: number of columns differs from the forest's");
            require(out.shape(0) == X.shape(0), "out: one per row expected");
            const Matrix<const double> rows{X.data(), X.shape(0), X.shape(1),
                                            static_cast<std::ptrdiff_t>(X.shape(1)), 1};
            run_interruptible(nullptr, signals, [&](Interrupt& interrupt) {
                slanted_paths(forest.view(), rows, {out.data(), out.shape(0)}, n_threads,
                              interrupt);
            });
        },
        nb::arg("forest"), nb::arg("X").noconvert(), nb::arg("out").noconvert(),
        nb::arg("n_threads"), nb::arg("signals"), "Add the path lengths of all trees to out.");
}

}  // namespace coterie
