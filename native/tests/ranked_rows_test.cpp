#include "ranked_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "coterie/random.hpp"
#include "small_table.hpp"

using namespace coterie;

namespace {

// The least sum of w |y - m| over all m: one of the targets is the best.
double plain_cost(const std::vector<Item>& rows) {
    double least = std::numeric_limits<double>::infinity();
    for (const Item& middle : rows) {
        double cost = 0.0;
        for (const Item& row : rows) cost += row.w * std::abs(row.s - middle.s);
        least = std::min(least, cost);
    }
    return least;
}

std::vector<Item> random_rows(std::size_t n, std::uint32_t heaviest, std::uint32_t distinct,
                              double offset, Random& random) {
    std::vector<Item> rows(n);
    for (Item& row : rows)
        row = {1.0 + random.below(heaviest), offset + random.below(distinct) / 8.0};
    std::ranges::sort(rows, {}, &Item::s);
    return rows;
}

}  // namespace

TEST_CASE(rows_that_leave_cost_the_others_what_a_plain_loop_says) {
    Random random(1);
    RankedRows ranked;
    for (std::size_t n = 2; n < 40; ++n)
        for (const std::uint32_t heaviest : {1u, 3u, 16u})
            for (const std::uint32_t distinct : {2u, 5u, 1000u})
                for (const double offset : {0.0, -1e6}) {
                    const auto rows = random_rows(n, heaviest, distinct, offset, random);
                    CHECK(RankedRows::suits(rows));
                    ranked.begin(rows);
                    CHECK(check::close(ranked.cost(), plain_cost(rows), 1e-9));
                    std::vector<std::uint32_t> order(n);
                    std::iota(order.begin(), order.end(), 0u);
                    for (std::size_t i = 0; i < n; ++i)
                        std::swap(order[i], order[i + random.below(std::uint32_t(n - i))]);
                    ranked.restore();
                    for (std::size_t gone = 0; gone < n - 1;) {
                        const std::size_t more =
                            std::min<std::size_t>(1 + random.below(3), n - 1 - gone);
                        const auto rest = ranked.leave({order.data() + gone, more});
                        gone += more;
                        std::vector<Item> left;
                        double weight = 0.0;
                        for (std::size_t i = gone; i < n; ++i) {
                            left.push_back(rows[order[i]]);
                            weight += left.back().w;
                        }
                        CHECK(check::close(rest.cost, plain_cost(left), 1e-9));
                        CHECK(rest.weight == weight);
                    }
                }
}

TEST_CASE(two_sides_cost_what_a_plain_loop_says) {
    Random random(2);
    RankedRows ranked;
    for (std::size_t n = 2; n < 60; ++n) {
        const auto rows = random_rows(n, 4, 30, 100.0, random);
        ranked.begin(rows);
        std::vector<std::uint32_t> side(n);
        for (auto& s : side) s = random.below(2);
        side[random.below(std::uint32_t(n / 2))] = 0;
        side[n / 2 + random.below(std::uint32_t(n - n / 2))] = 1;
        std::vector<Item> sides[2];
        for (std::size_t i = 0; i < n; ++i) sides[side[i]].push_back(rows[i]);
        const auto [left, right] = ranked.divide(side);
        CHECK(check::close(left.cost, plain_cost(sides[0]), 1e-9));
        CHECK(check::close(right.cost, plain_cost(sides[1]), 1e-9));
    }
}

TEST_CASE(the_median_lies_in_the_middle_of_two_halves) {
    RankedRows ranked;
    const auto median = [&](const std::vector<Item>& rows) {
        ranked.begin(rows);
        return ranked.median();
    };
    CHECK(median({{1, 1}, {1, 2}}) == 1.5);
    CHECK(median({{1, 1}, {1, 2}, {1, 7}}) == 2.0);
    CHECK(median({{3, 1}, {1, 2}, {2, 7}}) == 1.5);
    CHECK(median({{4, 1}, {1, 2}, {2, 7}}) == 1.0);
    CHECK(median({{1, 1}, {1, 1}, {1, 1}, {3, 9}}) == 5.0);
    CHECK(median({{2, 3}}) == 3.0);
}

TEST_CASE(rows_out_of_order_and_very_different_weights_are_left_to_others) {
    CHECK(!RankedRows::suits(std::vector<Item>{{1, 2}, {1, 1}}));
    CHECK(!RankedRows::suits(std::vector<Item>{{1, 1}, {17, 2}}));
    CHECK(RankedRows::suits(std::vector<Item>{{1, 1}, {16, 1}}));
}

TEST_CASE(trees_by_absolute_error_separate_all_rows) {
    Random random(9);
    for (const bool drawn : {false, true})
        for (const bool holes : {false, true})
            for (const std::uint8_t categories : {0, 1}) {
                std::vector<double> cells, y, weight;
                for (int i = 0; i < 90; ++i) {
                    cells.insert(cells.end(), {double(i), double(random.below(9))});
                    if (holes && i % 5 == 0) cells.back() = kMissing;
                    y.push_back(random.below(1000));
                    weight.push_back(1.0 + random.below(3));
                }
                const SmallTable table(cells, 2, {0, categories});
                Growth growth;
                growth.criterion = Criterion::absolute_error;
                growth.random_thresholds = drawn;
                const Tree tree = table.fit_values(y, growth, weight);
                CHECK(tree.nodes[0].is_leaf() == false);
                CHECK(tree.medians.size() == tree.nodes.size());
                std::vector<double> said = tree.values, expected = y;
                std::ranges::sort(said);
                said.erase(std::unique(said.begin(), said.end()), said.end());
                std::ranges::sort(expected);
                expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
                CHECK(said == expected);
            }
}
