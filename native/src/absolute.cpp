#include "coterie/absolute.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace coterie {

void AbsoluteError::begin(std::span<const Item> items) {
    items_ = items;
    std::vector<std::uint32_t> by_value(items.size());
    std::iota(by_value.begin(), by_value.end(), 0u);
    std::sort(by_value.begin(), by_value.end(),
              [&](std::uint32_t a, std::uint32_t b) { return items[a].s < items[b].s; });
    rank_.resize(items.size());
    value_.clear();
    for (const std::uint32_t row : by_value) {
        if (value_.empty() || value_.back() != items[row].s) value_.push_back(items[row].s);
        rank_[row] = static_cast<std::uint32_t>(value_.size()) - 1;
    }
    clear_side();
    for (std::uint32_t row = 0; row < items.size(); ++row) add_row(row);
    const Side all = side();
    cost_ = all.cost;
    median_ = all.median;
}

void AbsoluteError::clear_side() {
    weight_.assign(value_.size() + 1, 0.0);
    sum_.assign(value_.size() + 1, 0.0);
    total_weight_ = total_sum_ = 0.0;
    total_count_ = 0;
}

void AbsoluteError::add_row(std::uint32_t row) {
    const Item& item = items_[row];
    for (std::size_t i = rank_[row] + 1; i < weight_.size(); i += i & (~i + 1)) {
        weight_[i] += item.w;
        sum_[i] += item.w * item.s;
    }
    total_weight_ += item.w;
    total_sum_ += item.w * item.s;
    ++total_count_;
}

AbsoluteError::Side AbsoluteError::side() const {
    // Descend to the last rank whose weight below is less than half.
    const double half = 0.5 * total_weight_;
    std::size_t at = 0;
    double below = 0.0, sum_below = 0.0;
    for (std::size_t step = std::bit_floor(weight_.size() - 1); step; step /= 2) {
        if (at + step >= weight_.size() || below + weight_[at + step] >= half) continue;
        at += step;
        below += weight_[at];
        sum_below += sum_[at];
    }
    double median = value_[std::min(at, value_.size() - 1)];
    const double cost = (median * below - sum_below) +
                        ((total_sum_ - sum_below) - median * (total_weight_ - below));
    // Exactly half the weight up to here: any value up to the next one is a median.
    double upto = 0.0;
    for (std::size_t i = at + 1; i; i &= i - 1) upto += weight_[i];
    if (upto == half && at + 1 < value_.size()) {
        std::size_t next = 0;
        double passed = 0.0;
        for (std::size_t step = std::bit_floor(weight_.size() - 1); step; step /= 2) {
            if (next + step >= weight_.size() || passed + weight_[next + step] > half) continue;
            next += step;
            passed += weight_[next];
        }
        median = std::midpoint(median, value_[std::min(next, value_.size() - 1)]);
    }
    return {std::max(cost, 0.0), median, total_weight_, total_count_};
}

// Sorts the rows by code, counting.
void AbsoluteError::group_rows(std::span<const std::uint32_t> codes) {
    const std::uint32_t most = *std::max_element(codes.begin(), codes.end());
    starts_.assign(most + 2, 0);
    for (const std::uint32_t code : codes) ++starts_[code + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    by_code_.resize(codes.size());
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t row = 0; row < codes.size(); ++row) by_code_[next[codes[row]]++] = row;
}

void AbsoluteError::offer(std::span<const std::uint32_t> codes, std::size_t boundaries,
                          const ColumnView& column, const NodeSums& node, const Limits& limits,
                          bool missing_left, Split& best) {
    const auto enter = [&](std::uint32_t code) {
        for (std::uint32_t i = starts_[code]; i < starts_[code + 1]; ++i) add_row(by_code_[i]);
    };
    from_right_.resize(codes.size());
    clear_side();
    for (std::size_t i = codes.size(); i-- > 1;) {
        enter(codes[i]);
        from_right_[i] = side();
    }
    clear_side();
    for (std::size_t i = 0; i < boundaries; ++i) {
        enter(codes[i]);
        if (i == 0 && missing_left) enter(column.missing_code);
        const Side left = side(), right = from_right_[i + 1];
        if (left.count < limits.min_samples_leaf || right.count < limits.min_samples_leaf ||
            left.weight < limits.min_weight_leaf || right.weight < limits.min_weight_leaf)
            continue;
        if (limits.bounded) {
            if (std::min(left.median, right.median) < limits.bounds.low ||
                std::max(left.median, right.median) > limits.bounds.high)
                continue;
            if (limits.direction * (right.median - left.median) < 0.0) continue;
        }
        const double gain = cost_ - left.cost - right.cost;
        if (best.found() && !(gain > best.gain + node.tie)) continue;
        best.gain = gain;
        best.column = column.column;
        best.categorical = column.categorical;
        best.saw_missing = column.missing;
        best.missing_left = missing_left;
        best.left_weight = left.weight;
        best.left_value = left.median;
        best.right_value = right.median;
        if (column.categorical) {
            const auto middle = codes.begin() + static_cast<std::ptrdiff_t>(i) + 1;
            best.left_codes.assign(codes.begin(), middle);
            best.right_codes.assign(middle, codes.end());
        } else {
            best.last_left = codes[i];
            best.first_right = i + 1 < column.occupied.size() ? codes[i + 1] : column.missing_code;
        }
    }
}

void AbsoluteError::best_split(std::span<const std::uint32_t> codes, const ColumnView& column,
                               const NodeSums& node, const Limits& limits, Split& best) {
    group_rows(codes);
    order_.assign(column.occupied.begin(), column.occupied.end());
    if (column.categorical) {
        if (column.missing) order_.push_back(column.missing_code);
        std::vector<double> mean(starts_.size(), 0.0);
        for (std::uint32_t row = 0; row < codes.size(); ++row)
            mean[codes[row]] += items_[row].w * items_[row].s / column.sums[2 * codes[row]];
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return mean[a] < mean[b]; });
        return offer(order_, order_.size() - 1, column, node, limits, false, best);
    }
    if (column.missing && order_.size() > 1)
        offer(order_, order_.size() - 1, column, node, limits, true, best);
    if (column.missing) order_.push_back(column.missing_code);
    offer(order_, order_.size() - 1, column, node, limits, false, best);
}

void AbsoluteError::random_split(std::span<const std::uint32_t> codes, const ColumnView& column,
                                 const NodeSums& node, const Limits& limits, Random& random,
                                 Split& best) {
    group_rows(codes);
    order_.assign(column.occupied.begin(), column.occupied.end());
    const bool missing_left = column.missing && order_.size() > 1 && (random.next() >> 63);
    if (column.missing && !missing_left) order_.push_back(column.missing_code);
    offer(order_, 1, column, node, limits, missing_left, best);
}

}  // namespace coterie
