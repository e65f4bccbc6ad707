#include "coterie/forest.hpp"

#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "coterie/predict.hpp"
#include "coterie/prune.hpp"
#include "coterie/random.hpp"
#include "small_table.hpp"

using namespace coterie;

namespace {

// One tree with the offsets that make a forest of it.
struct Single {
    Tree tree;
    std::vector<std::int64_t> nodes, leaves, words;

    explicit Single(Tree grown)
        : tree(std::move(grown)), nodes{0, std::int64_t(tree.nodes.size())},
          leaves{0, std::int64_t(tree.values.size())},
          words{0, std::int64_t(tree.categories.size())} {}

    ForestView view() const {
        return {tree.nodes, nodes,           leaves,
                words,      tree.categories, {tree.values.data(), tree.values.size(), 1, 1, 1}};
    }
    std::vector<double> predict(const std::vector<double>& x) const {
        std::vector<double> out(x.size(), 0.0);
        Interrupt interrupt;
        coterie::predict(view(), Matrix<const double>{x.data(), x.size(), 1, 1, 1}, {},
                         Matrix<double>{out.data(), x.size(), 1, 1, 1}, 1, interrupt);
        return out;
    }
};

const SmallTable& steps() {
    static const SmallTable table({1, 2, 3, 4, 5, 6, 7, 8}, 1);
    return table;
}

bool refused(Single forest) {
    return check::throws<std::invalid_argument>([&] { check_forest(forest.view(), 1); });
}

}  // namespace

TEST_CASE(training_rows_come_back) {
    const std::vector<double> y{3, 1, 4, 1, 5, 9, 2, 6};
    const Single forest(steps().fit_values(y, {}));
    const std::vector<double> back = forest.predict(steps().cells);
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(check::close(back[i], y[i]));
}

TEST_CASE(many_rows_and_few_rows_agree) {
    const Single forest(steps().fit_values({3, 1, 4, 1, 5, 9, 2, 6}, {}));
    std::vector<double> x;
    for (int i = 0; i < 500; ++i) x.push_back(i * 0.02);
    const std::vector<double> together = forest.predict(x);
    for (std::size_t i = 0; i < x.size(); i += 7) CHECK(forest.predict({x[i]})[0] == together[i]);
}

TEST_CASE(unknown_categories_go_where_missing_goes) {
    const SmallTable table({0, 1, 2, kMissing, 0, 1, 2, kMissing}, 1, {1});
    const Single forest(table.fit_values({0, 8, 0, 8, 0, 8, 0, 8}, {}));
    const std::vector<double> got = forest.predict({0, 1, 2, kMissing, 63, 64, 1e300, -1});
    CHECK(got == (std::vector<double>{0, 8, 0, 8, 8, 8, 8, 8}));
}

TEST_CASE(damaged_forests_are_refused) {
    const Single good(steps().fit_values({3, 1, 4, 1, 5, 9, 2, 6}, {}));
    check_forest(good.view(), 1);
    Single child = good, cycle = good, leaf = good, column = good, threshold = good, cut = good;
    child.tree.nodes[0].left = 1000;
    CHECK(refused(child));
    cycle.tree.nodes[0].left = 0;
    CHECK(refused(cycle));
    for (Node& node : leaf.tree.nodes)
        if (node.is_leaf()) node.left = ~1000;
    CHECK(refused(leaf));
    column.tree.nodes[0].column = 5;
    CHECK(refused(column));
    Single asks = good;  // a leaf does, and walks in step read cells of leaves
    for (Node& node : asks.tree.nodes)
        if (node.is_leaf()) node.column = 1;
    CHECK(refused(asks));
    threshold.tree.nodes[0].threshold = kMissing;
    CHECK(refused(threshold));
    cut.nodes[1] -= 1;
    CHECK(refused(cut));
    // Nodes that share children, and leaves that share a value, with all indices in range.
    Single shared = good, twice = good;
    std::size_t inner = good.tree.nodes.size() - 1;
    while (good.tree.nodes[inner].is_leaf()) --inner;
    shared.tree.nodes[0].left = good.tree.nodes[inner].left;
    CHECK(refused(shared));
    for (Node& node : twice.tree.nodes)
        if (node.is_leaf()) node.left = ~0;
    CHECK(refused(twice));
    Single category = good;
    category.tree.nodes[0].column |= Node::kCategorical;
    CHECK(refused(category));
}

TEST_CASE(pruning_follows_the_weakest_link) {
    // Left pair differs by 2, right pair by 0.2: the right split is the weakest link.
    const SmallTable table({1, 2, 3, 4}, 1);
    const Single forest(table.fit_values({0, 2, 10, 10.2}, {}));
    const PrunableTree tree{forest.view(), forest.tree.n_samples, forest.tree.weight,
                            forest.tree.impurity};
    const PruningPath path = pruning_path(tree);
    CHECK(path.alphas.size() == 4);
    CHECK(check::close(path.alphas[1], 0.01 * 2 / 4, 1e-5));  // variance * share of the rows
    CHECK(check::close(path.alphas[2], 1.0 * 2 / 4, 1e-5));
    CHECK(prune(tree, 0.1).values.size() == 3);
    CHECK(prune(tree, 0.6).values.size() == 2);
    CHECK(prune(tree, 1e9).values.size() == 1);
    CHECK(check::close(prune(tree, 1e9).values[0], 5.55));
}

TEST_CASE(rows_walked_in_step_agree_with_single_rows_in_large_trees) {
    std::vector<double> cells, y;
    Random random(6);
    for (int i = 0; i < 64 * 64; ++i) {
        cells.insert(cells.end(), {double(i % 64), double(i / 64)});
        y.push_back(random.below(1000));
    }
    const SmallTable table(cells, 2);
    const Tree tree = table.fit_values(y, {});
    CHECK(tree.nodes.size() > 1024);  // smaller ones are walked in another way
    const Single forest(tree);
    for (const bool holes : {false, true}) {
        std::vector<double> x(2 * 333), out(333), one(1);  // the last rows make no whole group
        for (auto& cell : x) cell = holes && !random.below(5) ? kMissing : 64.0 * random.uniform();
        Interrupt interrupt;
        predict(forest.view(), Matrix<const double>{x.data(), 333, 2, 2, 1}, {},
                Matrix<double>{out.data(), 333, 1, 1, 1}, 1, interrupt);
        std::vector<double> by_column(x.size()), other(333);
        for (std::size_t i = 0; i < x.size(); ++i) by_column[i % 2 * 333 + i / 2] = x[i];
        predict(forest.view(), Matrix<const double>{by_column.data(), 333, 2, 1, 333}, {},
                Matrix<double>{other.data(), 333, 1, 1, 1}, 1, interrupt);
        CHECK(out == other);
        for (std::size_t i = 0; i < 333; ++i) {
            one[0] = 0.0;
            predict(forest.view(), Matrix<const double>{x.data() + 2 * i, 1, 2, 2, 1}, {},
                    Matrix<double>{one.data(), 1, 1, 1, 1}, 1, interrupt);
            CHECK(one[0] == out[i]);
        }
    }
}
