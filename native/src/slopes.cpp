#include "coterie/slopes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "coterie/clones.hpp"
#include "coterie/elementary.hpp"
#include "coterie/team.hpp"

namespace coterie {
namespace {

constexpr std::size_t kBlock = 65'536;

template <class Real>
inline void logistic_block(const double* raw, const double* y, const double* weight, Real* gradient,
                           Real* hessian, std::size_t n) {
    const auto one = [&](std::size_t i, double w) {
        const double x = std::clamp(raw[i], -700.0, 700.0);
        const double e = bounded_exponential(-std::abs(x));
        const double tail = e / (1.0 + e);  // the smaller of the two probabilities
        const double p = x >= 0.0 ? 1.0 - tail : tail;
        gradient[i] = static_cast<Real>(w * (p - y[i]));
        hessian[i] = static_cast<Real>(w * (tail * (1.0 - tail)));
    };
    if (weight) {
        for (std::size_t i = 0; i < n; ++i) one(i, weight[i]);
    } else {
        for (std::size_t i = 0; i < n; ++i) one(i, 1.0);
    }
}

COTERIE_CLONES void write_logistic(const double* raw, const double* y, const double* weight,
                                   double* gradient, double* hessian, std::size_t n) {
    logistic_block(raw, y, weight, gradient, hessian, n);
}
COTERIE_CLONES void write_logistic(const double* raw, const double* y, const double* weight,
                                   float* gradient, float* hessian, std::size_t n) {
    logistic_block(raw, y, weight, gradient, hessian, n);
}

COTERIE_CLONES void raise_to(const double* scores, std::size_t n, double* most) {
    for (std::size_t i = 0; i < n; ++i) most[i] = std::max(most[i], scores[i]);
}

// Of one class: e^(its score less the largest), added to the sums over the classes.
COTERIE_CLONES void exponentials(const double* scores, const double* most, std::size_t n,
                                 double* out, double* sums) {
    for (std::size_t i = 0; i < n; ++i) {
        const double e = bounded_exponential(std::max(scores[i] - most[i], -700.0));
        out[i] = e;
        sums[i] += e;
    }
}

// What is needed to write the slopes of one class.
template <class Real>
struct ClassTask {
    const double *exponentials, *shares;  // and one over their sums
    const double* weight;                 // or null
    const std::int32_t* y;
    std::int32_t code;
    Real *gradient, *hessian;
    std::size_t n;
};

template <class Real>
inline void class_block(const ClassTask<Real>& task) {
    // Copies: what the loops store may alias anything behind a reference.
    const auto [exponentials, shares, weight, y, code, gradient, hessian, n] = task;
    const auto one = [=](std::size_t i, double w) {
        const double p = exponentials[i] * shares[i];
        gradient[i] = static_cast<Real>(w * (p - (y[i] == code ? 1.0 : 0.0)));
        hessian[i] = static_cast<Real>(w * p * (1.0 - p));
    };
    if (weight) {
        for (std::size_t i = 0; i < n; ++i) one(i, weight[i]);
    } else {
        for (std::size_t i = 0; i < n; ++i) one(i, 1.0);
    }
}

COTERIE_CLONES void write_class(const ClassTask<double>& task) { class_block(task); }
COTERIE_CLONES void write_class(const ClassTask<float>& task) { class_block(task); }

// As if they were unsigned, so that one below 0 is too large.
COTERIE_CLONES std::uint32_t greatest_leaf(const std::int32_t* leaves, std::size_t n) {
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < n; ++i)
        most = std::max(most, static_cast<std::uint32_t>(leaves[i]));
    return most;
}

template <class Task>
void in_blocks(std::size_t n, int n_threads, Task&& task) {
    Team(n_threads).run((n + kBlock - 1) / kBlock, [&](std::size_t b) {
        const std::size_t begin = b * kBlock;
        task(begin, std::min(n, begin + kBlock) - begin);
    });
}

// Scores of a strip of rows: where they lie if those of a class lie side by side, otherwise copied.
class Strip {
  public:
    static constexpr std::size_t kRows = 512;

    Strip(const Matrix<const double>& raw, std::size_t classes)
        : raw_(raw), room_(classes * kRows) {}

    double* room(std::size_t slot) { return room_.data() + slot * kRows; }
    const double* scores(std::size_t at, std::size_t n, std::size_t code, std::size_t slot) {
        if (raw_.row_stride == 1) return raw_.col(code) + at;
        for (std::size_t i = 0; i < n; ++i) room(slot)[i] = raw_(at + i, code);
        return room(slot);
    }

  private:
    const Matrix<const double>& raw_;
    std::vector<double> room_;
};

// Norms of a strip; leaves the exponentials of every class in its room if there is one for each.
void measure_strip(Strip& strip, std::size_t classes, bool kept, std::size_t at, std::size_t n,
                   double* most, double* shares) {
    std::fill_n(most, n, -std::numeric_limits<double>::infinity());
    std::fill_n(shares, n, 0.0);
    for (std::size_t k = 0; k < classes; ++k)
        raise_to(strip.scores(at, n, k, kept ? k : 0), n, most);
    for (std::size_t k = 0; k < classes; ++k) {
        const std::size_t slot = kept ? k : 0;
        exponentials(strip.scores(at, n, k, slot), most, n, strip.room(slot), shares);
    }
    for (std::size_t i = 0; i < n; ++i) shares[i] = 1.0 / shares[i];
}

template <class Task>
void in_strips(std::size_t begin, std::size_t size, Task&& task) {
    for (std::size_t at = begin; at < begin + size; at += Strip::kRows)
        task(at, std::min(Strip::kRows, begin + size - at));
}

}  // namespace

template <class Real>
void logistic_slopes(std::span<const double> raw, std::span<const double> y,
                     std::span<const double> weight, std::span<Real> gradient,
                     std::span<Real> hessian, int n_threads) {
    in_blocks(raw.size(), n_threads, [&](std::size_t begin, std::size_t n) {
        write_logistic(raw.data() + begin, y.data() + begin,
                       weight.empty() ? nullptr : weight.data() + begin, gradient.data() + begin,
                       hessian.data() + begin, n);
    });
}

template <class Real>
void softmax_slopes(const Matrix<const double>& raw, std::span<const std::int32_t> y,
                    std::span<const double> weight, const Matrix<Real>& gradient,
                    const Matrix<Real>& hessian, int n_threads) {
    const std::size_t classes = raw.cols;
    in_blocks(raw.rows, n_threads, [&](std::size_t block, std::size_t size) {
        std::vector<double> most(Strip::kRows), shares(Strip::kRows);
        Strip strip(raw, classes);
        in_strips(block, size, [&](std::size_t at, std::size_t n) {
            measure_strip(strip, classes, true, at, n, most.data(), shares.data());
            for (std::size_t k = 0; k < classes; ++k)
                write_class(ClassTask<Real>{strip.room(k), shares.data(),
                                            weight.empty() ? nullptr : weight.data() + at,
                                            y.data() + at, static_cast<std::int32_t>(k),
                                            gradient.row(k) + at, hessian.row(k) + at, n});
        });
    });
}

void SoftmaxNorms::measure(const Matrix<const double>& raw, int n_threads) const {
    in_blocks(raw.rows, n_threads, [&](std::size_t block, std::size_t size) {
        Strip strip(raw, 1);
        in_strips(block, size, [&](std::size_t at, std::size_t n) {
            measure_strip(strip, raw.cols, false, at, n, most.data() + at, shares.data() + at);
        });
    });
}

template <class Real>
void class_slopes(const Matrix<const double>& raw, const SoftmaxNorms& norms,
                  std::span<const std::int32_t> y, std::span<const double> weight, std::size_t code,
                  std::span<Real> gradient, std::span<Real> hessian, int n_threads) {
    in_blocks(raw.rows, n_threads, [&](std::size_t block, std::size_t size) {
        std::vector<double> ignored(Strip::kRows);
        Strip strip(raw, 1);
        in_strips(block, size, [&](std::size_t at, std::size_t n) {
            exponentials(strip.scores(at, n, code, 0), norms.most.data() + at, n, strip.room(0),
                         ignored.data());
            write_class(ClassTask<Real>{strip.room(0), norms.shares.data() + at,
                                        weight.empty() ? nullptr : weight.data() + at,
                                        y.data() + at, static_cast<std::int32_t>(code),
                                        gradient.data() + at, hessian.data() + at, n});
        });
    });
}

template <class Real>
void squared_slopes(std::span<const double> raw, std::span<const double> y,
                    std::span<const double> weight, std::span<Real> gradient, int n_threads) {
    in_blocks(raw.size(), n_threads, [&](std::size_t begin, std::size_t n) {
        for (std::size_t i = begin; i < begin + n; ++i)
            gradient[i] = static_cast<Real>((raw[i] - y[i]) * (weight.empty() ? 1.0 : weight[i]));
    });
}

bool add_votes(double* raw, std::ptrdiff_t step, std::span<const std::int32_t> leaves,
               std::span<const double> values, int n_threads) {
    std::atomic<bool> fine{true};
    const auto count = static_cast<std::uint32_t>(values.size());
    in_blocks(leaves.size(), n_threads, [&](std::size_t begin, std::size_t n) {
        if (greatest_leaf(leaves.data() + begin, n) >= count) {
            fine = false;
            return;
        }
        for (std::size_t i = begin; i < begin + n; ++i)
            raw[static_cast<std::ptrdiff_t>(i) * step] +=
                values[static_cast<std::size_t>(leaves[i])];
    });
    return fine;
}

#define COTERIE_SLOPES(Real)                                                                       \
    template void logistic_slopes(std::span<const double>, std::span<const double>,                \
                                  std::span<const double>, std::span<Real>, std::span<Real>, int); \
    template void softmax_slopes(const Matrix<const double>&, std::span<const std::int32_t>,       \
                                 std::span<const double>, const Matrix<Real>&,                     \
                                 const Matrix<Real>&, int);                                        \
    template void class_slopes(const Matrix<const double>&, const SoftmaxNorms&,                   \
                               std::span<const std::int32_t>, std::span<const double>,             \
                               std::size_t, std::span<Real>, std::span<Real>, int);                \
    template void squared_slopes(std::span<const double>, std::span<const double>,                 \
                                 std::span<const double>, std::span<Real>, int);
COTERIE_SLOPES(float)
COTERIE_SLOPES(double)
#undef COTERIE_SLOPES

}  // namespace coterie
