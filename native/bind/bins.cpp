#include "coterie/bins.hpp"

#include <stdexcept>

#include "arrays.hpp"
#include "bins_view.hpp"
#include "coterie/hashes.hpp"
#include "coterie/team.hpp"

namespace coterie {

BinsView as_bins(const InVector<std::int64_t>& offsets, const InVector<double>& lower,
                 const InVector<double>& upper, const InVector<std::uint8_t>& categorical) {
    const BinsView bins{as_span(offsets), as_span(lower), as_span(upper), as_span(categorical)};
    require(bins.offsets.size() == bins.columns() + 1,
            "bins: one offset more than columns expected");
    require(bins.lower.size() == bins.upper.size(), "bins: lower and upper differ in length");
    require(bins.offsets.front() == 0 &&
                bins.offsets.back() == static_cast<std::int64_t>(bins.lower.size()),
            "bins: offsets do not cover the bins");
    for (std::size_t j = 0; j < bins.columns(); ++j)
        require(bins.offsets[j] <= bins.offsets[j + 1] &&
                    bins.offsets[j + 1] - bins.offsets[j] <= 65535,
                "bins: a column has a negative number of bins or more than 65535");
    return bins;
}

namespace {

template <class T>
auto find_bins(const InMatrix<T>& X, std::optional<InVector<double>> weight,
               const InVector<std::uint8_t>& categorical, std::uint32_t max_bins,
               std::size_t sample_rows, std::uint64_t seed, int n_threads,
               std::optional<InVector<std::uint8_t>> crowded) {
    const Matrix<const T> matrix = as_matrix(X);
    require(categorical.shape(0) == matrix.cols, "categorical: one flag per column expected");
    require(!crowded || crowded->shape(0) == matrix.cols, "crowded: one flag per column expected");
    require(!weight || weight->shape(0) == matrix.rows, "weight: one number per row expected");
    require(max_bins >= 2 && max_bins <= 65535, "max_bins must lie between 2 and 65535");
    std::vector<ColumnBins> found(matrix.cols);
    {
        const nb::gil_scoped_release unlock;
        std::vector<std::size_t> numeric;
        for (std::size_t j = 0; j < matrix.cols; ++j) {
            if (categorical.data()[j]) {
                found[j] = find_category_bins(matrix, j);
            } else {
                numeric.push_back(j);
            }
        }
        std::vector<ColumnBins> cut = find_numeric_bins(
            matrix, std::span<const std::size_t>(numeric),
            weight ? as_span(*weight) : std::span<const double>{}, max_bins, sample_rows, seed,
            crowded ? as_span(*crowded) : std::span<const std::uint8_t>{}, n_threads);
        for (std::size_t k = 0; k < numeric.size(); ++k) found[numeric[k]] = std::move(cut[k]);
    }
    std::vector<std::int64_t> offsets{0};
    std::vector<double> lower, upper;
    for (const ColumnBins& column : found) {
        lower.insert(lower.end(), column.lower.begin(), column.lower.end());
        upper.insert(upper.end(), column.upper.begin(), column.upper.end());
        offsets.push_back(static_cast<std::int64_t>(lower.size()));
    }
    return std::make_tuple(to_array(offsets), to_array(lower), to_array(upper));
}

template <class T, class Code>
void encode_into(const InMatrix<T>& X, const InVector<std::int64_t>& offsets,
                 const InVector<double>& lower, const InVector<double>& upper,
                 const InVector<std::uint8_t>& categorical, const OutMatrix<Code>& out,
                 int n_threads) {
    const Matrix<const T> matrix = as_matrix(X);
    const Matrix<Code> codes = as_matrix(out);
    const BinsView bins = as_bins(offsets, lower, upper, categorical);
    require(matrix.cols == bins.columns(), "X: number of columns differs from the bins");
    require(codes.rows == matrix.rows && codes.cols == matrix.cols, "out: shape differs from X");
    for (std::size_t j = 0; j < bins.columns(); ++j)
        require(bins.count(j) <= std::numeric_limits<Code>::max(), "out: too narrow for the bins");
    const nb::gil_scoped_release unlock;
    encode(matrix, bins, codes, n_threads);
}

template <class Code>
void hash_rows(const InMatrix<Code>& codes,
               const nb::ndarray<std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& hashes,
               int n_threads) {
    require(codes.shape(0) == hashes.shape(0), "hashes: one per row expected");
    const nb::gil_scoped_release unlock;
    row_hashes(CodeTable<Code>{as_matrix(codes)}, std::span(hashes.data(), hashes.shape(0)),
               n_threads);
}

template <class T>
void define_bins_of(nb::module_& module) {
    module.def("find_bins", &find_bins<T>, nb::arg("X").noconvert(),
               nb::arg("weight").noconvert().none(), nb::arg("categorical").noconvert(),
               nb::arg("max_bins"), nb::arg("sample_rows"), nb::arg("seed"), nb::arg("n_threads"),
               nb::arg("crowded").noconvert().none() = nb::none(),
               "Cut each column; returns offsets, lower and upper values of the bins.");
    const auto define_encode = [&](auto* function) {
        module.def("encode", function, nb::arg("X").noconvert(), nb::arg("offsets").noconvert(),
                   nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
                   nb::arg("categorical").noconvert(), nb::arg("out").noconvert(),
                   nb::arg("n_threads"), "Write the bin number of every value into out.");
    };
    define_encode(&encode_into<T, std::uint8_t>);
    define_encode(&encode_into<T, std::uint16_t>);
}

}  // namespace

void init_bins(nb::module_& module) {
    define_bins_of<float>(module);
    define_bins_of<double>(module);
    module.def(
        "spread_rows",
        [](std::size_t n, std::size_t limit, std::uint64_t seed) {
            const auto rows = spread_rows(n, limit, seed);
            return to_array(std::vector<std::int64_t>(rows.begin(), rows.end()));
        },
        nb::arg("n"), nb::arg("limit"), nb::arg("seed"), "The rows that bins are judged on.");
    const auto define_hash = [&](auto* function) {
        module.def("row_hashes", function, nb::arg("codes").noconvert(),
                   nb::arg("hashes").noconvert(), nb::arg("n_threads"),
                   "Fold the codes of each row into its hash.");
    };
    define_hash(&hash_rows<std::uint8_t>);
    define_hash(&hash_rows<std::uint16_t>);
}

}  // namespace coterie
