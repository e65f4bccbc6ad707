#include "coterie/forest.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace coterie {
namespace {

// Named only when something is wrong: forests have millions of nodes.
struct Place {
    std::size_t tree;
    std::int64_t node;
    std::string text() const {
        return "node " + std::to_string(node) + " of tree " + std::to_string(tree);
    }
};

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument("damaged forest: " + what);
}

void check_offsets(std::span<const std::int64_t> offsets, std::size_t total, const char* name,
                   bool may_be_empty) {
    if (offsets.empty() || offsets.front() != 0 ||
        offsets.back() != static_cast<std::int64_t>(total))
        refuse(std::string(name) + " do not cover their array");
    for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
        if (offsets[t + 1] < offsets[t] || (!may_be_empty && offsets[t + 1] == offsets[t]))
            refuse(std::string(name) + " of tree " + std::to_string(t) + " do not ascend");
}

void check_category_set(double position, std::span<const std::uint64_t> words, const Place& where) {
    if (!(position >= 0.0) || position != std::floor(position) ||
        !(position < static_cast<double>(words.size())))
        refuse("category set of " + where.text() + " lies outside its array");
    const auto start = static_cast<std::size_t>(position);
    if (words[start] > 1024 || words[start] > words.size() - start - 1)
        refuse("category set of " + where.text() + " is cut off");
}

// What was named so far by the nodes of one tree. Each node but the root has one
// parent, and each leaf one node: otherwise a walk over a small array of nodes that
// share children would take two to the power of its depth.
class Named {
  public:
    void begin(std::int64_t nodes, std::int64_t leaves) {
        nodes_ = nodes;
        leaves_ = leaves;
        child_.assign(static_cast<std::size_t>(nodes), 0);
        leaf_.assign(static_cast<std::size_t>(leaves), 0);
        inner_ = 0;
    }

    void leaf(std::int64_t number, const Place& where) {
        if (number >= leaves_ || leaf_[static_cast<std::size_t>(number)]++)
            refuse(where.text() + " names leaf " + std::to_string(number));
    }

    void children(std::int64_t left, const Place& where) {
        if (left <= where.node || left + 1 >= nodes_)
            refuse(where.text() + " names child " + std::to_string(left));
        for (const std::int64_t child : {left, left + 1})
            if (child_[static_cast<std::size_t>(child)]++)
                refuse("node " + std::to_string(child) + " of tree " + std::to_string(where.tree) +
                       " has two parents");
        ++inner_;
    }

    // As no node has two parents, counting tells whether all but the root have one; and as
    // parents come before their children, each of them is below the root then.
    void end(std::size_t tree) const {
        if (nodes_ != 2 * inner_ + 1)
            refuse("tree " + std::to_string(tree) + " has nodes without a parent");
        if (leaves_ != inner_ + 1)
            refuse("tree " + std::to_string(tree) + " has leaves without a node");
    }

  private:
    std::int64_t nodes_ = 0, leaves_ = 0, inner_ = 0;
    std::vector<std::uint8_t> child_, leaf_;
};

void check_node(const Node& node, std::size_t n_columns, std::span<const std::uint64_t> words,
                const Place& where, Named& named) {
    // Of leaves too: walks in step read a cell wherever they stand.
    if (node.feature() >= n_columns)
        refuse(where.text() + " names column " + std::to_string(node.feature()));
    if (node.is_leaf()) {
        named.leaf(~node.left, where);
        return;
    }
    named.children(node.left, where);
    if (node.categorical()) {
        check_category_set(node.threshold, words, where);
    } else if (std::isnan(node.threshold)) {
        refuse(where.text() + " has no threshold");
    }
}

}  // namespace

void check_forest(const ForestView& forest, std::size_t n_columns) {
    check_offsets(forest.node_offsets, forest.nodes.size(), "node offsets", false);
    check_offsets(forest.leaf_offsets, forest.values.rows, "leaf offsets", false);
    check_offsets(forest.category_offsets, forest.categories.size(), "category offsets", true);
    if (forest.leaf_offsets.size() != forest.node_offsets.size() ||
        forest.category_offsets.size() != forest.node_offsets.size())
        refuse("offsets of nodes, leaves and categories differ in length");
    Named named;
    for (std::size_t tree = 0; tree < forest.trees(); ++tree) {
        const std::int64_t start = forest.node_offsets[tree];
        const std::int64_t nodes = forest.node_offsets[tree + 1] - start;
        const std::int64_t leaves = forest.leaf_offsets[tree + 1] - forest.leaf_offsets[tree];
        const auto words =
            forest.categories.subspan(static_cast<std::size_t>(forest.category_offsets[tree]),
                                      static_cast<std::size_t>(forest.category_offsets[tree + 1] -
                                                               forest.category_offsets[tree]));
        named.begin(nodes, leaves);
        for (std::int64_t i = 0; i < nodes; ++i)
            check_node(forest.nodes[static_cast<std::size_t>(start + i)], n_columns, words,
                       Place{tree, i}, named);
        named.end(tree);
    }
}

}  // namespace coterie
