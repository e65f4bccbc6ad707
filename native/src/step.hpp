// One step of a walk down a tree, the same wherever rows are walked.
#pragma once

#include <cstdint>

#include "coterie/forest.hpp"

namespace coterie {

// Is the category's bit clear? Anything that is no known category is missing.
template <class T>
bool category_goes_right(const Node& node, T x, const std::uint64_t* categories) {
    const std::uint64_t* set = categories + static_cast<std::size_t>(node.threshold);
    const std::uint64_t words = set[0];
    if (!(x >= T{0}) || !(x < static_cast<T>(words * 64))) return !node.missing_left();
    const auto code = static_cast<std::uint64_t>(x);
    return !((set[1 + code / 64] >> (code % 64)) & 1);
}

template <bool Categories, class T>
bool goes_right(const Node& node, T x, const std::uint64_t* categories) {
    if constexpr (Categories) {
        if (node.categorical()) return category_goes_right(node, x, categories);
    }
    const bool missing = x != x;
    return (static_cast<double>(x) > node.threshold) | (missing & !node.missing_left());
}

}  // namespace coterie
