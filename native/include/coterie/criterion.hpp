// Split criteria as one idea: a node with sums `s` has a score, the best split
// has the largest score(left) + score(right), and a node's impurity times its
// weight is (cost of its rows) - score.
//
//   squared error   score = sum_k S_k^2 / (W + l2)            cost = sum w |y|^2
//   Gini            the same on one-hot targets               cost = outputs * W
//   entropy         sum_k S_k ln S_k - outputs * W ln W       cost = 0
//   misclassified   sum over outputs of max_k S_k             cost = outputs * W
//   Poisson         sum_k S_k ln(S_k / W)                     cost = sum w y ln y
//
//   absolute error  0, being no function of sums: absolute.hpp  cost = sum w |y - median|
//
// Newton steps are squared error on -g/h with weight h; friedman_mse chooses the
// same splits as squared error, since W_L W_R (m_L - m_R)^2 / W is its gain.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "coterie/elementary.hpp"

namespace coterie {

enum class Criterion { squared_error, gini, entropy, misclassification, poisson, absolute_error };

inline double x_log_x(double x) { return x > 0.0 ? x * logarithm(x) : 0.0; }

inline double poisson_score(double s, double w) {
    return s > 0.0 ? s * logarithm(s / w) : -std::numeric_limits<double>::infinity();
}

// Sums of two numbers: the weight and, of it, the target (one output) or the
// weight of the second class (two classes).
struct PairSums {
    static constexpr std::size_t kStride = 2;
    double w = 0.0;
    double s = 0.0;

    void add(const double* entry) {
        w += entry[0];
        s += entry[1];
    }

    template <Criterion C>
    double score(double l2) const {
        if constexpr (C == Criterion::squared_error) return s * s / (w + l2);
        if constexpr (C == Criterion::gini) return (s * s + (w - s) * (w - s)) / w;
        if constexpr (C == Criterion::entropy) return x_log_x(s) + x_log_x(w - s) - x_log_x(w);
        if constexpr (C == Criterion::misclassification) return std::max(s, w - s);
        if constexpr (C == Criterion::poisson) return poisson_score(s, w);
        return 0.0;
    }

    // Score of the two sides when this is the left one.
    template <Criterion C>
    double split_score(const PairSums& total, double l2) const {
        return score<C>(l2) + PairSums{total.w - w, total.s - s}.score<C>(l2);
    }
};

inline double pair_score(Criterion criterion, const PairSums& sums, double l2) {
    switch (criterion) {
        case Criterion::squared_error:
            return sums.score<Criterion::squared_error>(l2);
        case Criterion::gini:
            return sums.score<Criterion::gini>(l2);
        case Criterion::entropy:
            return sums.score<Criterion::entropy>(l2);
        case Criterion::misclassification:
            return sums.score<Criterion::misclassification>(l2);
        case Criterion::poisson:
            return sums.score<Criterion::poisson>(l2);
        case Criterion::absolute_error:
            return 0.0;
    }
    return 0.0;
}

// An impurity in units of the score; entropy is in bits.
inline double impurity_unit(Criterion criterion, std::size_t outputs) {
    const double unit = 1.0 / static_cast<double>(outputs);
    return criterion == Criterion::entropy ? unit / std::numbers::ln2 : unit;
}

// Gains that differ by less than rounding are ties; otherwise the winner would depend on how a sum
// was arranged.
inline double gain_tie(double cost, double score) {
    return 1e-11 * std::abs(cost - score) + 2e-15 * std::abs(score);
}

// The layout of many channels: [W, S_1 … S_C], the S in groups, one per output.
struct Channels {
    std::size_t count = 0;               // C
    std::vector<std::size_t> group_end;  // of labels: one past the last channel of each output
    std::size_t stride() const { return count + 1; }
    std::size_t groups() const { return group_end.size(); }
};

inline double channels_score(Criterion criterion, const double* sums, const Channels& channels,
                             double l2) {
    const double w = sums[0];
    const double* s = sums + 1;
    double result = 0.0;
    switch (criterion) {
        case Criterion::squared_error:
        case Criterion::gini:
            for (std::size_t c = 0; c < channels.count; ++c) result += s[c] * s[c];
            return result / (w + l2);
        case Criterion::entropy:
            for (std::size_t c = 0; c < channels.count; ++c) result += x_log_x(s[c]);
            return result - static_cast<double>(channels.groups()) * x_log_x(w);
        case Criterion::misclassification: {
            std::size_t c = 0;
            for (const std::size_t end : channels.group_end) {
                double most = 0.0;
                for (; c < end; ++c) most = std::max(most, s[c]);
                result += most;
            }
            return result;
        }
        case Criterion::poisson:
            for (std::size_t c = 0; c < channels.count; ++c) result += poisson_score(s[c], w);
            return result;
        case Criterion::absolute_error:
            return 0.0;
    }
    return result;
}

// The same for many channels; buffers are lent by the scanner.
struct ChannelSums {
    const Channels* channels;
    double* sums;   // [W, S…] of this side
    double* other;  // room for the other side

    void clear() const { std::fill_n(sums, channels->stride(), 0.0); }
    void add(const double* entry) const {
        for (std::size_t c = 0; c < channels->stride(); ++c) sums[c] += entry[c];
    }

    template <Criterion C>
    double split_score(const double* total, double l2) const {
        if constexpr (C == Criterion::squared_error || C == Criterion::gini) {
            double left = 0.0, right = 0.0;
            for (std::size_t c = 1; c < channels->stride(); ++c) {
                const double r = total[c] - sums[c];
                left += sums[c] * sums[c];
                right += r * r;
            }
            return left / (sums[0] + l2) + right / (total[0] - sums[0] + l2);
        } else {
            for (std::size_t c = 0; c < channels->stride(); ++c) other[c] = total[c] - sums[c];
            return channels_score(C, sums, *channels, l2) + channels_score(C, other, *channels, l2);
        }
    }
};

}  // namespace coterie
