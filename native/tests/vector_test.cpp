#include "coterie/vector_tree.hpp"

#include <cmath>

#include "check.hpp"
#include "coterie/newton.hpp"
#include "coterie/random.hpp"
#include "small_table.hpp"

using namespace coterie;

namespace {

struct VectorFit {
    Tree tree;
    std::vector<std::int32_t> leaves;
};

Matrix<const std::uint8_t> codes_of(const SmallTable& table) {
    return {table.codes.data(), table.rows, table.cols, static_cast<std::ptrdiff_t>(table.cols), 1};
}

// Slopes are given row by row; no hessians stand for ones.
VectorFit fit(const SmallTable& table, std::size_t scores, const std::vector<double>& gradient,
              const std::vector<double>& hessian, VectorGrowth growth,
              const std::vector<std::int32_t>& rows = {}, int n_threads = 1) {
    growth.columns = table.columns;
    const auto step = static_cast<std::ptrdiff_t>(scores);
    VectorSlopes<double> slopes;
    slopes.gradient = {gradient.data(), table.rows, scores, step, 1};
    if (!hessian.empty()) slopes.hessian = {hessian.data(), table.rows, scores, step, 1};
    slopes.rows = rows;
    std::vector<std::int32_t> leaves(table.rows, -1);
    Interrupt interrupt;
    Tree tree =
        grow_vector<std::uint8_t, double>(CodeTable<std::uint8_t>{codes_of(table)}, table.bins(),
                                          slopes, growth, 5, n_threads, leaves, interrupt);
    return {std::move(tree), std::move(leaves)};
}

// Three scores that depend on two of four columns.
struct Many {
    std::size_t rows = 5'000, scores = 3;
    std::vector<double> cells, gradient, hessian;

    Many() {
        Random random(11);
        for (std::size_t i = 0; i < rows; ++i) {
            double x[4];
            for (double& value : x) cells.push_back(value = std::floor(random.uniform() * 60));
            for (std::size_t k = 0; k < scores; ++k) {
                const double signal = k == 0 ? std::sin(x[0]) : k == 1 ? 0.05 * x[1] - 1.5 : 0.0;
                gradient.push_back(signal + random.uniform() - 0.5);
                hessian.push_back(0.1 + random.uniform());
            }
        }
    }
};

}  // namespace

TEST_CASE(vector_leaves_by_hand) {
    // Sides are worth the sum over both scores of G² / (rows + 1): 4.75, 6.67 and 5.75.
    const SmallTable table({1, 2, 3, 4}, 1);
    VectorGrowth growth;
    growth.max_depth = 1;
    growth.l2 = 1.0;
    const std::vector<double> gradient{0, 1, 0, 1, -1, 0, -3, 0};
    for (const int precision : {1, 2}) {
        growth.precision = precision;
        const auto [tree, leaves] = fit(table, 2, gradient, {}, growth);
        CHECK(tree.nodes[0].threshold == 2.5);
        CHECK(leaves == (std::vector<std::int32_t>{0, 0, 1, 1}));
        const double expected[] = {0.0, -2.0 / 3.0, 4.0 / 3.0, 0.0};
        for (std::size_t k = 0; k < 4; ++k) CHECK(check::close(tree.values[k], expected[k], 1e-6));
    }
    // The split gains 6.67 - 20 / 5 (no score alone: 2.13 and 0.53), halved as everywhere.
    growth.min_gain = 1.32;
    CHECK(fit(table, 2, gradient, {}, growth).tree.nodes.size() == 3);
    growth.min_gain = 2.68;
    CHECK(fit(table, 2, gradient, {}, growth).tree.nodes.size() == 1);
}

TEST_CASE(each_score_of_a_leaf_has_its_own_newton_step) {
    const SmallTable table({1, 1, 2, 2}, 1);
    const std::vector<double> gradient{1, 2, 1, 2, -3, 1, -3, 1};
    const std::vector<double> hessian{1, 4, 3, 4, 1, 1, 1, 0};
    VectorGrowth growth;
    growth.precision = 2;
    const auto [tree, leaves] = fit(table, 2, gradient, hessian, growth);
    const double expected[] = {-2.0 / 4.0, -4.0 / 8.0, 6.0 / 2.0, -2.0 / 1.0};
    for (std::size_t k = 0; k < 4; ++k) CHECK(check::close(tree.values[k], expected[k], 1e-6));
}

TEST_CASE(of_one_score_it_is_the_newton_tree) {
    const Many many;
    const SmallTable table(many.cells, 4);
    std::vector<double> gradient;
    for (std::size_t i = 0; i < many.rows; ++i)
        gradient.push_back(many.gradient[3 * i] + many.gradient[3 * i + 1]);
    VectorGrowth growth;
    growth.max_leaf_nodes = 12;
    growth.min_samples_leaf = 20;
    growth.precision = 2;
    growth.l2 = 0.5;
    const VectorFit found = fit(table, 1, gradient, {}, growth);
    NewtonGrowth newton;
    newton.max_leaf_nodes = 12;
    newton.min_samples_leaf = 20;
    newton.precision = 2;
    newton.l2 = 0.5;
    newton.columns = table.columns;
    std::vector<std::int32_t> leaves(table.rows, -1);
    Workspace workspace;
    Interrupt interrupt;
    const auto codes = codes_of(table);
    const Tree tree = grow_newton<std::uint8_t, double>(
        {{codes, codes, table.bins()}, {gradient, {}, {}}, newton, 5, 0, leaves}, 1, workspace,
        interrupt);
    CHECK(tree.values.size() == 12);
    CHECK(found.tree.nodes.size() == tree.nodes.size());
    // Leaves may have other numbers: a row's value is what counts.
    for (std::size_t i = 0; i < table.rows; ++i)
        CHECK(check::close(found.tree.values[static_cast<std::size_t>(found.leaves[i])],
                           tree.values[static_cast<std::size_t>(leaves[i])], 1e-9));
}

TEST_CASE(vectors_depend_neither_on_threads_nor_on_packing) {
    const Many many;
    const SmallTable table(many.cells, 4);
    VectorGrowth growth;
    growth.max_leaf_nodes = 16;
    growth.min_samples_leaf = 10;
    std::vector<VectorFit> alone;
    for (const int precision : {1, 2}) {
        growth.precision = precision;
        alone.push_back(fit(table, 3, many.gradient, many.hessian, growth));
        for (const int threads : {2, 5}) {
            const VectorFit more = fit(table, 3, many.gradient, many.hessian, growth, {}, threads);
            CHECK(more.tree.values == alone.back().tree.values);
            CHECK(more.leaves == alone.back().leaves);
        }
    }
    CHECK(alone[0].tree.values.size() == 16 * 3);
    CHECK(alone[0].leaves == alone[1].leaves);
    for (std::size_t k = 0; k < 16 * 3; ++k)
        CHECK(check::close(alone[0].tree.values[k], alone[1].tree.values[k], 1e-4));
}

TEST_CASE(only_the_rows_that_are_learnt_from_have_a_say) {
    const SmallTable table({1, 2, 3, 4, 5}, 1);
    VectorGrowth growth;
    growth.max_depth = 1;
    // The last row would make a leaf of its own.
    const auto [tree, leaves] =
        fit(table, 2, {0, 1, 0, 1, -1, 0, -1, 0, 90, 90}, {}, growth, {0, 1, 2, 3});
    CHECK(tree.nodes[0].threshold == 2.5);
    CHECK(leaves == (std::vector<std::int32_t>{0, 0, 1, 1, -1}));
    CHECK(tree.n_samples[0] == 4);
}

TEST_CASE(missing_values_go_where_they_gain_most) {
    const SmallTable table({1, 2, 3, kMissing, kMissing}, 1);
    VectorGrowth growth;
    growth.max_depth = 1;
    const auto low = fit(table, 2, {2, 2, -2, -2, -2, -2, 2, 2, 2, 2}, {}, growth);
    CHECK(low.tree.nodes[0].missing_left());
    CHECK(low.leaves == (std::vector<std::int32_t>{0, 1, 1, 0, 0}));
    const auto high = fit(table, 2, {2, 2, -2, -2, -2, -2, -2, -2, -2, -2}, {}, growth);
    CHECK(!high.tree.nodes[0].missing_left());
    CHECK(high.leaves == (std::vector<std::int32_t>{0, 1, 1, 1, 1}));
}
