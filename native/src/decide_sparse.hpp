// Grower members that look at columns of a sparse table: by what is filled, the rest being what
// that leaves of the node.
#pragma once

#include "grower.hpp"

namespace coterie {

// Groups the filled cells of a column by code: sums, counts and codes, those of the usual code
// among them.
template <class Code, class Kind>
void Grower<Code, Kind>::group_filled(std::span<const Filled> cells, const Item* items,
                                      std::uint32_t usual, const NodeSums& node) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    const std::size_t stride = kind_.stride();
    if (group_of_.empty()) group_of_.assign(occupied_.size(), none);
    group_codes_.clear();
    for (const Filled& cell : cells) {
        if (group_of_[cell.code] != none) continue;
        group_of_[cell.code] = 0;
        group_codes_.push_back(cell.code);
    }
    const bool rest = cells.size() < node.count;
    if (rest) group_codes_.push_back(usual);
    std::sort(group_codes_.begin(), group_codes_.end());
    const std::size_t groups = group_codes_.size();
    for (std::size_t g = 0; g < groups; ++g)
        group_of_[group_codes_[g]] = static_cast<std::uint32_t>(g);
    group_sums_.assign(groups * stride, 0.0);
    group_counts_.assign(groups, 0);
    for (const Filled& cell : cells) {
        const std::size_t g = group_of_[cell.code];
        kind_.add(group_sums_.data() + g * stride, items[cell.row]);
        ++group_counts_[g];
    }
    const std::size_t other = rest ? group_of_[usual] : groups;
    for (std::size_t g = 0; g < groups; ++g)
        if (g != other) kind_.finish(group_sums_.data() + g * stride);
    if (rest) {
        double* left = group_sums_.data() + other * stride;
        std::copy_n(node.sums, stride, left);
        for (std::size_t g = 0; g < groups; ++g)
            for (std::size_t c = 0; c < stride && g != other; ++c)
                left[c] -= group_sums_[g * stride + c];
        group_counts_[other] = node.count - static_cast<std::uint32_t>(cells.size());
    }
    if (growth_.criterion == Criterion::absolute_error) {
        row_codes_.assign(node.count, rest ? group_of_[usual] : 0);
        for (const Filled& cell : cells) row_codes_[cell.row] = group_of_[cell.code];
    }
    for (const std::uint32_t code : group_codes_) group_of_[code] = none;
}

// Draws columns and sets aside those that hold nothing but zero until one may hold more, as
// choose_columns would: in a small node that is nearly all it does. False if there is none.
template <class Code, class Kind>
bool Grower<Code, Kind>::pass_empty(Pending& pending, std::size_t& at) {
    // In locals, which the compiler knows nothing else to change.
    const std::uint8_t* live = cells_->live().data();
    std::int32_t* columns = columns_.data();
    const std::size_t n = columns_.size();
    std::size_t i = at, constants = pending.constants;
    Random random = random_;
    bool found = false;
    for (; i < n && !found; ++i) {
        const std::size_t from = i + random.below(static_cast<std::uint32_t>(n - i));
        const std::int32_t drawn = columns[from];
        columns[from] = columns[i];
        found = live[drawn] != 0;
        const std::size_t to = found ? i : constants;
        columns[i] = columns[to];
        columns[to] = drawn;
        constants += !found;
    }
    random_ = random;
    pending.constants = static_cast<std::uint32_t>(constants);
    at = found ? i - 1 : n;
    return found;
}

template <class Code, class Kind>
void Grower<Code, Kind>::offer_filled(std::int32_t id, const Part& part, const Pending& pending,
                                      const NodeSums& node, Split& split) {
    const auto column = static_cast<std::size_t>(id);
    group_filled(cells_->of(part), items_.data() + pending.begin, sparse_->usual(column), node);
    offer_grouped(id, pending, node, split);
}

// Draws thresholds as draw_thresholds does.
template <class Code, class Kind>
void Grower<Code, Kind>::find_filled_range(Chosen& chosen, std::size_t rows) const {
    const std::span<const Filled> cells = cells_->of(chosen.filled);
    const auto column = static_cast<std::size_t>(chosen.column);
    const std::uint32_t missing_code = bins_.count(column);
    std::uint32_t low = missing_code, high = 0;
    chosen.missing = false;
    const auto see = [&](std::uint32_t code) {
        low = std::min(low, code);
        if (code == missing_code) {
            chosen.missing = true;
        } else {
            high = std::max(high, code);
        }
    };
    for (const Filled& cell : cells) see(cell.code);
    if (cells.size() < rows) see(sparse_->usual(column));
    chosen.least = low;
    chosen.most = high;
}

// Sums of the left, right and missing rows.
template <class Code, class Kind>
void Grower<Code, Kind>::sum_filled_sides(const Chosen& chosen, std::uint32_t last_left,
                                          const Pending& pending, const NodeSums& node) {
    const auto column = static_cast<std::size_t>(chosen.column);
    const std::uint32_t missing_code = bins_.count(column);
    const std::span<const Filled> cells = cells_->of(chosen.filled);
    const Item* items = items_.data() + pending.begin;
    const std::size_t stride = kind_.stride();
    const auto side_of = [&](std::uint32_t code) -> std::uint32_t {
        return code <= last_left ? 0 : code == missing_code ? 2 : 1;
    };
    side_sums_.assign(3 * stride, 0.0);
    side_counts_.assign(3, 0);
    for (const Filled& cell : cells) {
        const std::size_t side = side_of(cell.code);
        kind_.add(side_sums_.data() + side * stride, items[cell.row]);
        ++side_counts_[side];
    }
    for (std::size_t side = 0; side < 3; ++side) kind_.finish(side_sums_.data() + side * stride);
    const std::uint32_t usual = side_of(sparse_->usual(column));
    for (std::size_t c = 0; c < stride; ++c)
        side_sums_[usual * stride + c] +=
            node.sums[c] - side_sums_[c] - side_sums_[stride + c] - side_sums_[2 * stride + c];
    side_counts_[usual] += node.count - static_cast<std::uint32_t>(cells.size());
    if (growth_.criterion != Criterion::absolute_error) return;
    row_codes_.assign(node.count, usual);
    for (const Filled& cell : cells) row_codes_[cell.row] = side_of(cell.code);
}

// In the order of search_whole, but for columns of which the node has nothing but zero.
template <class Code, class Kind>
void Grower<Code, Kind>::search_filled(const Pending& pending, const NodeSums& node, Split& split) {
    cells_->open(rows_.data(), pending.begin, pending.end);
    shuffle_columns();
    for (const std::int32_t id : columns_) {
        const Part part = cells_->column(static_cast<std::size_t>(id));
        if (cells_->varies(part)) offer_filled(id, part, pending, node, split);
        cells_->drop(part);
    }
    interrupt_.after(pending.size());
}

// The side of every row by its code in a column of a sparse table.
template <class Code, class Kind>
std::uint32_t Grower<Code, Kind>::part_filled(const Pending& pending, const Split& split) {
    const auto column = static_cast<std::size_t>(split.column);
    const std::size_t n = pending.size();
    if (node_codes_.size() < n) node_codes_.resize(n);
    const std::uint32_t* rows = rows_.data() + pending.begin;
    // Unless they lie ready, sorting all cells costs more than looking up those of one column.
    if (cells_->is_open(pending.begin, pending.end) || !cells_->sorts(n)) {
        cells_->open(rows_.data(), pending.begin, pending.end);
        const Part part = cells_->column(column);
        std::fill_n(node_codes_.begin(), n, sparse_->usual(column));
        for (const Filled& cell : cells_->of(part))
            node_codes_[cell.row] = static_cast<std::uint16_t>(cell.code);
    } else {
        for (std::size_t i = 0; i < n; ++i) node_codes_[i] = sparse_->code(rows[i], column);
    }
    const std::uint32_t kept = split.with_side<Code>(bins_.count(column), [&](const auto& left) {
        const auto goes = [&, first = pending.begin](std::uint32_t i) {
            return left(static_cast<Code>(node_codes_[i - first]));
        };
        return part_places(pending.begin, pending.end, goes,
                           Lane<std::uint32_t>{rows_.data(), spare_rows_.data()},
                           Lane<Item>{items_.data(), spare_items_.data()});
    });
    return kept;
}

}  // namespace coterie
