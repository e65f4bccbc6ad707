// Growing one tree on binned data.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "coterie/bins.hpp"
#include "coterie/criterion.hpp"
#include "coterie/forest.hpp"
#include "coterie/interrupt.hpp"
#include "coterie/matrix.hpp"
#include "coterie/sparse.hpp"
#include "coterie/target.hpp"

namespace coterie {

struct Growth {
    static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

    Criterion criterion = Criterion::squared_error;
    std::int64_t max_depth = kNoLimit;
    std::int64_t max_leaf_nodes = kNoLimit;  // best-first growth when set
    std::int64_t min_samples_split = 2;
    std::int64_t min_samples_leaf = 1;
    double min_weight_leaf = 0.0;
    double min_impurity_decrease = 0.0;  // per unit of root weight, as in scikit-learn
    double min_gain = 0.0;               // in units of the score
    std::int64_t max_features = 0;       // columns drawn per node; 0 = all, in their order
    bool random_thresholds = false;
    double l2 = 0.0;
    // Values are times, negative if the row was not followed to its event; a second column holds
    // when rows came under observation. Every node is split by the squared error of its own
    // martingale residuals: the log-rank score test.
    bool log_rank = false;
    bool exact = false;               // by the log-rank test itself
    std::int64_t recheck = kNoLimit;  // of the cuts that are best by the score; without limit all
    std::int64_t min_events_leaf = 0;
    std::span<const std::int8_t> monotone;    // per column, or empty
    Matrix<const std::uint8_t> interactions;  // (groups, columns), or without data
    std::span<const std::int32_t> columns;    // what the tree may use
};

// Rows of zero weight are never visited. `leaves`, if not empty, receives the leaf
// (its row in `values`) of every row that was visited. The result depends on the arguments
// alone, not on n_threads, and not on the order of the rows.
template <class Code>
Tree grow(const CodeTable<Code>& codes, const BinsView& bins, const TargetView& target,
          std::span<const double> weight, const Growth& growth, std::uint64_t seed, int n_threads,
          std::span<std::int32_t> leaves, Interrupt& interrupt);

}  // namespace coterie
