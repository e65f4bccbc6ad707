// Turning the nodes of a tree on slopes into its records.
#pragma once

#include "newton_search.hpp"
#include "record.hpp"

namespace coterie {

// A tree without sums: its shape, and which node each record and each leaf is made of.
struct TreeDraft {
    Tree tree;
    std::vector<std::size_t> order, leaves;
};

// Numbers nodes so that siblings are neighbours and children follow their parents.
template <class Cell>
TreeDraft draft_tree(const std::vector<Grown<Cell>>& nodes) {
    TreeDraft draft;
    Tree& tree = draft.tree;
    std::vector<std::size_t>& order = draft.order;
    order.push_back(0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Grown<Cell>& node = nodes[order[i]];
        tree.n_samples.push_back(static_cast<std::int32_t>(node.rows));
        tree.nodes.push_back({0.0, 0, -1});
        if (node.left < 0) continue;
        tree.nodes.back().left = static_cast<std::int32_t>(order.size());
        order.push_back(static_cast<std::size_t>(node.left));
        order.push_back(static_cast<std::size_t>(node.left) + 1);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (tree.nodes[i].left >= 0) continue;
        tree.nodes[i].left = ~static_cast<std::int32_t>(draft.leaves.size());
        draft.leaves.push_back(order[i]);
    }
    return draft;
}

// Values of leaves; weights of nodes; and an "impurity" of which a split takes away its gain.
template <class Cell>
void write_facts(Tree& tree, const std::vector<Grown<Cell>>& nodes, const TreeDraft& draft,
                 const NewtonLeaf& leaf, std::span<const SlopeSums> sums) {
    const std::size_t count = draft.order.size();
    std::vector<SlopeSums> all(count);
    for (std::size_t i = count; i-- > 0;) {
        const std::int32_t left = tree.nodes[i].left;
        if (left < 0) {
            all[i] = sums[static_cast<std::size_t>(~left)];
            continue;
        }
        const auto first = static_cast<std::size_t>(left);
        all[i] = {all[first].g + all[first + 1].g, all[first].h + all[first + 1].h, 0.0};
    }
    std::vector<double> score(count);
    double most = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        score[i] = leaf.score(all[i], leaf.value(all[i], nodes[draft.order[i]].node.bounds));
        const double weight = std::max(all[i].h, std::numeric_limits<double>::min());
        tree.weight.push_back(weight);
        most = std::max(most, score[i] / weight);
    }
    for (std::size_t i = 0; i < count; ++i)
        tree.impurity.push_back(std::max(most - score[i] / tree.weight[i], 0.0));
    for (std::size_t k = 0; k < sums.size(); ++k)
        tree.values.push_back(leaf.value(sums[k], nodes[draft.leaves[k]].node.bounds));
}

// The threshold of a numeric split at the border of two bins.
inline double border(const CodeSplit& split, const BinsView& bins) {
    const auto column = static_cast<std::size_t>(split.column);
    return bins.threshold(column, split.last_left, split.last_left + 1);
}

// The threshold midway between the values that the node itself has on both sides. Rows that the
// tree does not learn from may lie between those, so that other codes go left, too; no bin is cut.
inline double middle(CodeSplit& split, const BinsView& bins) {
    const auto column = static_cast<std::size_t>(split.column);
    const std::uint32_t count = bins.count(column);
    if (!split.next) return border(split, bins);
    if (split.next >= count) {
        split.last_left = count - 1;
        return std::numeric_limits<double>::infinity();
    }
    const double* upper = bins.upper_of(column);
    const double* lower = bins.lower_of(column);
    const double halfway = between(upper[split.last_left], lower[split.next]);
    while (upper[split.last_left + 1] <= halfway) ++split.last_left;
    return lower[split.last_left + 1] > halfway ? halfway : border(split, bins);
}

inline void write_split(Tree& tree, std::size_t at, CodeSplit& split, const BinsView& bins,
                        bool in_middle) {
    const auto column = static_cast<std::size_t>(split.column);
    const std::uint32_t count = bins.count(column);
    Node& record = tree.nodes[at];
    const bool missing_left =
        split.saw_missing ? split.missing_left : split.left_weight > 0.5 * tree.weight[at];
    record_column(record, split.column, missing_left, split.categorical);
    if (!split.categorical) {
        record.threshold = in_middle ? middle(split, bins) : border(split, bins);
        return;
    }
    std::vector<std::uint8_t> side(count, 0);
    for (const std::uint32_t code : split.left_codes)
        if (code < count) side[code] = 1;
    record_categories(tree, at, side);
}

}  // namespace coterie
