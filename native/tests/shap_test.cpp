#include "coterie/shap.hpp"

#include <cmath>
#include <stdexcept>

#include "../src/quadrature.hpp"
#include "check.hpp"
#include "coterie/predict.hpp"
#include "small_table.hpp"

using namespace coterie;

namespace {

// Trees grown on one table, end to end, with one output.
struct Grown {
    std::vector<Node> nodes;
    std::vector<double> weight, values;
    std::vector<std::uint64_t> categories;
    std::vector<std::int64_t> node_offsets{0}, leaf_offsets{0}, category_offsets{0};

    void add(const Tree& tree) {
        nodes.insert(nodes.end(), tree.nodes.begin(), tree.nodes.end());
        weight.insert(weight.end(), tree.weight.begin(), tree.weight.end());
        values.insert(values.end(), tree.values.begin(), tree.values.end());
        categories.insert(categories.end(), tree.categories.begin(), tree.categories.end());
        node_offsets.push_back(static_cast<std::int64_t>(nodes.size()));
        leaf_offsets.push_back(static_cast<std::int64_t>(values.size()));
        category_offsets.push_back(static_cast<std::int64_t>(categories.size()));
    }
    ForestView view() const {
        return {nodes,        node_offsets,
                leaf_offsets, category_offsets,
                categories,   {values.data(), values.size(), 1, 1, 1}};
    }
    std::vector<double> shap(const SmallTable& table, std::size_t background = 0,
                             int n_threads = 1) const {
        const std::size_t width = table.cols + 1;
        std::vector<double> out(table.rows * width, 0.0);
        Interrupt interrupt;
        Matrix<const double> others = table.matrix();
        others.rows = background;
        coterie::shap(
            view(), weight, table.matrix(), others, {},
            Matrix<double>{out.data(), table.rows, width, static_cast<std::ptrdiff_t>(width), 1},
            n_threads, interrupt);
        return out;
    }
    std::vector<double> predict(const SmallTable& table) const {
        std::vector<double> out(table.rows, 0.0);
        Interrupt interrupt;
        coterie::predict(view(), table.matrix(), {},
                         Matrix<double>{out.data(), table.rows, 1, 1, 1}, 1, interrupt);
        return out;
    }
};

// Three columns, the last of categories, with gaps; many rows that repeat.
SmallTable mixed_table(std::size_t rows) {
    std::vector<double> cells;
    for (std::size_t i = 0; i < rows; ++i) {
        cells.push_back(static_cast<double>(i % 13));
        cells.push_back(i % 7 == 3 ? kMissing : static_cast<double>(i % 7));
        cells.push_back(i % 5 == 4 ? kMissing : static_cast<double>(i % 5));
    }
    return SmallTable(cells, 3, {0, 0, 1});
}

Grown grow_mixed(const SmallTable& table) {
    std::vector<double> y;
    for (std::size_t i = 0; i < table.rows; ++i)
        y.push_back(static_cast<double>((i % 13) * (i % 7)) + (i % 5 == 2 ? 30.0 : 0.0));
    Grown forest;
    forest.add(table.fit_values(y, {}));
    for (double& value : y) value = std::sqrt(value);
    forest.add(table.fit_values(y, {}));
    return forest;
}

}  // namespace

TEST_CASE(quadratures_are_exact_for_polynomials) {
    for (const std::size_t n : {1, 2, 3, 7, 40}) {
        const shapley::Quadrature rule(n);
        for (std::size_t degree = 0; degree < 2 * n; ++degree) {
            double sum = 0.0;
            for (std::size_t q = 0; q < n; ++q)
                sum += rule.weight[q] * std::pow(rule.at[q], static_cast<double>(degree));
            CHECK(check::close(sum, 1.0 / static_cast<double>(degree + 1), 1e-14));
        }
        for (std::size_t q = 0; q < n; ++q) CHECK(check::close(rule.at[q] + rule.rest[q], 1.0));
    }
}

TEST_CASE(shapley_values_of_an_and) {
    const SmallTable table({0, 0, 0, 1, 1, 0, 1, 1}, 2);
    Grown forest;
    forest.add(table.fit_values({0, 0, 0, 80}, {}));
    const std::vector<double> got = forest.shap(table);
    for (std::size_t row = 0; row < 4; ++row) CHECK(check::close(got[3 * row + 2], 20.0));
    CHECK(check::close(got[9], 30.0) && check::close(got[10], 30.0));   // both
    CHECK(check::close(got[0], -10.0) && check::close(got[1], -10.0));  // neither
    CHECK(check::close(got[6], 10.0) && check::close(got[7], -30.0));   // the first only
}

TEST_CASE(shapley_values_add_up) {
    const SmallTable table = mixed_table(455);
    const Grown forest = grow_mixed(table);
    const std::vector<double> said = forest.predict(table);
    for (const std::size_t background : {0, 9}) {
        const std::vector<double> got = forest.shap(table, background);
        for (std::size_t row = 0; row < table.rows; ++row) {
            const double* phi = got.data() + 4 * row;
            CHECK(check::close(phi[0] + phi[1] + phi[2] + phi[3], said[row], 1e-12));
        }
    }
}

TEST_CASE(shapley_values_of_long_paths) {
    // A chain of splits, each on a column of its own: more than fit a word of bits.
    constexpr std::int32_t depth = 70;
    Tree tree;
    tree.nodes = {{0.5, 0, 1}};
    tree.weight = {1.0};
    for (std::int32_t i = 0; i < depth; ++i) {
        tree.nodes.push_back({0.0, 0, ~i});
        if (i + 1 < depth)
            tree.nodes.push_back({0.5, static_cast<std::uint32_t>(i + 1), 2 * i + 3});
        else
            tree.nodes.push_back({0.0, 0, ~depth});
        const double whole = tree.weight.back();
        tree.weight.push_back(0.1 * whole);
        tree.weight.push_back(0.9 * whole);
    }
    for (std::int32_t i = 0; i <= depth; ++i) tree.values.push_back(1.0 + 0.1 * i);
    std::vector<double> cells(20 * depth, 1.0);
    for (std::size_t row = 0; row < 20; ++row) cells[row * depth + (row * 37) % 70] = 0.0;
    const SmallTable table(cells, depth);
    Grown forest;
    forest.add(tree);
    const std::vector<double> said = forest.predict(table);
    for (const std::size_t background : {0, 1, 11}) {
        const std::vector<double> got = forest.shap(table, background);
        for (std::size_t row = 0; row < table.rows; ++row) {
            double sum = 0.0;
            for (std::size_t j = 0; j <= depth; ++j) sum += got[row * (depth + 1) + j];
            CHECK(check::close(sum, said[row], 1e-12));
        }
    }
}

TEST_CASE(shapley_values_do_not_depend_on_threads) {
    const SmallTable table = mixed_table(455);
    const Grown forest = grow_mixed(table);
    CHECK(forest.shap(table, 0, 4) == forest.shap(table));
    CHECK(forest.shap(table, 5, 4) == forest.shap(table, 5));
}

TEST_CASE(shapley_values_refuse_damaged_trees) {
    const SmallTable table = mixed_table(91);
    Grown forest = grow_mixed(table);
    forest.weight[1] = -1.0;
    CHECK(check::throws<std::invalid_argument>([&] { forest.shap(table); }));
    // A chain in which every node but the first has two parents.
    Grown shared;
    Tree tree;
    for (std::int32_t i = 0; i < 40; ++i) tree.nodes.push_back({0.0, 0, i + 1});
    tree.nodes.push_back({0.0, 0, ~0});
    tree.nodes.push_back({0.0, 0, ~0});
    tree.weight.assign(tree.nodes.size(), 1.0);
    tree.values = {1.0};
    shared.add(tree);
    CHECK(check::throws<std::invalid_argument>([&] { check_forest(shared.view(), 3); }));
    CHECK(check::throws<std::invalid_argument>([&] { shared.shap(table); }));
}
