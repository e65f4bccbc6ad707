// How a column is cut: its values in order, and bins of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "coterie/bins.hpp"

namespace coterie {

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

// Least-significant-digit radix sort; a digit that all keys share is skipped. All digits are
// counted in one pass.
template <class K>
void radix_sort(std::vector<K>& keys) {
    constexpr int digit_bits = 11, digits = (static_cast<int>(sizeof(K)) * 8 + 10) / digit_bits;
    constexpr std::size_t buckets = std::size_t{1} << digit_bits;
    const auto digit = [](K key, int d) { return (key >> (d * digit_bits)) & (buckets - 1); };
    std::vector<std::array<std::size_t, buckets>> starts(digits);
    for (const K key : keys)
        for (int d = 0; d < digits; ++d) ++starts[static_cast<std::size_t>(d)][digit(key, d)];
    std::vector<K> other(keys.size());
    for (int d = 0; d < digits; ++d) {
        auto& start = starts[static_cast<std::size_t>(d)];
        if (start[digit(keys.front(), d)] == keys.size()) continue;
        std::size_t sum = 0;
        for (auto& slot : start) sum += std::exchange(slot, sum);
        for (const K key : keys) other[start[digit(key, d)]++] = key;
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
    found.value.reserve(keys.size());
    found.weight.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size();) {
        std::size_t end = i + 1;
        while (end < keys.size() && keys[end] == keys[i]) ++end;
        found.value.push_back(value_of<T>(keys[i]));
        found.weight.push_back(static_cast<double>(end - i));
        i = end;
    }
    return found;
}

inline Distinct distinct_weighted(std::vector<std::pair<double, double>>& pairs) {
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

// A column whose sample has few values: are there more among the rows passed over?
struct FewValues {
    static constexpr std::size_t kLately = 4096;

    std::size_t column;
    std::vector<double> values;
    bool few = true;
    // Values seen lately, each at a place that depends on it: most are seen again and again.
    std::vector<double> lately =
        std::vector<double>(kLately, std::numeric_limits<double>::quiet_NaN());

    void see(double value, std::size_t limit) {
        value += 0.0;  // -0 is 0
        double& place = lately[std::bit_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15ULL >> 52];
        if (value == place || std::isnan(value)) return;
        place = value;
        const auto at = std::lower_bound(values.begin(), values.end(), value);
        if (at != values.end() && *at == value) return;
        few = values.size() < limit;
        if (few) values.insert(at, value);
    }
    template <class T>
    void see_all(std::span<const T> cells, std::size_t limit) {
        if (knows(cells)) return;
        for (std::size_t i = 0; i < cells.size() && few; ++i)
            see(static_cast<double>(cells[i]), limit);
    }

  private:
    // Whether no cell of a flag, or the like, holds anything new: told without a look at one alone.
    template <class T>
    bool knows(std::span<const T> cells) const {
        constexpr std::size_t most = 4;
        if (values.empty() || values.size() > most) return false;
        T known[most];
        for (std::size_t k = 0; k < most; ++k)
            known[k] = static_cast<T>(values[std::min(k, values.size() - 1)]);
        int strange = 0;
        for (const T x : cells)
            strange |= int{x != known[0]} & int{x != known[1]} & int{x != known[2]} &
                       int{x != known[3]} & int{x == x};
        return !strange;
    }
};

template <class T>
Distinct find_distinct(std::span<const T> cells, std::span<const std::size_t> rows,
                       std::span<const double> weight, std::size_t few) {
    // Flags and the like need no sorting.
    constexpr std::size_t block = 128;
    FewValues quick{0, {}};
    for (std::size_t k = 0; k < cells.size() && quick.few; k += block)
        quick.see_all(cells.subspan(k, std::min(block, cells.size() - k)), few);
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

// Fills bins to about equal weight; a value heavier than a bin gets its own.
inline ColumnBins equal_weight_bins(const Distinct& distinct, std::uint32_t max_bins) {
    ColumnBins bins;
    const std::size_t n = distinct.value.size();
    bins.lower.reserve(std::min<std::size_t>(n, max_bins));
    bins.upper.reserve(std::min<std::size_t>(n, max_bins));
    double remaining = 0.0;
    for (const double w : distinct.weight) remaining += w;
    double target = remaining / max_bins;
    const double* weight = distinct.weight.data();
    for (std::size_t begin = 0, i = 0; begin < n; begin = ++i) {
        const std::size_t left = max_bins - bins.lower.size();
        // Close when full, or when the next value would overfill more than it helps. Sums of
        // weights are rounded: cuts must not depend on the scale they are given in.
        const double slack = 1e-9 * target, enough = target - slack;
        double filled = weight[i];
        if (left <= 1) i = n - 1;
        for (; i + 1 < n; filled += weight[++i])
            if (filled >= enough || filled + weight[i + 1] - target > target - filled + slack)
                break;
        bins.lower.push_back(distinct.value[begin]);
        bins.upper.push_back(distinct.value[i]);
        remaining -= filled;
        if (left > 1) target = remaining / static_cast<double>(left - 1);
    }
    return bins;
}

// Cut points between neighbouring bins, rounded so that comparing in T decides
// as comparing in double would.
template <class T>
std::vector<T> cut_points(const double* lower, const double* upper, std::uint32_t count) {
    std::vector<T> cuts(std::max(count, 1u) - 1);
    for (std::uint32_t b = 0; b + 1 < count; ++b) {
        const double cut = between(upper[b], lower[b + 1]);
        T rounded = static_cast<T>(cut);
        if (static_cast<double>(rounded) > cut)
            rounded = std::nextafter(rounded, -std::numeric_limits<T>::infinity());
        cuts[b] = rounded;
    }
    return cuts;
}

}  // namespace coterie
