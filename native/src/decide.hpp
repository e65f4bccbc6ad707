// Grower members that decide whether and how a node is split.
#pragma once

#include "grower.hpp"

namespace coterie {

template <class Code, class Kind>
double Grower<Code, Kind>::score_of(const double* sums, double l2) const {
    if constexpr (Kind::kPair) return pair_score(growth_.criterion, {sums[0], sums[1]}, l2);
    return channels_score(growth_.criterion, sums, channels_, l2);
}

// Rows are sorted by time, and parting keeps them so.
template <class Code, class Kind>
void Grower<Code, Kind>::relabel(const Pending& pending) {
    const std::size_t n = pending.size();
    const auto copy = [&](const Matrix<const double>& from, std::span<double> to) {
        for (std::size_t i = 0; i < n; ++i)
            to[i] = from(pending.frame->origin(rows_[pending.begin + i]), 0);
    };
    copy(target_.values, log_rank_.times(n));
    if (target_.entry.data) copy(target_.entry, log_rank_.entries(n));
    log_rank_.relabel({items_.data() + pending.begin, n});
}

// Sets sums_, cost_ and pure_ for the rows of a node.
template <class Code, class Kind>
void Grower<Code, Kind>::sum_items(const Pending& pending) {
    if constexpr (Kind::kPair)
        if (growth_.log_rank) relabel(pending);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    const RowSet<Code> set = rows_of(pending);
    if (tagged_) {
        sum_tags(pending);
    } else {
        for (std::size_t i = 0; i < set.size; ++i) kind_.add(sums_.data(), set.items[i]);
    }
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
        absolute_.begin({set.items, set.size}, target_.values);
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
           n >= 2 * growth_.min_samples_leaf && sums_[0] >= 2 * growth_.min_weight_leaf &&
           (!growth_.log_rank || log_rank_.may_split());
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
    if (growth_.criterion == Criterion::absolute_error)
        for (std::size_t k = 0; k < target_.outputs(); ++k)
            tree_.medians[node * target_.outputs() + k] =
                std::clamp(absolute_.median(k), pending.bounds.low, pending.bounds.high);
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
    if (pending.whole || (sparse_ && pending.size() >= whole_from_)) {
        sparse_ ? search_filled(pending, node, split) : search_whole(pending, node, split);
        pending.constants = 0;
    } else {
        search_direct(pending, node, split);
    }
    if constexpr (Kind::kPair)
        if (growth_.exact || (growth_.min_events_leaf && !parts_events(pending, split)))
            search_log_rank(pending, node, split);
    if (split.found() && split.gain < growth_.min_gain - node.tie) split = Split{};
}

// Looks at the columns again that were drawn for the node.
template <class Code, class Kind>
void Grower<Code, Kind>::search_log_rank(const Pending& pending, const NodeSums& node,
                                         Split& split) {
    if (!growth_.max_features) std::sort(visited_.begin(), visited_.end());
    log_rank_.begin({items_.data() + pending.begin, pending.size()});
    for (const std::int32_t column : visited_)
        log_rank_.offer(coded_column(pending, column), node, limits_of(pending, column));
    log_rank_.choose([&](std::int32_t column) { return coded_column(pending, column); }, split);
    interrupt_.after(pending.size() * visited_.size());
}

template <class Code, class Kind>
bool Grower<Code, Kind>::parts_events(const Pending& pending, const Split& split) {
    return !split.found() || log_rank_.allows(split, coded_column(pending, split.column));
}

template <class Code, class Kind>
CodedColumn Grower<Code, Kind>::coded_column(const Pending& pending, std::int32_t column) {
    const auto j = static_cast<std::size_t>(column);
    note_codes(pending, column, nullptr);
    return {column, row_codes_, bins_.count(j), bins_.categorical[j] != 0};
}

template <class Code, class Kind>
bool Grower<Code, Kind>::varies(const RowSet<Code>& set, std::int32_t column) const {
    if (is_flag(column)) return varying_ >> flags_.bit(column) & 1;
    const Code* codes = set.codes.col(place(column));
    const auto code = [&](std::size_t i) {
        return codes[static_cast<std::ptrdiff_t>(set.rows[i]) * set.codes.row_stride];
    };
    constexpr std::size_t ahead = 16;
    const Code first = code(0);
    for (std::size_t i = 1; i < set.size; ++i) {
        __builtin_prefetch(
            codes + static_cast<std::ptrdiff_t>(set.rows[std::min(i + ahead, set.size - 1)]) *
                        set.codes.row_stride);
        if (code(i) != first) return true;
    }
    return false;
}

template <class Code, class Kind>
void Grower<Code, Kind>::draw_column(std::size_t at) {
    const auto left = static_cast<std::uint32_t>(columns_.size() - at);
    std::swap(columns_[at], columns_[at + random_.below(left)]);
}

// Draws columns (or takes them in order) until `wanted` that vary are found; they
// become the batches. Columns that do not vary in a node are set aside for all of its
// subtree: they are kept at the front of the columns, and whatever the subtree does
// behind them leaves them there.
template <class Code, class Kind>
std::size_t Grower<Code, Kind>::choose_columns(Pending& pending, std::size_t& at,
                                               std::size_t wanted) {
    const RowSet<Code> set = rows_of(pending);
    std::vector<std::int32_t>& columns = columns_;
    batch_.clear();
    histograms_.clear();
    gathered_.clear();
    if (sparse_) cells_->drop_all();
    std::size_t chosen = 0;
    const bool passes = sparse_ && !cells_->live().empty() && !pending.permit;
    for (; chosen < wanted && at < columns.size(); ++at) {
        if (passes && growth_.max_features) {
            if (!pass_empty(pending, at)) break;
        } else if (growth_.max_features) {
            const auto left = static_cast<std::uint32_t>(columns.size() - at);
            if (sparse_ && left > kSoon)
                cells_->prefetch(static_cast<std::size_t>(
                    columns[at + kSoon + random_.peek(kSoon, left - kSoon)]));
            draw_column(at);
        }
        const std::int32_t column = columns[at];
        if (!permitted(pending, column)) continue;
        const Part filled = sparse_ ? cells_->column(static_cast<std::size_t>(column)) : Part{};
        if (!(sparse_ ? cells_->varies(filled) : varies(set, column))) {
            std::swap(columns[pending.constants++], columns[at]);
            if (sparse_) cells_->drop(filled);
            continue;
        }
        if (sparse_) {
            batch_.push_back(
                {column, growth_.random_thresholds ? Way::drawn : Way::filled, 0, filled});
            ++chosen;
            continue;
        }
        const Way way = way_of(static_cast<std::size_t>(column), set.size);
        if (is_flag(column)) {
            batch_.push_back({column, way, 0});
            ++chosen;
            continue;
        }
        auto& served = way == Way::counted ? histograms_ : gathered_;
        batch_.push_back({column, way, served.size()});
        served.push_back(column);
        ++chosen;
    }
    return chosen;
}

template <class Code, class Kind>
void Grower<Code, Kind>::search_direct(Pending& pending, const NodeSums& node, Split& split) {
    const RowSet<Code> set = rows_of(pending);
    if (has_flags()) varying_ = Flags::varying(flags_.words() + pending.begin, set.size);
    const bool few = few_ && set.size <= OrderedSearch<Kind>::kFewRows && !sparse_;
    if (few && !growth_.exact && !growth_.min_events_leaf) return search_few(pending, node, split);
    std::size_t wanted = drawn_;
    visited_.clear();
    if (sparse_) cells_->open(rows_.data(), pending.begin, pending.end);
    for (std::size_t at = pending.constants; wanted && at < growth_.columns.size();) {
        const std::size_t room = std::max<std::size_t>(kGatheredCells / set.size, 8);
        const std::size_t chosen = choose_columns(pending, at, std::min(wanted, room));
        wanted -= chosen;
        interrupt_.after(set.size * chosen);
        if (growth_.exact || growth_.min_events_leaf)
            for (const Chosen& column : batch_) visited_.push_back(column.column);
        if (growth_.exact) continue;  // by log_rank_, once all of them are drawn
        if (!gathered_.empty()) gather_codes(set, gathered_);
        gathered_node_ = pending.node;
        if (growth_.random_thresholds) draw_thresholds(set.size);
        for (const Chosen& column : batch_) {
            if (is_settled(column, split, node)) continue;
            if (column.way == Way::counted) offer_counted(column, pending, node, split);
            if (column.way == Way::tagged) offer_tagged(column, pending, node, split);
            if (column.way == Way::sorted) offer_sorted(column, pending, node, split);
            if (column.way == Way::thinned) offer_thinned(column, pending, node, split);
            if (column.way == Way::flagged) offer_flagged(column, pending, node, split);
            if (column.way == Way::listed) offer_listed(column, pending, node, split);
            if (column.way == Way::filled)
                offer_filled(column.column, column.filled, pending, node, split);
            if (column.way == Way::drawn) offer_drawn(column, pending, node, split);
        }
    }
}

template <class Code, class Kind>
void Grower<Code, Kind>::offer_counted(const Chosen& chosen, const Pending& pending,
                                       const NodeSums& node, Split& split) {
    const std::int32_t id = chosen.column;
    const std::size_t slot = chosen.slot % direct_.slots();
    if (slot == 0) {
        const auto left = std::span<const std::int32_t>(histograms_).subspan(chosen.slot);
        direct_.fill(rows_with_items(pending), std::min(left.size(), direct_.slots()),
                     [&](std::size_t k) { return place(left[k]); });
    }
    const auto column = static_cast<std::size_t>(id);
    const std::uint32_t bins = bins_.count(column);
    const std::size_t found = direct_.take_occupied(slot, bins + 1, occupied_.data());
    const std::span<const std::uint32_t> touched(occupied_.data(), found);
    const bool missing = touched.back() == bins;
    offer({id, direct_.sums(slot), direct_.counts(slot), touched.first(found - missing), missing,
           bins, bins_.categorical[column] != 0},
          pending, node, split);
    direct_.clear(slot, touched);
}

// Sorting pays where a histogram would have more bins to look at than rows. An absolute error is no
// function of sums: it takes histograms as a list of codes only, and has no use for lists of rows.
template <class Code, class Kind>
Way Grower<Code, Kind>::way_of(std::size_t column, std::size_t rows) const {
    if (growth_.random_thresholds && !bins_.categorical[column]) return Way::drawn;
    if (is_flag(static_cast<std::int32_t>(column))) return Way::flagged;
    if (tagged_ && fast_ && !counted_ && !bins_.categorical[column]) {
        const bool few = 2 * std::size_t{bins_.count(column)} <= rows;
        if (thinned_ && !few && rows >= Contenders::kFewRows) return Way::thinned;
        // Whole counts take less time than sorting unless they fill the cache.
        constexpr std::size_t few_rows = 64, cache = 256 * 1024;
        const std::size_t bytes = tag_counts_.bytes(bins_.count(column) + 1);
        if (rows >= few_rows && (bytes <= cache ? 32 * rows >= bytes : 8 * rows >= bytes))
            return Way::tagged;
    }
    const bool sums = growth_.criterion != Criterion::absolute_error;
    if (sums && bins_.count(column) <= 2 && !bins_.categorical[column]) return Way::listed;
    const bool pays = rows < 4 * std::size_t{bins_.count(column)} + 128;
    return pays && (tagged_ || rows <= NodeOrder::kMostRows) ? Way::sorted : Way::counted;
}

// Offers what ordered_ found, if anything.
template <class Code, class Kind>
void Grower<Code, Kind>::offer_ordered(std::int32_t column, const NodeSums& node, Split& split) {
    if (candidate_.gain == -std::numeric_limits<double>::infinity()) return;
    candidate_.column = column;
    keep_better(candidate_, node.tie, !growth_.max_features, split);
}

// Of a node of a few rows, returns whether the column was looked at.
template <class Code, class Kind>
bool Grower<Code, Kind>::offer_way(std::int32_t column, std::span<const std::uint16_t> codes,
                                   const NodeSums& node, Split& split) {
    if (bins_.categorical[static_cast<std::size_t>(column)]) return false;
    if constexpr (kOne) {
        const std::uint32_t missing = bins_.count(static_cast<std::size_t>(column));
        for (const std::uint16_t code : codes)
            if (code == missing) return false;
        if (!ordered_.search_ways(codes, node, candidate_)) return false;
        offer_ordered(column, node, split);
        return true;
    }
    return false;
}

// Looks at columns of a node of a few rows one by one, as most of them cannot win once there is a
// split than which no way to part the rows is better.
template <class Code, class Kind>
void Grower<Code, Kind>::search_few(Pending& pending, const NodeSums& node, Split& split) {
    const RowSet<Code> set = rows_of(pending);
    std::array<const Code*, OrderedSearch<Kind>::kFewRows> rows;
    std::array<std::uint16_t, OrderedSearch<Kind>::kFewRows> codes;
    for (std::size_t i = 0; i < set.size; ++i) rows[i] = set.codes.row(set.rows[i]);
    gathered_node_ = -1;
    const auto item = [&](std::size_t i) {
        return tagged_ ? Tags::item(tags_[i]) : items_[pending.begin + i];
    };
    if constexpr (kOne) ordered_.weigh_ways(set.size, item, node, growth_.l2, growth_.criterion);
    std::size_t wanted = drawn_;
    for (std::size_t at = pending.constants; wanted && at < columns_.size(); ++at) {
        if (growth_.max_features) draw_column(at);
        const std::int32_t column = columns_[at];
        if (!permitted(pending, column)) continue;
        const bool flag = is_flag(column);
        const auto offset = static_cast<std::ptrdiff_t>(place(column)) * set.codes.col_stride;
        const auto code = [&](std::size_t i) {
            return flag ? flags_.words()[pending.begin + i] >> flags_.bit(column) & 1
                        : rows[i][offset];
        };
        bool varies = flag && (varying_ >> flags_.bit(column) & 1);
        for (std::size_t i = 1; i < set.size && !flag; ++i) varies |= code(i) != code(0);
        if (!varies) {
            std::swap(columns_[pending.constants++], columns_[at]);
            continue;
        }
        --wanted;
        const bool settled = split.found() && !(ordered_.best_way() - split.gain > node.tie);
        if (settled && (growth_.max_features || column > split.column)) continue;
        for (std::size_t i = 0; i < set.size; ++i) codes[i] = static_cast<std::uint16_t>(code(i));
        if (offer_way(column, {codes.data(), set.size}, node, split)) continue;
        if (flag) {
            offer_flagged({column, Way::flagged, 0}, pending, node, split);
        } else {
            gathered_.assign(1, column);
            gather_codes(set, gathered_);
            offer_sorted({column, Way::sorted, 0}, pending, node, split);
        }
    }
    interrupt_.after(set.size * drawn_);
}

template <class Code, class Kind>
void Grower<Code, Kind>::offer_sorted(const Chosen& chosen, const Pending& pending,
                                      const NodeSums& node, Split& split) {
    const std::int32_t id = chosen.column;
    const auto column = static_cast<std::size_t>(id);
    const std::span<const std::uint16_t> codes = gathered(chosen.slot, pending.size());
    const auto keys = tagged_ ? order_.sort(codes, tags_.data()) : order_.sort(codes);
    const bool missing = NodeOrder::code(keys.back()) == bins_.count(column);
    if (growth_.criterion == Criterion::absolute_error)
        return offer_medians(keys,
                             {id,
                              nullptr,
                              nullptr,
                              {},
                              missing,
                              bins_.count(column),
                              bins_.categorical[column] != 0},
                             pending, node, split);
    if (!fast_ || missing || bins_.categorical[column])
        return offer_groups(keys, id, pending, node, split);
    candidate_.gain = -std::numeric_limits<double>::infinity();
    candidate_.column = -1;
    ordered_.search(keys, tagged_ ? nullptr : items_.data() + pending.begin, node,
                    limits_of(pending, id), growth_.criterion, candidate_);
    offer_ordered(id, node, split);
}

template <class Code, class Kind>
void Grower<Code, Kind>::offer_medians(std::span<const std::uint32_t> keys,
                                       const ColumnView& column, const Pending& pending,
                                       const NodeSums& node, Split& split) {
    candidate_.gain = -std::numeric_limits<double>::infinity();
    candidate_.column = -1;
    absolute_.best_sorted_split(keys, column, node, limits_of(pending, column.column), candidate_);
    if (candidate_.found()) keep_better(candidate_, node.tie, !growth_.max_features, split);
}

// Sums the rows whose code `is` so, and returns their number.
template <class Code, class Kind>
template <class Is>
std::size_t Grower<Code, Kind>::sum_listed(const RowSet<Code>& set,
                                           std::span<const std::uint16_t> codes, double* sums,
                                           Is is) {
    if (listed_.size() < set.size) listed_.resize(set.size);
    std::uint32_t* rows = listed_.data();
    std::size_t found = 0;
    for (std::size_t i = 0; i < set.size; ++i) {
        rows[found] = static_cast<std::uint32_t>(i);
        found += is(codes[i]);
    }
    // Two sums run side by side, since each addition waits for the one before.
    const std::size_t stride = kind_.stride();
    other_sums_.assign(stride, 0.0);
    double* others = other_sums_.data();
    std::fill_n(sums, stride, 0.0);
    std::size_t i = 0;
    for (; i + 1 < found; i += 2) {
        kind_.add(sums, set.items[rows[i]]);
        kind_.add(others, set.items[rows[i + 1]]);
    }
    if (i < found) kind_.add(sums, set.items[rows[i]]);
    for (std::size_t c = 0; c < stride; ++c) sums[c] += others[c];
    kind_.finish(sums);
    return found;
}

// A flag: rows of code 0 are what the others leave of the node.
template <class Code, class Kind>
void Grower<Code, Kind>::offer_listed(const Chosen& chosen, const Pending& pending,
                                      const NodeSums& node, Split& split) {
    const RowSet<Code> set = rows_with_items(pending);
    const std::span<const std::uint16_t> codes = gathered(chosen.slot, set.size);
    const std::uint32_t bins = bins_.count(static_cast<std::size_t>(chosen.column));
    const std::size_t stride = kind_.stride();
    side_sums_.assign(3 * stride, 0.0);
    side_counts_.assign(3, 0);
    double* sums = side_sums_.data();
    const auto count = [&](std::uint32_t code) {
        return static_cast<std::uint32_t>(sum_listed(set, codes, sums + code * stride,
                                                     [=](std::uint32_t c) { return c == code; }));
    };
    side_counts_[1] = count(1);
    const bool more =
        bins == 2 && std::find(codes.begin(), codes.end(), std::uint16_t{2}) != codes.end();
    if (more) side_counts_[2] = count(2);
    side_counts_[0] = node.count - side_counts_[1] - side_counts_[2];
    for (std::size_t c = 0; c < stride; ++c)
        sums[c] = node.sums[c] - sums[stride + c] - sums[2 * stride + c];
    std::uint32_t present[2];
    std::size_t found = 0;
    for (std::uint32_t code = 0; code < bins; ++code) {
        present[found] = code;
        found += side_counts_[code] > 0;
    }
    offer({chosen.column, sums, counted_ ? side_counts_.data() : nullptr,
           std::span<const std::uint32_t>(present, found), side_counts_[bins] > 0, bins, false},
          pending, node, split);
}

// Rows of one code become a bin of a histogram that has no others.
template <class Code, class Kind>
void Grower<Code, Kind>::offer_groups(std::span<const std::uint32_t> keys, std::int32_t column,
                                      const Pending& pending, const NodeSums& node, Split& split) {
    const Item* items = items_.data() + pending.begin;
    const std::size_t stride = kind_.stride();
    group_sums_.clear();
    group_counts_.clear();
    group_codes_.clear();
    for (const std::uint32_t key : keys) {
        const std::uint32_t code = NodeOrder::code(key);
        if (group_codes_.empty() || group_codes_.back() != code) {
            group_sums_.resize(group_sums_.size() + stride);
            group_counts_.push_back(0);
            group_codes_.push_back(code);
        }
        kind_.add(group_sums_.data() + group_sums_.size() - stride,
                  tagged_ ? Tags::item(key) : items[NodeOrder::position(key)]);
        ++group_counts_.back();
    }
    for (std::size_t g = 0; g < group_codes_.size(); ++g)
        kind_.finish(group_sums_.data() + g * stride);
    offer_grouped(column, pending, node, split);
}

template <class Code, class Kind>
void Grower<Code, Kind>::offer_grouped(std::int32_t column, const Pending& pending,
                                       const NodeSums& node, Split& split) {
    const std::size_t groups = group_codes_.size();
    const bool missing = group_codes_.back() == bins_.count(static_cast<std::size_t>(column));
    for (std::size_t g = groups_.size(); g < groups; ++g)
        groups_.push_back(static_cast<std::uint32_t>(g));
    offer({column, group_sums_.data(), counted_ ? group_counts_.data() : nullptr,
           std::span(groups_).first(groups - missing), missing,
           static_cast<std::uint32_t>(groups - missing),
           bins_.categorical[static_cast<std::size_t>(column)] != 0},
          pending, node, split, nullptr, group_codes_);
}

// Copies the codes of the node's rows column by column. What is read of a block of rows stays in
// the cache while its columns are copied.
template <class Code, class Kind>
void Grower<Code, Kind>::gather_codes(const RowSet<Code>& set,
                                      std::span<const std::int32_t> columns) {
    constexpr std::size_t block = 16;
    const std::size_t n = set.size, d = columns.size();
    const std::size_t room = n * d + Tags::kLanes;
    if (node_codes_.size() < room) node_codes_.resize(room);
    offsets_.clear();
    for (const std::int32_t column : columns)
        offsets_.push_back(static_cast<std::ptrdiff_t>(place(column)) * set.codes.col_stride);
    const std::ptrdiff_t* offsets = offsets_.data();
    for (std::size_t begin = 0; begin < n; begin += block) {
        const std::size_t end = std::min(begin + block, n);
        for (std::size_t i = end; i < std::min(end + block, n); ++i)
            __builtin_prefetch(set.codes.row(set.rows[i]));
        std::uint16_t* out = node_codes_.data();
        std::size_t k = 0;
        for (; k + 4 <= d; k += 4) copy_codes<4>(set, begin, end, offsets + k, out + k * n);
        if (d - k >= 2) {
            copy_codes<2>(set, begin, end, offsets + k, out + k * n);
            k += 2;
        }
        if (k < d) copy_codes<1>(set, begin, end, offsets + k, out + k * n);
    }
}

template <class Code, class Kind>
void Grower<Code, Kind>::find_range(Chosen& chosen, std::size_t rows) const {
    if (is_flag(chosen.column)) {  // it varies, and nothing is missing
        chosen.most = 1;
        return;
    }
    const std::span<const std::uint16_t> codes = gathered(chosen.slot, rows);
    const std::uint32_t missing_code = bins_.count(static_cast<std::size_t>(chosen.column));
    const auto [low, high] = code_range(codes.data(), codes.size());
    chosen.least = low;
    chosen.most = high;
    chosen.missing = high == missing_code;
    if (!chosen.missing) return;
    chosen.most = 0;
    for (const std::uint16_t code : codes)
        if (code != missing_code) chosen.most = std::max<std::uint32_t>(chosen.most, code);
}

// Draws a threshold between the least and the greatest value in the node for each column. The
// edges of bins fill more than the cache, so what is read of one column is on its way while another
// is at work.
template <class Code, class Kind>
void Grower<Code, Kind>::draw_thresholds(std::size_t rows) {
    for (Chosen& chosen : batch_) {
        if (chosen.way != Way::drawn) continue;
        sparse_ ? find_filled_range(chosen, rows) : find_range(chosen, rows);
        const auto column = static_cast<std::size_t>(chosen.column);
        edges_.prefetch(column, chosen.least);
        edges_.prefetch(column, chosen.most);
    }
    for (Chosen& chosen : batch_) {
        if (chosen.way != Way::drawn || chosen.least == chosen.most) continue;
        const auto column = static_cast<std::size_t>(chosen.column);
        const double least = edges_.lower(column, chosen.least);
        const double most = edges_.upper(column, chosen.most), u = random_.uniform();
        chosen.threshold = std::clamp((1.0 - u) * least + u * most, least, most);
        const auto [from, to] = edges_.around(column, chosen.threshold);
        chosen.from = std::clamp(from, chosen.least + 1, chosen.most);
        chosen.to = std::clamp(to, chosen.least + 1, chosen.most);
        if (rows > kWaitingRows) edges_.prefetch(column, (chosen.from + chosen.to) / 2);
    }
}

template <class Code, class Kind>
Cut Grower<Code, Kind>::cut_of(const Chosen& chosen) const {
    if (chosen.least == chosen.most) return {chosen.least, std::numeric_limits<double>::infinity()};
    const auto column = static_cast<std::size_t>(chosen.column);
    return {edges_.first_above(column, chosen.threshold, chosen.from, chosen.to) - 1,
            chosen.threshold};
}

// Sets the thresholds of numeric splits. The edges of bins are far from the processor: all nodes
// wait for them together.
template <class Code, class Kind>
void Grower<Code, Kind>::settle_thresholds() {
    constexpr std::size_t ahead = 16;
    const auto node_of = [&](const NodeCut& cut) -> Node& {
        return tree_.nodes[static_cast<std::size_t>(cut.node)];
    };
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
        const NodeCut& soon = cuts_[std::min(i + ahead, cuts_.size() - 1)];
        edges_.prefetch(node_of(soon).feature(), soon.last_left);
        edges_.prefetch(node_of(soon).feature(), soon.first_right);
        Node& node = node_of(cuts_[i]);
        node.threshold =
            growth_.random_thresholds
                ? between_bins(node.feature(), node.threshold, cuts_[i])
                : bins_.threshold(node.feature(), cuts_[i].last_left, cuts_[i].first_right);
    }
}

// Inside a bin no boundary can pass: move to the one above it.
template <class Code, class Kind>
double Grower<Code, Kind>::between_bins(std::size_t column, double threshold,
                                        const NodeCut& cut) const {
    if (std::isinf(threshold)) return threshold;
    const std::uint32_t right =
        edges_.first_above(column, threshold, cut.last_left + 1, cut.first_right);
    const double below = edges_.upper(column, right - 1), above = edges_.lower(column, right);
    const bool inside = !(threshold >= below && threshold < above);  // or no number
    return inside ? between(below, above) : threshold;
}

// Where no row of the node has one of the codes among which the cut is, its place is of no account
// unless the split is the best: edges of bins are far from the processor. Many rows mostly have
// one.
template <class Code, class Kind>
bool Grower<Code, Kind>::may_wait(const Chosen& chosen, std::size_t rows) const {
    return plain_ && rows <= kWaitingRows && !chosen.missing && !is_flag(chosen.column) &&
           !Tags::any_between(gathered(chosen.slot, rows).data(), rows, chosen.from, chosen.to);
}

// Sums the sides directly: with one candidate there is no need of a histogram.
template <class Code, class Kind>
void Grower<Code, Kind>::offer_drawn(const Chosen& chosen, const Pending& pending,
                                     const NodeSums& node, Split& split) {
    const bool waits = may_wait(chosen, pending.size());
    const Cut cut = waits ? Cut{chosen.from - 1, chosen.threshold} : cut_of(chosen);
    if (sparse_) {
        sum_filled_sides(chosen, cut.last_left, pending, node);
    } else if (is_flag(chosen.column)) {
        sum_flag(chosen.column, pending, node);
    } else {
        sum_sides(pending, gathered(chosen.slot, pending.size()), cut.last_left,
                  bins_.count(static_cast<std::size_t>(chosen.column)), chosen.missing);
    }
    if (plain_ && !chosen.missing)
        return keep_drawn(chosen, cut, waits ? chosen.to : cut.last_left + 1, node, split);
    static constexpr std::uint32_t both[] = {0, 1};
    const std::size_t present = chosen.least == chosen.most ? 1 : 2;
    const ColumnView sides{chosen.column,
                           side_sums_.data(),
                           counted_ ? side_counts_.data() : nullptr,
                           std::span(both).first(present),
                           chosen.missing,
                           2,
                           false};
    offer(sides, pending, node, split, &cut);
}

// Sums of the left, right and missing rows.
template <class Code, class Kind>
void Grower<Code, Kind>::sum_sides(const Pending& pending, std::span<const std::uint16_t> codes,
                                   std::uint32_t last_left, std::uint32_t missing_code,
                                   bool missing) {
    const std::size_t stride = kind_.stride();
    side_sums_.assign(3 * stride, 0.0);
    side_counts_.assign(3, 0);
    if (tagged_ && !missing && !counted_) {
        if (Kind::kPair) {
            Tags::sum_pairs(codes.data(), tags_.data(), codes.size(), last_left, side_sums_.data());
        } else {
            Tags::sum_classes(codes.data(), tags_.data(), codes.size(), last_left, stride - 1,
                              side_sums_.data() + 1);
        }
        kind_.finish(side_sums_.data());
        return;  // as below
    }
    const RowSet<Code> set = rows_with_items(pending);
    if (Kind::kPair && !missing && !counted_) {
        sum_left(codes.data(), set.items, set.size, last_left, side_sums_.data());
        return;  // the right side is never read here: the scanner takes it from the node
    }
    if (!missing && !counted_) {
        sum_listed(set, codes, side_sums_.data(), [=](std::uint32_t c) { return c <= last_left; });
        return;
    }
    for (std::size_t i = 0; i < set.size; ++i) {
        const std::uint32_t code = codes[i];
        const std::size_t side = code <= last_left ? 0 : code == missing_code ? 2 : 1;
        kind_.add(side_sums_.data() + side * stride, set.items[i]);
        ++side_counts_[side];
    }
    for (std::size_t side = 0; side < 3; ++side) kind_.finish(side_sums_.data() + side * stride);
}

// All columns are looked at, but if they are drawn, ties go to the first.
template <class Code, class Kind>
void Grower<Code, Kind>::shuffle_columns() {
    std::vector<std::int32_t>& columns = columns_;
    if (!growth_.max_features) return;
    for (std::size_t at = 0; at < columns.size(); ++at)
        std::swap(columns[at],
                  columns[at + random_.below(static_cast<std::uint32_t>(columns.size() - at))]);
}

template <class Code, class Kind>
void Grower<Code, Kind>::search_whole(const Pending& pending, const NodeSums& node, Split& split) {
    shuffle_columns();
    for (const std::int32_t id : columns_) {
        const auto j = static_cast<std::size_t>(id);
        const Place place{id, starts_[j], bins_.count(j), bins_.categorical[j] != 0};
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
                               const NodeSums& node, Split& split, const Cut* cut,
                               std::span<const std::uint32_t> codes_of) {
    const Limits limits = limits_of(pending, column.column);
    candidate_.gain = -std::numeric_limits<double>::infinity();
    candidate_.column = -1;
    if (growth_.criterion == Criterion::absolute_error) {
        if (!sparse_) note_codes(pending, column.column, cut);
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
        candidate_.first_right = cut->last_left + 1;
        candidate_.threshold = cut->threshold;
    }
    if (!codes_of.empty()) {
        const auto name = [&](std::uint32_t& group) { group = codes_of[group]; };
        if (!candidate_.categorical) {
            name(candidate_.last_left);
            name(candidate_.first_right);
        } else {
            for (std::uint32_t& code : candidate_.left_codes) name(code);
            for (std::uint32_t& code : candidate_.right_codes) name(code);
        }
    }
    keep_better(candidate_, node.tie, !growth_.max_features, split);
}

// The codes of the node's rows; of a drawn split, which side they are on.
template <class Code, class Kind>
void Grower<Code, Kind>::note_codes(const Pending& pending, std::int32_t column, const Cut* cut) {
    const RowSet<Code> set = rows_of(pending);
    row_codes_.resize(set.size);
    if (sparse_) {
        for (std::size_t i = 0; i < set.size; ++i)
            row_codes_[i] = sparse_->code(set.rows[i], static_cast<std::size_t>(column));
        return;
    }
    const Code* codes = set.codes.col(static_cast<std::size_t>(column));
    const std::uint32_t missing = bins_.count(static_cast<std::size_t>(column));
    for (std::size_t i = 0; i < set.size; ++i) {
        const std::uint32_t code =
            codes[static_cast<std::ptrdiff_t>(set.rows[i]) * set.codes.row_stride];
        row_codes_[i] = !cut ? code : code <= cut->last_left ? 0 : code == missing ? 2 : 1;
    }
}

}  // namespace coterie
