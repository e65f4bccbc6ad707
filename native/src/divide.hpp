// Grower members that carry a split out.
#pragma once

#include "grower.hpp"
#include "record.hpp"

namespace coterie {

// Which categories go left; those a node never saw go where its missing values go.
inline std::vector<std::uint8_t> sides(const Split& split, std::uint32_t count, bool missing_left) {
    std::vector<std::uint8_t> side(count, missing_left ? 1 : 0);
    for (const std::uint32_t code : split.right_codes)
        if (code < count) side[code] = 0;
    for (const std::uint32_t code : split.left_codes)
        if (code < count) side[code] = 1;
    return side;
}

template <class Code, class Kind>
std::pair<Pending, Pending> Grower<Code, Kind>::divide(Pending& pending, Split& split) {
    const std::uint32_t middle = part(pending, split);
    Pending left, right;
    left.node = new_node();
    right.node = new_node();
    left.begin = pending.begin;
    left.end = right.begin = middle;
    right.end = pending.end;
    left.depth = right.depth = pending.depth + 1;
    left.constants = right.constants = pending.constants;
    if (pending.permit)
        left.permit = right.permit =
            Permit::narrow(growth_.interactions, pending.permit.get(), split.column);
    share_bounds(pending, split, left, right);
    share_whole(pending, left, right);
    write_inner(pending.node, split, left.node);
    return {std::move(left), std::move(right)};
}

// Moves the rows of the left child before those of the right, each in their old
// order, and returns where the right child begins.
template <class Code, class Kind>
std::uint32_t Grower<Code, Kind>::part(const Pending& pending, const Split& split) {
    const std::uint32_t missing = bins_.count(static_cast<std::size_t>(split.column));
    const std::uint32_t last = split.last_left;
    if (split.categorical) {
        goes_left_.assign(missing + 1, 0);
        for (const std::uint32_t code : split.left_codes) goes_left_[code] = 1;
        return part_by(pending, split.column, [&](Code code) { return goes_left_[code] != 0; });
    }
    if (split.saw_missing && split.missing_left)
        return part_by(pending, split.column,
                       [=](Code code) { return code <= last || code == missing; });
    return part_by(pending, split.column, [=](Code code) { return code <= last; });
}

template <class Code, class Kind>
template <class Left>
std::uint32_t Grower<Code, Kind>::part_by(const Pending& pending, std::int32_t column,
                                          Left&& left) {
    const Code* codes = codes_.col(static_cast<std::size_t>(column));
    const std::ptrdiff_t step = codes_.row_stride;
    std::uint32_t* rows = rows_.data();
    Item* items = items_.data();
    std::uint32_t middle = pending.begin, others = 0;
    for (std::uint32_t i = pending.begin; i < pending.end; ++i) {
        // Both places are written and one of them counts: no branch to mispredict.
        const std::uint32_t row = rows[i];
        const Item item = items[i];
        const bool goes = left(codes[static_cast<std::ptrdiff_t>(row) * step]);
        rows[middle] = row;
        items[middle] = item;
        spare_rows_[others] = row;
        spare_items_[others] = item;
        middle += goes;
        others += !goes;
    }
    std::copy_n(spare_rows_.get(), others, rows + middle);
    std::copy_n(spare_items_.get(), others, items + middle);
    interrupt_.after(pending.size());
    return middle;
}

template <class Code, class Kind>
void Grower<Code, Kind>::write_inner(std::int32_t node, const Split& split, std::int32_t left) {
    // A direction nobody learned: missing values go with the heavier child.
    const bool missing_left = [&] {
        if (!split.saw_missing)
            return split.left_weight > 0.5 * tree_.weight[static_cast<std::size_t>(node)];
        const std::uint32_t missing = bins_.count(static_cast<std::size_t>(split.column));
        return split.categorical ? goes_left_[missing] != 0 : split.missing_left;
    }();
    Node& record = tree_.nodes[static_cast<std::size_t>(node)];
    record.left = left;
    record.threshold = split.threshold;
    record_column(record, split.column, missing_left, split.categorical);
    if (!split.categorical) return;
    record_categories(
        tree_, static_cast<std::size_t>(node),
        sides(split, bins_.count(static_cast<std::size_t>(split.column)), missing_left));
}

template <class Code, class Kind>
void Grower<Code, Kind>::share_bounds(const Pending& parent, const Split& split, Pending& left,
                                      Pending& right) const {
    left.low = right.low = parent.low;
    left.high = right.high = parent.high;
    if (growth_.monotone.empty()) return;
    const auto direction = growth_.monotone[static_cast<std::size_t>(split.column)];
    const double middle = std::midpoint(split.left_mean, split.right_mean);
    if (direction > 0) left.high = right.low = middle;
    if (direction < 0) left.low = right.high = middle;
}

// Counts the smaller child; the larger one is what remains of the parent.
template <class Code, class Kind>
void Grower<Code, Kind>::share_whole(Pending& parent, Pending& left, Pending& right) {
    if (!parent.whole) return;
    Pending& small = left.size() <= right.size() ? left : right;
    Pending& large = left.size() <= right.size() ? right : left;
    if (large.depth < growth_.max_depth && large.size() >= whole_from_) {
        auto counted = std::make_unique<WholeHistogram>();
        fill(small, *counted);
        parent.whole->subtract(*counted);
        large.whole = std::move(parent.whole);
        if (small.size() >= whole_from_) small.whole = std::move(counted);
    }
    parent.whole.reset();
}

template <class Code, class Kind>
void Grower<Code, Kind>::fill(const Pending& pending, WholeHistogram& out) {
    const RowSet<Code> set = rows_of(pending);
    const bool worth = set.size * columns_.size() >= 400'000;
    const std::size_t blocks = worth ? static_cast<std::size_t>(std::max(n_threads_, 1)) : 1;
    std::vector<WholeHistogram> parts(blocks - 1);
    parallel_for(n_threads_, blocks, [&](std::size_t b) {
        const std::size_t begin = set.size * b / blocks, end = set.size * (b + 1) / blocks;
        WholeHistogram& part = b ? parts[b - 1] : out;
        part.resize(whole_bins_, kind_.stride(), counted_);
        fill_whole(kind_, RowSet<Code>{set.codes, set.rows + begin, set.items + begin, end - begin},
                   columns_, starts_, part);
    });
    for (const auto& part : parts) out.add(part);
    interrupt_.after(set.size * columns_.size());
}

}  // namespace coterie
