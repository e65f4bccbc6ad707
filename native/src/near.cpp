#include "coterie/near.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "coterie/clones.hpp"
#include "coterie/team.hpp"

namespace coterie {
namespace {

using Words = std::uint16_t __attribute__((vector_size(32)));
constexpr std::size_t kWordLanes = sizeof(Words) / 2, kWordParts = kNearStrip / kWordLanes;
constexpr std::uint16_t kNearFar = std::numeric_limits<std::uint16_t>::max();

// How far some queries are from all points, in squared steps modulo 65,536.
struct RoughTask {
    Matrix<const std::uint16_t> points;
    std::size_t width, whole;      // of coordinates; of strips that are full
    std::size_t queries;           // an even number
    const std::uint16_t* factors;  // (queries, width): minus twice the coordinate, in every lane
    const std::uint16_t* squares;  // of each query
    std::uint16_t* out;            // (queries, strips * kNearStrip)
    std::uint16_t* least;          // (queries, folds * kNearStrip), over the strips of each fold
    std::size_t folds;             // a power of two
};

[[gnu::always_inline]] inline void load(const std::uint16_t* from, Words& to) {
    std::memcpy(&to, from, sizeof to);
}

[[gnu::always_inline]] inline void keep(const Words& value, std::uint16_t* out,
                                        std::uint16_t* least) {
    std::memcpy(out, &value, sizeof value);
    if (!least) return;
    Words known;
    load(least, known);
    known = value < known ? value : known;
    std::memcpy(least, &known, sizeof known);
}

COTERIE_CLONES void compare_roughly(const RoughTask& task) {
    const std::size_t strips = task.points.rows, width = task.width;
    for (std::size_t s = 0; s < strips; ++s) {
        const std::uint16_t* strip = task.points.row(s);
        const std::size_t fold = (s & (task.folds - 1)) * kNearStrip;
        for (std::size_t q = 0; q < task.queries; q += 2) {
            const std::uint16_t* first = task.factors + q * width * kWordLanes;
            const std::uint16_t* second = first + width * kWordLanes;
            Words a[kWordParts], b[kWordParts], x, f, g;
#pragma GCC unroll 4
            for (std::size_t p = 0; p < kWordParts; ++p) {
                load(strip + p * kWordLanes, x);
                a[p] = x + task.squares[q];
                b[p] = x + task.squares[q + 1];
            }
            for (std::size_t c = 0; c < width; ++c) {
                load(first + c * kWordLanes, f);
                load(second + c * kWordLanes, g);
#pragma GCC unroll 4
                for (std::size_t p = 0; p < kWordParts; ++p) {
                    load(strip + (c + 1) * kNearStrip + p * kWordLanes, x);
                    a[p] += x * f;
                    b[p] += x * g;
                }
            }
            std::uint16_t* out = task.out + (q * strips + s) * kNearStrip;
            std::uint16_t* least =
                s < task.whole ? task.least + q * task.folds * kNearStrip + fold : nullptr;
#pragma GCC unroll 4
            for (std::size_t p = 0; p < kWordParts; ++p) {
                const std::size_t at = p * kWordLanes;
                keep(a[p], out + at, least ? least + at : nullptr);
                keep(b[p], out + strips * kNearStrip + at,
                     least ? least + task.folds * kNearStrip + at : nullptr);
            }
        }
    }
}

struct CloseTask {
    const std::uint16_t* rough;
    std::size_t n;  // a whole number of strips
    std::uint16_t above, limit;
    std::uint32_t* found;  // with room for one more
};

// Positions of the rough distances from `above` to `limit`, both included.
COTERIE_CLONES std::size_t close_ones(const CloseTask& task) {
    const Words low = Words{} + task.above;
    const Words range = Words{} + static_cast<std::uint16_t>(task.limit - task.above);
    std::size_t number = 0;
    for (std::size_t at = 0; at < task.n; at += kNearStrip) {
        Words close[kWordParts], any = {};
#pragma GCC unroll 4
        for (std::size_t p = 0; p < kWordParts; ++p) {
            load(task.rough + at + p * kWordLanes, close[p]);
            close[p] = reinterpret_cast<Words>(close[p] - low <= range);
            any |= close[p];
        }
        constexpr std::size_t per = sizeof(std::uint64_t) / sizeof(std::uint16_t);
        std::uint64_t lanes[kNearStrip / per];
        std::memcpy(lanes, &any, sizeof any);
        if (!(lanes[0] | lanes[1] | lanes[2] | lanes[3])) continue;
        std::memcpy(lanes, close, sizeof close);
        for (std::size_t u = 0; u < kNearStrip / per; ++u) {
            if (!lanes[u]) continue;
            for (std::size_t i = at + u * per; i < at + (u + 1) * per; ++i) {
                task.found[number] = static_cast<std::uint32_t>(i);
                number += static_cast<std::uint16_t>(task.rough[i] - task.above) <=
                          static_cast<std::uint16_t>(task.limit - task.above);
            }
        }
    }
    return number;
}

// A point and how far it is, squared.
struct Candidate {
    double squared;
    std::uint32_t point;

    bool operator<(const Candidate& other) const {
        return squared != other.squared ? squared < other.squared : point < other.point;
    }
};

// Room for the queries that are looked at together.
class NearBlock {
  public:
    NearBlock(const NearPoints& points, std::size_t wanted, std::size_t most_queries)
        : points_(points), wanted_(wanted), width_(points.exact.cols),
          factors_(most_queries * width_ * kWordLanes), squares_(most_queries),
          slacks_(most_queries), rough_(most_queries * points.rough.rows * kNearStrip) {
        while (folds_ * kNearStrip < 4 * wanted) folds_ *= 2;
        least_.resize(most_queries * folds_ * kNearStrip);
        found_.resize(points.rough.rows * kNearStrip + kWordLanes);
    }

    void find(const Matrix<const double>& queries, std::size_t begin, std::size_t end,
              const Matrix<std::int64_t>& out) {
        for (std::size_t i = begin; i < end; ++i)
            round(queries.row(i), queries.col_stride, i - begin);
        std::fill(least_.begin(), least_.end(), kNearFar);
        const std::size_t whole = points_.exact.rows / kNearStrip;
        compare_roughly({points_.rough, width_, whole, (end - begin + 1) / 2 * 2, factors_.data(),
                         squares_.data(), rough_.data(), least_.data(), folds_});
        std::vector<double> place(width_);
        for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t c = 0; c < width_; ++c) place[c] = queries(i, c);
            choose(place, i - begin);
            for (std::size_t k = 0; k < wanted_; ++k) out(i, k) = candidates_[k].point;
            std::sort(&out(i, 0), &out(i, 0) + wanted_);
        }
    }

  private:
    // Puts a query into steps.
    void round(const double* query, std::ptrdiff_t stride, std::size_t at) {
        std::uint32_t square = 0;
        double off = 0.0;
        for (std::size_t c = 0; c < width_; ++c) {
            const double steps =
                (query[static_cast<std::ptrdiff_t>(c) * stride] - points_.centre[c]) / points_.step;
            const double moved = std::max(-kNearMost, std::min(kNearMost, steps));
            const double whole = std::nearbyint(moved);
            const auto code = static_cast<std::int32_t>(whole);
            off += (moved - whole) * (moved - whole);
            square += static_cast<std::uint32_t>(code) * static_cast<std::uint32_t>(code);
            std::fill_n(factors_.data() + (at * width_ + c) * kWordLanes, kWordLanes,
                        static_cast<std::uint16_t>(-2 * code));
        }
        squares_[at] = static_cast<std::uint16_t>(square);
        slacks_[at] = std::sqrt(off) * points_.step + points_.slack;
    }

    // Leaves the nearest points at the beginning of `candidates_`.
    void choose(std::span<const double> query, std::size_t at) {
        candidates_.clear();
        std::uint16_t* least = least_.data() + at * folds_ * kNearStrip;
        // As many folds have somebody as near: of these points are the first candidates.
        std::nth_element(least, least + wanted_ - 1, least + folds_ * kNearStrip);
        const std::uint16_t first = least[wanted_ - 1];
        const double slack = slacks_[at] / points_.step;
        const std::uint16_t likely = limit(std::sqrt(static_cast<double>(first)) + slack, slack);
        std::size_t number = find_close(at, 0, likely);
        add(query, at, number, 0, first);
        const std::uint16_t last = limit(std::sqrt(settle().squared) / points_.step, slack);
        if (last <= first) return;
        add(query, at, number, static_cast<std::uint16_t>(first + 1), last);
        if (last > likely) {
            number = find_close(at, static_cast<std::uint16_t>(likely + 1), last);
            add(query, at, number, static_cast<std::uint16_t>(likely + 1), last);
        }
        settle();
    }

    // The largest rough distance of points within a radius, which rounding must not lose.
    static std::uint16_t limit(double radius, double slack) {
        const double squared = (radius + slack) * (radius + slack) * (1.0 + 1e-9) + 1.0;
        return squared < kNearFar ? static_cast<std::uint16_t>(squared) : kNearFar;
    }

    // Notes the points at a rough distance from `above` to `most`, and returns their number.
    std::size_t find_close(std::size_t at, std::uint16_t above, std::uint16_t most) {
        const std::size_t n = points_.rough.rows * kNearStrip;
        return close_ones({rough_.data() + at * n, n, above, most, found_.data()});
    }

    // Adds those of the noted points that are at a rough distance from `above` to `most`.
    void add(std::span<const double> query, std::size_t at, std::size_t number, std::uint16_t above,
             std::uint16_t most) {
        const std::uint16_t* rough = rough_.data() + at * points_.rough.rows * kNearStrip;
        for (std::size_t k = 0; k < number; ++k) {
            const std::uint32_t point = found_[k];
            if (rough[point] < above || rough[point] > most) continue;
            if (point >= points_.exact.rows) continue;  // what fills the last strip
            candidates_.push_back({squared_distance(query, point), point});
        }
    }

    double squared_distance(std::span<const double> query, std::size_t point) const {
        const double* place = points_.exact.row(point);
        double sums[4] = {};
        std::size_t c = 0;
        for (; c + 4 <= query.size(); c += 4)
            for (std::size_t u = 0; u < 4; ++u) {
                const double off = query[c + u] - place[c + u];
                sums[u] += off * off;
            }
        for (; c < query.size(); ++c) sums[0] += (query[c] - place[c]) * (query[c] - place[c]);
        const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        return sum == sum ? sum : std::numeric_limits<double>::infinity();
    }

    // The last of the nearest points, which are put first.
    Candidate settle() {
        const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(wanted_ - 1);
        std::nth_element(candidates_.begin(), last, candidates_.end());
        return *last;
    }

    const NearPoints& points_;
    const std::size_t wanted_, width_;
    std::size_t folds_ = 1;
    std::vector<std::uint16_t> factors_, squares_;
    std::vector<double> slacks_;
    std::vector<std::uint16_t> rough_, least_;
    std::vector<std::uint32_t> found_;
    std::vector<Candidate> candidates_;
};

}  // namespace

void nearest_points(const NearPoints& points, const Matrix<const double>& queries,
                    const Matrix<std::int64_t>& out, int n_threads) {
    // What is found of a block should stay in the cache.
    constexpr std::size_t room = 1 << 18;
    const std::size_t per_query = points.rough.rows * kNearStrip;
    const std::size_t block = std::clamp<std::size_t>(room / per_query / 2 * 2, 2, 32);
    const std::size_t n_tasks = std::min<std::size_t>((queries.rows + block - 1) / block,
                                                      n_threads > 1 ? 4 * n_threads : 1);
    Team(n_threads).run(n_tasks, [&](std::size_t t) {
        NearBlock together(points, out.cols, block);
        const std::size_t blocks = (queries.rows + block - 1) / block;
        for (std::size_t b = t * blocks / n_tasks; b < (t + 1) * blocks / n_tasks; ++b)
            together.find(queries, b * block, std::min((b + 1) * block, queries.rows), out);
    });
}

}  // namespace coterie
