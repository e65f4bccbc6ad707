// Minimal cost-complexity pruning (Breiman et al. 1984, chapter 3).
#pragma once

#include <span>
#include <vector>

#include "coterie/forest.hpp"

namespace coterie {

// One tree with what pruning needs to know of its nodes.
struct PrunableTree {
    ForestView forest;
    std::span<const std::int32_t> n_samples;
    std::span<const double> weight;
    std::span<const double> impurity;
    std::span<const double> medians;  // (nodes, outputs), or none: then means of leaves count
};

struct PruningPath {
    std::vector<double> alphas;      // the complexity at which each next subtree takes over
    std::vector<double> impurities;  // total impurity of its leaves
};

PruningPath pruning_path(const PrunableTree& tree);

// The smallest subtree that is best at complexity alpha.
Tree prune(const PrunableTree& tree, double alpha);

}  // namespace coterie
