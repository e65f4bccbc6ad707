#include "log_rank.hpp"

#include <algorithm>
#include <cmath>

namespace coterie {
namespace {

// Statistics this close, relatively, are equal: rounding must not choose.
constexpr double kTie = 1e-10;
// A variance below this share of its bound is zero but for rounding: no event tells the sides
// apart.
constexpr double kNoVariance = 1e-12;

}  // namespace

std::span<double> LogRank::times(std::size_t n) {
    time_.resize(n);
    return time_;
}

std::span<double> LogRank::entries(std::size_t n) {
    entry_.resize(n);
    return entry_;
}

void LogRank::relabel(std::span<Item> items) {
    const std::size_t n = items.size();
    upto_.resize(n);
    from_.assign(n, 0);
    event_times_.assign(1, 0.0);
    deaths_.assign(1, 0.0);
    at_risk_.assign(1, 0.0);
    rows_with_event_ = 0;
    double left = 0.0;
    for (const Item& item : items) left += item.w;
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
        const double now = std::abs(time_[begin]);
        double events = 0.0, gone = 0.0;
        for (; end < n && std::abs(time_[end]) == now; ++end) {
            gone += items[end].w;
            if (!(time_[end] > 0.0)) continue;
            events += items[end].w;
            ++rows_with_event_;
        }
        if (events > 0.0) {
            event_times_.push_back(now);
            deaths_.push_back(events);
            at_risk_.push_back(left);
        }
        left -= gone;
        for (std::size_t i = begin; i < end; ++i)
            upto_[i] = static_cast<std::uint32_t>(event_times_.size() - 1);
    }
    if (!entry_.empty()) {
        risk_.assign(event_times_.size(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const auto later =
                std::upper_bound(event_times_.begin() + 1, event_times_.end(), entry_[i]);
            from_[i] = static_cast<std::uint32_t>(later - event_times_.begin() - 1);
            risk_[from_[i]] += items[i].w;
        }
        double outside = 0.0;
        for (std::size_t s = event_times_.size(); s-- > 1;) {
            outside += risk_[s];
            at_risk_[s] -= outside;
        }
    }
    hazard_.assign(1, 0.0);
    for (std::size_t s = 1; s < event_times_.size(); ++s)
        hazard_.push_back(hazard_.back() + deaths_[s] / at_risk_[s]);
    double moment = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double charged = hazard_[upto_[i]] - hazard_[from_[i]];
        items[i].s = items[i].w * ((time_[i] > 0.0 ? 1.0 : 0.0) - charged);
        moment += std::abs(items[i].s);
    }
    const Grid grid(moment);
    for (Item& item : items) item.s = grid.snap(item.s);
}

bool LogRank::allows(const Split& split, const CodedColumn& column) const {
    const std::int64_t events =
        split.with_side<std::uint32_t>(column.missing_code, [&](const auto& left) {
            std::int64_t found = 0;
            for (std::size_t i = 0; i < column.codes.size(); ++i)
                found += time_[i] > 0.0 && left(column.codes[i]);
            return found;
        });
    return std::min(events, rows_with_event_ - events) >= growth_.min_events_leaf;
}

void LogRank::begin(std::span<const Item> items) {
    items_ = items;
    best_.clear();
    merits_.clear();
    sums_.clear();
    if (growth_.exact) prepare_variance();
}

void LogRank::prepare_variance() {
    const std::size_t n = event_times_.size();
    charge_.assign(n, 0.0);
    once_.assign(n, 0.0);
    squared_.assign(n, 0.0);
    bound_ = 0.0;
    for (std::size_t s = 1; s < n; ++s) {
        const double y = at_risk_[s], others = whole_ ? y - 1.0 : y;
        if (others > 0.0) charge_[s] = deaths_[s] * std::max(y - deaths_[s], 0.0) / others;
        bound_ += charge_[s];
        once_[s] = once_[s - 1] + charge_[s] / y;
        squared_[s] = squared_[s - 1] + charge_[s] / (y * y);
    }
}

void LogRank::group(const CodedColumn& column) {
    if (groups_.size() <= column.missing_code) groups_.resize(column.missing_code + 1);
    for (const std::uint32_t code : occupied_) groups_[code] = Group{};
    occupied_.clear();
    for (std::size_t i = 0; i < column.codes.size(); ++i) {
        Group& group = groups_[column.codes[i]];
        if (!group.rows) occupied_.push_back(column.codes[i]);
        group.add({items_[i].w, items_[i].s, 1, time_[i] > 0.0});
    }
    std::sort(occupied_.begin(), occupied_.end());
}

void LogRank::offer(const CodedColumn& column, const NodeSums& node, const Limits& limits) {
    group(column);
    if (occupied_.size() < 2) return;
    const bool missing = occupied_.back() == column.missing_code;
    if (column.categorical) {
        // Good sets are prefixes in the order of the mean residual.
        if (key_.size() < groups_.size()) key_.resize(groups_.size());
        for (const std::uint32_t code : occupied_) key_[code] = groups_[code].s / groups_[code].w;
        std::stable_sort(occupied_.begin(), occupied_.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return key_[a] < key_[b]; });
        return walk(column, {occupied_, occupied_.size() - 1, false}, node, limits);
    }
    // With the missing values on the right, the last cut parts them from all others.
    const std::span<const std::uint32_t> present(occupied_.data(), occupied_.size() - missing);
    walk(column, {present, present.size() - !missing, false}, node, limits);
    if (missing) walk(column, {present, present.size() - 1, true}, node, limits);
}

bool LogRank::permits(const Group& left, const NodeSums& node, const Limits& limits) const {
    const double right = node.sums[0] - left.w;
    return left.rows >= limits.min_samples_leaf &&
           node.count - left.rows >= limits.min_samples_leaf && left.w > 0.0 && right > 0.0 &&
           left.w >= limits.min_weight_leaf && right >= limits.min_weight_leaf &&
           left.events >= growth_.min_events_leaf &&
           rows_with_event_ - left.events >= growth_.min_events_leaf;
}

void LogRank::walk(const CodedColumn& column, const Walk& way, const NodeSums& node,
                   const Limits& limits) {
    const bool sweeps = growth_.exact && growth_.recheck == Growth::kNoLimit;
    if (sweeps) begin_sweep(column);
    Group left;
    const auto move = [&](std::uint32_t code) {
        left.add(groups_[code]);
        if (sweeps) enter(code);
    };
    if (way.missing_left) move(column.missing_code);
    for (std::size_t i = 0; i < way.cuts; ++i) {
        move(way.order[i]);
        if (!permits(left, node, limits)) continue;
        const double rest = node.sums[1] - left.s;
        const double gain =
            left.s * left.s / left.w + rest * rest / (node.sums[0] - left.w) - node.score;
        const double merit = sweeps ? statistic(left.s, swept_) : gain;
        if (!sweeps || merit >= 0.0)
            keep(column, way, i, left, gain, merit, sweeps ? kTie * merit : node.tie);
    }
}

// Cuts that are no better than those kept stay out; a tie goes to the earlier one.
void LogRank::keep(const CodedColumn& column, const Walk& way, std::size_t at, const Group& left,
                   double gain, double merit, double tie) {
    const bool some = growth_.exact && growth_.recheck != Growth::kNoLimit;
    const std::size_t most = some ? static_cast<std::size_t>(growth_.recheck) : 1;
    std::size_t place = best_.size();
    while (place > 0 && merit > merits_[place - 1] + tie) --place;
    if (place == most) return;
    if (best_.size() == most) {
        best_.pop_back();
        merits_.pop_back();
        sums_.pop_back();
    }
    Split split;
    split.gain = gain;
    split.column = column.column;
    split.categorical = column.categorical;
    split.saw_missing = groups_[column.missing_code].rows > 0;
    split.missing_left = way.missing_left;
    split.left_weight = left.w;
    if (column.categorical) {
        const auto middle = way.order.begin() + static_cast<std::ptrdiff_t>(at) + 1;
        split.left_codes.assign(way.order.begin(), middle);
        split.right_codes.assign(middle, way.order.end());
    } else {
        split.last_left = way.order[at];
        split.first_right = at + 1 < way.order.size() ? way.order[at + 1] : column.missing_code;
    }
    const auto where = static_cast<std::ptrdiff_t>(place);
    best_.insert(best_.begin() + where, std::move(split));
    merits_.insert(merits_.begin() + where, merit);
    sums_.insert(sums_.begin() + where, left.s);
}

void LogRank::choose(const std::function<CodedColumn(std::int32_t)>& column_of, Split& split) {
    std::size_t winner = 0;
    if (growth_.exact && growth_.recheck != Growth::kNoLimit) {
        double most = -1.0;
        winner = best_.size();
        for (std::size_t k = 0; k < best_.size(); ++k) {
            const CodedColumn column = column_of(best_[k].column);
            const double found = statistic(sums_[k], variance(best_[k], column));
            if (!(found > most + kTie * std::abs(most))) continue;
            winner = k;
            most = found;
        }
    }
    split = winner < best_.size() ? std::move(best_[winner]) : Split{};
}

// V of one cut, in one pass over the rows and one over the times.
double LogRank::variance(const Split& split, const CodedColumn& column) {
    risk_.assign(event_times_.size(), 0.0);
    split.with_side<std::uint32_t>(column.missing_code, [&](const auto& left) {
        for (std::size_t i = 0; i < column.codes.size(); ++i) {
            const double w = left(column.codes[i]) ? items_[i].w : 0.0;
            risk_[from_[i]] += w;
            risk_[upto_[i]] -= w;
        }
    });
    double total = 0.0, y = 0.0;
    for (std::size_t s = 1; s < event_times_.size(); ++s) {
        y += risk_[s - 1];
        const double share = y / at_risk_[s];
        total += share * (1.0 - share) * charge_[s];
    }
    return total;
}

// U^2 / V, or -1 if no event tells the sides apart.
double LogRank::statistic(double sum, double variance) const {
    return variance > kNoVariance * bound_ ? sum * sum / variance : -1.0;
}

void LogRank::begin_sweep(const CodedColumn& column) {
    std::uint32_t end = 0;
    for (const std::uint32_t code : occupied_) {
        groups_[code].end = end;
        end += groups_[code].rows;
    }
    by_code_.resize(end);
    for (std::uint32_t i = 0; i < end; ++i) by_code_[groups_[column.codes[i]].end++] = i;
    mass_.assign(event_times_.size(), 0.0);
    weighed_.assign(event_times_.size(), 0.0);
    total_mass_ = swept_ = 0.0;
}

void LogRank::add_at(std::size_t place, double weight) {
    if (!place) return;  // before all events, where nobody is counted
    total_mass_ += weight;
    for (std::size_t k = place; k < mass_.size(); k += k & (~k + 1)) {
        mass_[k] += weight;
        weighed_[k] += weight * squared_[place];
    }
}

// The sum over the first times of Y_L charge / Y^2. A row adds to Y_L up to its last time, so that
// its share is its weight by the sum of the rest up to there, or up to the place asked for.
double LogRank::risk_below(std::size_t place) const {
    double below = 0.0, shares = 0.0;
    for (std::size_t k = place; k; k &= k - 1) {
        below += mass_[k];
        shares += weighed_[k];
    }
    return shares + squared_[place] * (total_mass_ - below);
}

// Moves the rows of a code to the left side.
void LogRank::enter(std::uint32_t code) {
    const std::uint32_t end = groups_[code].end, begin = end - groups_[code].rows;
    for (std::uint32_t k = begin; k < end; ++k) {
        const std::uint32_t i = by_code_[k], from = from_[i], upto = upto_[i];
        if (from == upto) continue;
        const double w = items_[i].w;
        swept_ += w * ((once_[upto] - once_[from]) - w * (squared_[upto] - squared_[from]) -
                       2.0 * (risk_below(upto) - (from ? risk_below(from) : 0.0)));
        add_at(upto, w);
        add_at(from, -w);
    }
}

}  // namespace coterie
