#include "coterie/isolation.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"

using namespace coterie;

namespace {

// Trees of all rows, with as many seeds.
struct Plan {
    std::vector<std::int64_t> rows;
    std::vector<std::int32_t> columns;
    std::vector<std::uint64_t> seeds;
    std::vector<double> path;
    std::size_t n_rows, n_columns;

    Plan(std::size_t n_trees, std::size_t rows_of_a_tree, std::size_t columns_of_a_tree)
        : path(rows_of_a_tree + 1, 0.0), n_rows(rows_of_a_tree), n_columns(columns_of_a_tree) {
        for (std::size_t t = 0; t < n_trees; ++t) {
            seeds.push_back(t);
            for (std::size_t i = 0; i < n_rows; ++i) rows.push_back(static_cast<int>(i));
            for (std::size_t j = 0; j < n_columns; ++j) columns.push_back(static_cast<int>(j));
        }
    }
    IsolationSamples samples() const {
        return {
            {rows.data(), seeds.size(), n_rows, static_cast<std::ptrdiff_t>(n_rows), 1},
            {columns.data(), seeds.size(), n_columns, static_cast<std::ptrdiff_t>(n_columns), 1},
            seeds};
    }
};

const std::vector<double> kRows{0.0, 0.0, 1.0, 1.0, 10.0, 10.0};
const Matrix<const double> kTable{kRows.data(), 3, 2, 2, 1};

}  // namespace

TEST_CASE(isolation_trees_end_with_rows_alone) {
    const Plan plan(50, 3, 2);
    const std::vector<std::uint32_t> levels{0, 0};
    Interrupt interrupt;
    for (const int threads : {1, 3}) {
        const auto trees =
            grow_isolation(kTable, levels, plan.samples(), {2, plan.path}, threads, interrupt);
        for (const Tree& tree : trees) {
            CHECK(tree.nodes.size() == 5);
            CHECK(tree.values.size() == 3);
            CHECK(tree.n_samples[0] == 3);
        }
    }
}

TEST_CASE(constant_columns_are_not_cut) {
    const std::vector<float> equal(6, 2.0f);
    const Matrix<const float> table{equal.data(), 3, 2, 2, 1};
    const Plan plan(2, 3, 2);
    const std::vector<std::uint32_t> levels{0, 0};
    Interrupt interrupt;
    for (const Tree& tree :
         grow_isolation(table, levels, plan.samples(), {2, plan.path}, 1, interrupt))
        CHECK(tree.nodes.size() == 1);
}

TEST_CASE(levels_are_parted_into_two_sets) {
    const std::vector<double> codes{0, 1, 2, 70, 70, 5};
    const Matrix<const double> table{codes.data(), 6, 1, 1, 1};
    const Plan plan(40, 6, 1);
    const std::vector<std::uint32_t> levels{71};
    Interrupt interrupt;
    for (const Tree& tree :
         grow_isolation(table, levels, plan.samples(), {3, plan.path}, 1, interrupt)) {
        CHECK(tree.nodes[0].categorical());
        CHECK(tree.categories[0] == 2);
        for (const std::int32_t rows : tree.n_samples) CHECK(rows > 0);
    }
}

TEST_CASE(slanted_trees_are_walked_as_they_were_grown) {
    const Plan plan(20, 3, 2);
    Interrupt interrupt;
    const auto trees = grow_slanted(kTable, plan.samples(), {2, plan.path}, 2, 10, 1, interrupt);
    for (const SlantedTree& tree : trees) {
        const std::vector<std::int64_t> starts{0, static_cast<std::int64_t>(tree.left.size())};
        SlantedView view{tree.left, tree.offsets, tree.columns, tree.slants, starts, 2};
        check_slanted(view, 2);
        std::vector<double> out(3, 0.0);
        slanted_paths(view, kTable, out, 1, interrupt);
        for (const double length : out) CHECK(length >= 1.0 && length <= 2.0);
        CHECK(check::throws<std::invalid_argument>([&] { check_slanted(view, 1); }));
        view.width = 3;
        CHECK(check::throws<std::invalid_argument>([&] { check_slanted(view, 2); }));
    }
}
