// e^x, ln x and what is made of them, with the same bits on every processor.
//
// Those of the C library and of NumPy differ from one processor to the next in the last bit, which
// is enough to choose another split. These use additions, multiplications and divisions only, each
// of which is rounded in one way everywhere, in an order that vectorising does not change. Errors
// of `exponential` and `logarithm` are below two units in the last place, of the others below
// three.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "coterie/matrix.hpp"

namespace coterie {

namespace elementary {

constexpr double kLog2High = 0x1.62e42fee00000p-1;  // few bits: whole multiples of it are exact
constexpr double kLog2Low = 0x1.a39ef35793c76p-33;

// x = k ln(2) + high - low with the whole number k nearest to x / ln(2). Whole numbers are unsigned
// and wrap around, as few processors shift signed ones many at a time.
struct Reduced {
    double high, low;
    std::uint64_t k;
};
inline Reduced reduce(double x) {
    constexpr double shift = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
    const double shifted = x * 1.4426950408889634 + shift;
    const double k = shifted - shift;
    return {x - k * kLog2High, k * kLog2Low,
            std::bit_cast<std::uint64_t>(shifted) - std::bit_cast<std::uint64_t>(shift)};
}

// e^r - 1 by Taylor's series; r is high - low, and |r| <= ln(2) / 2.
inline double less_one(const Reduced& x) {
    const double r = x.high - x.low;
    double s = 1.0 / 6227020800.0;
    s = s * r + 1.0 / 479001600.0;
    s = s * r + 1.0 / 39916800.0;
    s = s * r + 1.0 / 3628800.0;
    s = s * r + 1.0 / 362880.0;
    s = s * r + 1.0 / 40320.0;
    s = s * r + 1.0 / 5040.0;
    s = s * r + 1.0 / 720.0;
    s = s * r + 1.0 / 120.0;
    s = s * r + 1.0 / 24.0;
    s = s * r + 1.0 / 6.0;
    s = s * r + 0.5;
    return x.high + (r * r * s - x.low);
}

inline double power_of_two(std::uint64_t k) { return std::bit_cast<double>((k + 1023) << 52); }

// The bits of the least m that `logarithm` knows; the largest is twice as large.
constexpr std::uint64_t kLeast = 0x3fe6800000000000;

// Reciprocals of ten bits of the middles of 128 equal parts of that range, and minus their
// logarithms. In the two parts around 1 the reciprocal is 1, so that nothing cancels there.
struct Reciprocal {
    double value, log;
};
consteval std::array<Reciprocal, 128> make_reciprocals() {
    std::array<Reciprocal, 128> table{};
    for (std::uint64_t i = 0; i < 128; ++i) {
        const auto middle = std::bit_cast<double>(kLeast + (i << 45) + (std::uint64_t{1} << 44));
        const bool about_one = middle > 1.0 - 0x1p-8 && middle < 1.0 + 0x1p-7;
        const double value =
            about_one ? 1.0 : static_cast<double>(static_cast<int>(512.0 / middle + 0.5)) / 512.0;
        // ln c = 2 artanh((c - 1) / (c + 1)), smallest terms first.
        const double s = (value - 1.0) / (value + 1.0);
        double sum = 0.0;
        for (int k = 30; k >= 1; --k) sum = sum * (s * s) + 1.0 / (2 * k + 1);
        table[i] = {value, -2.0 * (s + s * (s * s * sum))};
    }
    return table;
}
inline constexpr std::array<Reciprocal, 128> kReciprocals = make_reciprocals();

}  // namespace elementary

// e^x for |x| <= 700.
inline double bounded_exponential(double x) {
    const auto reduced = elementary::reduce(x);
    return (1.0 + elementary::less_one(reduced)) * elementary::power_of_two(reduced.k);
}

// e^x for every x.
inline double exponential(double x) {
    x = x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x;  // NaN stays
    const auto reduced = elementary::reduce(x);
    // In two factors, as 2^k alone may be too large or too small for a double.
    const std::uint64_t half = ((reduced.k + 2048) >> 1) - 1024;
    return (1.0 + elementary::less_one(reduced)) * elementary::power_of_two(half) *
           elementary::power_of_two(reduced.k - half);
}

// e^x - 1, as exact near 0 as anywhere.
inline double exponential_less_one(double x) {
    const bool modest = std::abs(x) < 30.0;
    const auto reduced = elementary::reduce(modest ? x : 0.0);
    const double scale = elementary::power_of_two(reduced.k);
    return modest ? scale * elementary::less_one(reduced) + (scale - 1.0) : exponential(x) - 1.0;
}

// ln x; -inf at 0, NaN below.
inline double logarithm(double x) {
    // x = 2^k m with m about 1; a subnormal x is brought up first.
    const bool tiny = x < 0x1p-1022;
    const auto bits = std::bit_cast<std::uint64_t>(tiny ? x * 0x1p54 : x);
    constexpr std::uint64_t bias = 1024;
    const std::uint64_t place = bits - elementary::kLeast + (bias << 52);
    const std::uint64_t k = place >> 52;  // and the bias
    const std::uint64_t mantissa = bits - ((k - bias) << 52);
    const auto& near = elementary::kReciprocals[(place >> 45) & 127];
    // m times the reciprocal, less one, is exact but for one rounding when m is taken in two parts.
    const double m = std::bit_cast<double>(mantissa);
    const double front = std::bit_cast<double>(mantissa & ~((std::uint64_t{1} << 21) - 1));
    const double r = (front * near.value - 1.0) + (m - front) * near.value;
    const double square = r * r;
    const double tail =
        (-1.0 / 2.0 + r * (1.0 / 3.0)) +
        square * ((-1.0 / 4.0 + r * (1.0 / 5.0)) +
                  square * ((-1.0 / 6.0 + r * (1.0 / 7.0)) + square * (-1.0 / 8.0)));
    constexpr double shift = 0x1p52;  // whose low bits are a whole number
    const double whole = std::bit_cast<double>(std::bit_cast<std::uint64_t>(shift) + k) - shift;
    const double n = whole - (tiny ? 1024.0 + 54.0 : 1024.0);
    const double high = n * elementary::kLog2High + near.log;
    const double result = high + (r + (square * tail + n * elementary::kLog2Low));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return x > 0.0 ? (x < infinity ? result : x)
                   : (x == 0.0 ? -infinity : std::numeric_limits<double>::quiet_NaN());
}

// ln(1 + x), as exact near 0 as anywhere.
inline double log_of_sum(double x) {
    const double u = 1.0 + x;
    const double lost = x - (u - 1.0);  // what rounding took from u
    const double correction = lost / u;
    const double log = logarithm(u);
    return u > 0.0 && u < std::numeric_limits<double>::infinity() ? log + correction : log;
}

// 1 / (1 + e^-x), as exact near 0 as near 1.
inline double logistic(double x) {
    const double e = exponential(-std::abs(x));
    return (x >= 0.0 ? 1.0 : e) / (1.0 + e);
}

// ln(1 + e^x), which neither overflows nor cancels.
inline double softplus(double x) {
    return (x > 0.0 ? x : 0.0) + log_of_sum(exponential(-std::abs(x)));
}

// The same of many numbers; `out` may be `values`.
enum class Elementary { exp, expm1, log, log1p, expit, softplus };
void transform(Elementary function, std::span<const double> values, std::span<double> out);

// Every row's exponentials, divided by their sum; scores are added up in their order.
void softmax(const Matrix<const double>& scores, const Matrix<double>& out);

// sum a_i b_i in an order that does not depend on the processor.
double dot(std::span<const double> a, std::span<const double> b);

}  // namespace coterie
