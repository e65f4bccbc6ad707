#include "ordered_search.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "coterie/clones.hpp"

namespace coterie {
namespace {

using Pair = double __attribute__((vector_size(16)));
using Mask = std::int64_t __attribute__((vector_size(16)));

// The item, or zeros: no branch to mispredict.
Pair chosen(const Item& item, bool is) {
    const auto all = -static_cast<std::int64_t>(is);
    Mask bits;
    std::memcpy(&bits, &item, sizeof bits);
    bits &= Mask{all, all};
    Pair out;
    std::memcpy(&out, &bits, sizeof out);
    return out;
}

}  // namespace

// Sums are exact in any order, so four of them can run side by side.
void sum_left(const std::uint16_t* codes, const Item* items, std::size_t n, std::uint32_t last,
              double* sums) {
    Pair a{}, b{}, c{}, d{};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        a += chosen(items[i], codes[i] <= last);
        b += chosen(items[i + 1], codes[i + 1] <= last);
        c += chosen(items[i + 2], codes[i + 2] <= last);
        d += chosen(items[i + 3], codes[i + 3] <= last);
    }
    for (; i < n; ++i) a += chosen(items[i], codes[i] <= last);
    a += b;
    c += d;
    a += c;
    std::memcpy(sums, &a, sizeof a);
}

COTERIE_CLONES std::pair<std::uint16_t, std::uint16_t> code_range(const std::uint16_t* codes,
                                                                  std::size_t n) {
    std::uint16_t low = codes[0], high = codes[0];
    for (std::size_t i = 1; i < n; ++i) {
        low = std::min(low, codes[i]);
        high = std::max(high, codes[i]);
    }
    return {low, high};
}

COTERIE_CLONES void gini_gains(const double* left, const double* second, std::size_t n, double w,
                               double s, double score, double* __restrict gains) {
    for (std::size_t i = 0; i < n; ++i) {
        const double lw = left[i], ls = second[i], lf = lw - ls;
        const double rw = w - lw, rs = s - ls, rf = rw - rs;
        gains[i] = (ls * ls + lf * lf) / lw + (rs * rs + rf * rf) / rw - score;
    }
}

COTERIE_CLONES void squared_gains(const double* left, const double* sum, std::size_t n, double w,
                                  double s, double score, double l2, double* __restrict gains) {
    for (std::size_t i = 0; i < n; ++i) {
        const double rw = w - left[i], rs = s - sum[i];
        gains[i] = sum[i] * sum[i] / (left[i] + l2) + rs * rs / (rw + l2) - score;
    }
}

COTERIE_CLONES void squares_gains(const double* left, const double* squares, const double* others,
                                  std::size_t n, double w, double score, double l2,
                                  double* __restrict gains) {
    for (std::size_t i = 0; i < n; ++i)
        gains[i] = squares[i] / (left[i] + l2) + others[i] / (w - left[i] + l2) - score;
}

// No branch depends on where gains rise: of a few of them, that cannot be predicted.
COTERIE_CLONES std::size_t only_peak(const double* gains, std::size_t n, double slack) {
    constexpr std::size_t lanes = 8;
    double top[lanes];
    for (double& most : top) most = -std::numeric_limits<double>::infinity();
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t u = 0; u < lanes; ++u)
            top[u] = gains[i + u] > top[u] ? gains[i + u] : top[u];
    double most = top[0];
    for (std::size_t u = 1; u < lanes; ++u) most = top[u] > most ? top[u] : most;
    for (; i < n; ++i) most = gains[i] > most ? gains[i] : most;
    const double bar = most - slack;
    std::size_t at = n, count = 0;
    for (i = 0; i + lanes <= n; i += lanes) {
        bool any = false;
        for (std::size_t u = 0; u < lanes; ++u) any |= gains[i + u] >= bar;
        if (!any) continue;
        for (std::size_t u = 0; u < lanes; ++u) {
            const bool high = gains[i + u] >= bar;
            at = high ? i + u : at;
            count += high;
        }
    }
    for (; i < n; ++i) {
        const bool high = gains[i] >= bar;
        at = high ? i : at;
        count += high;
    }
    return count == 1 && most > -std::numeric_limits<double>::infinity() ? at : n;
}

}  // namespace coterie
