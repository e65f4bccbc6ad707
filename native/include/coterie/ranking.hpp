// Slopes of LambdaMART: forces between the documents of one query.
#pragma once

#include <cstdint>
#include <span>

namespace coterie {

// What exchanging two documents is worth.
enum class Swap { ndcg, map, pairwise };

struct RankSettings {
    Swap swap = Swap::ndcg;
    double sigma = 1.0;
    std::int64_t truncation = 30;  // one of a pair must be among the first so many
    bool normalise = false;        // as LightGBM does
};

// Rows from offsets[q] up to offsets[q + 1] are the documents of query q. `gain` says how good
// they are; they are ranked by falling `raw`, equal ones in their order. With the swap's worth D of
// documents i above j in truth, and p = 1 / (1 + e^(sigma (raw_i - raw_j))), the gradient of i
// falls and that of j rises by sigma D p, and both hessians rise by sigma^2 D p (1 - p).
void rank_slopes(std::span<const double> raw, std::span<const double> gain,
                 std::span<const std::int64_t> offsets, const RankSettings& settings,
                 std::span<double> gradient, std::span<double> hessian, int n_threads);

}  // namespace coterie
