#include "coterie/sparse.hpp"

#include "coterie/hashes.hpp"
#include "coterie/predict.hpp"
#include "forest_arrays.hpp"
#include "sparse_arrays.hpp"

namespace coterie {
namespace {

template <class T>
SparseLines<T> checked_lines(std::size_t across, const InVector<std::int64_t>& starts,
                             const InVector<std::uint32_t>& places, const InVector<T>& values) {
    const SparseLines<T> lines{across, as_span(starts), as_span(places), as_span(values)};
    lines.check();
    return lines;
}

template <class T>
auto find_bins(std::size_t n_rows, const InVector<std::int64_t>& starts,
               const InVector<std::uint32_t>& rows, const InVector<T>& values,
               const std::optional<InVector<double>>& weight, std::uint32_t max_bins,
               std::size_t sample_rows, std::uint64_t seed, int n_threads) {
    const SparseLines<T> columns = checked_lines(n_rows, starts, rows, values);
    require(!weight || weight->shape(0) == n_rows, "weight: one number per row expected");
    require(max_bins >= 2 && max_bins <= 65535, "max_bins must lie between 2 and 65535");
    std::vector<std::int64_t> offsets{0};
    std::vector<double> lower, upper;
    {
        const nb::gil_scoped_release unlock;
        for (const ColumnBins& column :
             find_sparse_bins(columns, weight ? as_span(*weight) : std::span<const double>{},
                              max_bins, sample_rows, seed, n_threads)) {
            lower.insert(lower.end(), column.lower.begin(), column.lower.end());
            upper.insert(upper.end(), column.upper.begin(), column.upper.end());
            offsets.push_back(static_cast<std::int64_t>(lower.size()));
        }
    }
    return std::make_tuple(to_array(offsets), to_array(lower), to_array(upper));
}

template <class T, class Code>
void encode_into(std::size_t n_rows, const InVector<std::int64_t>& starts,
                 const InVector<std::uint32_t>& rows, const InVector<T>& values,
                 const InVector<std::int64_t>& offsets, const InVector<double>& lower,
                 const InVector<double>& upper, const InVector<std::uint8_t>& categorical,
                 const nb::ndarray<Code, nb::ndim<1>, nb::c_contig, nb::device::cpu>& codes,
                 const nb::ndarray<Code, nb::ndim<1>, nb::c_contig, nb::device::cpu>& usual) {
    const SparseLines<T> columns = checked_lines(n_rows, starts, rows, values);
    const BinsView bins = as_bins(offsets, lower, upper, categorical);
    require(columns.lines() == bins.columns(), "X: number of columns differs from the bins");
    require(codes.shape(0) == values.shape(0), "codes: one per cell expected");
    require(usual.shape(0) == bins.columns(), "usual: one per column expected");
    for (std::size_t j = 0; j < bins.columns(); ++j)
        require(bins.count(j) <= std::numeric_limits<Code>::max(),
                "codes: too narrow for the bins");
    const nb::gil_scoped_release unlock;
    encode_sparse(columns, bins, std::span(codes.data(), codes.shape(0)),
                  std::span(usual.data(), usual.shape(0)));
}

template <class T>
void predict_into(const ForestArrays& forest, const SparseRowsArrays<T>& X,
                  const std::optional<InVector<double>>& tree_weight,
                  const nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& out,
                  int n_threads, bool signals) {
    require(X.width == forest.n_columns, "X: number of columns differs from the forest's");
    const Matrix<double> sums{out.data(), out.shape(0), out.shape(1),
                              static_cast<std::ptrdiff_t>(out.shape(1)), 1};
    const std::size_t values = forest.values.shape(1);
    require(sums.rows == X.rows() && (sums.cols == values || (values == 1 && sums.cols > 0)),
            "out: wrong shape");
    require(!tree_weight || tree_weight->shape(0) == forest.n_trees(),
            "tree_weight: one per tree expected");
    run_interruptible(nullptr, signals, [&](Interrupt& interrupt) {
        predict(forest.view(), X.view(),
                tree_weight ? as_span(*tree_weight) : std::span<const double>{}, sums, n_threads,
                interrupt);
    });
}

template <class T>
void apply_into(const ForestArrays& forest, const SparseRowsArrays<T>& X,
                const OutMatrix<std::int32_t>& out, int n_threads, bool signals) {
    require(X.width == forest.n_columns, "X: number of columns differs from the forest's");
    require(out.shape(0) == X.rows() && out.shape(1) == forest.n_trees(), "out: wrong shape");
    run_interruptible(nullptr, signals, [&](Interrupt& interrupt) {
        apply(forest.view(), X.view(), as_matrix(out), n_threads, interrupt);
    });
}

template <class T>
void define_rows(nb::module_& module, const char* rows_name) {
    module.def("find_sparse_bins", &find_bins<T>, nb::arg("n_rows"), nb::arg("starts").noconvert(),
               nb::arg("rows").noconvert(), nb::arg("values").noconvert(),
               nb::arg("weight").noconvert().none(), nb::arg("max_bins"), nb::arg("sample_rows"),
               nb::arg("seed"), nb::arg("n_threads"),
               "Cut the columns of a sparse table; returns what `find_bins` returns.");
    const auto define_encode = [&](auto* function) {
        module.def("encode_sparse", function, nb::arg("n_rows"), nb::arg("starts").noconvert(),
                   nb::arg("rows").noconvert(), nb::arg("values").noconvert(),
                   nb::arg("offsets").noconvert(), nb::arg("lower").noconvert(),
                   nb::arg("upper").noconvert(), nb::arg("categorical").noconvert(),
                   nb::arg("codes").noconvert(), nb::arg("usual").noconvert(),
                   "Write the bin of every cell, and that of zero in every column.");
    };
    define_encode(&encode_into<T, std::uint8_t>);
    define_encode(&encode_into<T, std::uint16_t>);
    nb::class_<SparseRowsArrays<T>>(module, rows_name, "Sparse rows of numbers, range-checked.")
        .def(
            "__init__",
            [](SparseRowsArrays<T>* self, InVector<std::int64_t> starts,
               InVector<std::uint32_t> columns, InVector<T> values, std::size_t width) {
                checked_lines(width, starts, columns, values);
                new (self) SparseRowsArrays<T>{std::move(starts), std::move(columns),
                                               std::move(values), width};
            },
            nb::arg("starts").noconvert(), nb::arg("columns").noconvert(),
            nb::arg("values").noconvert(), nb::arg("width"));
    module.def("predict", &predict_into<T>, nb::arg("forest"), nb::arg("X"),
               nb::arg("tree_weight").noconvert().none(), nb::arg("out").noconvert(),
               nb::arg("n_threads"), nb::arg("signals"));
    module.def("apply", &apply_into<T>, nb::arg("forest"), nb::arg("X"), nb::arg("out").noconvert(),
               nb::arg("n_threads"), nb::arg("signals"));
}

template <class Code>
void define_codes(nb::module_& module, const char* name) {
    using Arrays = SparseArrays<Code>;
    nb::class_<Arrays>(module, name, "Codes of a sparse table, range-checked.")
        .def(
            "__init__",
            [](Arrays* self, std::size_t n_rows, InVector<std::int64_t> starts,
               InVector<std::uint32_t> rows, InVector<Code> codes, InVector<Code> usual,
               const InVector<std::int64_t>& offsets, const InVector<double>& lower,
               const InVector<double>& upper, const InVector<std::uint8_t>& categorical) {
                const BinsView bins = as_bins(offsets, lower, upper, categorical);
                require(n_rows < 2147483647u, "codes: at most 2^31 - 2 rows expected");
                const SparseLines<Code> columns{n_rows, as_span(starts), as_span(rows),
                                                as_span(codes)};
                SparseCodes<Code> table(columns, as_span(usual), bins);
                new (self) Arrays{std::move(starts),
                                  std::move(rows),
                                  std::move(codes),
                                  std::move(usual),
                                  {bins.offsets.begin(), bins.offsets.end()},
                                  std::move(table)};
            },
            nb::arg("n_rows"), nb::arg("starts").noconvert(), nb::arg("rows").noconvert(),
            nb::arg("codes").noconvert(), nb::arg("usual").noconvert(),
            nb::arg("offsets").noconvert(), nb::arg("lower").noconvert(),
            nb::arg("upper").noconvert(), nb::arg("categorical").noconvert());
    module.def(
        "row_hashes",
        [](const Arrays& codes,
           const nb::ndarray<std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& hashes,
           int n_threads) {
            require(codes.table.rows() == hashes.shape(0), "hashes: one per row expected");
            const nb::gil_scoped_release unlock;
            row_hashes(CodeTable<Code>::of(codes.table), std::span(hashes.data(), hashes.shape(0)),
                       n_threads);
        },
        nb::arg("codes"), nb::arg("hashes").noconvert(), nb::arg("n_threads"));
}

}  // namespace

void init_sparse(nb::module_& module) {
    define_rows<float>(module, "SparseRows32");
    define_rows<double>(module, "SparseRows64");
    define_codes<std::uint8_t>(module, "SparseCodes8");
    define_codes<std::uint16_t>(module, "SparseCodes16");
}

}  // namespace coterie
