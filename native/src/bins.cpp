#include "coterie/bins.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "coterie/clones.hpp"
#include "coterie/random.hpp"
#include "coterie/team.hpp"
#include "cuts.hpp"

namespace coterie {
namespace {

// Copies some rows of some columns, column by column, reading along the faster axis.
template <class T>
std::vector<T> gather(const Matrix<const T>& X, std::span<const std::size_t> rows,
                      std::span<const std::size_t> columns) {
    std::vector<T> cells(rows.size() * columns.size());
    if (std::abs(X.row_stride) < std::abs(X.col_stride)) {
        for (std::size_t j = 0; j < columns.size(); ++j)
            for (std::size_t k = 0; k < rows.size(); ++k)
                cells[j * rows.size() + k] = X(rows[k], columns[j]);
    } else {
        for (std::size_t k = 0; k < rows.size(); ++k)
            for (std::size_t j = 0; j < columns.size(); ++j)
                cells[j * rows.size() + k] = X(rows[k], columns[j]);
    }
    return cells;
}

// Looks at all rows, in blocks that serve all columns while they are in the cache.
template <class T>
void complete(const Matrix<const T>& X, std::span<FewValues> columns, std::size_t limit) {
    constexpr std::size_t block = 512;
    for (std::size_t begin = 0; begin < X.rows; begin += block) {
        const std::size_t end = std::min(begin + block, X.rows);
        for (FewValues& column : columns)
            for (std::size_t i = begin; i < end && column.few; ++i)
                column.see(static_cast<double>(X(i, column.column)), limit);
    }
}

constexpr std::size_t kBlock = 256;  // rows encoded together: fits the first cache

// Number of cuts below each value, by binary search on all values in step.
// `cuts` has `size` entries, a power of two, the unused ones infinite.
COTERIE_CLONES void search(const float* cuts, std::uint32_t size, const float* x,
                           std::uint32_t* at) {
    for (std::size_t i = 0; i < kBlock; ++i) at[i] = 0;
    for (std::uint32_t half = size / 2; half; half /= 2)
        for (std::size_t i = 0; i < kBlock; ++i) at[i] += cuts[at[i] + half - 1] < x[i] ? half : 0;
}

COTERIE_CLONES void search(const double* cuts, std::uint32_t size, const double* x,
                           std::uint32_t* at) {
    for (std::size_t i = 0; i < kBlock; ++i) at[i] = 0;
    for (std::uint32_t half = size / 2; half; half /= 2)
        for (std::size_t i = 0; i < kBlock; ++i) at[i] += cuts[at[i] + half - 1] < x[i] ? half : 0;
}

template <class T, class Code>
void encode_column(const Matrix<const T>& X, std::size_t j, std::size_t begin, std::size_t end,
                   const std::vector<T>& cuts, std::uint32_t count, bool categorical,
                   const Matrix<Code>& out) {
    std::array<T, kBlock> x{};
    std::array<std::uint32_t, kBlock> at;
    const T* cells = X.col(j);
    Code* codes = out.col(j);
    for (std::size_t i = begin; i < end; ++i)
        x[i - begin] = cells[static_cast<std::ptrdiff_t>(i) * X.row_stride];
    if (categorical) {
        for (std::size_t i = 0; i < end - begin; ++i)
            at[i] = x[i] >= T{0} && x[i] < static_cast<T>(count) ? static_cast<std::uint32_t>(x[i])
                                                                 : count;
    } else {
        search(cuts.data(), static_cast<std::uint32_t>(cuts.size()), x.data(), at.data());
        for (std::size_t i = 0; i < end - begin; ++i)
            if (std::isnan(x[i])) at[i] = count;
    }
    for (std::size_t i = begin; i < end; ++i)
        codes[static_cast<std::ptrdiff_t>(i) * out.row_stride] = static_cast<Code>(at[i - begin]);
}

}  // namespace

std::vector<std::size_t> spread_rows(std::size_t n, std::size_t limit, std::uint64_t seed) {
    const std::size_t size = std::min(n, limit);
    std::vector<std::size_t> rows(size);
    const double step = size ? static_cast<double>(n) / static_cast<double>(size) : 1.0;
    Random random(seed);
    for (std::size_t k = 0; k < size; ++k)
        rows[k] =
            n <= limit
                ? k
                : static_cast<std::size_t>((static_cast<double>(k) + random.uniform()) * step);
    return rows;
}

template <class T>
std::vector<ColumnBins> find_numeric_bins(const Matrix<const T>& X,
                                          std::span<const std::size_t> columns,
                                          std::span<const double> weight, std::uint32_t max_bins,
                                          std::size_t sample_rows, std::uint64_t seed,
                                          std::span<const std::uint8_t> crowded, int n_threads) {
    constexpr std::size_t cells_at_once = std::size_t{1} << 21;
    const std::vector<std::size_t> rows = spread_rows(X.rows, sample_rows, seed);
    const bool sampled = X.rows > sample_rows;
    std::vector<ColumnBins> found(columns.size());
    std::vector<FewValues> few;
    std::vector<std::pair<std::size_t, Distinct>> doubtful;
    const std::size_t group =
        std::max<std::size_t>(cells_at_once / std::max<std::size_t>(rows.size(), 1), 1);
    for (std::size_t first = 0; first < columns.size(); first += group) {
        const auto some = columns.subspan(first, std::min(group, columns.size() - first));
        const std::vector<T> cells = gather(X, rows, some);
        std::vector<Distinct> distinct(some.size());
        Team(n_threads).run(some.size(), [&](std::size_t j) {
            distinct[j] = find_distinct(std::span(cells).subspan(j * rows.size(), rows.size()),
                                        std::span<const std::size_t>(rows), weight,
                                        std::min<std::size_t>(16, max_bins));
            const bool many =
                distinct[j].value.size() > max_bins || (!crowded.empty() && crowded[some[j]]);
            if (many) {
                found[first + j] = equal_weight_bins(distinct[j], max_bins);
            } else if (!sampled) {
                found[first + j] = {distinct[j].value, distinct[j].value};
            }
            if (many) distinct[j] = {};  // as large as the sample, and settled
        });
        for (std::size_t j = 0; j < some.size() && sampled; ++j) {
            if (!found[first + j].lower.empty()) continue;
            few.push_back({some[j], distinct[j].value});
            doubtful.emplace_back(first + j, std::move(distinct[j]));
        }
    }
    const std::size_t parts = std::min<std::size_t>(few.size(), std::max(n_threads, 1));
    Team(n_threads).run(parts, [&](std::size_t p) {
        const std::size_t begin = few.size() * p / parts, end = few.size() * (p + 1) / parts;
        complete(X, std::span(few).subspan(begin, end - begin), max_bins);
    });
    for (std::size_t k = 0; k < few.size(); ++k)
        found[doubtful[k].first] = few[k].few ? ColumnBins{few[k].values, few[k].values}
                                              : equal_weight_bins(doubtful[k].second, max_bins);
    return found;
}

template <class T>
ColumnBins find_category_bins(const Matrix<const T>& X, std::size_t column) {
    double largest = -1.0;
    const T* cells = X.col(column);
    for (std::size_t i = 0; i < X.rows; ++i) {
        const double code = cells[static_cast<std::ptrdiff_t>(i) * X.row_stride];
        if (std::isnan(code)) continue;
        if (!(code >= 0.0 && code < 65535.0) || code != std::floor(code))
            throw std::invalid_argument("categorical column " + std::to_string(column) + " holds " +
                                        std::to_string(code) +
                                        ", expected whole codes from 0 to 65534");
        largest = std::max(largest, code);
    }
    ColumnBins bins;
    for (double code = 0.0; code <= largest; ++code) bins.lower.push_back(code);
    bins.upper = bins.lower;
    return bins;
}

template <class T, class Code>
void encode(const Matrix<const T>& X, const BinsView& bins, const Matrix<Code>& out,
            int n_threads) {
    std::vector<std::vector<T>> cuts(X.cols);
    for (std::size_t j = 0; j < X.cols; ++j)
        if (!bins.categorical[j])
            cuts[j] = cut_points<T>(bins.lower_of(j), bins.upper_of(j), bins.count(j));
    // The cuts of a column fill much of the cache: they should serve many rows.
    constexpr std::size_t rows = 16 * kBlock;
    Team(n_threads).run((X.rows + rows - 1) / rows, [&](std::size_t task) {
        const std::size_t last = std::min((task + 1) * rows, X.rows);
        for (std::size_t j = 0; j < X.cols; ++j)
            for (std::size_t begin = task * rows; begin < last; begin += kBlock)
                encode_column(X, j, begin, std::min(begin + kBlock, last), cuts[j], bins.count(j),
                              bins.categorical[j] != 0, out);
    });
}

#define COTERIE_INSTANTIATE(T)                                                                 \
    template std::vector<ColumnBins> find_numeric_bins(                                        \
        const Matrix<const T>&, std::span<const std::size_t>, std::span<const double>,         \
        std::uint32_t, std::size_t, std::uint64_t, std::span<const std::uint8_t>, int);        \
    template ColumnBins find_category_bins(const Matrix<const T>&, std::size_t);               \
    template void encode(const Matrix<const T>&, const BinsView&, const Matrix<std::uint8_t>&, \
                         int);                                                                 \
    template void encode(const Matrix<const T>&, const BinsView&, const Matrix<std::uint16_t>&, int)
COTERIE_INSTANTIATE(float);
COTERIE_INSTANTIATE(double);
#undef COTERIE_INSTANTIATE

}  // namespace coterie
