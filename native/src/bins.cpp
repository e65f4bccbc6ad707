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
#include "coterie/parallel.hpp"
#include "coterie/random.hpp"

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

// Row k of an evenly spread sample of `size` out of n rows.
class Spread {
  public:
    Spread(std::size_t n, std::size_t limit, std::uint64_t seed)
        : size_(std::min(n, limit)), step_(size_ ? double(n) / double(size_) : 1.0), random_(seed) {
    }
    std::size_t size() const { return size_; }
    std::size_t row(std::size_t k) {
        if (step_ == 1.0) return k;
        return static_cast<std::size_t>((static_cast<double>(k) + random_.uniform()) * step_);
    }

  private:
    std::size_t size_;
    double step_;
    Random random_;
};

template <class T>
Distinct sample_distinct(const Matrix<const T>& X, std::size_t column,
                         std::span<const double> weight, Spread rows) {
    const T* values = X.col(column);
    std::vector<Key<T>> keys;
    std::vector<std::pair<double, double>> pairs;
    if (weight.empty()) {
        keys.reserve(rows.size());
    } else {
        pairs.reserve(rows.size());
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::size_t i = rows.row(k);
        const T value = values[static_cast<std::ptrdiff_t>(i) * X.row_stride];
        if (std::isnan(value)) continue;
        if (weight.empty()) {
            keys.push_back(key_of(value));
        } else {
            pairs.emplace_back(value, weight[i]);
        }
    }
    return weight.empty() ? distinct_unweighted<T>(keys) : distinct_weighted(pairs);
}

// Adds the values of rows that the sample passed over; false when there are
// more than `limit` distinct values after all.
template <class T>
bool complete_distinct(const Matrix<const T>& X, std::size_t column, std::vector<double>& values,
                       std::size_t limit) {
    const T* cells = X.col(column);
    double last = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < X.rows; ++i) {
        const double value = cells[static_cast<std::ptrdiff_t>(i) * X.row_stride];
        if (std::isnan(value) || value == last) continue;
        last = value;
        const auto at = std::lower_bound(values.begin(), values.end(), value);
        if (at != values.end() && *at == value) continue;
        if (values.size() == limit) return false;
        values.insert(at, value);
    }
    return true;
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
        // Close when full, or when the next value would overfill more than it helps.
        const bool full =
            left > 1 && (filled >= target ||
                         (!last && filled + distinct.weight[i + 1] - target > target - filled));
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
ColumnBins find_column_bins(const Matrix<const T>& X, std::size_t column,
                            std::span<const double> weight, std::uint32_t max_bins,
                            std::size_t sample_rows, std::uint64_t seed) {
    Distinct distinct = sample_distinct(X, column, weight, Spread(X.rows, sample_rows, seed));
    if (distinct.value.size() <= max_bins) {
        std::vector<double> values = distinct.value;
        const bool sampled = X.rows > sample_rows;
        if (!sampled || complete_distinct(X, column, values, max_bins)) return {values, values};
    }
    return equal_weight_bins(distinct, max_bins);
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
    parallel_for(n_threads, blocks, [&](std::size_t block) {
        const std::size_t begin = block * kBlock;
        const std::size_t end = std::min(begin + kBlock, X.rows);
        for (std::size_t j = 0; j < X.cols; ++j)
            encode_column(X, j, begin, end, cuts[j], bins.count(j), bins.categorical[j] != 0, out);
    });
}

#define COTERIE_INSTANTIATE(T)                                                                 \
    template ColumnBins find_column_bins(const Matrix<const T>&, std::size_t,                  \
                                         std::span<const double>, std::uint32_t, std::size_t,  \
                                         std::uint64_t);                                       \
    template ColumnBins find_category_bins(const Matrix<const T>&, std::size_t);               \
    template void encode(const Matrix<const T>&, const BinsView&, const Matrix<std::uint8_t>&, \
                         int);                                                                 \
    template void encode(const Matrix<const T>&, const BinsView&, const Matrix<std::uint16_t>&, int)
COTERIE_INSTANTIATE(float);
COTERIE_INSTANTIATE(double);
#undef COTERIE_INSTANTIATE

}  // namespace coterie
