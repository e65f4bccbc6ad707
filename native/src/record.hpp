// Writing a split into the records of a tree.
#pragma once

#include <cstdint>
#include <span>

#include "coterie/forest.hpp"

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

}  // namespace coterie
