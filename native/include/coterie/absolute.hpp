// Absolute error: medians and sums of distances to them, for which no histogram
// of sums suffices.
//
// Rows enter a side one bin at a time. A Fenwick tree over the ranks of the targets
// holds the weight and the weighted sum below every rank, so that the weighted
// median and the distances to it cost log n per boundary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/histogram.hpp"
#include "coterie/split.hpp"

namespace coterie {

class AbsoluteError {
  public:
    // Ranks the targets of a node; `items` hold the target itself in s.
    void begin(std::span<const Item> items);
    double cost() const { return cost_; }  // sum of w |y - median|
    double median() const { return median_; }

    // Offers the boundaries between the groups of rows that share a code. A drawn
    // split has its sides as codes 0 and 1 and only one boundary.
    void best_split(std::span<const std::uint32_t> codes, const ColumnView& column,
                    const NodeSums& node, const Limits& limits, Split& best);
    void random_split(std::span<const std::uint32_t> codes, const ColumnView& column,
                      const NodeSums& node, const Limits& limits, Random& random, Split& best);

  private:
    struct Side {
        double cost = 0.0, median = 0.0, weight = 0.0;
        std::uint32_t count = 0;
    };
    void clear_side();
    void add_row(std::uint32_t row);
    Side side() const;
    void group_rows(std::span<const std::uint32_t> codes);
    void offer(std::span<const std::uint32_t> codes, std::size_t boundaries,
               const ColumnView& column, const NodeSums& node, const Limits& limits,
               bool missing_left, Split& best);

    std::span<const Item> items_;
    double cost_ = 0.0, median_ = 0.0;
    std::vector<std::uint32_t> rank_;   // of each row's target among the distinct ones
    std::vector<double> value_;         // of each rank
    std::vector<double> weight_, sum_;  // Fenwick trees
    double total_weight_ = 0.0, total_sum_ = 0.0;
    std::uint32_t total_count_ = 0;
    std::vector<std::uint32_t> order_;   // codes from left to right
    std::vector<std::uint32_t> starts_;  // first row of each code in by_code_
    std::vector<std::uint32_t> by_code_;
    std::vector<Side> from_right_;
};

}  // namespace coterie
