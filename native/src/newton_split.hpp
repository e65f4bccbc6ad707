// The best split of one node on one column, from a histogram of slopes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cells.hpp"
#include "coterie/newton.hpp"
#include "running_sums.hpp"

namespace coterie {

// What a node offers its splits to.
struct NewtonNode {
    SlopeSums sums;
    Bounds bounds;
    double score = 0.0;
    double tie = 0.0;  // gains closer than this are equal
};

// Gains of all boundaries at once, given what lies left of each; not a number and forbidden
// sides come out as minus infinity. Compiled for several instruction sets.
void plain_gains(std::span<const double> left_g, std::span<const double> left_h,
                 const NewtonNode& node, double l2, double least_h, std::span<double> gains);
// A boundary with fewer rows than `least` on its left, or more than `most`, gains nothing.
void forbid_few(std::span<const double> left_n, double least, double most, double* gains);
double greatest(std::span<const double> gains);
void unpack_cells(std::span<const std::int64_t> cells, double unit_g, double unit_h,
                  std::span<double> g, std::span<double> h);

// The value and the score of a leaf under l1, l2, the largest step and bounds.
class NewtonLeaf {
  public:
    explicit NewtonLeaf(const NewtonGrowth& growth)
        : l1_(growth.l1), l2_(growth.l2),
          step_(growth.max_delta_step > 0.0 ? growth.max_delta_step
                                            : std::numeric_limits<double>::infinity()) {}

    // Whether score() is G^2 / (H + l2) as long as nothing is bounded.
    bool plain() const { return l1_ == 0.0 && std::isinf(step_); }
    double l2() const { return l2_; }

    double value(const SlopeSums& sums, const Bounds& bounds) const {
        const double soft = std::copysign(std::max(std::abs(sums.g) - l1_, 0.0), sums.g);
        const double below = sums.h + l2_;
        const double free = below > 0.0 ? 0.0 - soft / below : 0.0;
        return std::clamp(std::clamp(free, -step_, step_), bounds.low, bounds.high);
    }
    double score(const SlopeSums& sums, double value) const {
        return -(2.0 * (sums.g * value + l1_ * std::abs(value)) + (sums.h + l2_) * value * value);
    }

  private:
    double l1_, l2_, step_;
};

// Walks the boundaries of columns; holds room for one column.
template <class Cells>
class NewtonScanner {
  public:
    using Cell = typename Cells::Cell;

    NewtonScanner(const Cells& cells, const NewtonGrowth& growth, bool constant,
                  std::size_t most_bins)
        : cells_(cells), growth_(growth), leaf_(growth), prefix_(most_bins + 1 + kSumsRoom),
          g_(most_bins + 1), h_(most_bins + 1), n_(most_bins + 1),
          codes_(most_bins + 1 + kSumsRoom), gains_(most_bins + 1) {
        // With a hessian of 1 per row the least weight can count rows.
        const auto rows = static_cast<double>(growth.min_samples_leaf);
        least_h_ = std::max(growth.min_child_weight, std::numeric_limits<double>::min());
        if (constant) least_h_ = std::max(least_h_, rows);
        least_n_ = constant ? 0.0 : rows;
    }

    const NewtonLeaf& leaf() const { return leaf_; }

    // The cells of a bundled column in the order of its codes: the usual one has what is left.
    const Cell* unbundle(const Cell* shared, std::uint32_t bins, std::int32_t usual, Cell total) {
        unbundled_.resize(bins + 1);
        const auto at = static_cast<std::size_t>(usual);
        for (std::uint32_t c = 0; c < bins; ++c) Cells::subtract(total, shared[c]);
        std::copy_n(shared, at, unbundled_.begin());
        unbundled_[at] = total;
        std::copy_n(shared + at, bins - at, unbundled_.data() + at + 1);
        return unbundled_.data();
    }

    // `cells` are those of the column, the missing values last; `counts`, if given, its rows.
    // Returns false if no split of the column leaves enough on both sides: none of a part of the
    // node will then, either.
    bool offer(std::int32_t column, bool categorical, std::uint32_t bins, const Cell* cells,
               const std::uint32_t* counts, const NewtonNode& node, CodeSplit& best) {
        const bool missing = !Cells::empty(cells[bins]);
        if (categorical) {
            offer_categories(column, bins, cells, counts, node, best);
            return true;
        }
        const std::uint32_t found = accumulate(cells, counts, bins);
        if (!found) return false;
        const bool counted = Cells::kCounted || counts;
        // With the missing values on the right, the last boundary parts them from all others.
        const bool fertile =
            offer_boundaries(column, found - !missing, false, missing, counted, node, best);
        if (!missing) return fertile;
        const SlopeSums lost = cells_.sums(cells[bins]);
        const double lost_n = counts ? static_cast<double>(counts[bins]) : lost.n;
        for (std::uint32_t i = 0; i + 1 < found; ++i) {
            g_[i] += lost.g;
            h_[i] += lost.h;
            n_[i] += lost_n;
        }
        return offer_boundaries(column, found - 1, true, missing, counted, node, best) || fertile;
    }

    // Whether gains depend on the sums of both sides alone.
    bool plain() const { return leaf_.plain() && growth_.monotone.empty(); }
    // Gains of boundaries, if they are plain, given packed sums of what lies left of each; `g` and
    // `h` are room.
    void weigh(std::span<const std::int64_t> left, const NewtonNode& node, std::span<double> g,
               std::span<double> h, std::span<double> gains) const {
        unpack_cells(left, cells_.unit_g, cells_.unit_h, g, h);
        plain_gains(g, h, node, leaf_.l2(), least_h_, gains);
    }
    // Gains that differ by rounding only are equal: the winner must not depend on it.
    static double slack(double gain, const NewtonNode& node) {
        return node.tie + 1e-12 * std::abs(gain);
    }
    static bool better(double gain, const NewtonNode& node, const CodeSplit& best) {
        if (!(gain > node.tie)) return false;
        return !best.found() || gain > best.gain + slack(best.gain, node);
    }

    // The first of some gains that equals the greatest.
    static std::size_t first_of(std::span<const double> gains, double most,
                                const NewtonNode& node) {
        const double least = most - slack(most, node);
        return static_cast<std::size_t>(
            std::find_if(gains.begin(), gains.end(), [=](double gain) { return gain >= least; }) -
            gains.begin());
    }

    // Whether cells tell how many rows a side has, or nobody asks.
    bool knows_rows() const { return Cells::kCounted || least_n_ <= 1.0; }
    // Offers a column to all nodes of a level at once; `cells_of(k)` are those of the k-th node,
    // good until it is called again, and `counts`, if given, the rows of one node after the other.
    template <class CellsOf>
    void offer_to_all(std::int32_t column, bool categorical, std::uint32_t bins,
                      const std::vector<const NewtonNode*>& nodes, const CellsOf& cells_of,
                      const std::uint32_t* counts, double tie, CodeSplit& best);
    bool suits(const CodeSplit& rule, std::uint32_t bins, const Cell* cells, const NewtonNode& node,
               CodeSplit& own) const;

  private:
    // Sums of everything up to each bin that holds rows, and which bins those are. A small node
    // leaves most bins empty, and they would cost as much as the others.
    std::uint32_t accumulate(const Cell* cells, const std::uint32_t* counts, std::uint32_t bins) {
        std::uint32_t found = 0;
        if constexpr (Cells::kCounted) {
            Cell sum{};
            for (std::uint32_t b = 0; b < bins; ++b) {
                // Which bins are empty cannot be foreseen, so all are written and some count.
                Cells::add(sum, cells[b]);
                g_[found] = sum.g;
                h_[found] = sum.h;
                n_[found] = sum.n;
                codes_[found] = b;
                found += !Cells::empty(cells[b]);
            }
        } else {
            if (counts) {
                found = accumulate_counted(cells, counts, bins);
            } else {
                found = static_cast<std::uint32_t>(
                    running_sums(cells, bins, 0, prefix_.data(), codes_.data()));
            }
            unpack_cells({prefix_.data(), found}, cells_.unit_g, cells_.unit_h, {g_.data(), found},
                         {h_.data(), found});
        }
        found_ = found;
        bins_ = bins;
        return found;
    }

    // Of bins that hold rows as they were counted, a cell of which may be zero.
    std::uint32_t accumulate_counted(const Cell* cells, const std::uint32_t* counts,
                                     std::uint32_t bins) {
        Cell sum{};
        double rows = 0.0;
        std::uint32_t found = 0;
        for (std::uint32_t b = 0; b < bins; ++b) {
            Cells::add(sum, cells[b]);
            prefix_[found] = sum;
            codes_[found] = b;
            n_[found] = rows += counts[b];
            found += counts[b] > 0;
        }
        return found;
    }

    // Returns whether any boundary leaves enough on both sides, which bounds make hard to tell.
    bool offer_boundaries(std::int32_t column, std::uint32_t count, bool missing_left, bool missing,
                          bool counted, const NewtonNode& node, CodeSplit& best) {
        if (!count) return false;
        weigh(column, count, counted, node);
        const double most = greatest({gains_.data(), count});
        const bool fertile =
            !growth_.monotone.empty() || most > -std::numeric_limits<double>::infinity();
        if (!better(most, node, best)) return fertile;
        const auto b = static_cast<std::uint32_t>(first_of({gains_.data(), count}, most, node));
        record(column, {g_[b], h_[b], n_[b]}, gains_[b], node, best);
        best.categorical = false;
        best.missing_left = missing_left;
        best.saw_missing = missing;
        best.last_left = codes_[b];
        best.next = b + 1 < found_ ? codes_[b + 1] : bins_;
        return fertile;
    }

    // Gains of boundaries whose left sides are in g_, h_ and n_.
    void weigh(std::int32_t column, std::uint32_t count, bool counted, const NewtonNode& node) {
        if (plain()) {
            plain_gains({g_.data(), count}, {h_.data(), count}, node, leaf_.l2(), least_h_,
                        {gains_.data(), count});
        } else {
            for (std::uint32_t b = 0; b < count; ++b) gains_[b] = gain(column, b, node);
        }
        if (counted && least_n_ > 1.0)
            forbid_few({n_.data(), count}, least_n_, node.sums.n - least_n_, gains_.data());
    }

    double gain(std::int32_t column, std::uint32_t b, const NewtonNode& node) const {
        return gain(column, SlopeSums{g_[b], h_[b], 0.0}, node);
    }

    double gain(std::int32_t column, const SlopeSums& left, const NewtonNode& node) const {
        constexpr double no = -std::numeric_limits<double>::infinity();
        const SlopeSums right{node.sums.g - left.g, node.sums.h - left.h, 0.0};
        if (left.h < least_h_ || right.h < least_h_) return no;
        const double l = leaf_.value(left, node.bounds);
        const double r = leaf_.value(right, node.bounds);
        const int direction =
            growth_.monotone.empty() ? 0 : growth_.monotone[static_cast<std::size_t>(column)];
        if (direction * (l - r) > 0.0) return no;
        return leaf_.score(left, l) + leaf_.score(right, r) - node.score;
    }

    void record(std::int32_t column, const SlopeSums& left, double gain, const NewtonNode& node,
                CodeSplit& best) const {
        best.gain = gain;
        best.column = column;
        best.left_weight = left.h;
        best.left_value = leaf_.value(left, node.bounds);
        best.right_value =
            leaf_.value({node.sums.g - left.g, node.sums.h - left.h, 0.0}, node.bounds);
    }

    void offer_categories(std::int32_t column, std::uint32_t bins, const Cell* cells,
                          const std::uint32_t* counts, const NewtonNode& node, CodeSplit& best);

    void sort_categories(const std::vector<SlopeSums>& sums, double per_row);
    template <class CellsOf>
    void order_categories(std::uint32_t bins, const std::vector<const NewtonNode*>& nodes,
                          const CellsOf& cells_of);
    void fill_gains(std::int32_t column, const Cell* cells, const std::uint32_t* rows,
                    std::size_t count, std::uint32_t first, const NewtonNode& node);

    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    const Cells& cells_;
    const NewtonGrowth& growth_;
    const NewtonLeaf leaf_;
    double least_h_, least_n_;
    std::vector<Cell> unbundled_;
    std::vector<std::int64_t> prefix_;
    std::vector<double> g_, h_, n_;
    std::vector<std::uint32_t> codes_;  // bins that hold rows
    std::uint32_t found_ = 0;           // how many those are
    std::uint32_t bins_ = 0;            // of the column
    std::vector<double> gains_;
    std::vector<std::uint32_t> order_;
    std::vector<double> key_, totals_;
    std::vector<SlopeSums> sums_;
};

// Fills order_ with the categories of enough weight, by their smoothed slope; a row weighs
// `per_row`.
template <class Cells>
void NewtonScanner<Cells>::sort_categories(const std::vector<SlopeSums>& sums, double per_row) {
    constexpr double smooth = 10.0, support = 10.0;  // rows' worth of weight
    order_.clear();
    key_.resize(sums.size());
    for (std::uint32_t code = 0; code < sums.size(); ++code) {
        if (sums[code].h == 0.0 || sums[code].h < support * per_row * (1 - 1e-9)) continue;
        key_[code] = sums[code].g / (sums[code].h + smooth);
        order_.push_back(code);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key_[a] < key_[b]; });
}

// Categories are ordered by their smoothed slope, and the sets tried are those
// that begin the order or end it (Fisher 1958); the rare ones stay on the right, with whatever
// the node never saw.
template <class Cells>
void NewtonScanner<Cells>::offer_categories(std::int32_t column, std::uint32_t bins,
                                            const Cell* cells, const std::uint32_t* counts,
                                            const NewtonNode& node, CodeSplit& best) {
    sums_.resize(bins + 1);
    for (std::uint32_t code = 0; code <= bins; ++code) sums_[code] = cells_.sums(cells[code]);
    sort_categories(sums_, node.sums.n > 0.0 ? node.sums.h / node.sums.n : 1.0);
    if (order_.size() < 2) return;
    const bool counted = Cells::kCounted || counts;
    // Larger sets than half are the complements of smaller ones, but for the rare categories.
    const std::size_t half = (order_.size() + 1) / 2;
    for (const bool from_end : {false, true}) {
        SlopeSums left;
        for (std::size_t i = 0; i < half - from_end; ++i) {
            const std::uint32_t code = order_[from_end ? order_.size() - 1 - i : i];
            const SlopeSums& sums = sums_[code];
            left.g += sums.g;
            left.h += sums.h;
            left.n += counts ? static_cast<double>(counts[code]) : sums.n;
            if (counted && (left.n < least_n_ || node.sums.n - left.n < least_n_)) continue;
            const double now = gain(column, left, node);
            if (!better(now, node, best)) continue;
            record(column, left, now, node, best);
            best.categorical = true;
            best.saw_missing = true;
            if (from_end)
                best.left_codes.assign(order_.rbegin(),
                                       order_.rbegin() + static_cast<std::ptrdiff_t>(i) + 1);
            else
                best.left_codes.assign(order_.begin(),
                                       order_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            best.missing_left = std::find(best.left_codes.begin(), best.left_codes.end(), bins) !=
                                best.left_codes.end();
        }
    }
}

}  // namespace coterie
