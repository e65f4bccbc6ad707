// Rows of a node in the order of their targets, and what their distances to the median cost as
// they leave one by one.
//
// A row that leaves moves the weighted median of the others by a place or so, to a neighbour among
// those that are still there. So they are kept as a list, and the costs of all parts of a column
// take time in proportion to the rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "coterie/histogram.hpp"
#include "coterie/target.hpp"

namespace coterie {

class RankedRows {
  public:
    // Do targets ascend, and are weights so alike that a median never moves far?
    static bool suits(std::span<const Item> items) {
        constexpr double alike = 16.0;
        double lightest = items[0].w, heaviest = items[0].w;
        for (std::size_t i = 1; i < items.size(); ++i) {
            if (items[i].s < items[i - 1].s) return false;
            lightest = std::min(lightest, items[i].w);
            heaviest = std::max(heaviest, items[i].w);
        }
        return heaviest <= alike * lightest;
    }

    // Targets are counted from the median, so that sums keep the digits that tell rows apart, and
    // products lie on a grid, so that sums are the same in every order of leaving.
    void begin(std::span<const Item> items) {
        const std::size_t n = items.size();
        for (auto* numbers : {&weight_, &value_, &product_}) numbers->assign(n + 2, 0.0);
        double total = 0.0;
        for (const Item& item : items) total += item.w;
        std::size_t at = 0;
        double upto = items[0].w;
        while (upto < 0.5 * total && at + 1 < n) upto += items[++at].w;
        const double lower = items[at].s;
        const bool between = upto == 0.5 * total && at + 1 < n;
        median_ = between ? std::midpoint(lower, items[at + 1].s) : lower;
        cost_ = 0.0;
        for (std::size_t i = 0; i < n; ++i) cost_ += items[i].w * std::abs(items[i].s - lower);
        const Grid grid(cost_);
        all_ = {};
        for (std::size_t i = 0; i < n; ++i) {
            weight_[i + 1] = items[i].w;
            value_[i + 1] = items[i].s - lower;
            product_[i + 1] = grid.snap(items[i].w * value_[i + 1]);
            all_.sum += product_[i + 1];
            if (i < at) all_.pass(items[i].w, product_[i + 1]);
        }
        all_.at = static_cast<std::uint32_t>(at) + 1;
        all_.weight = total;
    }

    double cost() const { return cost_; }  // sum of w |y - median|
    double median() const { return median_; }

    struct Rest {
        double cost, weight;
    };

    // All rows are there again.
    void restore() {
        const std::size_t n = weight_.size();
        next_.resize(n);
        previous_.resize(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            next_[i] = i + 1;
            previous_[i] = i - 1;
        }
        now_ = all_;
    }

    // Some leave, but not the last ones; says what the others cost.
    Rest leave(std::span<const std::uint32_t> rows) {
        State now = now_;
        for (const std::uint32_t row : rows) {
            const std::uint32_t i = row + 1, next = next_[i], previous = previous_[i];
            next_[previous] = next;
            previous_[next] = previous;
            const bool below = i < now.at;
            now.below -= below ? weight_[i] : 0.0;
            now.sum_below -= below ? product_[i] : 0.0;
            now.weight -= weight_[i];
            now.sum -= product_[i];
            now.at = i == now.at ? next : now.at;
        }
        find_median(now);
        now_ = now;
        return {now.cost(value_[now.at]), now.weight};
    }

    // What the rows of each of two sides cost; `side` has 0 or 1 for each row.
    std::pair<Rest, Rest> divide(std::span<const std::uint32_t> side) const {
        State sides[2] = {};
        for (std::size_t i = 0; i < side.size(); ++i) {
            sides[side[i]].weight += weight_[i + 1];
            sides[side[i]].sum += product_[i + 1];
        }
        for (std::uint32_t i = 0; i < side.size(); ++i) {
            State& mine = sides[side[i]];
            if (mine.at) continue;
            if (mine.below + weight_[i + 1] < 0.5 * mine.weight) {
                mine.pass(weight_[i + 1], product_[i + 1]);
            } else {
                mine.at = i + 1;
            }
        }
        const auto rest = [&](const State& s) { return Rest{s.cost(value_[s.at]), s.weight}; };
        return {rest(sides[0]), rest(sides[1])};
    }

  private:
    struct State {
        std::uint32_t at = 0;  // the median: less than half the weight is below it
        double below = 0.0, sum_below = 0.0, weight = 0.0, sum = 0.0;

        void pass(double w, double product) {
            below += w;
            sum_below += product;
        }
        double cost(double median) const {
            return std::max(
                (median * below - sum_below) + ((sum - sum_below) - median * (weight - below)),
                0.0);
        }
    };

    void find_median(State& now) const {
        const double half = 0.5 * now.weight;
        while (now.below >= half) {
            now.at = previous_[now.at];
            now.pass(-weight_[now.at], -product_[now.at]);
        }
        while (now.below + weight_[now.at] < half) {
            now.pass(weight_[now.at], product_[now.at]);
            now.at = next_[now.at];
        }
    }

    // By place among the targets, counted from one: both ends of the list have a place of their
    // own.
    std::vector<double> weight_, value_, product_;
    std::vector<std::uint32_t> next_, previous_;
    State all_, now_;
    double cost_ = 0.0, median_ = 0.0;
};

}  // namespace coterie
