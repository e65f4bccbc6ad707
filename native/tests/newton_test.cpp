#include "coterie/newton.hpp"

#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "coterie/bundle.hpp"
#include "coterie/random.hpp"
#include "coterie/slopes.hpp"
#include "coterie/team.hpp"
#include "small_table.hpp"

using namespace coterie;

namespace {

struct Fit {
    Tree tree;
    std::vector<std::int32_t> leaves;
};

Fit fit(const SmallTable& table, const std::vector<double>& gradient,
        const std::vector<double>& hessian, NewtonGrowth growth,
        const std::vector<std::int32_t>& rows = {}, int n_threads = 1) {
    growth.columns = table.columns;
    const Matrix<const std::uint8_t> codes{table.codes.data(), table.rows, table.cols,
                                           static_cast<std::ptrdiff_t>(table.cols), 1};
    std::vector<std::int32_t> leaves(table.rows, -1);
    Workspace workspace;
    Interrupt interrupt;
    Tree tree = grow_newton<std::uint8_t, double>(
        {{codes, codes, table.bins()}, {gradient, hessian, rows}, growth, 5, 0, leaves}, n_threads,
        workspace, interrupt);
    return {std::move(tree), std::move(leaves)};
}

// Rows enough for packed sums, and for threads: y depends on the first two of four columns.
struct Large {
    std::size_t rows = 70'000;
    std::vector<double> cells, gradient, hessian;

    Large() {
        Random random(3);
        for (std::size_t i = 0; i < rows; ++i) {
            double x[4];
            for (double& value : x) cells.push_back(value = std::floor(random.uniform() * 50));
            gradient.push_back(std::sin(x[0]) + 0.1 * x[1] - 2.5 + random.uniform());
            hessian.push_back(0.1 + random.uniform());
        }
    }
};

}  // namespace

TEST_CASE(newton_leaves_by_hand) {
    // y = 0, 0, 1, 3 from a score of 0: the gains at the three boundaries are 0.8, 2.1333, 1.55.
    const SmallTable table({1, 2, 3, 4}, 1);
    NewtonGrowth growth;
    growth.max_depth = 1;
    growth.l2 = 1.0;
    const auto [tree, leaves] = fit(table, {0, 0, -1, -3}, {}, growth);
    CHECK(tree.nodes[0].threshold == 2.5);
    CHECK(check::close(tree.values[1], 4.0 / 3.0));
    CHECK(leaves == (std::vector<std::int32_t>{0, 0, 1, 1}));
    growth.min_gain = 2.14;
    CHECK(fit(table, {0, 0, -1, -3}, {}, growth).tree.nodes.size() == 1);
    growth.min_gain = 0.0;
    growth.l1 = 1.0;
    CHECK(check::close(fit(table, {0, 0, -1, -3}, {}, growth).tree.values[1], 1.0));
    growth.l1 = 0.0;
    growth.max_delta_step = 0.5;
    CHECK(check::close(fit(table, {0, 0, -1, -3}, {}, growth).tree.values[1], 0.5));
}

TEST_CASE(newton_does_not_depend_on_threads) {
    const Large large;
    const SmallTable table(large.cells, 4);
    for (const int precision : {1, 2}) {
        NewtonGrowth growth;
        growth.max_leaf_nodes = 20;
        growth.min_samples_leaf = 30;
        growth.precision = precision;
        const Fit one = fit(table, large.gradient, large.hessian, growth);
        for (const int threads : {2, 3, 8}) {
            const Fit many = fit(table, large.gradient, large.hessian, growth, {}, threads);
            CHECK(many.tree.values == one.tree.values);
            CHECK(many.leaves == one.leaves);
        }
    }
}

TEST_CASE(codes_are_copied_from_one_layout_to_another) {
    Random random(8);
    for (const std::size_t rows : {1ul, 63ul, 9000ul})
        for (const std::size_t cols : {1ul, 5ul, 70ul}) {
            std::vector<std::uint8_t> by_row(rows * cols), by_column(rows * cols),
                again(rows * cols);
            for (auto& code : by_row) code = static_cast<std::uint8_t>(random.below(256));
            const auto n = static_cast<std::ptrdiff_t>(rows), d = static_cast<std::ptrdiff_t>(cols);
            copy_codes({by_row.data(), rows, cols, d, 1}, {by_column.data(), rows, cols, 1, n}, 2);
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < cols; ++j)
                    CHECK(by_column[j * rows + i] == by_row[i * cols + j]);
            copy_codes({by_column.data(), rows, cols, 1, n}, {again.data(), rows, cols, d, 1}, 1);
            CHECK(again == by_row);
        }
}

TEST_CASE(large_memory_begins_at_a_large_page) {
    Pages<std::uint32_t> small(3, 7), large(std::size_t{1} << 20, 7);
    CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % (1u << 21) == 0);
    large.resize(3);
    large.shrink_to_fit();  // from one kind of memory to the other
    CHECK(large == small);
    small.resize(std::size_t{1} << 20);
    CHECK(reinterpret_cast<std::uintptr_t>(small.data()) % (1u << 21) == 0);
    CHECK(small[2] == 7 && small[3] == 0);
    BarePages<std::uint32_t> bare(3, 7);
    bare.resize(std::size_t{1} << 20);
    CHECK(reinterpret_cast<std::uintptr_t>(bare.data()) % (1u << 21) == 0 && bare[2] == 7);
}

TEST_CASE(packed_and_exact_sums_agree) {
    const Large large;
    const SmallTable table(large.cells, 4);
    NewtonGrowth growth;
    growth.max_leaf_nodes = 8;
    growth.precision = 1;
    const Fit packed = fit(table, large.gradient, large.hessian, growth);
    growth.precision = 2;
    const Fit exact = fit(table, large.gradient, large.hessian, growth);
    CHECK(packed.tree.nodes.size() == exact.tree.nodes.size());
    CHECK(packed.tree.nodes[0].feature() == exact.tree.nodes[0].feature());
    CHECK(packed.leaves == exact.leaves);
    for (std::size_t k = 0; k < exact.tree.values.size(); ++k)
        CHECK(check::close(packed.tree.values[k], exact.tree.values[k], 1e-9));
}

TEST_CASE(leaves_have_enough_rows_although_packed_cells_do_not_count_them) {
    Large large;
    // A few rows of huge slope ask for a leaf of their own.
    for (std::size_t i = 0; i < 10; ++i) large.gradient[i * 3000] = -4.0;
    const SmallTable table(large.cells, 4);
    NewtonGrowth growth;
    growth.max_leaf_nodes = 200;
    growth.min_samples_leaf = 150;
    growth.precision = 1;
    const Fit packed = fit(table, large.gradient, large.hessian, growth);
    std::vector<int> sizes(packed.tree.values.size(), 0);
    for (const std::int32_t leaf : packed.leaves) ++sizes[static_cast<std::size_t>(leaf)];
    CHECK(sizes.size() > 100);
    for (const int size : sizes) CHECK(size >= 150);
}

TEST_CASE(small_nodes_are_not_split) {
    const SmallTable table({1, 2, 3, 4}, 1);
    NewtonGrowth growth;
    CHECK(fit(table, {0, 1, -1, -3}, {}, growth).tree.values.size() == 4);
    growth.min_samples_split = 3;
    CHECK(fit(table, {0, 1, -1, -3}, {}, growth).tree.values.size() == 3);
    growth.min_samples_split = 5;
    CHECK(fit(table, {0, 1, -1, -3}, {}, growth).tree.values.size() == 1);
}

TEST_CASE(thresholds_lie_midway_between_values_of_the_node) {
    // After the first split the left node has 1, 2 and 6 of the first column, the table 5 too.
    const SmallTable table({1, 0, 2, 0, 6, 0, 5, 1, 5, 1}, 2);
    NewtonGrowth growth;
    const std::vector<double> gradient{0, 0, -1, -9, -9};
    const auto thresholds = [&] {
        std::vector<double> found;
        for (const Node& node : fit(table, gradient, {}, growth).tree.nodes)
            if (node.left >= 0 && node.feature() == 0) found.push_back(node.threshold);
        return found;
    };
    CHECK(thresholds() == std::vector<double>{3.5});
    growth.in_middle = true;
    CHECK(thresholds() == std::vector<double>{4.0});
}

TEST_CASE(rows_that_were_not_learnt_from_get_leaves_too) {
    const SmallTable table({1, 2, 3, 4, kMissing, 2}, 1);
    const auto [tree, leaves] = fit(table, {5, 0, -1, -1, 7, 1}, {}, NewtonGrowth{}, {1, 2, 3, 5});
    CHECK(tree.n_samples[0] == 4);
    CHECK(leaves[0] == leaves[1]);
    CHECK(leaves[2] == leaves[3]);
    CHECK(leaves[4] == leaves[0] || leaves[4] == leaves[2]);
}

TEST_CASE(slopes_that_are_no_numbers_are_refused) {
    const SmallTable table({1, 2}, 1);
    CHECK(check::throws<std::invalid_argument>([&] { fit(table, {kMissing, 1}, {}, {}); }));
    CHECK(check::throws<std::invalid_argument>([&] { fit(table, {0, 1}, {-1, 1}, {}); }));
}

TEST_CASE(bundled_flags_give_the_same_tree) {
    std::vector<double> cells, gradient;
    Random random(9);
    for (int i = 0; i < 600; ++i) {
        const std::uint32_t kind = random.below(6);
        for (std::uint32_t k = 0; k < 6; ++k) cells.push_back(k == kind);
        cells.push_back(random.uniform());
        gradient.push_back(std::cos(kind) + 0.3 * cells.back());
    }
    const SmallTable table(cells, 7);
    const Matrix<const std::uint8_t> codes{table.codes.data(), table.rows, 7, 7, 1};
    const Bundles bundles = find_bundles(codes, table.bins(), 1);
    CHECK(bundles.sizes.size() == 2);
    std::vector<std::uint8_t> packed(table.rows * 2);
    encode_bundles(codes, bundles.view(), {packed.data(), table.rows, 2, 2, 1}, 1);
    const Matrix<const std::uint8_t> counted{packed.data(), table.rows, 2, 2, 1};
    NewtonGrowth growth;
    growth.columns = table.columns;
    std::vector<std::int32_t> leaves(table.rows);
    Workspace workspace;
    Interrupt interrupt;
    const Tree tree =
        grow_newton<std::uint8_t, double>({{counted, counted, table.bins(), bundles.view()},
                                           {gradient, {}, {}},
                                           growth,
                                           5,
                                           0,
                                           leaves},
                                          1, workspace, interrupt);
    const Fit plain = fit(table, gradient, {}, {});
    CHECK(tree.values == plain.tree.values);
    CHECK(leaves == plain.leaves);
}

TEST_CASE(counting_unusual_codes_alone_gives_the_same_tree) {
    constexpr std::size_t n = 20'000, d = 6;
    std::vector<double> cells, gradient, hessian;
    Random random(4);
    for (std::size_t i = 0; i < n; ++i) {
        double sum = random.uniform();
        for (std::size_t j = 0; j < d; ++j) {
            const double draw = random.uniform();
            cells.push_back(draw < 0.8 ? 0.0 : draw > 0.98 ? kMissing : std::floor(99 * draw));
            if (cells.back() == cells.back()) sum += cells.back() * (j % 2 ? 0.02 : -0.01);
        }
        gradient.push_back(sum - 0.5);
        hessian.push_back(0.2 + random.uniform());
    }
    const SmallTable table(cells, d);
    const Matrix<const std::uint8_t> codes{table.codes.data(), n, d, d, 1};
    const Bundles bundles = find_bundles(codes, table.bins(), 1);
    const Unusual unusual(codes, table.bins(), bundles.usual);
    CHECK(unusual.cells.size() < n * d / 4);
    for (std::uint32_t j = 0; j < d; ++j)
        CHECK(std::count(unusual.columns.data(), unusual.columns.data() + unusual.cells.size(),
                         j) == unusual.filled[j]);
    for (const int precision : {1, 2})
        for (const int threads : {1, 3}) {
            NewtonGrowth growth;
            growth.max_leaf_nodes = 25;
            growth.min_samples_leaf = 40;
            growth.precision = precision;
            const Fit plain = fit(table, gradient, hessian, growth);
            growth.columns = table.columns;
            std::vector<std::int32_t> leaves(n);
            Workspace workspace;
            Interrupt interrupt;
            const Tree tree =
                grow_newton<std::uint8_t, double>({{codes, codes, table.bins(), {}, &unusual},
                                                   {gradient, hessian, {}},
                                                   growth,
                                                   5,
                                                   0,
                                                   leaves},
                                                  threads, workspace, interrupt);
            CHECK(tree.values.size() == 25);
            CHECK(tree.values == plain.tree.values);
            CHECK(leaves == plain.leaves);
        }
    std::vector<std::uint8_t> damaged(table.codes.begin(), table.codes.begin() + d);
    damaged[1] = 250;
    CHECK(check::throws<std::invalid_argument>([&] {
        Unusual(Matrix<const std::uint8_t>{damaged.data(), 1, d, d, 1}, table.bins(),
                bundles.usual);
    }));
}

TEST_CASE(logistic_slopes_by_the_formula) {
    const std::vector<double> raw{-800, -3, 0, 0.5, 40, 800}, y{0, 1, 1, 0, 1, 0};
    std::vector<double> g(6), h(6);
    logistic_slopes<double>(raw, y, {}, g, h, 1);
    for (std::size_t i = 0; i < 6; ++i) {
        const double p = 1.0 / (1.0 + std::exp(-raw[i]));
        CHECK(check::close(g[i], p - y[i], 1e-15));
        CHECK(std::abs(h[i] - p * (1 - p)) <= 1e-15);
    }
}

TEST_CASE(a_team_does_every_task_once_and_passes_errors_on) {
    Team team(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<int> done(17, 0);
        team.run(done.size(), [&](std::size_t i) { ++done[i]; });
        CHECK(done == std::vector<int>(17, 1));
    }
    CHECK(check::throws<std::runtime_error>([&] {
        team.run(5, [](std::size_t i) {
            if (i == 3) throw std::runtime_error("task");
        });
    }));
}
