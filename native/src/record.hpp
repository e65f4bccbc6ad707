// Writing a split into the records of a tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "coterie/forest.hpp"
#include "coterie/split.hpp"

namespace coterie {

inline void record_column(Node& record, std::int32_t column, bool missing_left, bool categorical) {
    record.column = static_cast<std::uint32_t>(column) | (missing_left ? Node::kMissingLeft : 0u) |
                    (categorical ? Node::kCategorical : 0u);
}

// `side` says of every category whether it goes left.
inline void record_categories(Tree& tree, std::size_t at, std::span<const std::uint8_t> side) {
    const std::size_t words = (side.size() + 63) / 64, start = tree.categories.size();
    tree.nodes[at].threshold = static_cast<double>(start);
    tree.categories.resize(start + 1 + words, 0);
    tree.categories[start] = words;
    for (std::size_t code = 0; code < side.size(); ++code)
        if (side[code]) tree.categories[start + 1 + code / 64] |= std::uint64_t{1} << (code % 64);
}

// Writes the split of a node whose weight is known; a column has `missing` bins.
inline void record_split(Tree& tree, std::size_t at, const Split& split, std::uint32_t missing) {
    // A direction nobody learned: missing values go with the heavier child.
    const auto goes_left = [&](std::uint32_t code) {
        return std::find(split.left_codes.begin(), split.left_codes.end(), code) !=
               split.left_codes.end();
    };
    const bool missing_left = !split.saw_missing  ? split.left_weight > 0.5 * tree.weight[at]
                              : split.categorical ? goes_left(missing)
                                                  : split.missing_left;
    tree.nodes[at].threshold = split.threshold;
    record_column(tree.nodes[at], split.column, missing_left, split.categorical);
    if (!split.categorical) return;
    // Categories a node never saw go where its missing values go.
    std::vector<std::uint8_t> side(missing, missing_left ? 1 : 0);
    for (const std::uint32_t code : split.right_codes)
        if (code < missing) side[code] = 0;
    for (const std::uint32_t code : split.left_codes)
        if (code < missing) side[code] = 1;
    record_categories(tree, at, side);
}

}  // namespace coterie
