// Slopes of the losses that are needed most, and scores brought up to date.
#pragma once

#include <cstdint>
#include <span>

#include "coterie/matrix.hpp"

namespace coterie {

// Logistic loss of scores on the log-odds scale: g = w (p - y), h = w p (1 - p). An empty weight
// is 1 everywhere.
template <class Real>
void logistic_slopes(std::span<const double> raw, std::span<const double> y,
                     std::span<const double> weight, std::span<Real> gradient,
                     std::span<Real> hessian, int n_threads);

// Multinomial loss of scores (n, K); slopes are (K, n), a row per class, whose numbers lie side by
// side: g = w (p_k - [y = k]), h = w p_k (1 - p_k). Codes of y must lie in 0 … K - 1.
template <class Real>
void softmax_slopes(const Matrix<const double>& raw, std::span<const std::int32_t> y,
                    std::span<const double> weight, const Matrix<Real>& gradient,
                    const Matrix<Real>& hessian, int n_threads);

// What softmax_slopes knows of every row: its largest score, and one over the sum over classes of
// e^(score - largest).
struct SoftmaxNorms {
    std::span<double> most, shares;

    void measure(const Matrix<const double>& raw, int n_threads) const;
};

// What softmax_slopes writes of one class, given the norms: for who has no room for all classes.
template <class Real>
void class_slopes(const Matrix<const double>& raw, const SoftmaxNorms& norms,
                  std::span<const std::int32_t> y, std::span<const double> weight, std::size_t code,
                  std::span<Real> gradient, std::span<Real> hessian, int n_threads);

// Squared loss, halved: g = w (raw - y); its hessian is w.
template <class Real>
void squared_slopes(std::span<const double> raw, std::span<const double> y,
                    std::span<const double> weight, std::span<Real> gradient, int n_threads);

// raw[i] += values[leaves[i]]; false if a leaf is out of range, and raw then is spoilt.
bool add_votes(double* raw, std::ptrdiff_t step, std::span<const std::int32_t> leaves,
               std::span<const double> values, int n_threads);

}  // namespace coterie
