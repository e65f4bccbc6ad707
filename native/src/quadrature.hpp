// Gauss and Legendre's rule on [0, 1].
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace coterie::shapley {

// cos x for 0 <= x <= pi / 2, to eight digits: enough for a guess, and the same bits everywhere,
// unlike the C library's.
inline double cosine(double x) {
    double sum = 1.0, term = 1.0;
    for (int k = 1; k < 14; k += 2) {
        term *= -x * x / static_cast<double>(k * (k + 1));
        sum += term;
    }
    return sum;
}

// Σ weight_q p(at_q) is the integral of every polynomial p of degree 2n - 1 or less.
// `rest` is 1 - at, without its rounding.
struct Quadrature {
    std::vector<double> at, rest, weight;

    explicit Quadrature(std::size_t n) : at(n), rest(n), weight(n) {
        const auto size = static_cast<double>(n);
        for (std::size_t i = 0; i < (n + 1) / 2; ++i) {
            // A zero of Legendre's polynomial of degree n, by Newton from Tricomi's guess.
            double x = cosine(std::numbers::pi * (static_cast<double>(i) + 0.75) / (size + 0.5));
            double slope = 1.0;
            for (int step = 0; step < 20; ++step) {
                double below = 1.0, p = x;
                for (std::size_t k = 2; k <= n; ++k) {
                    const auto degree = static_cast<double>(k);
                    const double next =
                        ((2.0 * degree - 1.0) * x * p - (degree - 1.0) * below) / degree;
                    below = p;
                    p = next;
                }
                slope = size * (x * p - below) / (x * x - 1.0);
                const double change = p / slope;
                x -= change;
                if (std::abs(change) < 1e-15) break;
            }
            at[i] = rest[n - 1 - i] = 0.5 * (1.0 - x);
            at[n - 1 - i] = rest[i] = 0.5 * (1.0 + x);
            weight[i] = weight[n - 1 - i] = 1.0 / ((1.0 - x * x) * slope * slope);
        }
    }
};

}  // namespace coterie::shapley
