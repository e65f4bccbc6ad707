// Shapley values against other rows, whose cells stand in for unknown ones.
//
// Let a leaf of value v have k columns on its path, and let the row pass all the splits of some of
// them, and the other row those of some. If together they do not pass every column, the leaf is
// never reached. Otherwise let p columns be passed by the row alone and q by the other alone. Each
// of the former gains v (p-1)! q! / (p+q)!, and each of the latter loses v p! (q-1)! / (p+q)!: the
// shares of orders in which it is the last of the p, or the first of the q, to become known.
//
// Who passes what is a pattern of k bits. Where k is small there are few patterns, so the many rows
// and the many others meet pattern by pattern, not one by one. Further down, pairs are kept that
// can still reach a leaf together; they are few there.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "coterie/matrix.hpp"
#include "shap_lanes.hpp"
#include "shap_plan.hpp"
#include "step.hpp"

namespace coterie::shapley {

// (p-1)! q! / (p+q)! for p from 1.
class Shares {
  public:
    explicit Shares(std::size_t columns) : size_(columns + 1), table_(size_ * size_) {
        for (std::size_t q = 0; q < size_; ++q) {
            double share = 1.0 / static_cast<double>(q + 1);
            for (std::size_t p = 1; p < size_; ++p) {
                table_[p * size_ + q] = share;
                share *= static_cast<double>(p) / static_cast<double>(p + q + 1);
            }
        }
    }
    double operator()(std::size_t p, std::size_t q) const { return table_[p * size_ + q]; }

  private:
    std::size_t size_;
    std::vector<double> table_;
};

// Takes a block of rows through trees together with all the others. They share the lanes: the
// rows come first.
class Duel {
  public:
    Duel(std::size_t slots, std::size_t rows, std::size_t others)
        : rows_(rows), lanes_(rows + others), x_(slots * lanes_), bit_(slots, kNone),
          right_(lanes_), memory_(std::size_t{1} << kDirect), tally_(std::size_t{1} << kDirect) {}

    double* x(std::size_t slot) { return x_.data() + slot * lanes_; }

    // Adds what the columns gain to out, (rows, columns * outputs).
    void run(const Plan& plan, const Shares& shares, const std::vector<std::uint32_t>& slots,
             const Matrix<double>& out) {
        plan_ = &plan, shares_ = &shares, slots_ = slots.data(), out_ = out;
        words_ = (2 * plan.points + 63) / 64;
        if (levels_.size() < plan.depth + 1) levels_.resize(plan.depth + 1);
        const std::size_t room = (plan.depth + 1) * words_ * lanes_;
        if (patterns_.size() < room) patterns_.resize(room);
        std::fill_n(patterns(0), words_ * lanes_, ~std::uint64_t{0});
        std::size_t level = 0;
        levels_[0].paired = false;
        open(level, plan.root);
        for (;;) {
            Level& at = levels_[level];
            if (at.side == 2) {
                close(level);
                if (level-- == 0) return;
                continue;
            }
            const Node* child = plan.root + at.node->left + at.side;
            take_side(level);
            ++at.side;
            if (levels_[level + 1].paired && levels_[level + 1].pairs.empty()) continue;
            if (child->is_leaf())
                reach(level + 1, *child);
            else
                open(++level, child);
        }
    }

  private:
    static constexpr std::size_t kDirect = 10;  // bits of patterns that index an array
    static constexpr std::size_t kPaired = 8;   // columns of a path from which on pairs are kept

    struct Pair {
        std::uint32_t row, other;
    };
    struct Level {
        const Node* node;
        int side;
        bool fresh;               // no split above asks for the column
        bool paired;              // are there `pairs`?
        std::vector<Pair> pairs;  // those that can reach a leaf from here, row by row
    };
    // What the columns gain for a row of some pattern, if it was reckoned at this leaf.
    struct Gain {
        std::size_t leaf = 0;
        bool any = false;
        std::vector<double> each{};
    };

    // (words, lanes): bits that are set are passed; bits that stand for no column are set
    std::uint64_t* patterns(std::size_t level) {
        return patterns_.data() + level * words_ * lanes_;
    }

    void open(std::size_t level, const Node* node) {
        const std::uint32_t slot = slots_[node->feature()];
        levels_[level].node = node;
        levels_[level].side = 0;
        levels_[level].fresh = bit_[slot] == kNone;
        if (!levels_[level].fresh) return;
        bit_[slot] = path_.size();
        path_.push_back(node->feature());
    }

    void close(std::size_t level) {
        if (!levels_[level].fresh) return;
        bit_[slots_[path_.back()]] = kNone;
        path_.pop_back();
    }

    void take_side(std::size_t level) {
        const Node node = *levels_[level].node;
        const std::uint32_t slot = slots_[node.feature()];
        if (node.categorical()) {
            for (std::size_t lane = 0; lane < lanes_; ++lane)
                right_[lane] = category_goes_right(node, x(slot)[lane], plan_->categories);
        } else {
            compare(node, x(slot), lanes_, right_.data());
        }
        const std::uint64_t* from = patterns(level);
        std::uint64_t* to = patterns(level + 1);
        std::copy_n(from, words_ * lanes_, to);
        to += bit_[slot] / 64 * lanes_;
        const std::uint64_t bit = std::uint64_t{1} << (bit_[slot] % 64);
        for (std::size_t lane = 0; lane < lanes_; ++lane)
            to[lane] &= right_[lane] == levels_[level].side ? ~std::uint64_t{0} : ~bit;
        levels_[level + 1].paired = levels_[level].paired || path_.size() > kPaired;
        if (levels_[level + 1].paired) pair_up(level, to);
    }

    // Keeps the pairs that pass the column of the level, whose bit is in these words.
    void pair_up(std::size_t level, const std::uint64_t* word) {
        std::vector<Pair>& pairs = levels_[level + 1].pairs;
        pairs.clear();
        const auto keep = [&](std::uint32_t row, std::uint32_t other) {
            if ((word[row] | word[other]) == ~std::uint64_t{0}) pairs.push_back({row, other});
        };
        if (levels_[level].paired) {
            for (const auto& [row, other] : levels_[level].pairs) keep(row, other);
        } else {
            for (std::size_t row = 0; row < rows_; ++row)
                for (std::size_t other = rows_; other < lanes_; ++other)
                    keep(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(other));
        }
    }

    void reach(std::size_t level, const Node& leaf) {
        ++leaf_;
        const double* values = plan_->values + static_cast<std::size_t>(~leaf.left) * plan_->width;
        if (path_.size() > kDirect) return reach_in_pairs(level, values);
        const std::uint64_t* all = patterns(level);
        const std::uint64_t mask = (std::uint64_t{1} << path_.size()) - 1;
        muster(all, mask);
        for (std::size_t row = 0; row < rows_; ++row) {
            Gain& gain = memory_[all[row] & mask];
            if (gain.leaf != leaf_) {
                begin(gain);
                for (const auto& [other, count] : troops_) meet(all + row, other, count, gain);
            }
            hand_out(gain, values, row);
        }
    }

    void reach_in_pairs(std::size_t level, const double* values) {
        const std::vector<Pair>& pairs = levels_[level].pairs;
        const std::uint64_t* all = patterns(level);
        for (std::size_t i = 0; i < pairs.size();) {
            const std::uint32_t row = pairs[i].row;
            begin(memory_[0]);
            for (; i < pairs.size() && pairs[i].row == row; ++i)
                meet(all + row, all + pairs[i].other, 1.0, memory_[0]);
            hand_out(memory_[0], values, row);
        }
    }

    // The patterns of the others, and how many there are of each.
    void muster(const std::uint64_t* all, std::uint64_t mask) {
        troops_.clear();
        for (std::size_t lane = rows_; lane < lanes_; ++lane) {
            auto& [leaf, place] = tally_[all[lane] & mask];
            if (leaf != leaf_) {
                leaf = leaf_, place = troops_.size();
                troops_.push_back({all + lane, 0.0});
            }
            troops_[place].count += 1.0;
        }
    }

    void begin(Gain& gain) {
        gain.leaf = leaf_;
        gain.any = false;
        gain.each.assign(path_.size(), 0.0);
    }

    // What a row gains by `count` others of one pattern.
    void meet(const std::uint64_t* row, const std::uint64_t* other, double count, Gain& gain) {
        std::size_t p = 0, q = 0;
        for (std::size_t w = 0; w < words_ * lanes_; w += lanes_) {
            if ((row[w] | other[w]) != ~std::uint64_t{0}) return;
            p += static_cast<std::size_t>(std::popcount(row[w] & ~other[w]));
            q += static_cast<std::size_t>(std::popcount(other[w] & ~row[w]));
        }
        if (p + q == 0) return;
        gain.any = true;
        const double won = p ? count * (*shares_)(p, q) : 0.0;
        const double lost = q ? count * (*shares_)(q, p) : 0.0;
        for (std::size_t j = 0; j < path_.size(); ++j) {
            const std::size_t w = j / 64 * lanes_;
            const bool own = row[w] >> (j % 64) & 1, theirs = other[w] >> (j % 64) & 1;
            if (own != theirs) gain.each[j] += own ? won : -lost;
        }
    }

    void hand_out(const Gain& gain, const double* values, std::size_t row) {
        if (!gain.any) return;
        double* phi = out_.row(row);
        for (std::size_t j = 0; j < path_.size(); ++j)
            for (const std::size_t k : plan_->outputs)
                phi[path_[j] * plan_->width + k] += plan_->tree_weight * values[k] * gain.each[j];
    }

    struct Troop {
        const std::uint64_t* pattern;
        double count;
    };

    std::size_t rows_, lanes_, words_ = 1, leaf_ = 0;
    std::vector<double> x_;         // (slots, lanes)
    std::vector<std::size_t> bit_;  // by slot: the bit of the column in the patterns, or kNone
    std::vector<std::int64_t> right_;
    std::vector<Gain> memory_;
    std::vector<std::pair<std::size_t, std::size_t>> tally_;  // leaf, and place among the troops
    std::vector<Troop> troops_;
    std::vector<std::uint32_t> path_;  // the columns, in the order of their bits
    std::vector<Level> levels_;
    std::vector<std::uint64_t> patterns_;
    const Plan* plan_ = nullptr;
    const Shares* shares_ = nullptr;
    const std::uint32_t* slots_ = nullptr;
    Matrix<double> out_{};
};

}  // namespace coterie::shapley
