// Grower members that carry a split out.
#pragma once

#include "grower.hpp"
#include "record.hpp"

namespace coterie {

template <class Code, class Kind>
auto Grower<Code, Kind>::divide(Pending& pending, Split& split) -> std::pair<Pending, Pending> {
    const std::uint32_t middle = part(pending, split);
    Pending left, right;
    left.node = new_node();
    right.node = new_node();
    left.begin = pending.begin;
    left.end = right.begin = middle;
    right.end = pending.end;
    left.depth = right.depth = pending.depth + 1;
    left.constants = right.constants = pending.constants;
    left.frame = right.frame = pending.frame;
    if (pending.permit)
        left.permit = right.permit =
            Permit::narrow(growth_.interactions, pending.permit.get(), split.column);
    const auto column = static_cast<std::size_t>(split.column);
    const int direction = growth_.monotone.empty() ? 0 : growth_.monotone[column];
    std::tie(left.bounds, right.bounds) = pending.bounds.divide(direction, split);
    share_whole(pending, left, right);
    write_inner(pending.node, split, left.node);
    return {std::move(left), std::move(right)};
}

// Moves the rows of the left child before those of the right, each in their old
// order, and returns where the right child begins.
template <class Code, class Kind>
std::uint32_t Grower<Code, Kind>::part(const Pending& pending, const Split& split) {
    const auto column = static_cast<std::size_t>(split.column);
    const Frame<Code>& frame = *pending.frame;
    const Lane<std::uint32_t> rows{rows_.data(), spare_rows_.data()};
    const Lane<Item> items{items_.data(), spare_items_.data()};
    const Lane<std::uint16_t> tags{row_tags_.data(), spare_tags_.data()};
    const auto by_codes = [&](const auto& left, auto... rest) {
        if (is_flag(split.column)) {
            const auto goes = [&, bit = flags_.bit(split.column)](std::uint32_t i) {
                return left(static_cast<Code>(flags_.words()[i] >> bit & 1));
            };
            return part_places(pending.begin, pending.end, goes, rows, rest...);
        }
        const auto found = std::find(gathered_.begin(), gathered_.end(), split.column);
        if (gathered_node_ != pending.node || found == gathered_.end())
            return part_rows(frame.codes.col(place(split.column)), frame.codes.row_stride,
                             pending.begin, pending.end, left, rows, rest...);
        const auto slot = static_cast<std::size_t>(found - gathered_.begin());
        const std::uint16_t* codes = gathered(slot, pending.size()).data();
        const auto goes = [&, first = pending.begin](std::uint32_t i) {
            return left(static_cast<Code>(codes[i - first]));
        };
        return part_places(pending.begin, pending.end, goes, rows, rest...);
    };
    const auto with_lanes = [&](const auto& left) {
        if constexpr (kOne)
            if (tagged_)
                return has_flags() ? by_codes(left, tags, flags_.lane()) : by_codes(left, tags);
        return by_codes(left, items);
    };
    const std::uint32_t kept = sparse_ ? part_filled(pending, split)
                                       : split.with_side<Code>(bins_.count(column), with_lanes);
    const std::uint32_t middle = pending.begin + kept, others = pending.end - middle;
    const auto move = [=](const auto& lane) {
        std::copy_n(lane.spare, others, lane.data + middle);
    };
    move(rows);
    if (!tagged_) move(items);
    if (tagged_) move(tags);
    if (has_flags()) move(flags_.lane());
    if (sparse_) cells_->moved(rows_.data(), pending.begin, pending.end);
    interrupt_.after(pending.size());
    return middle;
}

template <class Code, class Kind>
void Grower<Code, Kind>::write_inner(std::int32_t node, const Split& split, std::int32_t left) {
    const auto at = static_cast<std::size_t>(node);
    tree_.nodes[at].left = left;
    if (!split.categorical) cuts_.push_back({node, split.last_left, split.first_right});
    record_split(tree_, at, split, bins_.count(static_cast<std::size_t>(split.column)));
}

// Counts the smaller child; the larger one is what remains of the parent.
template <class Code, class Kind>
void Grower<Code, Kind>::share_whole(Pending& parent, Pending& left, Pending& right) {
    if (!parent.whole) return;
    Pending& small = left.size() <= right.size() ? left : right;
    Pending& large = left.size() <= right.size() ? right : left;
    const auto keeps = [&](const Pending& child) { return child.size() >= whole_from_; };
    if (large.depth < growth_.max_depth && keeps(large) && !keeps(small) &&
        are_few(small.size(), growth_.columns.size(), *parent.whole)) {
        // What is left of the parent without them is the larger child.
        put_whole<-1>(kind_, rows_with_items(small), growth_.columns, starts_, *parent.whole);
        interrupt_.after(small.size() * growth_.columns.size());
        large.whole = std::move(parent.whole);
    } else if (large.depth < growth_.max_depth && keeps(large)) {
        auto counted = std::make_unique<WholeHistogram>();
        fill(small, *counted);
        parent.whole->subtract(*counted);
        large.whole = std::move(parent.whole);
        if (keeps(small)) small.whole = std::move(counted);
    }
    parent.whole.reset();
}

template <class Code, class Kind>
void Grower<Code, Kind>::start_whole(Pending& pending) {
    if (sparse_ || pending.size() < whole_from_) return;
    pending.whole = std::make_unique<WholeHistogram>();
    fill(pending, *pending.whole);
}

template <class Code, class Kind>
void Grower<Code, Kind>::fill(const Pending& pending, WholeHistogram& out) {
    const RowSet<Code> set = rows_with_items(pending);
    const bool worth = set.size * growth_.columns.size() >= 400'000;
    const std::size_t blocks = worth ? team_.size() : 1;
    std::vector<WholeHistogram> parts(blocks - 1);
    team_.run(blocks, [&](std::size_t b) {
        const std::size_t begin = set.size * b / blocks, end = set.size * (b + 1) / blocks;
        WholeHistogram& part = b ? parts[b - 1] : out;
        part.resize(whole_bins_, kind_.stride(), counted_);
        fill_whole(kind_, RowSet<Code>{set.codes, set.rows + begin, set.items + begin, end - begin},
                   growth_.columns, starts_, part);
    });
    for (const auto& part : parts) out.add(part);
    interrupt_.after(set.size * growth_.columns.size());
}

}  // namespace coterie
