// The log-rank test in the nodes of a survival tree.
//
// The rows of a node get their martingale residuals r, whose sum over one side of a cut is the
// numerator U of the test. The squared error of r ranks cuts by U^2 / V with V of a permutation,
// which needs no more than sums. The test's own V depends on who is at risk when:
//
//     V = sum_s Y_L/Y (1 - Y_L/Y) (Y - d)/(Y - 1) d   over the times s of events,
//
// so it is computed for some cuts only, each in one pass over the rows, or for all cuts of a column
// in one sweep: a row that changes sides changes V by sums of Y_L over the times it is at risk,
// which a tree of partial sums (Fenwick 1994) holds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "coterie/grow.hpp"
#include "coterie/histogram.hpp"
#include "coterie/split.hpp"

namespace coterie {

// A column of a node: the codes of its rows, in the order of time.
struct CodedColumn {
    std::int32_t column;
    std::span<const std::uint32_t> codes;
    std::uint32_t missing_code;
    bool categorical;
};

class LogRank {
  public:
    // Weights that are `whole` count rows; others say what rows matter, and Y - 1 is then Y.
    LogRank(const Growth& growth, bool whole) : growth_(growth), whole_(whole) {}

    // Room for the times of a node's rows, negative if censored, ascending but for the sign; and
    // for when they came under observation, if that is known.
    std::span<double> times(std::size_t n);
    std::span<double> entries(std::size_t n);

    // Gives items their residuals, one for an event less the hazard that Nelson and Aalen see while
    // the row is at risk, times their weights.
    void relabel(std::span<Item> items);

    // Are there enough events for two leaves?
    bool may_split() const { return rows_with_event_ >= 2 * growth_.min_events_leaf; }
    // And on both sides of a split?
    bool allows(const Split& split, const CodedColumn& column) const;

    // Before the columns of a node are offered.
    void begin(std::span<const Item> items);
    void offer(const CodedColumn& column, const NodeSums& node, const Limits& limits);
    // The best cut, if there is any. Codes of a column are asked for again.
    void choose(const std::function<CodedColumn(std::int32_t)>& column_of, Split& split);

  private:
    struct Group {
        double w = 0.0, s = 0.0;
        std::uint32_t rows = 0, events = 0;
        std::uint32_t end = 0;  // of its rows in by_code_

        void add(const Group& other) {
            w += other.w;
            s += other.s;
            rows += other.rows;
            events += other.events;
        }
    };

    // The sides of a column's cuts, growing code by code.
    struct Walk {
        std::span<const std::uint32_t> order;  // codes
        std::size_t cuts;                      // the first so many codes, less one, end at a cut
        bool missing_left;
    };

    void group(const CodedColumn& column);
    void walk(const CodedColumn& column, const Walk& way, const NodeSums& node,
              const Limits& limits);
    bool permits(const Group& left, const NodeSums& node, const Limits& limits) const;
    void keep(const CodedColumn& column, const Walk& way, std::size_t at, const Group& left,
              double gain, double merit, double tie);
    void prepare_variance();
    double variance(const Split& split, const CodedColumn& column);
    double statistic(double sum, double variance) const;

    // The sweep
    void begin_sweep(const CodedColumn& column);
    void enter(std::uint32_t code);
    void add_at(std::size_t place, double weight);
    double risk_below(std::size_t place) const;

    const Growth& growth_;
    const bool whole_;
    std::span<const Item> items_;

    // By row: the time, the entry, and how many times of events come up to them.
    std::vector<double> time_, entry_;
    std::vector<std::uint32_t> upto_, from_;
    // By time of events, from 1; [0] is before all of them.
    std::vector<double> event_times_, deaths_, at_risk_, hazard_;
    std::vector<double> charge_;          // (Y - d)/(Y - 1) d
    std::vector<double> once_, squared_;  // sums of charge / Y and charge / Y^2
    double bound_ = 0.0;                  // four times what V may be at most
    std::int64_t rows_with_event_ = 0;

    std::vector<Group> groups_;  // by code
    std::vector<std::uint32_t> occupied_;
    std::vector<double> key_;
    std::vector<Split> best_;     // by merit, falling
    std::vector<double> merits_;  // gains, or the statistic where all cuts are tested
    std::vector<double> sums_;    // of residuals on the left
    std::vector<double> risk_;    // changes of Y_L

    std::vector<std::uint32_t> by_code_;  // rows
    std::vector<double> mass_, weighed_;  // Fenwick trees
    double total_mass_ = 0.0, swept_ = 0.0;
};

}  // namespace coterie
