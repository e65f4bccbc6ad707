#include "coterie/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "coterie/elementary.hpp"
#include "coterie/team.hpp"

namespace coterie {
namespace {

constexpr std::size_t kQueries = 64;  // that are handed to a thread at once

double discount(std::size_t place) {
    return std::numbers::ln2 / logarithm(2.0 + static_cast<double>(place));
}

// The documents of a query by place: 0 is the one with the highest score.
struct Query {
    std::span<const double> raw, gain;
    std::vector<std::uint32_t> order;
    std::vector<double> discounts;  // by place, as many as any query so far has needed
    std::vector<double> hits;       // relevant documents up to a place
    std::vector<double> chances;    // sums of 1 / (place + 1) over relevant documents before it
    std::vector<double> sorted;
    double ideal = 0.0;

    void begin(std::span<const double> scores, std::span<const double> gains, Swap swap) {
        raw = scores;
        gain = gains;
        order.resize(raw.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return raw[a] > raw[b]; });
        for (std::size_t k = discounts.size(); k < raw.size(); ++k)
            discounts.push_back(discount(k));
        if (swap == Swap::ndcg) best_order();
        if (swap == Swap::map) count_hits();
    }

    // How far apart two places a < b are by the measure; negative if the exchange means nothing.
    double worth(Swap swap, std::size_t a, std::size_t b) const {
        const double first = gain[order[a]], second = gain[order[b]];
        if (first == second) return -1.0;
        if (swap == Swap::pairwise) return 1.0;
        if (swap == Swap::ndcg)
            return std::abs(first - second) * (discounts[a] - discounts[b]) / ideal;
        if ((first > 0.0) == (second > 0.0)) return -1.0;
        const double at_a = hits[a] + (first > 0.0 ? 0.0 : 1.0);
        return (at_a / static_cast<double>(a + 1) + (chances[b] - chances[a + 1]) -
                hits[b] / static_cast<double>(b + 1)) /
               hits.back();
    }

  private:
    void best_order() {
        sorted.assign(gain.begin(), gain.end());
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        ideal = 0.0;
        for (std::size_t k = 0; k < sorted.size(); ++k) ideal += sorted[k] * discounts[k];
    }
    void count_hits() {
        hits.resize(raw.size());
        chances.resize(raw.size() + 1);
        double seen = 0.0, chance = 0.0;
        for (std::size_t k = 0; k < raw.size(); ++k) {
            chances[k] = chance;
            if (gain[order[k]] > 0.0) {
                seen += 1.0;
                chance += 1.0 / static_cast<double>(k + 1);
            }
            hits[k] = seen;
        }
        chances[raw.size()] = chance;
    }
};

void write_query(const Query& query, const RankSettings& settings, double* gradient,
                 double* hessian) {
    const std::size_t n = query.raw.size();
    std::fill_n(gradient, n, 0.0);
    std::fill_n(hessian, n, 0.0);
    if (n < 2) return;
    const bool spread =
        settings.normalise && query.raw[query.order[0]] != query.raw[query.order[n - 1]];
    const auto top = std::min(n, static_cast<std::size_t>(settings.truncation));
    double forces = 0.0;
    for (std::size_t a = 0; a < top; ++a)
        for (std::size_t b = a + 1; b < n; ++b) {
            double worth = query.worth(settings.swap, a, b);
            if (!(worth >= 0.0)) continue;
            std::uint32_t high = query.order[a], low = query.order[b];
            if (query.gain[high] < query.gain[low]) std::swap(high, low);
            const double gap = query.raw[high] - query.raw[low];
            if (spread) worth /= 0.01 + std::abs(gap);
            const double p = logistic(-settings.sigma * gap);
            const double force = settings.sigma * worth * p;
            const double bend = settings.sigma * force * (1.0 - p);
            gradient[high] -= force;
            gradient[low] += force;
            hessian[high] += bend;
            hessian[low] += bend;
            forces += 2.0 * force;
        }
    if (!settings.normalise || !(forces > 0.0)) return;
    const double factor = log_of_sum(forces) / (std::numbers::ln2 * forces);
    for (std::size_t i = 0; i < n; ++i) {
        gradient[i] *= factor;
        hessian[i] *= factor;
    }
}

}  // namespace

void rank_slopes(std::span<const double> raw, std::span<const double> gain,
                 std::span<const std::int64_t> offsets, const RankSettings& settings,
                 std::span<double> gradient, std::span<double> hessian, int n_threads) {
    const std::size_t queries = offsets.empty() ? 0 : offsets.size() - 1;
    Team(n_threads).run((queries + kQueries - 1) / kQueries, [&](std::size_t block) {
        Query query;
        const std::size_t end = std::min(queries, (block + 1) * kQueries);
        for (std::size_t q = block * kQueries; q < end; ++q) {
            const auto first = static_cast<std::size_t>(offsets[q]);
            const std::size_t size = static_cast<std::size_t>(offsets[q + 1]) - first;
            query.begin(raw.subspan(first, size), gain.subspan(first, size), settings.swap);
            write_query(query, settings, gradient.data() + first, hessian.data() + first);
        }
    });
}

}  // namespace coterie
