// Finding the best split of one node on one column, given its histogram.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "coterie/bins.hpp"
#include "coterie/code_split.hpp"
#include "coterie/criterion.hpp"
#include "coterie/random.hpp"

namespace coterie {

struct Split : CodeSplit {
    std::uint32_t first_right = 0;  // numeric: the lowest code on the right, or the missing one
    double threshold = 0.0;
    std::vector<std::uint32_t> right_codes;  // categories
};

// What a split of this node must respect.
struct Limits {
    std::uint32_t min_samples_leaf = 1;
    double min_weight_leaf = 0.0;
    double l2 = 0.0;
    Bounds bounds;              // on the sides' means
    std::int8_t direction = 0;  // of the column at hand
    bool bounded = false;       // any monotone column at all?
};

// One column of a node as the scanner sees it.
struct ColumnView {
    std::int32_t column;
    const double* sums;                       // by code
    const std::uint32_t* counts;              // by code, or null when not asked for
    std::span<const std::uint32_t> occupied;  // value codes present, ascending
    bool missing;                             // is the missing code present too?
    std::uint32_t missing_code;
    bool categorical;
};

// Sums of the whole node, to which sides are compared.
struct NodeSums {
    const double* sums;   // [W, S…]
    std::uint32_t count;  // rows
    double score;         // of the undivided node
    double tie;           // gains closer than this are equal
};

// Walks the boundaries of a column; Sums is PairSums or ChannelSums.
class Scanner {
  public:
    explicit Scanner(const Channels& channels)
        : channels_(channels), left_(channels.stride()), right_(channels.stride()) {}

    // Offers every split of the column to `best`; a tie keeps the earlier one.
    template <bool Pair>
    void best_split(Criterion criterion, const ColumnView& column, const NodeSums& node,
                    const Limits& limits, Split& best) {
        switch (criterion) {
            case Criterion::squared_error:
                return search<Pair, Criterion::squared_error>(column, node, limits, best);
            case Criterion::gini:
                return search<Pair, Criterion::gini>(column, node, limits, best);
            case Criterion::entropy:
                return search<Pair, Criterion::entropy>(column, node, limits, best);
            case Criterion::misclassification:
                return search<Pair, Criterion::misclassification>(column, node, limits, best);
            case Criterion::poisson:
                return search<Pair, Criterion::poisson>(column, node, limits, best);
            case Criterion::absolute_error:
                return;  // see absolute.hpp
        }
    }

    // Offers one split drawn at random (extremely randomised trees).
    template <bool Pair>
    void random_split(Criterion criterion, const ColumnView& column, const NodeSums& node,
                      const Limits& limits, Random& random, Split& best) {
        switch (criterion) {
            case Criterion::squared_error:
                return draw<Pair, Criterion::squared_error>(column, node, limits, random, best);
            case Criterion::gini:
                return draw<Pair, Criterion::gini>(column, node, limits, random, best);
            case Criterion::entropy:
                return draw<Pair, Criterion::entropy>(column, node, limits, random, best);
            case Criterion::misclassification:
                return draw<Pair, Criterion::misclassification>(column, node, limits, random, best);
            case Criterion::poisson:
                return draw<Pair, Criterion::poisson>(column, node, limits, random, best);
            case Criterion::absolute_error:
                return;
        }
    }

  private:
    // The left side as it grows; hides whether it has two sums or many.
    template <bool Pair, Criterion C>
    class Side {
      public:
        Side(Scanner& scanner, const ColumnView& column, const NodeSums& node, const Limits& limits)
            : scanner_(scanner), column_(column), node_(node), limits_(limits) {
            if constexpr (!Pair) many().clear();
        }

        void add(std::uint32_t code) {
            if constexpr (Pair) {
                pair_.add(column_.sums + code * PairSums::kStride);
            } else {
                many().add(column_.sums + code * scanner_.channels_.stride());
            }
            if (column_.counts) count_ += column_.counts[code];
        }

        // -inf when the limits forbid the split.
        double gain() const {
            constexpr double no = -std::numeric_limits<double>::infinity();
            const double left = weight(), right = node_.sums[0] - left;
            if (!(left > 0.0) || !(right > 0.0)) return no;
            if (left < limits_.min_weight_leaf || right < limits_.min_weight_leaf) return no;
            if (column_.counts && (count_ < limits_.min_samples_leaf ||
                                   node_.count - count_ < limits_.min_samples_leaf))
                return no;
            if constexpr (Pair) {
                if (limits_.bounded && !respects_bounds()) return no;
                const PairSums total{node_.sums[0], node_.sums[1]};
                return pair_.template split_score<C>(total, limits_.l2) - node_.score;
            } else {
                return many().template split_score<C>(node_.sums, limits_.l2) - node_.score;
            }
        }

        void record(Split& best, double gain) const {
            best.gain = gain;
            best.column = column_.column;
            best.categorical = column_.categorical;
            best.saw_missing = column_.missing;
            best.left_weight = weight();
            if constexpr (Pair) {
                best.left_value = left_mean();
                best.right_value = right_mean();
            }
        }

      private:
        ChannelSums many() const {
            return {&scanner_.channels_, scanner_.left_.data(), scanner_.right_.data()};
        }
        double weight() const {
            if constexpr (Pair)
                return pair_.w;
            else
                return scanner_.left_[0];
        }
        double left_mean() const { return pair_.s / (pair_.w + limits_.l2); }
        double right_mean() const {
            return (node_.sums[1] - pair_.s) / (node_.sums[0] - pair_.w + limits_.l2);
        }
        bool respects_bounds() const {
            const double l = left_mean(), r = right_mean();
            if (std::min(l, r) < limits_.bounds.low || std::max(l, r) > limits_.bounds.high)
                return false;
            return limits_.direction == 0 || (limits_.direction > 0 ? l <= r : l >= r);
        }

        Scanner& scanner_;
        const ColumnView& column_;
        const NodeSums& node_;
        const Limits& limits_;
        PairSums pair_;
        std::uint32_t count_ = 0;
    };

    static bool better(double gain, const Split& best, const NodeSums& node) {
        if (!best.found()) return gain > -std::numeric_limits<double>::infinity();
        return gain > best.gain + node.tie;
    }

    template <bool Pair, Criterion C>
    void search(const ColumnView& column, const NodeSums& node, const Limits& limits, Split& best) {
        if (column.categorical) {
            order_categories<Pair>(column, node);
            const std::size_t sets = order_.size() - 1;
            Side<Pair, C> left(*this, column, node, limits);
            for (std::size_t i = 0; i < sets; ++i) {
                left.add(order_[i]);
                const double gain = left.gain();
                if (!better(gain, best, node)) continue;
                left.record(best, gain);
                const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(i) + 1;
                best.left_codes.assign(order_.begin(), middle);
                best.right_codes.assign(middle, order_.end());
            }
            return;
        }
        scan<Pair, C>(column, node, limits, false, best);
        if (column.missing) scan<Pair, C>(column, node, limits, true, best);
    }

    template <bool Pair, Criterion C>
    void scan(const ColumnView& column, const NodeSums& node, const Limits& limits,
              bool missing_left, Split& best) {
        Side<Pair, C> left(*this, column, node, limits);
        if (missing_left) left.add(column.missing_code);
        const auto codes = column.occupied;
        // With the missing values on the right, the last boundary parts them from all others.
        const std::size_t end = codes.size() - (column.missing && !missing_left ? 0 : 1);
        for (std::size_t i = 0; i < end; ++i) {
            left.add(codes[i]);
            const double gain = left.gain();
            if (!better(gain, best, node)) continue;
            left.record(best, gain);
            best.missing_left = missing_left;
            best.last_left = codes[i];
            best.first_right = i + 1 < codes.size() ? codes[i + 1] : column.missing_code;
        }
    }

    template <bool Pair, Criterion C>
    void draw(const ColumnView& column, const NodeSums& node, const Limits& limits, Random& random,
              Split& best) {
        Side<Pair, C> left(*this, column, node, limits);
        const auto codes = column.occupied;
        if (column.categorical) {
            // Drawn first: it fills order_, which may move it to other memory.
            const std::ptrdiff_t chosen = draw_subset(column, random);
            const auto middle = order_.begin() + chosen;
            for (auto code = order_.begin(); code != middle; ++code) left.add(*code);
            const double gain = left.gain();
            if (!better(gain, best, node)) return;
            left.record(best, gain);
            best.left_codes.assign(order_.begin(), middle);
            best.right_codes.assign(middle, order_.end());
            return;
        }
        // A numeric column comes with its sides already summed, as codes 0 and 1.
        const bool missing_left = column.missing && codes.size() > 1 && (random.next() >> 63);
        if (missing_left) left.add(column.missing_code);
        left.add(codes.front());
        const double gain = left.gain();
        if (!better(gain, best, node)) return;
        left.record(best, gain);
        best.missing_left = missing_left;
    }

    // Fills order_ with the categories, those of a random set (neither empty nor
    // all) first, and returns the size of the set.
    std::ptrdiff_t draw_subset(const ColumnView& column, Random& random);

    // Fills order_ with the categories so that good sets are prefixes: by mean
    // target for one output (optimal: Breiman et al. 1984, Fisher 1958), along the
    // main direction of the class frequencies for many (Coppersmith et al. 1999).
    template <bool Pair>
    void order_categories(const ColumnView& column, const NodeSums& node);

    const Channels& channels_;
    std::vector<double> left_, right_;
    std::vector<std::uint32_t> order_;
    std::vector<double> key_;
};

}  // namespace coterie
