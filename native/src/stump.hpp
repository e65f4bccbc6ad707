// A tree of one split on labels of two classes: one pass over the rows and no copy of them.
//
// It is what AdaBoost grows a thousand times, and gives exactly the tree that Grower would.
#pragma once

#include <numbers>
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
          n_threads_(n_threads), leaves_(leaves), interrupt_(interrupt),
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
        const std::size_t parts = worth ? static_cast<std::size_t>(std::max(n_threads_, 1)) : 1;
        std::vector<WholeHistogram> histograms(parts);
        std::vector<Totals> totals(parts);
        parallel_for(n_threads_, parts, [&](std::size_t p) {
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
        const double pair[] = {sums.w, sums.s};
        switch (growth_.criterion) {
            case Criterion::gini:
                return PairSums{pair[0], pair[1]}.score<Criterion::gini>(l2);
            case Criterion::entropy:
                return PairSums{pair[0], pair[1]}.score<Criterion::entropy>(l2);
            default:
                return PairSums{pair[0], pair[1]}.score<Criterion::misclassification>(l2);
        }
    }
    bool bits() const { return growth_.criterion == Criterion::entropy; }
    double cost(const PairSums& sums) const { return bits() ? 0.0 : sums.w; }
    double unit() const { return bits() ? 1.0 / std::numbers::ln2 : 1.0; }
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
        const double tie = 1e-11 * std::abs(cost(all) - whole) + 2e-15 * std::abs(whole);
        const NodeSums node{sums_, rows_, whole, tie};
        Limits limits;
        limits.min_samples_leaf = static_cast<std::uint32_t>(growth_.min_samples_leaf);
        limits.min_weight_leaf = growth_.min_weight_leaf;
        limits.l2 = growth_.l2;
        for (const std::int32_t column : growth_.columns) offer(column, node, limits, split);
        if (!split.found() || split.gain < growth_.min_gain - tie) return false;
        constexpr double rounding = std::numeric_limits<double>::epsilon();
        return split.gain * unit() / all.w + rounding >= growth_.min_impurity_decrease;
    }

    void offer(std::int32_t id, const NodeSums& node, const Limits& limits, Split& split) {
        const auto column = static_cast<std::size_t>(id);
        const std::uint32_t bins = bins_.count(column);
        const double* sums = histogram_.sums.data() + starts_[column] * PairSums::kStride;
        std::size_t found = 0;
        for (std::uint32_t code = 0; code < bins; ++code) {
            occupied_[found] = code;
            found += sums[code * PairSums::kStride] > 0.0;
        }
        const bool missing = sums[bins * PairSums::kStride] > 0.0;
        if (found + missing < 2) return;
        const std::uint32_t* counts =
            counted_ ? histogram_.counts.data() + starts_[column] : nullptr;
        Split candidate;
        scanner_.template best_split<true>(
            growth_.criterion,
            {id, sums, counts, std::span(occupied_.data(), found), missing, bins,
             bins_.categorical[column] != 0, bins_.lower_of(column), bins_.upper_of(column)},
            node, limits, candidate);
        if (!candidate.found()) return;
        const double ahead = candidate.gain - split.gain;
        const bool lower = candidate.column < split.column;
        if (!split.found() || ahead > node.tie || (lower && ahead >= -node.tie))
            std::swap(split, candidate);
    }

    void divide(const Split& split) {
        const auto column = static_cast<std::size_t>(split.column);
        const std::uint32_t missing = bins_.count(column);
        std::vector<std::uint8_t> left(missing + 1, 0);
        for (std::uint32_t code = 0; code <= missing; ++code)
            left[code] = !split.categorical && code < missing && code <= split.last_left;
        if (!split.categorical) left[missing] = split.saw_missing && split.missing_left;
        for (const std::uint32_t code : split.left_codes)
            if (split.categorical) left[code] = 1;

        PairSums sides[2];
        const double* sums = histogram_.sums.data() + starts_[column] * PairSums::kStride;
        for (std::uint32_t code = 0; code <= missing; ++code)
            sides[!left[code]].add(sums + code * PairSums::kStride);
        const bool missing_left =
            split.saw_missing ? left[missing] != 0 : split.left_weight > 0.5 * sums_[0];
        tree_.nodes[0].left = 1;
        tree_.nodes[0].threshold = split.threshold;
        record_column(tree_.nodes[0], split.column, missing_left, split.categorical);
        if (split.categorical)
            record_categories(tree_, 0, coterie::sides(split, missing, missing_left));
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
    const int n_threads_;
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
