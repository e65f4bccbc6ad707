#include "packed_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "coterie/predict.hpp"
#include "coterie/random.hpp"
#include "packed_forest.hpp"
#include "step.hpp"

using namespace coterie;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Trees of random shape; most leaves are sure of a class, as in a forest that has grown in full.
struct RandomForest {
    std::vector<Node> nodes;
    std::vector<std::int64_t> node_offsets{0}, leaf_offsets{0}, word_offsets;
    std::vector<double> values;
    std::size_t outputs;

    RandomForest(std::size_t trees, std::size_t splits, std::uint32_t columns, std::size_t width,
                 Random& random)
        : word_offsets(trees + 1, 0), outputs(width) {
        for (std::size_t t = 0; t < trees; ++t) grow(splits, columns, random);
    }

    void grow(std::size_t splits, std::uint32_t columns, Random& random) {
        std::vector<Node> tree{{0.0, 0, -1}};
        std::vector<std::size_t> open{0};
        for (std::size_t s = 0; s < splits; ++s) {
            const auto pick = random.below(static_cast<std::uint32_t>(open.size()));
            const std::size_t at = open[pick];
            const std::uint32_t flag = random.below(2) ? Node::kMissingLeft : 0;
            tree[at] = {random.uniform(), random.below(columns) | flag,
                        static_cast<std::int32_t>(tree.size())};
            open[pick] = tree.size();
            open.push_back(tree.size() + 1);
            tree.resize(tree.size() + 2, Node{0.0, 0, -1});
        }
        std::int32_t leaves = 0;
        for (Node& node : tree) {
            if (!node.is_leaf()) continue;
            node.left = ~leaves++;
            const auto sure = random.below(static_cast<std::uint32_t>(outputs) + 1);
            for (std::size_t k = 0; k < outputs; ++k)
                values.push_back(sure == outputs ? random.uniform() : sure == k ? 1.0 : 0.0);
        }
        nodes.insert(nodes.end(), tree.begin(), tree.end());
        node_offsets.push_back(static_cast<std::int64_t>(nodes.size()));
        leaf_offsets.push_back(leaf_offsets.back() + leaves);
    }

    ForestView view() const {
        return {nodes,
                node_offsets,
                leaf_offsets,
                word_offsets,
                {},
                {values.data(), values.size() / outputs, outputs,
                 static_cast<std::ptrdiff_t>(outputs), 1}};
    }

    // Where a row ends in a tree, one node after the other.
    template <class T>
    std::int64_t leaf(std::size_t tree, const T* x) const {
        std::int64_t at = 0;
        for (;;) {
            const Node& node = nodes[static_cast<std::size_t>(node_offsets[tree] + at)];
            if (node.is_leaf()) return at;
            at = node.left + goes_right<false>(node, x[node.feature()], nullptr);
        }
    }
};

template <class T>
std::vector<T> cells_of(std::size_t n, bool holes, Random& random) {
    std::vector<T> x(n);
    for (T& cell : x)
        cell = holes && !random.below(7) ? static_cast<T>(kNaN) : static_cast<T>(random.uniform());
    return x;
}

// Nodes and sums of all ways to walk are those of the plain walk.
template <class T>
void compare(const RandomForest& forest, std::size_t rows, std::size_t columns,
             const std::vector<T>& x, std::span<const double> weight) {
    const std::size_t trees = forest.node_offsets.size() - 1, outputs = forest.outputs;
    const ForestView view = forest.view();
    std::vector<double> expected(rows * outputs, 0.0), sums(rows * outputs, 0.0);
    std::vector<std::int32_t> leaves(rows * trees), nodes(rows * trees);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t t = 0; t < trees; ++t) {
            const std::int64_t at = forest.leaf(t, x.data() + i * columns);
            leaves[i * trees + t] = static_cast<std::int32_t>(at);
            const Node& node = forest.nodes[static_cast<std::size_t>(forest.node_offsets[t] + at)];
            const auto row = static_cast<std::size_t>(forest.leaf_offsets[t] + ~node.left);
            for (std::size_t k = 0; k < outputs; ++k)
                expected[i * outputs + k] +=
                    (weight.empty() ? 1.0 : weight[t]) * view.values(row, k);
        }
    const auto width = static_cast<std::ptrdiff_t>(columns);
    const Matrix<const T> X{x.data(), rows, columns, width, 1};
    Interrupt interrupt;
    for (const int threads : {1, 3}) {
        std::ranges::fill(sums, 0.0);
        predict(view, X, weight, {sums.data(), rows, outputs, std::ptrdiff_t(outputs), 1}, threads,
                interrupt);
        apply(view, X, {nodes.data(), rows, trees, std::ptrdiff_t(trees), 1}, threads, interrupt);
        CHECK(sums == expected);
        CHECK(nodes == leaves);
    }
}

}  // namespace

TEST_CASE(a_float_is_above_a_threshold_as_it_is_above_the_packed_one) {
    Random random(1);
    std::vector<double> thresholds{0.0,
                                   -0.0,
                                   1e-50,
                                   -1e-50,
                                   1e300,
                                   -1e300,
                                   1.0,
                                   3.5e38,
                                   -3.5e38,
                                   1e-40,
                                   -1e-40,
                                   0.1,
                                   -0.1,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity()};
    for (int i = 0; i < 2000; ++i)
        thresholds.push_back((random.uniform() - 0.5) * std::exp2(double(random.below(60)) - 30.0));
    for (const double threshold : thresholds) {
        const float packed = largest_below<float>(threshold);
        float x = static_cast<float>(threshold);
        x = std::nextafter(std::nextafter(x, -INFINITY), -INFINITY);
        for (int i = 0; i < 5; ++i, x = std::nextafter(x, INFINITY))
            CHECK((x > packed) == (static_cast<double>(x) > threshold));
        CHECK((0.0f > packed) == (0.0 > threshold));
        CHECK(largest_below<double>(threshold) == threshold);
    }
}

TEST_CASE(packed_forests_say_what_plain_walks_say) {
    Random random(2);
    for (const std::uint32_t columns : {1u, 2u, 3u, 28u, 64u, 65u})
        for (const std::size_t outputs : {1ul, 2ul, 3ul, 7ul, 9ul})
            for (const bool holes : {false, true}) {
                const RandomForest forest(3, 700, columns, outputs, random);
                const std::vector<double> weight{0.5, 2.0, -1.25};
                const std::size_t rows = 400 + random.below(400);
                compare<float>(forest, rows, columns,
                               cells_of<float>(rows * columns, holes, random), weight);
                compare<double>(forest, rows, columns,
                                cells_of<double>(rows * columns, holes, random), {});
            }
}

// Of about as many splits trees are shallow enough for a heap, and some are not. Thresholds and
// cells are of both signs, with both zeros and what is beyond all numbers.
TEST_CASE(shallow_trees_say_what_plain_walks_say) {
    Random random(4);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::vector<double> odd{0.0, -0.0, kInfinity, -kInfinity, 1e300, -1e300, 1e-300, -1e-300};
    for (const std::size_t splits : {0ul, 1ul, 3ul, 12ul, 25ul, 100ul})
        for (const std::uint32_t columns : {1u, 3u, 28u, 1000u})
            for (const bool holes : {false, true}) {
                RandomForest forest(6, splits, columns, 1, random);
                for (Node& node : forest.nodes)
                    node.threshold =
                        random.below(4) ? random.uniform() - 0.5 : odd[random.below(8)];
                const std::size_t rows = 64 + random.below(200);
                std::vector<double> x = cells_of<double>(rows * columns, holes, random);
                for (double& cell : x) cell = random.below(9) ? cell - 0.5 : odd[random.below(8)];
                const std::vector<float> narrow(x.begin(), x.end());
                compare<double>(forest, rows, columns, x, {});
                compare<float>(forest, rows, columns, narrow,
                               std::vector<double>{0.5, 2.0, -1.25, 1.0, 0.1, 3.0});
            }
}

// Too many leaves for bits, few enough nodes for the first cache; cells as above.
TEST_CASE(small_trees_say_what_plain_walks_say) {
    Random random(6);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::vector<double> odd{0.0, -0.0, kInfinity, -kInfinity, 1e300, -1e300, 1e-300, kNaN};
    for (const std::size_t splits : {70ul, 231ul, 511ul})
        for (const std::uint32_t columns : {1u, 7u, 57u, 3000u})
            for (const std::size_t outputs : {1ul, 2ul, 3ul}) {
                RandomForest forest(3, splits, columns, outputs, random);
                for (Node& node : forest.nodes)
                    node.threshold =
                        random.below(9) ? random.uniform() - 0.5 : odd[random.below(7)];
                const std::size_t rows = 64 + random.below(70);
                std::vector<double> x = cells_of<double>(rows * columns, false, random);
                // Of half the forests, no cell is missing.
                const std::uint32_t kinds = 7 + splits % 2;
                for (double& cell : x)
                    cell = random.below(9) ? cell - 0.5 : odd[random.below(kinds)];
                const std::vector<float> narrow(x.begin(), x.end());
                compare<double>(forest, rows, columns, x, {});
                compare<float>(forest, rows, columns, narrow, std::vector<double>{0.5, 2.0, -1.25});
            }
}

TEST_CASE(trees_that_are_not_worth_packing_are_walked_too) {
    Random random(5);
    for (const bool holes : {false, true}) {
        const RandomForest forest(3, 3000, 5, 2, random);
        compare<float>(forest, 70, 5, cells_of<float>(70 * 5, holes, random), {});
        compare<double>(forest, 37, 5, cells_of<double>(37 * 5, holes, random), {});
    }
}

TEST_CASE(trees_are_packed_in_groups) {
    Random random(3);
    const RandomForest forest(5, 700, 4, 2, random);
    const std::vector<float> x = cells_of<float>(4 * 100, true, random);
    const Matrix<const float> X{x.data(), 100, 4, 4, 1};
    PackedForest<float> packed(forest.view(), 4, 3000);  // of 1401 nodes each
    Team team(2);
    std::vector<std::size_t> ends;
    for (std::size_t first = 0; first < 5; first = ends.back()) {
        ends.push_back(packed.pack(first, team));
        packed.walk(X, 10, 100, [&](std::size_t tree, const Hop<float>*, const std::uint32_t* at) {
            for (std::size_t i = 10; i < 100; ++i)
                CHECK(at[i - 10] == forest.leaf(tree, x.data() + 4 * i));
        });
    }
    CHECK(ends == (std::vector<std::size_t>{2, 4, 5}));
}

TEST_CASE(forests_that_do_not_fit_are_not_packed) {
    CHECK(Packing<float>(28).holds((1 << 23) - 1));
    CHECK(!Packing<float>(28).holds((1 << 23) + 1));  // leaves are numbered in 22 bits
    CHECK(Packing<float>(1 << 15).holds(1 << 16));
    CHECK(!Packing<float>(1 << 15).holds((1 << 16) + 1));
    CHECK(Packing<double>(1 << 15).holds((1 << 23) + 1));
    CHECK(!Packing<float>(std::size_t{1} << 31).holds(3));
    Random random(4);
    const RandomForest forest(2, 700, 3, 1, random);
    std::vector<float> x(3 * 400, 0.5f);
    const Matrix<const float> X{x.data(), 400, 3, 3, 1}, few{x.data(), 300, 3, 3, 1};
    CHECK(PackedForest<float>::suits(forest.view(), X));
    CHECK(!PackedForest<float>::suits(forest.view(), few));  // which do not pay for 1401 nodes
    const std::uint64_t word = 0;
    ForestView categories = forest.view();
    categories.categories = {&word, 1};
    CHECK(!PackedForest<float>::suits(categories, X));
}
