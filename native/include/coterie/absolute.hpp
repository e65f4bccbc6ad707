// Absolute error: medians and sums of distances to them, for which no histogram
// of sums suffices.
//
// Rows of one target that come in its order are a list which they leave one bin at a time, see
// RankedRows. Otherwise (several outputs, missing values, categories, bounds, or weights of very
// different size) rows enter a side one bin at a time: for every output, a Fenwick tree over the
// ranks of its targets holds the weight and the weighted sum below every rank, so that the
// weighted median and the distances to it cost log n per boundary.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "coterie/histogram.hpp"
#include "coterie/matrix.hpp"
#include "coterie/split.hpp"

namespace coterie {

class RankedRows;

class AbsoluteError {
  public:
    AbsoluteError();
    ~AbsoluteError();

    // Ranks the targets of a node. Of one output, `items` hold the target itself in s; of
    // several, the row of `values` that has them.
    void begin(std::span<const Item> items, const Matrix<const double>& values);
    double cost() const { return cost_; }  // sum of w |y - median| over the outputs
    double median(std::size_t output) const { return medians_[output]; }

    // Offers the boundaries between the groups of rows that share a code. A drawn
    // split has its sides as codes 0 and 1 and only one boundary.
    void best_split(std::span<const std::uint32_t> codes, const ColumnView& column,
                    const NodeSums& node, const Limits& limits, Split& best);
    // The same of keys as NodeOrder sorts them: codes with the rows that have them.
    void best_sorted_split(std::span<const std::uint32_t> keys, const ColumnView& column,
                           const NodeSums& node, const Limits& limits, Split& best);
    void random_split(std::span<const std::uint32_t> codes, const ColumnView& column,
                      const NodeSums& node, const Limits& limits, Random& random, Split& best);

  private:
    // The rows that have entered a side, as one output sees them.
    struct Output {
        std::vector<std::uint32_t> rank;  // of each row's target among the distinct ones
        std::vector<double> value;        // of each rank
        std::vector<double> weight, sum;  // Fenwick trees
        double total = 0.0;               // of weight times target

        void clear();
        void add(std::uint32_t row, double w);
        std::pair<double, double> cost_and_median(double total_weight) const;
    };
    struct Side {
        double cost = 0.0, weight = 0.0;
        double median = 0.0;  // of the first output; bounds are for one
        std::uint32_t count = 0;
    };
    void rank_outputs();
    void clear_side();
    void add_row(std::uint32_t row);
    Side side() const;
    void group_rows(std::span<const std::uint32_t> codes);
    void note_group(std::uint32_t first, std::uint32_t code);
    void order_categories(const ColumnView& column);
    void search_groups(const ColumnView& column, const NodeSums& node, const Limits& limits,
                       Split& best);
    void offer_ranked(const ColumnView& column, const NodeSums& node, const Limits& limits,
                      Split& best);
    void offer_sides(std::span<const std::uint32_t> sides, const ColumnView& column,
                     const NodeSums& node, const Limits& limits, Split& best);
    bool improves(const Side& left, const Side& right, const NodeSums& node, const Limits& limits,
                  Split& best) const;
    void offer(std::span<const std::uint32_t> groups, std::size_t boundaries,
               const ColumnView& column, const NodeSums& node, const Limits& limits,
               bool missing_left, Split& best);

    std::span<const Item> items_;
    Matrix<const double> values_;
    std::unique_ptr<RankedRows> ranked_;
    bool in_order_ = false;       // are the rows of the node ranked?
    bool outputs_ready_ = false;  // are the Fenwick trees?
    double cost_ = 0.0;
    std::vector<double> medians_;
    std::vector<Output> outputs_;
    std::vector<std::pair<double, std::uint32_t>> by_value_;
    double total_weight_ = 0.0;
    std::uint32_t total_count_ = 0;
    std::vector<std::uint32_t> order_;      // groups from left to right
    std::vector<std::uint32_t> starts_;     // first row of each group in by_code_
    std::vector<std::uint32_t> code_;       // of each group, ascending: missing values are last
    std::vector<std::uint32_t> by_code_;    // rows
    std::vector<std::uint32_t> positions_;  // room to count codes in
    std::vector<std::uint64_t> keys_;       // room to sort codes in
    std::vector<Side> from_right_;
};

}  // namespace coterie
