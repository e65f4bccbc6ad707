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

namespace coterie {
namespace {

// Unsigned keys in the order of the floats they stand for.
template <class T>
using Key = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
Key<T> key_of(T value) {
    const auto bits = std::bit_cast<Key<T>>(value == T{0} ? T{0} : value);  // -0 is 0
    constexpr Key<T> sign = Key<T>{1} << (sizeof(T) * 8 - 1);
    return (bits & sign) ? ~bits : bits | sign;
}

template <class T>
T value_of(Key<T> key) {
    constexpr Key<T> sign = Key<T>{1} << (sizeof(T) * 8 - 1);
    return std::bit_cast<T>((key & sign) ? key ^ sign : ~key);
}

// Least-significant-digit radix sort; a digit that all keys share is skipped.
template <class K>
void radix_sort(std::vector<K>& keys) {
    constexpr int digit_bits = 11;
    constexpr std::size_t buckets = std::size_t{1} << digit_bits;
    std::vector<K> other(keys.size());
    for (int shift = 0; shift < static_cast<int>(sizeof(K) * 8); shift += digit_bits) {
        std::array<std::size_t, buckets> start{};
        for (const K key : keys) ++start[(key >> shift) & (buckets - 1)];
        if (start[(keys.front() >> shift) & (buckets - 1)] == keys.size()) continue;
        std::size_t sum = 0;
        for (auto& slot : start) sum += std::exchange(slot, sum);
        for (const K key : keys) other[start[(key >> shift) & (buckets - 1)]++] = key;
        keys.swap(other);
    }
}

struct Distinct {
    std::vector<double> value;   // ascending
    std::vector<double> weight;  // how much weight lies at each value
};

template <class T>
Distinct distinct_unweighted(std::vector<Key<T>>& keys) {
    Distinct found;
    if (keys.empty()) return found;
    if (keys.size() < 256) {
        std::sort(keys.begin(), keys.end());
    } else {
        radix_sort(keys);
    }
    for (std::size_t i = 0; i < keys.size();) {
        std::size_t end = i + 1;
        while (end < keys.size() && keys[end] == keys[i]) ++end;
        found.value.push_back(value_of<T>(keys[i]));
        found.weight.push_back(static_cast<double>(end - i));
        i = end;
    }
    return found;
}

Distinct distinct_weighted(std::vector<std::pair<double, double>>& pairs) {
    Distinct found;
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [value, weight] : pairs) {
        if (found.value.empty() || found.value.back() != value) {
            found.value.push_back(value);
            found.weight.push_back(0.0);
        }
        found.weight.back() += weight;
    }
    return found;
}

// The rows quantiles are judged on: all of them, or an evenly spread sample.
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

// A column whose sample has few values: are there more among the rows passed over?
struct FewValues {
    std::size_t column;
    std::vector<double> values;
    bool few = true;
    // The two values seen last: most such columns are flags.
    double last = std::numeric_limits<double>::quiet_NaN(), other = last;

    void see(double value, std::size_t limit) {
        if (value == last || value == other || std::isnan(value)) return;
        other = std::exchange(last, value);
        const auto at = std::lower_bound(values.begin(), values.end(), value);
        if (at != values.end() && *at == value) return;
        few = values.size() < limit;
        if (few) values.insert(at, value);
    }
};

template <class T>
Distinct find_distinct(std::span<const T> cells, std::span<const std::size_t> rows,
                       std::span<const double> weight, std::size_t few) {
    // Flags and the like need no sorting.
    FewValues quick{0, {}};
    for (std::size_t k = 0; k < cells.size() && quick.few; ++k) quick.see(cells[k], few);
    if (quick.few) return {quick.values, std::vector<double>(quick.values.size(), 1.0)};
    if (weight.empty()) {
        std::vector<Key<T>> keys;
        keys.reserve(cells.size());
        for (const T value : cells)
            if (!std::isnan(value)) keys.push_back(key_of(value));
        return distinct_unweighted<T>(keys);
    }
    std::vector<std::pair<double, double>> pairs;
    pairs.reserve(cells.size());
    for (std::size_t k = 0; k < cells.size(); ++k)
        if (!std::isnan(cells[k])) pairs.emplace_back(cells[k], weight[rows[k]]);
    return distinct_weighted(pairs);
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

// Fills bins to about equal weight; a value heavier than a bin gets its own.
ColumnBins equal_weight_bins(const Distinct& distinct, std::uint32_t max_bins) {
    ColumnBins bins;
    const std::size_t n = distinct.value.size();
    double remaining = 0.0;
    for (const double w : distinct.weight) remaining += w;
    double target = remaining / max_bins;
    double filled = 0.0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < n; ++i) {
        filled += distinct.weight[i];
        const std::size_t left = max_bins - bins.lower.size();
        const bool last = i + 1 == n;
        // Close when full, or when the next value would overfill more than it helps. Sums of
        // weights are rounded: cuts must not depend on the scale they are given in.
        const double slack = 1e-9 * target;
        const bool full =
            left > 1 &&
            (filled >= target - slack ||
             (!last && filled + distinct.weight[i + 1] - target > target - filled + slack));
        if (!full && !last) continue;
        bins.lower.push_back(distinct.value[begin]);
        bins.upper.push_back(distinct.value[i]);
        remaining -= filled;
        filled = 0.0;
        begin = i + 1;
        if (left > 1) target = remaining / static_cast<double>(left - 1);
    }
    return bins;
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

// Cut points between neighbouring bins, rounded so that comparing in T decides
// as comparing in double would.
template <class T>
std::vector<T> cut_points(const double* lower, const double* upper, std::uint32_t count) {
    const std::uint32_t size = std::bit_ceil(std::max(count, 1u));
    std::vector<T> cuts(size, std::numeric_limits<T>::infinity());
    for (std::uint32_t b = 0; b + 1 < count; ++b) {
        const double cut = between(upper[b], lower[b + 1]);
        T rounded = static_cast<T>(cut);
        if (static_cast<double>(rounded) > cut)
            rounded = std::nextafter(rounded, -std::numeric_limits<T>::infinity());
        cuts[b] = rounded;
    }
    return cuts;
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

template <class T>
std::vector<ColumnBins> find_numeric_bins(const Matrix<const T>& X,
                                          std::span<const std::size_t> columns,
                                          std::span<const double> weight, std::uint32_t max_bins,
                                          std::size_t sample_rows, std::uint64_t seed,
                                          int n_threads) {
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
            const bool many = distinct[j].value.size() > max_bins;
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
    const std::size_t blocks = (X.rows + kBlock - 1) / kBlock;
    Team(n_threads).run(blocks, [&](std::size_t block) {
        const std::size_t begin = block * kBlock;
        const std::size_t end = std::min(begin + kBlock, X.rows);
        for (std::size_t j = 0; j < X.cols; ++j)
            encode_column(X, j, begin, end, cuts[j], bins.count(j), bins.categorical[j] != 0, out);
    });
}

#define COTERIE_INSTANTIATE(T)                                                                 \
    template std::vector<ColumnBins> find_numeric_bins(                                        \
        const Matrix<const T>&, std::span<const std::size_t>, std::span<const double>,         \
        std::uint32_t, std::size_t, std::uint64_t, int);                                       \
    template ColumnBins find_category_bins(const Matrix<const T>&, std::size_t);               \
    template void encode(const Matrix<const T>&, const BinsView&, const Matrix<std::uint8_t>&, \
                         int);                                                                 \
    template void encode(const Matrix<const T>&, const BinsView&, const Matrix<std::uint16_t>&, int)
COTERIE_INSTANTIATE(float);
COTERIE_INSTANTIATE(double);
#undef COTERIE_INSTANTIATE

}  // namespace coterie
