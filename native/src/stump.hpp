// A tree of one split on labels of two classes: one pass over the rows and no copy of them.
//
// It is what AdaBoost grows a thousand times, and gives exactly the tree that Grower would.
#pragma once

#include <numeric>

#include "divide.hpp"
#include "grower.hpp"

namespace coterie {

template <class Code>
class Stump {
  public:
    Stump(const Matrix<const Code>& codes, const BinsView& bins, const TargetView& target,
          std::span<const double> weight, const Growth& growth, const Channels& channels,
          int n_threads, std::span<std::int32_t> leaves, Interrupt& interrupt)
        : codes_(codes), bins_(bins), target_(target), weight_(weight), growth_(growth),
          team_(n_threads), leaves_(leaves), interrupt_(interrupt),
          grid_(std::accumulate(weight.begin(), weight.end(), 0.0)), scanner_(channels),
          counted_(growth.min_samples_leaf > 1) {
        starts_.resize(bins.columns());
        std::uint32_t most = 0;
        for (const auto column : growth.columns) {
            const auto j = static_cast<std::size_t>(column);
            starts_[j] = cells_;
            cells_ += bins.count(j) + 1;
            most = std::max(most, bins.count(j));
        }
        occupied_.resize(most + 1);
    }

    static bool suits(const TargetView& target, const Growth& growth) {
        return target.labels() && target.outputs() == 1 && target.n_classes[0] == 2 &&
               growth.max_depth == 1 && growth.max_leaf_nodes >= 2 && !growth.max_features &&
               !growth.random_thresholds && growth.monotone.empty() && !growth.interactions.data;
    }

    Tree run() {
        count();
        const PairSums all{sums_[0], sums_[1]};
        write_node(all, rows_);
        Split split;
        if (find(split)) {
            divide(split);
        } else {
            tree_.nodes[0] = {0.0, 0, ~0};
            tree_.values = {1.0 - all.s / all.w, all.s / all.w};
            for (std::size_t i = 0; i < leaves_.size(); ++i)
                if (visited(i)) leaves_[i] = 0;
        }
        return std::move(tree_);
    }

  private:
    static constexpr std::size_t kBlock = 4096;

    bool visited(std::size_t row) const { return grid_.snap(weight_[row]) > 0.0; }

    void count() {
        const std::size_t n = codes_.rows;
        const bool worth = n * growth_.columns.size() >= 400'000;
        const std::size_t parts = worth ? team_.size() : 1;
        std::vector<WholeHistogram> histograms(parts);
        std::vector<Totals> totals(parts);
        team_.run(parts, [&](std::size_t p) {
            histograms[p].resize(cells_, PairSums::kStride, counted_);
            totals[p] = count_part(n * p / parts, n * (p + 1) / parts, histograms[p]);
        });
        for (std::size_t p = 0; p < parts; ++p) {
            if (p) histograms[0].add(histograms[p]);
            sums_[0] += totals[p].w;
            sums_[1] += totals[p].s;
            rows_ += totals[p].rows;
        }
        histogram_ = std::move(histograms[0]);
        interrupt_.after(n * growth_.columns.size());
    }

    struct Totals {
        double w = 0.0, s = 0.0;
        std::uint32_t rows = 0;
    };

    // Rows become items a block at a time.
    Totals count_part(std::size_t begin, std::size_t end, WholeHistogram& out) {
        std::vector<std::uint32_t> rows(kBlock);
        std::vector<Item> items(kBlock);
        Totals totals;
        for (std::size_t at = begin; at < end; at += kBlock) {
            std::size_t found = 0;
            for (std::size_t i = at; i < std::min(end, at + kBlock); ++i) {
                const double w = grid_.snap(weight_[i]);
                const double s = target_.codes(i, 0) ? w : 0.0;
                rows[found] = static_cast<std::uint32_t>(i);
                items[found] = {w, s};
                found += w > 0.0;
                totals.w += w > 0.0 ? w : 0.0;
                totals.s += w > 0.0 ? s : 0.0;
            }
            totals.rows += static_cast<std::uint32_t>(found);
            fill_whole(PairKind{}, RowSet<Code>{codes_, rows.data(), items.data(), found},
                       growth_.columns, starts_, out);
        }
        return totals;
    }

    double score(const PairSums& sums, double l2) const {
        return pair_score(growth_.criterion, sums, l2);
    }
    double cost(const PairSums& sums) const {
        return growth_.criterion == Criterion::entropy ? 0.0 : sums.w;
    }
    double unit() const { return impurity_unit(growth_.criterion, 1); }
    static bool pure(const PairSums& sums) { return sums.s == 0.0 || sums.s == sums.w; }

    void write_node(const PairSums& sums, std::uint32_t rows) {
        const double impurity = (cost(sums) - score(sums, 0.0)) * unit() / sums.w;
        tree_.nodes.push_back({0.0, 0, 0});
        tree_.n_samples.push_back(static_cast<std::int32_t>(rows));
        tree_.weight.push_back(sums.w);
        tree_.impurity.push_back(pure(sums) ? 0.0 : std::max(impurity, 0.0));
    }

    bool find(Split& split) {
        const PairSums all{sums_[0], sums_[1]};
        if (pure(all) || rows_ < growth_.min_samples_split ||
            rows_ < 2 * growth_.min_samples_leaf || all.w < 2 * growth_.min_weight_leaf)
            return false;
        const double whole = score(all, growth_.l2);
        const NodeSums node{sums_, rows_, whole, gain_tie(cost(all), whole)};
        const Limits limits = plain_limits(growth_);
        for (const std::int32_t id : growth_.columns) {
            const auto j = static_cast<std::size_t>(id);
            const Place place{id, starts_[j], bins_.count(j), bins_.categorical[j] != 0};
            const ColumnView column = whole_column(histogram_, place, PairSums::kStride, occupied_);
            if (column.occupied.size() + column.missing < 2) continue;
            Split candidate;
            scanner_.template best_split<true>(growth_.criterion, column, node, limits, candidate);
            if (candidate.found()) keep_better(candidate, node.tie, true, split);
        }
        return split.found() && split.gain >= growth_.min_gain - node.tie &&
               decreases_enough(split.gain * unit() / all.w, growth_);
    }

    void divide(Split& split) {
        const auto column = static_cast<std::size_t>(split.column);
        const std::uint32_t missing = bins_.count(column);
        split.threshold = bins_.threshold(column, split.last_left, split.first_right);
        std::vector<std::uint8_t> left(missing + 1, 0);
        split.with_side<std::uint32_t>(missing, [&](const auto& goes) {
            for (std::uint32_t code = 0; code <= missing; ++code) left[code] = goes(code);
        });
        PairSums sides[2];
        const double* sums = histogram_.sums.data() + starts_[column] * PairSums::kStride;
        for (std::uint32_t code = 0; code <= missing; ++code)
            sides[!left[code]].add(sums + code * PairSums::kStride);
        tree_.nodes[0].left = 1;
        record_split(tree_, 0, split, missing);
        const std::uint32_t rows = send_rows(column, left);
        write_node(sides[0], rows);
        write_node(sides[1], rows_ - rows);
        for (std::int32_t k = 0; k < 2; ++k) {
            tree_.nodes[static_cast<std::size_t>(k) + 1].left = ~k;
            const double share = std::clamp(sides[k].s / sides[k].w, 0.0, 1.0);
            tree_.values.insert(tree_.values.end(), {1.0 - share, share});
        }
    }

    // Notes the leaf of every row and returns how many go left.
    std::uint32_t send_rows(std::size_t column, const std::vector<std::uint8_t>& left) {
        const Code* codes = codes_.col(column);
        std::uint32_t count = 0;
        for (std::size_t i = 0; i < codes_.rows; ++i) {
            if (!visited(i)) continue;
            const bool goes = left[codes[static_cast<std::ptrdiff_t>(i) * codes_.row_stride]] != 0;
            count += goes;
            if (!leaves_.empty()) leaves_[i] = !goes;
        }
        return count;
    }

    const Matrix<const Code>& codes_;
    const BinsView& bins_;
    const TargetView& target_;
    const std::span<const double> weight_;
    const Growth& growth_;
    Team team_;
    const std::span<std::int32_t> leaves_;
    Interrupt& interrupt_;
    const Grid grid_;
    Scanner scanner_;
    const bool counted_;
    std::vector<std::size_t> starts_;
    std::size_t cells_ = 0;
    std::vector<std::uint32_t> occupied_;
    WholeHistogram histogram_;
    double sums_[2] = {0.0, 0.0};
    std::uint32_t rows_ = 0;
    Tree tree_;
};

}  // namespace coterie
