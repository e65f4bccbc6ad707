// Members of Newton that turn what was grown into a tree.
#pragma once

#include "newton_grower.hpp"
#include "record.hpp"

namespace coterie {

// Takes back splits that gain too little, from below: children come after their parents.
template <class Code, class Real, class Cells>
void Newton<Code, Real, Cells>::prune() {
    for (std::size_t at = nodes_.size(); at-- > 0;) {
        Grown<Cell>& node = nodes_[at];
        if (node.left < 0) continue;
        const auto left = static_cast<std::size_t>(node.left);
        const bool bare = nodes_[left].left < 0 && nodes_[left + 1].left < 0;
        if (bare && !(node.split.gain > growth_.min_gain)) node.left = -1;
    }
}

template <class Code, class Real, class Cells>
Tree Newton<Code, Real, Cells>::write() {
    // Numbered so that siblings are neighbours and children follow their parents.
    std::vector<std::size_t> order{0};
    Tree tree;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Grown<Cell>& node = nodes_[order[i]];
        tree.n_samples.push_back(static_cast<std::int32_t>(node.size()));
        tree.nodes.push_back({0.0, 0, -1});
        if (node.left < 0) continue;
        tree.nodes.back().left = static_cast<std::int32_t>(order.size());
        order.push_back(static_cast<std::size_t>(node.left));
        order.push_back(static_cast<std::size_t>(node.left) + 1);
    }
    std::vector<std::size_t> leaf_nodes;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (tree.nodes[i].left >= 0) continue;
        tree.nodes[i].left = ~static_cast<std::int32_t>(leaf_nodes.size());
        leaf_nodes.push_back(order[i]);
    }
    const std::vector<SlopeSums> sums = finish_leaves(leaf_nodes);
    write_facts(tree, order, leaf_nodes, sums);
    for (std::size_t i = 0; i < order.size(); ++i)
        if (tree.nodes[i].left >= 0) write_split(tree, i, nodes_[order[i]].split);
    if (!slopes_.rows.empty()) walk_others(tree);
    return tree;
}

// Sums of the slopes of every leaf as they were given, and the leaf of each of its rows. Blocks
// of rows are summed by themselves and added in order, whoever summed them.
template <class Code, class Real, class Cells>
std::vector<SlopeSums> Newton<Code, Real, Cells>::finish_leaves(
    const std::vector<std::size_t>& leaf_nodes) {
    struct Block {
        std::size_t leaf;
        std::uint32_t begin, end;
    };
    std::vector<Block> blocks;
    for (std::size_t leaf = 0; leaf < leaf_nodes.size(); ++leaf) {
        const Grown<Cell>& node = nodes_[leaf_nodes[leaf]];
        for (std::uint32_t begin = node.begin; begin < node.end; begin += kSlopeBlock)
            blocks.push_back({leaf, begin, std::min<std::uint32_t>(node.end, begin + kSlopeBlock)});
    }
    std::vector<SlopeSums> parts(blocks.size());
    team_.run(blocks.size(), [&](std::size_t b) {
        const Block& block = blocks[b];
        SlopeSums sum;
        for (std::uint32_t i = block.begin; i < block.end; ++i) {
            const std::uint32_t row = rows_[i];
            leaves_[row] = static_cast<std::int32_t>(block.leaf);
            if constexpr (!Cells::kCounted) {
                sum.g += slopes_.gradient[row];
                sum.h += slopes_.hessian.empty() ? Real{1} : slopes_.hessian[row];
            } else {  // on the grid, where the order of the rows does not matter
                sum.g += cells_.items()[row].g;
                sum.h += cells_.items()[row].h;
            }
        }
        parts[b] = sum;
    });
    std::vector<SlopeSums> sums(leaf_nodes.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        sums[blocks[b].leaf].g += parts[b].g;
        sums[blocks[b].leaf].h += parts[b].h;
    }
    return sums;
}

// Values of leaves; weights of nodes; and an "impurity" of which a split takes away its gain.
template <class Code, class Real, class Cells>
void Newton<Code, Real, Cells>::write_facts(Tree& tree, const std::vector<std::size_t>& order,
                                            const std::vector<std::size_t>& leaf_nodes,
                                            const std::vector<SlopeSums>& sums) const {
    const NewtonLeaf& leaf = scanners_[0].leaf();
    std::vector<SlopeSums> all(order.size());
    for (std::size_t i = order.size(); i-- > 0;) {
        const std::int32_t left = tree.nodes[i].left;
        if (left < 0) {
            all[i] = sums[static_cast<std::size_t>(~left)];
            continue;
        }
        const auto first = static_cast<std::size_t>(left);
        all[i] = {all[first].g + all[first + 1].g, all[first].h + all[first + 1].h, 0.0};
    }
    std::vector<double> score(order.size());
    double most = 0.0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const NewtonNode& node = nodes_[order[i]].node;
        score[i] = leaf.score(all[i], leaf.value(all[i], node.low, node.high));
        const double weight = std::max(all[i].h, std::numeric_limits<double>::min());
        tree.weight.push_back(weight);
        most = std::max(most, score[i] / weight);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        tree.impurity.push_back(std::max(most - score[i] / tree.weight[i], 0.0));
    for (std::size_t k = 0; k < leaf_nodes.size(); ++k) {
        const NewtonNode& node = nodes_[leaf_nodes[k]].node;
        tree.values.push_back(leaf.value(sums[k], node.low, node.high));
    }
}

template <class Code, class Real, class Cells>
void Newton<Code, Real, Cells>::write_split(Tree& tree, std::size_t at,
                                            const NewtonSplit& split) const {
    const auto column = static_cast<std::size_t>(split.column);
    const std::uint32_t count = bins_.count(column);
    Node& record = tree.nodes[at];
    const bool missing_left =
        split.saw_missing ? split.missing_left : split.left_weight > 0.5 * tree.weight[at];
    record_column(record, split.column, missing_left, split.categorical);
    if (!split.categorical) {
        const std::uint32_t next = split.last_left + 1;
        record.threshold = next < count ? between(bins_.upper_of(column)[split.last_left],
                                                  bins_.lower_of(column)[next])
                                        : std::numeric_limits<double>::infinity();
        return;
    }
    std::vector<std::uint8_t> side(count, 0);
    for (const std::uint32_t code : split.left_codes)
        if (code < count) side[code] = 1;
    record_categories(tree, at, side);
}

// The leaves of rows that were not learnt from.
template <class Code, class Real, class Cells>
void Newton<Code, Real, Cells>::walk_others(const Tree& tree) {
    std::vector<std::uint8_t> learnt(codes_.rows, 0);
    for (const std::int32_t row : slopes_.rows) learnt[static_cast<std::size_t>(row)] = 1;
    std::vector<std::size_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i)
        if (nodes_[order[i]].left >= 0) {
            order.push_back(static_cast<std::size_t>(nodes_[order[i]].left));
            order.push_back(order.back() + 1);
        }
    const std::size_t blocks = (codes_.rows + kSlopeBlock - 1) / kSlopeBlock;
    team_.run(blocks, [&](std::size_t b) {
        const std::size_t end = std::min(codes_.rows, (b + 1) * kSlopeBlock);
        for (std::size_t row = b * kSlopeBlock; row < end; ++row) {
            if (learnt[row]) continue;
            std::size_t at = 0;
            while (tree.nodes[at].left >= 0) {
                const Node& node = tree.nodes[at];
                const NewtonSplit& split = nodes_[order[at]].split;
                const std::size_t column = node.feature();
                const std::uint32_t code = by_column_(row, column), bins = bins_.count(column);
                bool goes;
                if (code == bins) {
                    goes = node.missing_left();
                } else if (!node.categorical()) {
                    goes = code <= split.last_left;
                } else {
                    const auto start = static_cast<std::size_t>(node.threshold);
                    goes = tree.categories[start + 1 + code / 64] >> (code % 64) & 1;
                }
                at = static_cast<std::size_t>(node.left) + !goes;
            }
            leaves_[row] = ~tree.nodes[at].left;
        }
    });
}

}  // namespace coterie
