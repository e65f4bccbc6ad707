// What Shapley values take to know of a tree.
#pragma once

#include <cstdint>
#include <vector>

#include "coterie/forest.hpp"

namespace coterie::shapley {

constexpr std::size_t kNone = ~std::size_t{0};

// A tree as a walk needs it.
struct Plan {
    const Node* root;
    const double* weight;  // of its nodes
    const std::uint64_t* categories;
    const double* values;  // of its leaves, (leaves, outputs)
    double tree_weight;
    std::size_t nodes;
    std::size_t width;                     // outputs
    std::size_t depth = 0;                 // splits on the longest path
    std::size_t points = 0;                // of the quadrature it takes
    std::vector<std::size_t> outputs{};    // those that are not zero in all leaves
    std::vector<std::uint32_t> columns{};  // those that are asked for
};

// Share of the weight that goes left of a node; one that nobody reached sends halves.
inline double left_share(const Plan& plan, const Node& node) {
    const double* weight = plan.weight + node.left;
    const double total = weight[0] + weight[1];
    return total > 0.0 ? weight[0] / total : 0.5;
}

}  // namespace coterie::shapley
