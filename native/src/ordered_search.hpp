// The best boundary of a column whose rows are in order.
//
// Sums of the rows before each boundary are written side by side, so that gains are computed a
// vector at a time. Gains are those of Scanner to the bit: sums are exact in any order (see
// target.hpp), and so are sums of squares of whole weights.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "contenders.hpp"
#include "coterie/grow.hpp"
#include "coterie/histogram.hpp"
#include "coterie/split.hpp"
#include "node_order.hpp"
#include "tags.hpp"

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

// The only number that reaches the greatest less `slack`; n if there are several, or none is
// greater than minus infinity.
std::size_t only_peak(const double* gains, std::size_t n, double slack);

// Sums of the items of the rows whose code is at most `last`: weight, and the other.
void sum_left(const std::uint16_t* codes, const Item* items, std::size_t n, std::uint32_t last,
              double* sums);

// The least and the greatest of some codes.
std::pair<std::uint16_t, std::uint16_t> code_range(const std::uint16_t* codes, std::size_t n);

template <class Kind>
class OrderedSearch {
  public:
    static constexpr double kLargestWeight = 0x1.0p26;  // whose square is exact
    static constexpr std::size_t kFewRows = 6;          // that are parted in every way

    explicit OrderedSearch(std::size_t channels) : before_(channels) {}

    // `whole`: all weights are whole numbers, and their sum is at most kLargestWeight.
    static bool suits(const Growth& growth, bool whole) {
        const bool squares =
            growth.criterion == Criterion::gini || growth.criterion == Criterion::squared_error;
        const bool summed = Kind::kPair || (std::is_same_v<Kind, LabelKind> && whole);
        return squares && summed && growth.monotone.empty() && !growth.random_thresholds;
    }

    // Offers the boundaries between keys, none of which is missing. Keys hold the tags of rows if
    // there are no items, and their positions otherwise.
    void search(std::span<const std::uint32_t> keys, const Item* items, const NodeSums& node,
                const Limits& limits, Criterion criterion, Split& best) {
        make_room(keys.size());
        const std::size_t end = items ? sum_rows(keys, items, node) : sum_tags(keys, node);
        const std::size_t winner = choose(end, node, limits, criterion, best);
        if (winner == end) return;
        best.last_left = NodeOrder::code(keys[ends_[winner]]);
        best.first_right = NodeOrder::code(keys[ends_[winner] + 1]);
    }

    // Offers the boundaries within the runs of contenders of two classes, whose keys they are.
    void search(std::span<const std::uint32_t> keys, const Contenders& contenders,
                const NodeSums& node, const Limits& limits, Criterion criterion, Split& best) {
        make_room(keys.size());
        const std::size_t end = sum_runs(keys, contenders, node);
        const std::size_t winner = choose(end, node, limits, criterion, best);
        if (winner == end) return;
        best.last_left = NodeOrder::code(keys[ends_[winner]]);
        best.first_right = NodeOrder::code(keys[ends_[winner] + 1]);
    }

    // Offers the boundaries between the bins of a column that has no missing values. Rows are not
    // counted: a side has at least one.
    void search(const TagCounts& counts, std::uint32_t bins, const NodeSums& node,
                const Limits& limits, Criterion criterion, Split& best) {
        make_room(bins);
        const std::size_t end = sum_counts(counts, bins, node);
        const std::size_t winner = choose(end, node, limits, criterion, best);
        if (winner == end) return;
        best.last_left = codes_[winner];
        best.first_right = codes_[winner + 1];
    }

    // Finds the gain of every way to part a few rows in two; `item` gives each of them. Most nodes
    // of a deep tree are as small, and all their columns choose among the same ways. A way is the
    // set of rows on the side without the last row.
    template <class Of>
    void weigh_ways(std::size_t n, Of item, const NodeSums& node, double l2, Criterion criterion) {
        const std::size_t ways = std::size_t{1} << (n - 1);
        make_room(ways);
        std::array<Item, kFewRows> rows;
        double squares = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            rows[i] = item(i);
            if constexpr (!Kind::kPair) squares += rows[i].w * all_of(rows[i], node);
        }
        left_[0] = sums_[0] = 0.0;
        others_[0] = squares;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const Item row = rows[i];
            const std::size_t bit = std::size_t{1} << i;
            for (std::size_t way = 0; way < bit; ++way) {
                left_[bit + way] = left_[way] + row.w;
                if constexpr (Kind::kPair) {
                    sums_[bit + way] = sums_[way] + row.s;
                } else {
                    double had = 0.0;
                    for (std::size_t k = 0; k < i; ++k)
                        had += rows[k].s == row.s && (way >> k & 1) ? rows[k].w : 0.0;
                    const double kept = all_of(row, node) - had;
                    sums_[bit + way] = sums_[way] + row.w * (had + had + row.w);
                    others_[bit + way] = others_[way] - row.w * (kept + kept - row.w);
                }
            }
        }
        compute_gains(1, ways, node, l2, criterion);
        gains_[0] = -std::numeric_limits<double>::infinity();
        std::copy_n(gains_.data(), ways, way_gains_.data());
        std::copy_n(left_.data(), ways, way_weights_.data());
        best_way_ = *std::max_element(gains_.data(), gains_.data() + ways);
    }
    // The greatest of those gains.
    double best_way() const { return best_way_; }

    // Offers the boundaries between codes of as many rows, none of which is missing. Returns
    // whether one of them is ahead of all others by more than a tie; if not, offers nothing.
    bool search_ways(std::span<const std::uint16_t> codes, const NodeSums& node, Split& best) {
        switch (codes.size()) {
            case 2:
                return choose_way<2>(codes.data(), node, best);
            case 3:
                return choose_way<3>(codes.data(), node, best);
            case 4:
                return choose_way<4>(codes.data(), node, best);
            case 5:
                return choose_way<5>(codes.data(), node, best);
            case 6:
                return choose_way<6>(codes.data(), node, best);
            default:
                return false;
        }
    }

  private:
    // The weight of the class of a row in the node.
    static double all_of(const Item& row, const NodeSums& node) {
        return node.sums[1 + static_cast<std::size_t>(row.s)];
    }

    template <std::size_t n>
    bool choose_way(const std::uint16_t* codes, const NodeSums& node, Split& best) const {
        constexpr std::uint32_t all = (1u << n) - 1, half = 1u << (n - 1);
        std::array<std::uint32_t, n> before;  // the rows whose code is no greater
        std::array<double, n> gains;
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < n; ++i) {
            std::uint32_t rows = 0;
            for (std::size_t k = 0; k < n; ++k) rows |= std::uint32_t{codes[k] <= codes[i]} << k;
            before[i] = rows;
            gains[i] = way_gains_[rows & half ? all ^ rows : rows];
            most = gains[i] > most ? gains[i] : most;
        }
        const double bar = most - 4.0 * node.tie;  // as in choose
        std::uint32_t any = 0, every = all;
        std::size_t winner = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const bool high = gains[i] >= bar;
            any |= high ? before[i] : 0;
            every &= high ? before[i] : all;
            winner = high ? i : winner;
        }
        if (any != every || any == all) return false;
        best.gain = gains[winner];
        best.categorical = best.saw_missing = best.missing_left = false;
        best.left_weight = any & half ? node.sums[0] - way_weights_[all ^ any] : way_weights_[any];
        best.last_left = codes[winner];
        best.first_right = std::numeric_limits<std::uint16_t>::max();
        for (std::size_t k = 0; k < n; ++k)
            if (codes[k] > codes[winner])
                best.first_right = std::min<std::uint32_t>(best.first_right, codes[k]);
        return true;
    }

    void make_room(std::size_t rows) {
        if (left_.size() >= rows) return;
        for (auto* array : {&left_, &sums_, &others_, &gains_}) array->resize(rows);
        ends_.resize(rows);
        codes_.resize(rows);
    }

    // Returns the best of the boundaries, or their number if none is allowed.
    std::size_t choose(std::size_t found, const NodeSums& node, const Limits& limits,
                       Criterion criterion, Split& best) {
        std::size_t begin = 0, end = found;
        while (begin < end && !allows(begin, node, limits)) ++begin;
        while (begin < end && !allows(end - 1, node, limits)) --end;
        compute_gains(begin, end, node, limits.l2, criterion);
        if (begin == end) return found;
        // Who is last in a chain of ties is within one tie of the greatest.
        std::size_t winner = begin + only_peak(gains_.data() + begin, end - begin, 4.0 * node.tie);
        if (winner == end) {  // it depends on their order
            double bar = -std::numeric_limits<double>::infinity();
            winner = found;
            for (std::size_t i = begin; i < end; ++i) {
                if (!(gains_[i] > bar)) continue;
                bar = gains_[i] + node.tie;
                winner = i;
            }
            if (winner == found) return found;
        }
        best.gain = gains_[winner];
        best.categorical = best.saw_missing = best.missing_left = false;
        best.left_weight = left_[winner];
        return winner;
    }

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

    // The same in whole numbers, of which sums of squares have the bits that doubles have.
    class Running {
      public:
        Running(OrderedSearch& search, const NodeSums& node)
            : left_(search.left_.data()), sums_(search.sums_.data()),
              others_(search.others_.data()) {
            if constexpr (!Kind::kPair) {
                search.counts_.assign(2 * search.before_.size(), 0);
                counts_ = search.counts_.data();
                for (std::size_t c = 0; c < search.before_.size(); ++c) {
                    const auto all = static_cast<std::int64_t>(node.sums[c + 1]);
                    counts_[2 * c + 1] = all;
                    squares_ += all * all;
                }
            }
        }
        // Of two classes: makes these weights those before the next row.
        void restart(double weight, double second) {
            weight_ = static_cast<std::int64_t>(weight);
            sum_ = static_cast<std::int64_t>(second);
        }
        // `other` is the class, or of two classes the weight of the second.
        void add(std::int64_t weight, std::int64_t other) {
            weight_ += weight;
            if constexpr (Kind::kPair) {
                sum_ += other;
            } else {
                std::int64_t* count = counts_ + 2 * other;  // before it, and of all
                sum_ += weight * (2 * count[0] + weight);
                cross_ += weight * count[1];
                count[0] += weight;
            }
        }
        void write(std::size_t at) const {
            left_[at] = static_cast<double>(weight_);
            sums_[at] = static_cast<double>(sum_);
            if constexpr (!Kind::kPair)
                others_[at] = static_cast<double>(squares_ - 2 * cross_ + sum_);
        }

      private:
        double *left_, *sums_, *others_;
        std::int64_t* counts_ = nullptr;
        std::int64_t weight_ = 0, sum_ = 0, cross_ = 0, squares_ = 0;
    };

    std::size_t sum_tags(std::span<const std::uint32_t> keys, const NodeSums& node) {
        Running sums(*this, node);
        std::uint32_t* ends = ends_.data();
        std::size_t found = 0;
        for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
            sums.add(Tags::weight(keys[i]), Tags::other(keys[i]));
            sums.write(found);
            ends[found] = static_cast<std::uint32_t>(i);
            found += NodeOrder::code(keys[i]) != NodeOrder::code(keys[i + 1]);
        }
        return found;
    }

    std::size_t sum_runs(std::span<const std::uint32_t> keys, const Contenders& contenders,
                         const NodeSums& node) {
        Running sums(*this, node);
        std::uint32_t* ends = ends_.data();
        std::size_t found = 0, i = 0;
        for (const Contenders::Run& run : contenders.runs()) {
            sums.restart(run.weight, run.second);
            for (; i + 1 < keys.size() && NodeOrder::code(keys[i + 1]) <= run.last; ++i) {
                sums.add(Tags::weight(keys[i]), Tags::other(keys[i]));
                sums.write(found);
                ends[found] = static_cast<std::uint32_t>(i);
                found += NodeOrder::code(keys[i]) != NodeOrder::code(keys[i + 1]);
            }
            ++i;  // the last one of the run
        }
        return found;
    }

    std::size_t sum_counts(const TagCounts& counts, std::uint32_t bins, const NodeSums& node) {
        Running sums(*this, node);
        std::size_t found = 0;
        for (std::uint32_t code = 0; code < bins; ++code) {
            const std::span<const std::uint32_t> bin = counts.bin(code);
            std::uint32_t any = 0;
            for (const std::uint32_t weight : bin) any |= weight;
            if (!any) continue;
            // Nothing is added for classes that are not there: a branch would be mispredicted.
            for (std::uint32_t c = 0; c < bin.size(); ++c)
                sums.add(bin[c], !Kind::kPair ? c : c ? bin[c] : 0);
            sums.write(found);
            ends_[found] = static_cast<std::uint32_t>(found);
            codes_[found++] = code;
        }
        return found - 1;  // nothing is right of the last one
    }

    // By boundary: weight and sum (of squares) before it, sum of squares behind it, its gain and
    // its last row.
    std::vector<double> left_, sums_, others_, gains_;
    std::vector<std::uint32_t> ends_;
    std::vector<std::uint32_t> codes_;  // before each boundary, where rows are not in order
    // By way to part a few rows: its gain, and the weight of its rows.
    std::array<double, std::size_t{1} << (kFewRows - 1)> way_gains_, way_weights_;
    double best_way_ = 0.0;
    std::vector<double> before_;        // by class
    std::vector<std::int64_t> counts_;  // by class, see sum_tags
};

}  // namespace coterie
