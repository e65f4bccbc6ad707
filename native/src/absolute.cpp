#include "coterie/absolute.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "node_order.hpp"
#include "ranked_rows.hpp"

namespace coterie {

AbsoluteError::AbsoluteError() : ranked_(std::make_unique<RankedRows>()) {}
AbsoluteError::~AbsoluteError() = default;

void AbsoluteError::begin(std::span<const Item> items, const Matrix<const double>& values) {
    items_ = items;
    values_ = values;
    outputs_ready_ = false;
    medians_.resize(values.cols);
    in_order_ = values.cols == 1 && RankedRows::suits(items);
    if (in_order_) {
        ranked_->begin(items);
        cost_ = ranked_->cost();
        medians_[0] = ranked_->median();
        return;
    }
    rank_outputs();
    clear_side();
    for (std::uint32_t row = 0; row < items.size(); ++row) add_row(row);
    cost_ = side().cost;
    for (std::size_t k = 0; k < outputs_.size(); ++k)
        medians_[k] = outputs_[k].cost_and_median(total_weight_).second;
}

void AbsoluteError::rank_outputs() {
    if (outputs_ready_) return;
    outputs_ready_ = true;
    outputs_.resize(values_.cols);
    by_value_.resize(items_.size());
    for (std::size_t k = 0; k < values_.cols; ++k) {
        for (std::uint32_t row = 0; row < items_.size(); ++row) {
            const double s = items_[row].s;
            by_value_[row] = {values_.cols == 1 ? s : values_(static_cast<std::size_t>(s), k), row};
        }
        if (!in_order_) std::sort(by_value_.begin(), by_value_.end());
        Output& output = outputs_[k];
        output.rank.resize(items_.size());
        output.value.clear();
        for (const auto& [value, row] : by_value_) {
            if (output.value.empty() || output.value.back() != value) output.value.push_back(value);
            output.rank[row] = static_cast<std::uint32_t>(output.value.size()) - 1;
        }
    }
}

void AbsoluteError::Output::clear() {
    weight.assign(value.size() + 1, 0.0);
    sum.assign(value.size() + 1, 0.0);
    total = 0.0;
}

void AbsoluteError::Output::add(std::uint32_t row, double w) {
    const double product = w * value[rank[row]];
    for (std::size_t i = rank[row] + 1; i < weight.size(); i += i & (~i + 1)) {
        weight[i] += w;
        sum[i] += product;
    }
    total += product;
}

std::pair<double, double> AbsoluteError::Output::cost_and_median(double total_weight) const {
    // Descend to the last rank whose weight below is less than half.
    const double half = 0.5 * total_weight;
    std::size_t at = 0;
    double below = 0.0, sum_below = 0.0;
    for (std::size_t step = std::bit_floor(weight.size() - 1); step; step /= 2) {
        if (at + step >= weight.size() || below + weight[at + step] >= half) continue;
        at += step;
        below += weight[at];
        sum_below += sum[at];
    }
    double median = value[std::min(at, value.size() - 1)];
    const double cost =
        (median * below - sum_below) + ((total - sum_below) - median * (total_weight - below));
    // Exactly half the weight up to here: any value up to the next one is a median.
    double upto = 0.0;
    for (std::size_t i = at + 1; i; i &= i - 1) upto += weight[i];
    if (upto == half && at + 1 < value.size()) {
        std::size_t next = 0;
        double passed = 0.0;
        for (std::size_t step = std::bit_floor(weight.size() - 1); step; step /= 2) {
            if (next + step >= weight.size() || passed + weight[next + step] > half) continue;
            next += step;
            passed += weight[next];
        }
        median = std::midpoint(median, value[std::min(next, value.size() - 1)]);
    }
    return {std::max(cost, 0.0), median};
}

void AbsoluteError::clear_side() {
    for (Output& output : outputs_) output.clear();
    total_weight_ = 0.0;
    total_count_ = 0;
}

void AbsoluteError::add_row(std::uint32_t row) {
    for (Output& output : outputs_) output.add(row, items_[row].w);
    total_weight_ += items_[row].w;
    ++total_count_;
}

AbsoluteError::Side AbsoluteError::side() const {
    const auto [cost, median] = outputs_[0].cost_and_median(total_weight_);
    Side found{cost, total_weight_, median, total_count_};
    for (std::size_t k = 1; k < outputs_.size(); ++k)
        found.cost += outputs_[k].cost_and_median(total_weight_).first;
    return found;
}

// Groups the rows that share a code: by counting, or of few rows among many codes by sorting.
void AbsoluteError::group_rows(std::span<const std::uint32_t> codes) {
    const auto n = static_cast<std::uint32_t>(codes.size());
    const std::uint32_t most = *std::max_element(codes.begin(), codes.end());
    by_code_.resize(n);
    if (most <= 4 * n) {
        positions_.assign(most + 2, 0);
        for (const std::uint32_t code : codes) ++positions_[code + 1];
        std::partial_sum(positions_.begin(), positions_.end(), positions_.begin());
        for (std::uint32_t row = 0; row < n; ++row) by_code_[positions_[codes[row]]++] = row;
    } else {
        keys_.resize(n);
        for (std::uint32_t row = 0; row < n; ++row)
            keys_[row] = (std::uint64_t{codes[row]} << 32) | row;
        std::sort(keys_.begin(), keys_.end());
        for (std::uint32_t i = 0; i < n; ++i) by_code_[i] = static_cast<std::uint32_t>(keys_[i]);
    }
    starts_.clear();
    code_.clear();
    for (std::uint32_t i = 0; i < n; ++i) note_group(i, codes[by_code_[i]]);
    starts_.push_back(n);
}

void AbsoluteError::note_group(std::uint32_t first, std::uint32_t code) {
    if (!code_.empty() && code_.back() == code) return;
    starts_.push_back(first);
    code_.push_back(code);
}

// Whether a boundary is allowed and better than the best so far, which it becomes then.
bool AbsoluteError::improves(const Side& left, const Side& right, const NodeSums& node,
                             const Limits& limits, Split& best) const {
    if (left.count < limits.min_samples_leaf || right.count < limits.min_samples_leaf ||
        left.weight < limits.min_weight_leaf || right.weight < limits.min_weight_leaf)
        return false;
    if (limits.bounded) {
        if (std::min(left.median, right.median) < limits.bounds.low ||
            std::max(left.median, right.median) > limits.bounds.high)
            return false;
        if (limits.direction * (right.median - left.median) < 0.0) return false;
    }
    const double gain = cost_ - left.cost - right.cost;
    if (best.found() && !(gain > best.gain + node.tie)) return false;
    best.gain = gain;
    best.left_weight = left.weight;
    best.left_value = left.median;
    best.right_value = right.median;
    return true;
}

// Boundaries between all groups: what is left of them costs as the groups on the right leave, and
// what is right of them as those on the left do.
void AbsoluteError::offer_ranked(const ColumnView& column, const NodeSums& node,
                                 const Limits& limits, Split& best) {
    const std::size_t groups = code_.size();
    const auto leave = [&](std::size_t group, std::uint32_t count) {
        const auto [cost, weight] = ranked_->leave(
            std::span(by_code_).subspan(starts_[group], starts_[group + 1] - starts_[group]));
        return Side{cost, weight, 0.0, count};
    };
    from_right_.resize(groups);
    ranked_->restore();
    for (std::size_t i = groups; i-- > 1;) from_right_[i - 1] = leave(i, starts_[i]);
    ranked_->restore();
    for (std::size_t i = 0; i + 1 < groups; ++i) {
        const Side right = leave(i, starts_[groups] - starts_[i + 1]);
        if (!improves(from_right_[i], right, node, limits, best)) continue;
        best.column = column.column;
        best.categorical = best.saw_missing = best.missing_left = false;
        best.last_left = code_[i];
        best.first_right = code_[i + 1];
    }
}

// The one boundary of a drawn split.
void AbsoluteError::offer_sides(std::span<const std::uint32_t> sides, const ColumnView& column,
                                const NodeSums& node, const Limits& limits, Split& best) {
    const auto [left, right] = ranked_->divide(sides);
    const auto n_right =
        static_cast<std::uint32_t>(std::count(sides.begin(), sides.end(), std::uint32_t{1}));
    const auto n_left = static_cast<std::uint32_t>(sides.size()) - n_right;
    if (!improves({left.cost, left.weight, 0.0, n_left}, {right.cost, right.weight, 0.0, n_right},
                  node, limits, best))
        return;
    best.column = column.column;
    best.categorical = best.saw_missing = best.missing_left = false;
    best.last_left = 0;
    best.first_right = 1;
}

void AbsoluteError::offer(std::span<const std::uint32_t> groups, std::size_t boundaries,
                          const ColumnView& column, const NodeSums& node, const Limits& limits,
                          bool missing_left, Split& best) {
    const auto enter = [&](std::size_t group) {
        for (std::uint32_t i = starts_[group]; i < starts_[group + 1]; ++i) add_row(by_code_[i]);
    };
    from_right_.resize(groups.size());
    clear_side();
    for (std::size_t i = groups.size(); i-- > 1;) {
        enter(groups[i]);
        from_right_[i] = side();
    }
    clear_side();
    for (std::size_t i = 0; i < boundaries; ++i) {
        enter(groups[i]);
        if (i == 0 && missing_left) enter(code_.size() - 1);
        if (!improves(side(), from_right_[i + 1], node, limits, best)) continue;
        best.column = column.column;
        best.categorical = column.categorical;
        best.saw_missing = column.missing;
        best.missing_left = missing_left;
        if (column.categorical) {
            best.left_codes.clear();
            best.right_codes.clear();
            for (std::size_t j = 0; j < groups.size(); ++j)
                (j <= i ? best.left_codes : best.right_codes).push_back(code_[groups[j]]);
        } else {
            best.last_left = code_[groups[i]];
            best.first_right =
                i + 1 < code_.size() - column.missing ? code_[groups[i + 1]] : column.missing_code;
        }
    }
}

// By the mean target, of several outputs by the sum of the means.
void AbsoluteError::order_categories(const ColumnView& column) {
    std::vector<double> mean(code_.size(), 0.0);
    for (std::size_t group = 0; group < code_.size(); ++group) {
        double weight = 0.0;
        for (std::uint32_t i = starts_[group]; i < starts_[group + 1]; ++i)
            weight += items_[by_code_[i]].w;
        for (std::uint32_t i = starts_[group]; i < starts_[group + 1]; ++i)
            for (const Output& output : outputs_)
                mean[group] +=
                    items_[by_code_[i]].w * output.value[output.rank[by_code_[i]]] / weight;
    }
    if (column.missing) order_.push_back(static_cast<std::uint32_t>(code_.size()) - 1);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return mean[a] < mean[b]; });
}

void AbsoluteError::best_split(std::span<const std::uint32_t> codes, const ColumnView& column,
                               const NodeSums& node, const Limits& limits, Split& best) {
    group_rows(codes);
    search_groups(column, node, limits, best);
}

void AbsoluteError::best_sorted_split(std::span<const std::uint32_t> keys, const ColumnView& column,
                                      const NodeSums& node, const Limits& limits, Split& best) {
    const auto n = static_cast<std::uint32_t>(keys.size());
    by_code_.resize(n);
    starts_.clear();
    code_.clear();
    for (std::uint32_t i = 0; i < n; ++i) {
        by_code_[i] = NodeOrder::position(keys[i]);
        note_group(i, NodeOrder::code(keys[i]));
    }
    starts_.push_back(n);
    search_groups(column, node, limits, best);
}

void AbsoluteError::search_groups(const ColumnView& column, const NodeSums& node,
                                  const Limits& limits, Split& best) {
    if (in_order_ && !column.categorical && !column.missing && !limits.bounded)
        return offer_ranked(column, node, limits, best);
    rank_outputs();
    order_.resize(code_.size() - column.missing);
    std::iota(order_.begin(), order_.end(), 0u);
    if (column.categorical) {
        order_categories(column);
        return offer(order_, order_.size() - 1, column, node, limits, false, best);
    }
    if (column.missing && order_.size() > 1)
        offer(order_, order_.size() - 1, column, node, limits, true, best);
    if (column.missing) order_.push_back(static_cast<std::uint32_t>(code_.size()) - 1);
    offer(order_, order_.size() - 1, column, node, limits, false, best);
}

void AbsoluteError::random_split(std::span<const std::uint32_t> codes, const ColumnView& column,
                                 const NodeSums& node, const Limits& limits, Random& random,
                                 Split& best) {
    if (in_order_ && !column.missing && !limits.bounded)
        return offer_sides(codes, column, node, limits, best);
    rank_outputs();
    group_rows(codes);
    order_.resize(code_.size() - column.missing);
    std::iota(order_.begin(), order_.end(), 0u);
    const bool missing_left = column.missing && order_.size() > 1 && (random.next() >> 63);
    if (column.missing && !missing_left)
        order_.push_back(static_cast<std::uint32_t>(code_.size()) - 1);
    offer(order_, 1, column, node, limits, missing_left, best);
}

}  // namespace coterie
