// Grower members that move the best cut between two bins to its best place within them.
//
// A cut that misses the border between two classes by a few rows costs more than their worth: the
// side that would have been pure is split again to get rid of them, at random. So the rows of the
// two bins beside the best cut are looked at code by code.
#pragma once

#include "grower.hpp"

namespace coterie {

// Returns whether there was anything to refine.
template <class Code, class Kind>
bool Grower<Code, Kind>::refine(const Pending& pending, const NodeSums& node, Split& split) {
    Frame<Code>& frame = *pending.frame;
    const auto column = static_cast<std::size_t>(split.column);
    if (split.categorical || frame.bins[column].exact ||
        split.first_right == frame.count(split.column))
        return false;
    list_border(pending, split);
    sum_border(pending, node, split);
    const std::size_t n = border_.codes.size();
    occupied_.resize(std::max(occupied_.size(), n));
    std::iota(occupied_.begin(), occupied_.begin() + static_cast<std::ptrdiff_t>(n), 0u);
    const ColumnView view{split.column,
                          border_.sums.data(),
                          counted_ ? border_.counts.data() : nullptr,
                          std::span(occupied_).first(n),
                          false,  // missing values stay on their side
                          static_cast<std::uint32_t>(n),
                          false};
    candidate_.gain = -std::numeric_limits<double>::infinity();
    candidate_.column = -1;
    scanner_.template best_split<Kind::kPair>(growth_.criterion, view, node,
                                              limits_of(pending, split.column), candidate_);
    const std::uint16_t last = border_.codes[candidate_.last_left];
    candidate_.threshold = bins_.threshold(column, last, border_.codes[candidate_.last_left + 1]);
    candidate_.saw_missing = split.saw_missing;
    candidate_.missing_left = split.missing_left;
    candidate_.last_left = split.last_left;
    candidate_.first_right = split.first_right;
    std::swap(split, candidate_);
    move_border(pending, split, last);
    return true;
}

// The rows of the bins on both sides of a cut, by their codes in the table.
template <class Code, class Kind>
void Grower<Code, Kind>::list_border(const Pending& pending, const Split& split) {
    const RowSet<Code> set = rows_of(pending);
    const auto column = static_cast<std::size_t>(split.column);
    const Code* codes = set.codes.col(column);
    const Code* table = frames_.table().col(column);
    const std::ptrdiff_t step = frames_.table().row_stride;
    const auto below = static_cast<Code>(split.last_left);
    const auto above = static_cast<Code>(split.first_right);
    border_.rows.clear();
    for (std::size_t i = 0; i < set.size; ++i) {
        const std::uint32_t row = set.rows[i];
        const Code code = codes[static_cast<std::ptrdiff_t>(row) * set.codes.row_stride];
        if (code != below && code != above) continue;
        const auto at = static_cast<std::ptrdiff_t>(pending.frame->origin(row));
        border_.rows.push_back({table[at * step], code == above, static_cast<std::uint32_t>(i)});
    }
    std::ranges::sort(border_.rows, {}, &Border::Row::code);
}

// Sums by code. All other rows of the node join the outermost codes, on their side of the cut.
template <class Code, class Kind>
void Grower<Code, Kind>::sum_border(const Pending& pending, const NodeSums& node,
                                    const Split& split) {
    const std::size_t stride = kind_.stride();
    const RowSet<Code> set = rows_of(pending);
    std::vector<double> rest[2] = {split.left_sums, {node.sums, node.sums + stride}};
    for (std::size_t k = 0; k < stride; ++k) rest[1][k] -= rest[0][k];
    std::uint32_t others[2] = {split.left_count, node.count - split.left_count};
    border_.codes.clear();
    border_.sums.clear();
    border_.counts.clear();
    for (std::size_t i = 0; i < border_.rows.size();) {
        const Border::Row& first = border_.rows[i];
        border_.codes.push_back(first.code);
        border_.sums.resize(border_.sums.size() + stride, 0.0);
        double* sums = border_.sums.data() + border_.sums.size() - stride;
        const std::size_t begin = i;
        for (; i < border_.rows.size() && border_.rows[i].code == first.code; ++i)
            kind_.add(sums, set.items[border_.rows[i].at]);
        kind_.finish(sums);
        border_.counts.push_back(static_cast<std::uint32_t>(i - begin));
        for (std::size_t k = 0; k < stride; ++k) rest[first.above][k] -= sums[k];
        others[first.above] -= border_.counts.back();
    }
    for (std::size_t k = 0; k < stride; ++k) {
        border_.sums[k] += rest[0][k];
        border_.sums[border_.sums.size() - stride + k] += rest[1][k];
    }
    border_.counts.front() += others[0];
    border_.counts.back() += others[1];
}

// Rows that are now on the other side of the cut go over to the bin there. No descendant has rows
// of both bins, so codes keep their order.
template <class Code, class Kind>
void Grower<Code, Kind>::move_border(const Pending& pending, const Split& split,
                                     std::uint16_t last) {
    Frame<Code>& frame = *pending.frame;
    const RowSet<Code> set = rows_of(pending);
    const auto column = static_cast<std::size_t>(split.column);
    const auto cell = [&](std::uint32_t code) { return frame.starts[column] + code; };
    if (pending.whole)
        for (const std::uint32_t code : {split.last_left, split.first_right})
            pending.whole->clear(cell(code), kind_.stride());
    for (const Border::Row& row : border_.rows) {
        const std::uint32_t code = row.code <= last ? split.last_left : split.first_right;
        frame.own[static_cast<std::size_t>(
            static_cast<std::ptrdiff_t>(set.rows[row.at]) * set.codes.row_stride +
            split.column * set.codes.col_stride)] = static_cast<Code>(code);
        if (!pending.whole) continue;
        kind_.add(pending.whole->sums.data() + cell(code) * kind_.stride(), set.items[row.at]);
        if (counted_) ++pending.whole->counts[cell(code)];
    }
    if (pending.whole)
        for (const std::uint32_t code : {split.last_left, split.first_right})
            kind_.finish(pending.whole->sums.data() + cell(code) * kind_.stride());
}

}  // namespace coterie
