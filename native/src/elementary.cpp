#include "coterie/elementary.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "coterie/clones.hpp"

namespace coterie {
namespace {

// One loop a function, so that each vectorises.
#define COTERIE_LOOP(name, function)                                             \
    COTERIE_CLONES void name(const double* values, double* out, std::size_t n) { \
        for (std::size_t i = 0; i < n; ++i) out[i] = function(values[i]);        \
    }
COTERIE_LOOP(exp_loop, exponential)
COTERIE_LOOP(expm1_loop, exponential_less_one)
COTERIE_LOOP(log_loop, logarithm)
COTERIE_LOOP(log1p_loop, log_of_sum)
COTERIE_LOOP(expit_loop, logistic)
COTERIE_LOOP(softplus_loop, softplus)
#undef COTERIE_LOOP

constexpr std::size_t kLanes = 8;

COTERIE_CLONES void dot_lanes(const double* a, const double* b, std::size_t n, double* sums) {
    for (std::size_t i = 0; i < n; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
}

}  // namespace

void transform(Elementary function, std::span<const double> values, std::span<double> out) {
    constexpr std::array loops{exp_loop,   expm1_loop, log_loop,
                               log1p_loop, expit_loop, softplus_loop};
    loops[static_cast<std::size_t>(function)](values.data(), out.data(), values.size());
}

void softmax(const Matrix<const double>& scores, const Matrix<double>& out) {
    const std::size_t classes = scores.cols;
    const std::size_t strip = std::max<std::size_t>(1024 / std::max<std::size_t>(classes, 1), 1);
    std::vector<double> room(std::min(strip, scores.rows) * classes);
    for (std::size_t at = 0; at < scores.rows; at += strip) {
        const std::size_t n = std::min(strip, scores.rows - at);
        for (std::size_t i = 0; i < n; ++i) {
            double most = -std::numeric_limits<double>::infinity();
            for (std::size_t k = 0; k < classes; ++k) most = std::max(most, scores(at + i, k));
            for (std::size_t k = 0; k < classes; ++k)
                room[i * classes + k] = scores(at + i, k) - most;
        }
        exp_loop(room.data(), room.data(), n * classes);
        for (std::size_t i = 0; i < n; ++i) {
            const double* shares = room.data() + i * classes;
            double sum = 0.0;
            for (std::size_t k = 0; k < classes; ++k) sum += shares[k];
            for (std::size_t k = 0; k < classes; ++k) out(at + i, k) = shares[k] / sum;
        }
    }
}

double dot(std::span<const double> a, std::span<const double> b) {
    std::array<double, kLanes> sums{};
    const std::size_t whole = a.size() / kLanes * kLanes;
    dot_lanes(a.data(), b.data(), whole, sums.data());
    for (std::size_t i = whole; i < a.size(); ++i) sums[i - whole] += a[i] * b[i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace coterie
