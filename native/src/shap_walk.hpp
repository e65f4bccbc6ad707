// A leaf of value v is reached, whatever is known of a row, through the columns of its path. Let
// o_j be 1 if the row itself passes all splits of the path on column j, else 0, and z_j the share
// of the training weight that does. The leaf adds to the Shapley value of column i
//
//     v (o_i - z_i) ∫ ∏_{j≠i} (t o_j + (1 - t) z_j) dt,  t from 0 to 1,
//
// as ∫ t^s (1-t)^(k-1-s) dt = s! (k-1-s)! / k! is the weight of a coalition of s out of k - 1. The
// integrand has degree k - 1, so that Gauss and Legendre's rule with ⌈k/2⌉ points is exact. No
// factor is negative and no binomial is formed: depth costs no accuracy.
//
// The products are carried down the tree, and the sums over leaves up: at every node, what the
// leaves below it hold is divided by the factor of the node's own column. Where a column is asked
// again further down, its factor is replaced, and what the leaves there gave to the former one
// is taken back. So a row costs (nodes · points) per tree, and takes other rows along, lane by
// lane. (Yu, Bifet, Read & Xu, "Linear tree Shap", 2022, sum up likewise.)
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "quadrature.hpp"
#include "shap_lanes.hpp"
#include "shap_plan.hpp"
#include "step.hpp"

namespace coterie::shapley {

// A quadrature, with what a column gains per unit of the sum for rows that fail its splits.
struct Points : Quadrature {
    std::vector<double> fail;

    explicit Points(std::size_t n) : Quadrature(n), fail(n) {
        for (std::size_t q = 0; q < n; ++q) fail[q] = -weight[q] / rest[q];
    }
};

// Takes a block of rows through trees; holds what is known of the current path.
class Walk {
  public:
    Walk(std::size_t slots, std::size_t rows, std::size_t outputs)
        : rows_(rows), stride_(outputs), x_(slots * rows), last_(slots, kNone),
          phi_(slots * outputs * rows) {}

    // The cells of a column, and the values found so far, (rows).
    double* x(std::size_t slot) { return x_.data() + slot * rows_; }
    double* phi(std::size_t slot, std::size_t output) {
        return phi_.data() + (slot * stride_ + output) * rows_;
    }

    // Adds what some of the outputs of a tree gain to phi.
    void run(const Plan& plan, const Points& rule, const std::vector<std::uint32_t>& slots,
             std::span<const std::size_t> outputs) {
        plan_ = &plan, rule_ = &rule, slots_ = slots.data(), outputs_ = outputs;
        make_room();
        std::fill_n(product(1), cells().points * rows_, 1.0);
        levels_[0].side = 0;
        std::size_t level = 0;
        open(level, plan.root);
        while (level) {
            const Level& at = levels_[level];
            if (at.side == 2) {
                leave(level--);
                continue;
            }
            const Node* child = plan.root + at.node->left + at.side;
            if (child->is_leaf()) {
                reach(level, *child);
            } else {
                descend(level);
                open(level, child);
            }
        }
    }

  private:
    // One split of the current path.
    struct Level {
        const Node* node;
        std::uint32_t slot;
        int side;            // 0 before the left child, 1 before the right one, then 2
        std::size_t before;  // the level above that asked for the same column, or kNone
        double share[2];     // z of the column by side, all its splits so far included
    };

    // What a split leaves for the next one on its column, for rows that passed: the inverse of
    // the factor, and what was gained by it.
    struct Past {
        double inverse, gain;
    };

    Cells cells() const { return {rule_->at.size(), rows_}; }
    // What the path above multiplies up to; the sums over the leaves of either side.
    double* product(std::size_t level) {
        return products_.data() + level * rule_->at.size() * rows_;
    }
    double* sum(std::size_t level, int side, std::size_t k) {
        const std::size_t number = (2 * level + static_cast<std::size_t>(side)) * outputs_.size();
        return sums_.data() + (number + k) * rule_->at.size() * rows_;
    }
    std::int64_t* right(std::size_t level) { return masks_.data() + 2 * level * rows_; }
    std::int64_t* held(std::size_t level) { return right(level) + rows_; }
    // By side, what a split multiplies the product with, and what the column gains by a sum.
    Factor* ratios(std::size_t level, int side) {
        return factors_.data() + (4 * level + static_cast<std::size_t>(side)) * rule_->at.size();
    }
    Factor* gains(std::size_t level, int side) { return ratios(level, side + 2); }
    Past* pasts(std::size_t level, int side) {
        return pasts_.data() + (2 * level + static_cast<std::size_t>(side)) * rule_->at.size();
    }
    Choice choice(std::size_t level) {
        const std::size_t before = levels_[level].before;
        return {right(level), before == kNone ? nullptr : held(before)};
    }
    double value(const Node& leaf, std::size_t k) const {
        const auto number = static_cast<std::size_t>(~leaf.left);
        return plan_->tree_weight * plan_->values[number * plan_->width + outputs_[k]];
    }

    void make_room() {
        const std::size_t depth = plan_->depth + 1, points = rule_->at.size();
        const auto at_least = [](auto& array, std::size_t size) {
            if (array.size() < size) array.resize(size);
        };
        at_least(levels_, depth);
        at_least(products_, depth * points * rows_);
        at_least(sums_, 2 * depth * outputs_.size() * points * rows_);
        at_least(masks_, 2 * depth * rows_);
        at_least(factors_, 4 * depth * points + points);
        at_least(pasts_, 2 * depth * points);
    }

    // Goes on to an inner node. A split between two leaves is done with at once.
    void open(std::size_t& level, const Node* node) {
        enter(level + 1, node);
        const Node* child = plan_->root + node->left;
        if (child[0].is_leaf() && child[1].is_leaf())
            end_twig(level + 1, child);
        else
            ++level;
    }

    void enter(std::size_t level, const Node* node) {
        const std::uint32_t slot = slots_[node->feature()];
        levels_[level] = {node, slot, 0, last_[slot], {}};
        last_[slot] = level;
        ask_rows(level);
        set_factors(level);
    }

    void ask_rows(std::size_t level) {
        const Node node = *levels_[level].node;
        const double* cell = x(levels_[level].slot);
        std::int64_t* goes = right(level);
        if (!node.categorical()) {
            compare(node, cell, rows_, goes);
            return;
        }
        for (std::size_t row = 0; row < rows_; ++row)
            goes[row] = category_goes_right(node, cell[row], plan_->categories);
    }

    // With z the share of the column, above and below the split, its factor at point t is
    // t + (1 - t) z for rows that pass all its splits and (1 - t) z for others.
    void set_factors(std::size_t level) {
        Level& at = levels_[level];
        const Level* before = at.before == kNone ? nullptr : &levels_[at.before];
        const double above = before ? before->share[before->side] : 1.0;
        const Past* past = before ? pasts(at.before, before->side) : nullptr;
        const double left = left_share(*plan_, *at.node);
        for (int side = 0; side < 2; ++side) {
            const double part = side ? 1.0 - left : left, share = above * part;
            at.share[side] = share;
            Factor *ratio = ratios(level, side), *gain = gains(level, side);
            Past* here = pasts(level, side);
            for (std::size_t q = 0; q < rule_->at.size(); ++q) {
                const double t = rule_->at[q], rest = rule_->rest[q];
                const double former = past ? past[q].inverse : 1.0;
                const double lost = past ? past[q].gain : 0.0;
                const double passed = t + rest * share, failed = rest * share;
                const double inverse = 1.0 / passed;
                here[q] = {inverse, rule_->weight[q] * (1.0 - share) * inverse};
                const double fail = rule_->fail[q] - lost, pass = here[q].gain - lost;
                ratio[q] = side ? Factor{failed * former, passed * former, part}
                                : Factor{passed * former, failed * former, part};
                gain[q] = side ? Factor{fail, pass, 0.0} : Factor{pass, fail, 0.0};
            }
        }
    }

    void descend(std::size_t level) {
        hold(choice(level), levels_[level].side, rows_, held(level));
        scale(choice(level), ratios(level, levels_[level].side), cells(), product(level),
              product(level + 1));
    }

    // A leaf on the side that is being taken.
    void reach(std::size_t level, const Node& leaf) {
        const int side = levels_[level].side;
        Factor* scaled = factors_.data() + 4 * (plan_->depth + 1) * rule_->at.size();
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            const double v = value(leaf, k);
            for (std::size_t q = 0; q < rule_->at.size(); ++q) {
                const Factor& ratio = ratios(level, side)[q];
                scaled[q] = {v * ratio.left, v * ratio.right, v * ratio.loose};
            }
            scale(choice(level), scaled, cells(), product(level), sum(level, side, k));
        }
        ++levels_[level].side;
    }

    // A split between two leaves, in one go.
    void end_twig(std::size_t level, const Node* child) {
        const int side = levels_[level - 1].side;
        Factor* scaled = factors_.data() + 4 * (plan_->depth + 1) * rule_->at.size();
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            const double v[2] = {value(child[0], k), value(child[1], k)};
            const auto both = [&](bool gained) {
                for (std::size_t q = 0; q < rule_->at.size(); ++q) {
                    Factor whole{};
                    for (int s = 0; s < 2; ++s) {
                        const Factor &ratio = ratios(level, s)[q], &gain = gains(level, s)[q];
                        whole.left += v[s] * ratio.left * (gained ? gain.left : 1.0);
                        whole.right += v[s] * ratio.right * (gained ? gain.right : 1.0);
                        whole.loose += v[s] * ratio.loose * (gained ? gain.loose : 1.0);
                    }
                    scaled[q] = whole;
                }
            };
            both(false);
            scale(choice(level), scaled, cells(), product(level), sum(level - 1, side, k));
            both(true);
            gather(choice(level), scaled, cells(), product(level),
                   phi(levels_[level].slot, outputs_[k]));
        }
        close(level);
    }

    // Both sides are known.
    void leave(std::size_t level) {
        const Level& at = levels_[level];
        const Choice asked = choice(level);
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            const double* left = sum(level, 0, k);
            const double* other = sum(level, 1, k);
            double* gained = phi(at.slot, outputs_[k]);
            gather(asked, gains(level, 0), cells(), left, gained);
            gather(asked, gains(level, 1), cells(), other, gained);
            double* total = sum(level - 1, levels_[level - 1].side, k);
            add(cells(), left, other, total);
        }
        close(level);
    }

    void close(std::size_t level) {
        last_[levels_[level].slot] = levels_[level].before;
        ++levels_[level - 1].side;
    }

    std::size_t rows_, stride_;
    std::vector<double> x_;          // (slots, rows)
    std::vector<std::size_t> last_;  // by slot: the level that last asked for it
    std::vector<double> phi_;        // (slots, outputs, rows)
    const Plan* plan_ = nullptr;
    const Points* rule_ = nullptr;
    const std::uint32_t* slots_ = nullptr;  // of all columns
    std::span<const std::size_t> outputs_;
    std::vector<Level> levels_;
    std::vector<double> products_, sums_;
    std::vector<std::int64_t> masks_;
    std::vector<Factor> factors_;
    std::vector<Past> pasts_;
};

}  // namespace coterie::shapley
