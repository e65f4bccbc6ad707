// The best boundary of a column whose rows are in order.
//
// Sums of the rows before each boundary are written side by side, so that gains are computed a
// vector at a time. Gains are those of Scanner to the bit: sums are exact in any order (see
// target.hpp), and so are sums of squares of whole weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "coterie/grow.hpp"
#include "coterie/histogram.hpp"
#include "coterie/split.hpp"
#include "node_order.hpp"

namespace coterie {

// Gains of boundaries. `left` is the weight before each of them, `w` that of the node, and `score`
// the node's own. Of two classes: `second` and `s` are the weight of the second one.
void gini_gains(const double* left, const double* second, std::size_t n, double w, double s,
                double score, double* __restrict gains);
// Of numbers, by their sums.
void squared_gains(const double* left, const double* sum, std::size_t n, double w, double s,
                   double score, double l2, double* __restrict gains);
// Of many classes, by the sums of squares before and behind.
void squares_gains(const double* left, const double* squares, const double* others, std::size_t n,
                   double w, double score, double l2, double* __restrict gains);

// Sums of the items of the rows whose code is at most `last`: weight, and the other.
void sum_left(const std::uint16_t* codes, const Item* items, std::size_t n, std::uint32_t last,
              double* sums);

// The least and the greatest of some codes.
std::pair<std::uint16_t, std::uint16_t> code_range(const std::uint16_t* codes, std::size_t n);

template <class Kind>
class OrderedSearch {
  public:
    static constexpr double kLargestWeight = 0x1.0p26;  // whose square is exact

    explicit OrderedSearch(std::size_t channels) : before_(channels) {}

    // `whole`: all weights are whole numbers, and their sum is at most kLargestWeight.
    static bool suits(const Growth& growth, bool whole) {
        const bool squares =
            growth.criterion == Criterion::gini || growth.criterion == Criterion::squared_error;
        const bool summed = Kind::kPair || (std::is_same_v<Kind, LabelKind> && whole);
        return squares && summed && growth.monotone.empty() && !growth.random_thresholds;
    }

    // Offers the boundaries between keys, none of which is missing.
    void search(std::span<const std::uint32_t> keys, const Item* items, const NodeSums& node,
                const Limits& limits, Criterion criterion, Split& best) {
        if (left_.size() < keys.size()) {
            for (auto* array : {&left_, &sums_, &others_, &gains_}) array->resize(keys.size());
            ends_.resize(keys.size());
        }
        std::size_t begin = 0, end = sum_rows(keys, items, node);
        while (begin < end && !allows(begin, node, limits)) ++begin;
        while (begin < end && !allows(end - 1, node, limits)) --end;
        compute_gains(begin, end, node, limits.l2, criterion);
        double bar = -std::numeric_limits<double>::infinity();
        std::size_t winner = end;
        for (std::size_t i = begin; i < end; ++i) {
            if (!(gains_[i] > bar)) continue;
            bar = gains_[i] + node.tie;
            winner = i;
        }
        if (winner == end) return;
        best.gain = gains_[winner];
        best.categorical = best.saw_missing = best.missing_left = false;
        best.left_weight = left_[winner];
        best.last_left = NodeOrder::code(keys[ends_[winner]]);
        best.first_right = NodeOrder::code(keys[ends_[winner] + 1]);
    }

  private:
    // Limits only cut off both ends, since what lies before a boundary grows with it.
    bool allows(std::size_t i, const NodeSums& node, const Limits& limits) const {
        const std::uint32_t rows = ends_[i] + 1;
        return rows >= limits.min_samples_leaf && node.count - rows >= limits.min_samples_leaf &&
               left_[i] >= limits.min_weight_leaf &&
               node.sums[0] - left_[i] >= limits.min_weight_leaf;
    }

    void compute_gains(std::size_t begin, std::size_t end, const NodeSums& node, double l2,
                       Criterion criterion) {
        const std::size_t n = end - begin;
        const double *left = left_.data() + begin, *sums = sums_.data() + begin;
        double* gains = gains_.data() + begin;
        if constexpr (!Kind::kPair) {
            squares_gains(left, sums, others_.data() + begin, n, node.sums[0], node.score, l2,
                          gains);
        } else if (criterion == Criterion::gini) {
            gini_gains(left, sums, n, node.sums[0], node.sums[1], node.score, gains);
        } else {
            squared_gains(left, sums, n, node.sums[0], node.sums[1], node.score, l2, gains);
        }
    }

    // Returns the number of boundaries. Every row is written; the last one of each code counts.
    std::size_t sum_rows(std::span<const std::uint32_t> keys, const Item* items,
                         const NodeSums& node) {
        const std::size_t last = keys.size() - 1;
        double w = 0.0, sum = 0.0, other = 0.0;
        double *left = left_.data(), *sums = sums_.data(), *others = others_.data();
        double* before = before_.data();
        const double* all = node.sums + 1;
        if constexpr (!Kind::kPair) {
            std::fill(before_.begin(), before_.end(), 0.0);
            for (std::size_t c = 0; c < before_.size(); ++c) other += all[c] * all[c];
        }
        std::size_t found = 0;
        for (std::size_t i = 0; i < last; ++i) {
            const Item item = items[NodeOrder::position(keys[i])];
            left[found] = w += item.w;
            if constexpr (Kind::kPair) {
                sum += item.s;
            } else {
                const auto label = static_cast<std::uint32_t>(item.s);
                const double had = before[label];
                before[label] = had + item.w;
                sum += item.w * (had + had + item.w);
                const double kept = all[label] - had;
                other -= item.w * (kept + kept - item.w);
                others[found] = other;
            }
            sums[found] = sum;
            ends_[found] = static_cast<std::uint32_t>(i);
            found += NodeOrder::code(keys[i]) != NodeOrder::code(keys[i + 1]);
        }
        return found;
    }

    // By boundary: weight and sum (of squares) before it, sum of squares behind it, its gain and
    // its last row.
    std::vector<double> left_, sums_, others_, gains_;
    std::vector<std::uint32_t> ends_;
    std::vector<double> before_;  // by class
};

}  // namespace coterie
