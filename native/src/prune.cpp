#include "coterie/prune.hpp"

#include <functional>
#include <queue>
#include <tuple>

#include "coterie/predict.hpp"

namespace coterie {
namespace {

// Collapses weakest links one after another; ends when the root is a leaf.
class Pruner {
  public:
    explicit Pruner(const PrunableTree& tree) : tree_(tree) {
        const std::size_t n = tree.forest.nodes.size();
        parent_.assign(n, -1);
        risk_.resize(n);
        leaves_.assign(n, 1);
        version_.assign(n, 0);
        alive_.assign(n, 1);
        for (std::size_t i = 0; i < n; ++i) {
            risk_[i] = tree.impurity[i] * (tree.weight[i] / tree.weight[0]);
            if (is_leaf(i)) continue;
            parent_[left(i)] = parent_[left(i) + 1] = static_cast<std::int64_t>(i);
        }
        below_ = risk_;  // risk of the leaves below each node
        for (std::size_t i = n; i-- > 0;) {
            if (is_leaf(i)) continue;
            below_[i] = below_[left(i)] + below_[left(i) + 1];
            leaves_[i] = leaves_[left(i)] + leaves_[left(i) + 1];
        }
        for (std::size_t i = 0; i < n; ++i)
            if (!is_leaf(i)) queue_.emplace(link(i), i, 0);
    }

    bool done() { return forget_stale(), queue_.empty(); }
    double next_alpha() { return forget_stale(), std::get<0>(queue_.top()); }
    double leaf_risk() const { return below_[0]; }
    bool collapsed(std::size_t node) const { return leaves_[node] == 1; }

    void collapse_next() {
        forget_stale();
        const std::size_t node = std::get<1>(queue_.top());
        queue_.pop();
        const double change = risk_[node] - below_[node];
        const std::int64_t fewer = leaves_[node] - 1;
        bury(node);
        for (std::int64_t at = static_cast<std::int64_t>(node); at >= 0;
             at = parent_[std::size_t(at)]) {
            const auto i = static_cast<std::size_t>(at);
            below_[i] += change;
            leaves_[i] -= fewer;
            if (leaves_[i] > 1) queue_.emplace(link(i), i, ++version_[i]);
        }
    }

  private:
    bool is_leaf(std::size_t i) const { return tree_.forest.nodes[i].is_leaf(); }
    std::size_t left(std::size_t i) const {
        return static_cast<std::size_t>(tree_.forest.nodes[i].left);
    }
    double link(std::size_t i) const {
        return std::max((risk_[i] - below_[i]) / static_cast<double>(leaves_[i] - 1), 0.0);
    }
    void bury(std::size_t node) {
        std::vector<std::size_t> open{node};
        while (!open.empty()) {
            const std::size_t i = open.back();
            open.pop_back();
            if (is_leaf(i) || (i != node && collapsed(i))) continue;
            for (const std::size_t child : {left(i), left(i) + 1}) {
                alive_[child] = 0;
                open.push_back(child);
            }
        }
    }
    void forget_stale() {
        while (!queue_.empty()) {
            const auto [alpha, node, version] = queue_.top();
            if (alive_[node] && leaves_[node] > 1 && version == version_[node]) return;
            queue_.pop();
        }
    }

    using Link = std::tuple<double, std::size_t, std::uint32_t>;
    const PrunableTree& tree_;
    std::vector<std::int64_t> parent_, leaves_;
    std::vector<double> risk_, below_;
    std::vector<std::uint32_t> version_;
    std::vector<std::uint8_t> alive_;
    std::priority_queue<Link, std::vector<Link>, std::greater<>> queue_;
};

}  // namespace

PruningPath pruning_path(const PrunableTree& tree) {
    Pruner pruner(tree);
    PruningPath path{{0.0}, {pruner.leaf_risk()}};
    while (!pruner.done()) {
        const double alpha = std::max(pruner.next_alpha(), path.alphas.back());
        pruner.collapse_next();
        path.alphas.push_back(alpha);
        path.impurities.push_back(pruner.leaf_risk());
    }
    return path;
}

Tree prune(const PrunableTree& tree, double alpha) {
    Pruner pruner(tree);
    while (!pruner.done() && pruner.next_alpha() <= alpha) pruner.collapse_next();

    const ForestView& forest = tree.forest;
    const std::size_t outputs = forest.outputs();
    std::vector<double> values(tree.medians.begin(), tree.medians.end());
    if (values.empty()) {
        values.resize(forest.nodes.size() * outputs);
        node_values(
            forest, tree.weight,
            {values.data(), forest.nodes.size(), outputs, static_cast<std::ptrdiff_t>(outputs), 1});
    }
    const auto append = [&](std::vector<double>& to, std::size_t node) {
        const auto first = values.begin() + std::ptrdiff_t(node * outputs);
        to.insert(to.end(), first, first + std::ptrdiff_t(outputs));
    };
    Tree out;
    const auto copy = [&](std::size_t from) {
        out.nodes.push_back(forest.nodes[from]);
        out.n_samples.push_back(tree.n_samples[from]);
        out.weight.push_back(tree.weight[from]);
        out.impurity.push_back(tree.impurity[from]);
        if (!tree.medians.empty()) append(out.medians, from);
    };
    std::vector<std::size_t> origin{0};
    copy(0);
    std::int32_t leaves = 0;
    for (std::size_t i = 0; i < origin.size(); ++i) {
        const std::size_t from = origin[i];
        if (pruner.collapsed(from)) {
            out.nodes[i] = {0.0, 0, ~leaves++};
            append(out.values, from);
            continue;
        }
        const auto left = static_cast<std::size_t>(forest.nodes[from].left);
        out.nodes[i].left = static_cast<std::int32_t>(origin.size());
        for (const std::size_t child : {left, left + 1}) {
            origin.push_back(child);
            copy(child);
        }
    }
    out.categories.assign(forest.categories.begin(), forest.categories.end());
    return out;
}

}  // namespace coterie
