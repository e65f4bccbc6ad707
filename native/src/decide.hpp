// Grower members that decide whether and how a node is split.
#pragma once

#include "grower.hpp"

namespace coterie {

template <class Code, class Kind>
double Grower<Code, Kind>::score_of(const double* sums, double l2) const {
    if constexpr (Kind::kPair) return pair_score(growth_.criterion, {sums[0], sums[1]}, l2);
    return channels_score(growth_.criterion, sums, channels_, l2);
}

// Sets sums_, cost_ and pure_ for the rows of a node.
template <class Code, class Kind>
void Grower<Code, Kind>::sum_items(const Pending& pending) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    const RowSet<Code> set = rows_of(pending);
    for (std::size_t i = 0; i < set.size; ++i) kind_.add(sums_.data(), set.items[i]);
    kind_.finish(sums_.data());
    const double w = sums_[0];
    const bool poisson = growth_.criterion == Criterion::poisson;
    if (target_.labels()) {
        cost_ = growth_.criterion == Criterion::entropy
                    ? 0.0
                    : w * static_cast<double>(target_.outputs());
        if constexpr (Kind::kPair) {
            pure_ = sums_[1] == 0.0 || sums_[1] == w;
        } else {
            std::size_t c = 0;
            pure_ = true;
            for (const std::size_t end : channels_.group_end) {
                bool whole = false;
                for (; c < end; ++c) whole |= sums_[c + 1] == w;
                pure_ &= whole;
            }
        }
        return;
    }
    cost_ = 0.0;
    if (growth_.criterion == Criterion::absolute_error) {
        absolute_.begin({set.items, set.size});
        cost_ = absolute_.cost();
        pure_ = !(cost_ > 0.0);
        return;
    }
    if constexpr (Kind::kPair) {
        double least = std::numeric_limits<double>::infinity(), most = -least;
        for (std::size_t i = 0; i < set.size; ++i) {
            const double y = set.items[i].s / set.items[i].w;
            cost_ += poisson ? set.items[i].w * x_log_x(y) : set.items[i].s * y;
            least = std::min(least, y);
            most = std::max(most, y);
        }
        pure_ = most - least <= tolerance_;
    } else if constexpr (std::is_same_v<Kind, ValuesKind>) {
        for (std::size_t i = 0; i < set.size; ++i) {
            const double* products =
                products_.data() + static_cast<std::size_t>(set.items[i].s) * channels_.count;
            for (std::size_t c = 0; c < channels_.count; ++c) {
                const double y = products[c] / set.items[i].w;
                cost_ += poisson ? set.items[i].w * x_log_x(y) : products[c] * y;
            }
        }
        pure_ = cost_ - score_of(sums_.data(), 0.0) <= 1e-13 * std::abs(cost_);
    }
}

template <class Code, class Kind>
bool Grower<Code, Kind>::may_split(const Pending& pending) const {
    const std::int64_t n = pending.size();
    return !pure_ && pending.depth < growth_.max_depth && n >= growth_.min_samples_split &&
           n >= 2 * growth_.min_samples_leaf && sums_[0] >= 2 * growth_.min_weight_leaf;
}

template <class Code, class Kind>
bool Grower<Code, Kind>::decide(Pending& pending, Split& split) {
    sum_items(pending);
    const auto node = static_cast<std::size_t>(pending.node);
    const double unit = impurity_unit(growth_.criterion, target_.outputs());
    const double impurity = (cost_ - score_of(sums_.data(), 0.0)) * unit / sums_[0];
    tree_.n_samples[node] = static_cast<std::int32_t>(pending.size());
    tree_.weight[node] = sums_[0];
    tree_.impurity[node] = pure_ ? 0.0 : std::max(impurity, 0.0);
    if (pending.node == 0) root_weight_ = sums_[0];
    if (!may_split(pending)) return false;

    find_split(pending, split);
    if (!split.found()) return false;
    return decreases_enough(split.gain * unit / root_weight_, growth_);
}

template <class Code, class Kind>
void Grower<Code, Kind>::find_split(Pending& pending, Split& split) {
    const double score = score_of(sums_.data(), growth_.l2);
    const NodeSums node{sums_.data(), pending.size(), score, gain_tie(cost_, score)};
    if (pending.whole) {
        search_whole(pending, node, split);
        pending.constants = 0;
    } else {
        search_direct(pending, node, split);
    }
    if (split.found() && !growth_.random_thresholds && !split.categorical)
        split.threshold =
            frames_.threshold(*pending.frame, split.column, split.last_left, split.first_right);
    if (split.found() && split.gain < growth_.min_gain - node.tie) split = Split{};
}

template <class Code, class Kind>
bool Grower<Code, Kind>::varies(const RowSet<Code>& set, std::int32_t column) const {
    const Code* codes = set.codes.col(static_cast<std::size_t>(column));
    const auto code = [&](std::size_t i) {
        return codes[static_cast<std::ptrdiff_t>(set.rows[i]) * set.codes.row_stride];
    };
    const Code first = code(0);
    for (std::size_t i = 1; i < set.size; ++i)
        if (code(i) != first) return true;
    return false;
}

// Draws columns (or takes them in order) until `wanted` that vary are found; they
// become the batches. Columns that do not vary in a node are set aside for all of its
// subtree: they are kept at the front of the frame's columns, and whatever the subtree does
// behind them leaves them there.
template <class Code, class Kind>
std::size_t Grower<Code, Kind>::choose_columns(Pending& pending, std::size_t& at,
                                               std::size_t wanted) {
    const RowSet<Code> set = rows_of(pending);
    std::vector<std::int32_t>& columns = *pending.frame->columns;
    counted_batch_.clear();
    drawn_batch_.clear();
    std::size_t chosen = 0;
    for (; chosen < wanted && at < columns.size(); ++at) {
        if (growth_.max_features) {
            const auto left = static_cast<std::uint32_t>(columns.size() - at);
            std::swap(columns[at], columns[at + random_.below(left)]);
        }
        const std::int32_t column = columns[at];
        if (!permitted(pending, column)) continue;
        frames_.ask(*pending.frame, column);
        if (!varies(set, column)) {
            std::swap(columns[pending.constants++], columns[at]);
            continue;
        }
        const bool drawn =
            growth_.random_thresholds && !bins_.categorical[static_cast<std::size_t>(column)];
        (drawn ? drawn_batch_ : counted_batch_).push_back(column);
        ++chosen;
    }
    return chosen;
}

template <class Code, class Kind>
void Grower<Code, Kind>::search_direct(Pending& pending, const NodeSums& node, Split& split) {
    const RowSet<Code> set = rows_of(pending);
    std::size_t wanted = drawn_;
    for (std::size_t at = pending.constants; wanted && at < growth_.columns.size();) {
        const std::size_t chosen = choose_columns(pending, at, std::min(wanted, direct_.slots()));
        wanted -= chosen;
        interrupt_.after(set.size * chosen);
        if (!counted_batch_.empty()) direct_.fill(set, counted_batch_);
        if (!drawn_batch_.empty()) gather_codes(set, drawn_batch_);
        for (std::size_t slot = 0; slot < counted_batch_.size(); ++slot)
            offer_counted(slot, pending, node, split);
        for (std::size_t slot = 0; slot < drawn_batch_.size(); ++slot)
            offer_drawn(set, slot, pending, node, split);
    }
}

// Offers the column in a slot of the direct histograms.
template <class Code, class Kind>
void Grower<Code, Kind>::offer_counted(std::size_t slot, const Pending& pending,
                                       const NodeSums& node, Split& split) {
    const std::int32_t id = counted_batch_[slot];
    const auto column = static_cast<std::size_t>(id);
    const std::uint32_t bins = pending.frame->count(id);
    const std::size_t found = direct_.take_occupied(slot, bins + 1, occupied_.data());
    const std::span<const std::uint32_t> touched(occupied_.data(), found);
    const bool missing = touched.back() == bins;
    offer({id, direct_.sums(slot), direct_.counts(slot), touched.first(found - missing), missing,
           bins, bins_.categorical[column] != 0},
          pending, node, split);
    direct_.clear(slot, touched);
}

// Copies the codes of the node's rows column by column, in one pass over the rows.
template <class Code, class Kind>
void Grower<Code, Kind>::gather_codes(const RowSet<Code>& set,
                                      std::span<const std::int32_t> columns) {
    constexpr std::size_t ahead = 12;
    const std::size_t n = set.size;
    if (drawn_codes_.size() < n * columns.size()) drawn_codes_.resize(n * columns.size());
    const Matrix<const Code> table = set.codes;
    const std::uint32_t* rows = set.rows;
    for (std::size_t i = 0; i < n; ++i) {
        if (i + ahead < n) __builtin_prefetch(table.row(rows[i + ahead]));
        const Code* codes = table.row(rows[i]);
        Code* out = drawn_codes_.data() + i;
        for (const std::int32_t column : columns) {
            *out = codes[column * table.col_stride];
            out += n;
        }
    }
}

// Draws a threshold between the least and the greatest value in the node and sums
// the sides directly: with one candidate there is no need of a histogram.
template <class Code, class Kind>
void Grower<Code, Kind>::offer_drawn(const RowSet<Code>& set, std::size_t slot,
                                     const Pending& pending, const NodeSums& node, Split& split) {
    const std::int32_t id = drawn_batch_[slot];
    const auto column = static_cast<std::size_t>(id);
    const std::uint32_t missing_code = bins_.count(column);
    const std::span<const Code> codes(drawn_codes_.data() + slot * set.size, set.size);
    Code low = codes[0], high = codes[0];
    for (const Code code : codes) {
        low = std::min(low, code);
        high = std::max(high, code);
    }
    const std::uint32_t least = low;
    std::uint32_t most = high;
    const bool missing = most == missing_code;
    if (missing) {
        most = 0;
        for (const Code code : codes)
            if (code != missing_code) most = std::max<std::uint32_t>(most, code);
    }
    const Cut cut = draw_cut(column, least, most);
    sum_sides(set, codes, cut.last_left, missing_code, missing);
    static constexpr std::uint32_t both[] = {0, 1};
    const std::size_t present = least == most ? 1 : 2;
    const ColumnView sides{id,
                           side_sums_.data(),
                           counted_ ? side_counts_.data() : nullptr,
                           std::span(both).first(present),
                           missing,
                           2,
                           false};
    offer(sides, pending, node, split, &cut);
}

// Sums of the left, right and missing rows.
template <class Code, class Kind>
void Grower<Code, Kind>::sum_sides(const RowSet<Code>& set, std::span<const Code> codes,
                                   std::uint32_t last_left, std::uint32_t missing_code,
                                   bool missing) {
    const std::size_t stride = kind_.stride();
    side_sums_.assign(3 * stride, 0.0);
    side_counts_.assign(3, 0);
    if (Kind::kPair && !missing && !counted_) {
        // Sums are exact in any order, so four of them can run side by side.
        double w[4] = {}, s[4] = {};
        const Item* items = set.items;
        for (std::size_t i = 0, n = set.size; i < n; ++i) {
            const double left = codes[i] <= last_left ? 1.0 : 0.0;
            w[i % 4] += left * items[i].w;
            s[i % 4] += left * items[i].s;
        }
        side_sums_[0] = w[0] + w[1] + w[2] + w[3];
        side_sums_[1] = s[0] + s[1] + s[2] + s[3];
        return;  // the right side is never read: the scanner takes it from the node
    }
    for (std::size_t i = 0; i < set.size; ++i) {
        const std::uint32_t code = codes[i];
        const std::size_t side = code <= last_left ? 0 : code == missing_code ? 2 : 1;
        kind_.add(side_sums_.data() + side * stride, set.items[i]);
        ++side_counts_[side];
    }
    for (std::size_t side = 0; side < 3; ++side) kind_.finish(side_sums_.data() + side * stride);
}

template <class Code, class Kind>
Cut Grower<Code, Kind>::draw_cut(std::size_t column, std::uint32_t least, std::uint32_t most) {
    if (least == most) return {least, std::numeric_limits<double>::infinity()};
    const double* lower = bins_.lower_of(column);
    const double* upper = bins_.upper_of(column);
    const double threshold = std::lerp(lower[least], upper[most], random_.uniform());
    const auto above = std::upper_bound(lower + least + 1, lower + most, threshold) - lower;
    const auto last = static_cast<std::uint32_t>(above) - 1;
    // Inside a bin no boundary can pass: move to the one above it.
    const bool inside = threshold < upper[last] || threshold >= lower[last + 1];
    return {last, inside ? between(upper[last], lower[last + 1]) : threshold};
}

template <class Code, class Kind>
void Grower<Code, Kind>::search_whole(const Pending& pending, const NodeSums& node, Split& split) {
    const Frame<Code>& frame = *pending.frame;
    std::vector<std::int32_t>& columns = *pending.frame->columns;
    if (growth_.max_features)  // all columns are looked at, but ties go to the first
        for (std::size_t at = 0; at < columns.size(); ++at)
            std::swap(columns[at],
                      columns[at + random_.below(static_cast<std::uint32_t>(columns.size() - at))]);
    for (const std::int32_t id : columns) {
        const auto j = static_cast<std::size_t>(id);
        const Place place{id, frame.starts[j], frame.count(id), bins_.categorical[j] != 0};
        const ColumnView column = whole_column(*pending.whole, place, kind_.stride(), occupied_);
        if (column.occupied.size() + column.missing >= 2) offer(column, pending, node, split);
    }
}

template <class Code, class Kind>
Limits Grower<Code, Kind>::limits_of(const Pending& pending, std::int32_t column) const {
    Limits limits = plain_limits(growth_);
    limits.bounds = pending.bounds;
    limits.bounded = !growth_.monotone.empty();
    if (limits.bounded) limits.direction = growth_.monotone[static_cast<std::size_t>(column)];
    return limits;
}

// Ties between columns: the one drawn first, or without drawing the lowest.
template <class Code, class Kind>
void Grower<Code, Kind>::offer(const ColumnView& column, const Pending& pending,
                               const NodeSums& node, Split& split, const Cut* cut) {
    const Limits limits = limits_of(pending, column.column);
    candidate_.gain = -std::numeric_limits<double>::infinity();
    candidate_.column = -1;
    if (growth_.criterion == Criterion::absolute_error) {
        note_codes(pending, column.column, cut);
        if (cut) {
            absolute_.random_split(row_codes_, column, node, limits, random_, candidate_);
        } else {
            absolute_.best_split(row_codes_, column, node, limits, candidate_);
        }
    } else if (growth_.random_thresholds) {
        scanner_.template random_split<Kind::kPair>(growth_.criterion, column, node, limits,
                                                    random_, candidate_);
    } else {
        scanner_.template best_split<Kind::kPair>(growth_.criterion, column, node, limits,
                                                  candidate_);
    }
    if (!candidate_.found()) return;
    if (cut) {
        candidate_.last_left = cut->last_left;
        candidate_.threshold = cut->threshold;
    }
    keep_better(candidate_, node.tie, !growth_.max_features, split);
}

// The codes of the node's rows; of a drawn split, which side they are on.
template <class Code, class Kind>
void Grower<Code, Kind>::note_codes(const Pending& pending, std::int32_t column, const Cut* cut) {
    const RowSet<Code> set = rows_of(pending);
    const Code* codes = set.codes.col(static_cast<std::size_t>(column));
    const std::uint32_t missing = pending.frame->count(column);
    row_codes_.resize(set.size);
    for (std::size_t i = 0; i < set.size; ++i) {
        const std::uint32_t code =
            codes[static_cast<std::ptrdiff_t>(set.rows[i]) * set.codes.row_stride];
        row_codes_[i] = !cut ? code : code <= cut->last_left ? 0 : code == missing ? 2 : 1;
    }
}

}  // namespace coterie
