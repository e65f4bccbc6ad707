// Members of Newton that move the rows of a node to its children.
#pragma once

#include "newton_grower.hpp"

namespace coterie {

// Moves the rows of the left child before those of the right, each in their old order, and
// returns where the right child begins. Doing it twice changes nothing.
template <class Code, class Real, class Cells>
std::uint32_t Newton<Code, Real, Cells>::part(const Grown<Cell>& node) {
    const NewtonSplit& split = node.split;
    const std::uint32_t missing = bins_.count(static_cast<std::size_t>(split.column));
    const std::uint32_t last = split.last_left;
    if (split.categorical) {
        std::vector<std::uint8_t> side(missing + 1, 0);
        for (const std::uint32_t code : split.left_codes) side[code] = 1;
        return part_by(node, [&side](Code code) { return side[code] != 0; });
    }
    if (split.saw_missing && split.missing_left)
        return part_by(node, [=](Code code) { return code <= last || code == missing; });
    return part_by(node, [=](Code code) { return code <= last; });
}

template <class Code, class Real, class Cells>
template <class Left>
std::uint32_t Newton<Code, Real, Cells>::part_by(const Grown<Cell>& node, Left&& left) {
    const Code* codes = by_column_.col(static_cast<std::size_t>(node.split.column));
    const std::ptrdiff_t step = by_column_.row_stride;
    std::uint32_t *rows = rows_.data(), *spare = spare_.data();
    const std::size_t blocks = (node.size() + kPartBlock - 1) / kPartBlock;
    lefts_.resize(blocks);
    interrupt_.after(node.size());
    team_.run(blocks, [&](std::size_t b) {
        const std::uint32_t begin = node.begin + static_cast<std::uint32_t>(b) * kPartBlock;
        const std::uint32_t end = std::min(node.end, begin + kPartBlock);
        std::uint32_t kept = begin, others = begin;
        for (std::uint32_t i = begin; i < end; ++i) {
            // Both places are written and one of them counts: no branch to mispredict.
            const std::uint32_t row = rows[i];
            const bool goes = left(codes[static_cast<std::ptrdiff_t>(row) * step]);
            rows[kept] = row;
            spare[others] = row;
            kept += goes;
            others += !goes;
        }
        lefts_[b] = kept - begin;
    });
    std::uint32_t middle = node.begin;
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::uint32_t begin = node.begin + static_cast<std::uint32_t>(b) * kPartBlock;
        if (middle != begin) std::memmove(rows + middle, rows + begin, lefts_[b] * 4ul);
        middle += lefts_[b];
    }
    std::uint32_t to = middle;
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::uint32_t begin = node.begin + static_cast<std::uint32_t>(b) * kPartBlock;
        const std::uint32_t others = std::min(node.end - begin, kPartBlock) - lefts_[b];
        std::memcpy(rows + to, spare + begin, others * 4ul);
        to += others;
    }
    return middle;
}

}  // namespace coterie
