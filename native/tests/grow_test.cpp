#include "coterie/grow.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "check.hpp"
#include "coterie/random.hpp"
#include "small_table.hpp"

using namespace coterie;

TEST_CASE(a_step_is_found_at_its_middle) {
    const SmallTable table({0, 1, 2, 10}, 1);
    const Tree tree = table.fit_values({1, 1, 1, 5}, {});
    CHECK(tree.nodes.size() == 3);
    CHECK(tree.nodes[0].threshold == 6.0);
    CHECK(tree.values == (std::vector<double>{1, 5}));
    CHECK(check::close(tree.impurity[0], 3.0));  // variance of 1, 1, 1, 5
}

TEST_CASE(thresholds_lie_between_values_present_in_the_node) {
    // The value 1 lives in the other child, so the second split lies between 0 and 2.
    const SmallTable table({0, 0, 2, 0, 0, 1, 1, 1}, 2);
    const Tree tree = table.fit_values({0, 4, 50, 51}, {});
    bool found = false;
    for (const Node& node : tree.nodes)
        found |= !node.is_leaf() && node.feature() == 0 && node.threshold == 1.0;
    CHECK(found);
}

TEST_CASE(gini_of_two_classes_by_hand) {
    Growth growth;
    growth.criterion = Criterion::gini;
    const SmallTable table({1, 2, 3, 4}, 1);
    const Tree tree = table.fit_labels({0, 0, 1, 1}, 2, growth);
    CHECK(check::close(tree.impurity[0], 0.5));
    CHECK(tree.nodes[0].threshold == 2.5);
    CHECK(tree.values == (std::vector<double>{1, 0, 0, 1}));
}

TEST_CASE(entropy_is_in_bits) {
    Growth growth;
    growth.criterion = Criterion::entropy;
    const SmallTable table({1, 2, 3, 4}, 1);
    CHECK(check::close(table.fit_labels({0, 1, 2, 3}, 4, growth).impurity[0], 2.0));
    CHECK(check::close(table.fit_labels({0, 0, 1, 1}, 2, growth).impurity[0], 1.0));
}

TEST_CASE(missing_values_learn_their_side) {
    const SmallTable table({1, 2, 3, 4, kMissing, kMissing}, 1);
    const Tree low = table.fit_values({0, 0, 9, 9, 0, 0}, {});
    CHECK(low.nodes.size() == 3 && low.nodes[0].missing_left());
    const Tree high = table.fit_values({0, 0, 9, 9, 9, 9}, {});
    CHECK(high.nodes.size() == 3 && !high.nodes[0].missing_left());
    const Tree apart = table.fit_values({0, 0, 0, 0, 9, 9}, {});
    CHECK(apart.nodes.size() == 3 && std::isinf(apart.nodes[0].threshold));
}

TEST_CASE(categories_split_into_the_best_sets) {
    const SmallTable table({0, 1, 2, 3, 0, 1, 2, 3}, 1, {1});
    const Tree tree = table.fit_values({0, 9, 0, 9, 0, 9, 0, 9}, {});
    CHECK(tree.nodes.size() == 3 && tree.nodes[0].categorical());
    CHECK(tree.categories == (std::vector<std::uint64_t>{1, 0b0101}));
}

TEST_CASE(weights_are_repetitions) {
    const SmallTable twice({1, 2, 2, 3, 4, 4}, 1), once({1, 2, 3, 4}, 1);
    const Tree repeated = twice.fit_values({3, 1, 1, 4, 1, 1}, {});
    const Tree weighted = once.fit_values({3, 1, 4, 1}, {}, {1, 2, 1, 2});
    CHECK(repeated.values == weighted.values);
    CHECK(repeated.weight == weighted.weight);
    for (std::size_t i = 0; i < repeated.nodes.size(); ++i)
        CHECK(repeated.nodes[i].threshold == weighted.nodes[i].threshold);
}

TEST_CASE(rows_of_no_weight_are_absent) {
    const SmallTable table({1, 2, 3, 100}, 1);
    const Tree tree = table.fit_values({0, 0, 5, 77}, {}, {1, 1, 1, 0});
    CHECK(tree.n_samples[0] == 3);
    CHECK(tree.values == (std::vector<double>{0, 5}));
}

TEST_CASE(limits_are_kept) {
    const SmallTable table({1, 2, 3, 4, 5, 6, 7, 8}, 1);
    const std::vector<double> y{1, 7, 2, 8, 1, 8, 2, 9};
    Growth growth;
    growth.min_samples_leaf = 3;
    for (const Tree tree = table.fit_values(y, growth); const auto n : tree.n_samples)
        CHECK(n >= 3);
    growth = {};
    growth.max_depth = 1;
    CHECK(table.fit_values(y, growth).nodes.size() == 3);
    growth = {};
    growth.max_leaf_nodes = 3;
    CHECK(table.fit_values(y, growth).values.size() == 3);
    growth = {};
    growth.min_impurity_decrease = 1e9;
    CHECK(table.fit_values(y, growth).nodes.size() == 1);
}

TEST_CASE(monotone_columns_never_fall) {
    const SmallTable table({1, 2, 3, 4, 5, 6}, 1);
    const std::vector<std::int8_t> up{1};
    Growth growth;
    growth.monotone = up;
    const Tree tree = table.fit_values({0, 5, 1, 6, 2, 9}, growth);
    std::vector<double> values;  // leaves from left to right
    const std::function<void(std::int32_t)> walk = [&](std::int32_t i) {
        const Node& node = tree.nodes[static_cast<std::size_t>(i)];
        if (node.is_leaf())
            return values.push_back(tree.values[static_cast<std::size_t>(~node.left)]);
        walk(node.left);
        walk(node.left + 1);
    };
    walk(0);
    CHECK(values.size() > 1 && std::is_sorted(values.begin(), values.end()));
}

TEST_CASE(columns_of_different_groups_never_meet) {
    std::vector<double> cells;
    std::vector<double> y;
    for (int i = 0; i < 64; ++i) {
        cells.insert(cells.end(), {double(i % 4), double(i / 4 % 4), double(i / 16)});
        y.push_back((i * 37) % 11);
    }
    const SmallTable table(cells, 3);
    const std::vector<std::uint8_t> groups{1, 1, 0, 0, 0, 1};
    Growth growth;
    growth.interactions = {groups.data(), 2, 3, 3, 1};
    const Tree tree = table.fit_values(y, growth);
    bool first = false, last = false;
    for (const Node& node : tree.nodes) {
        if (node.is_leaf()) continue;
        first |= node.feature() < 2;
        last |= node.feature() == 2;
    }
    CHECK(first != last);  // the root chose a group for the whole tree
}

TEST_CASE(exact_sums_do_not_depend_on_order) {
    const Grid grid(1000.0);
    double forth = 0.0, back = 0.0;
    std::vector<double> x;
    for (int i = 1; i <= 1000; ++i) x.push_back(grid.snap(1.0 / i));
    for (std::size_t i = 0; i < x.size(); ++i) forth += x[i];
    for (std::size_t i = x.size(); i-- > 0;) back += x[i];
    CHECK(forth == back);
    CHECK(grid.snap(3.0) == 3.0);
    CHECK(std::abs(grid.snap(1.0 / 3) - 1.0 / 3) < 1e-12);
}

TEST_CASE(log_rank_splits_by_the_residuals_of_each_node) {
    // Times of eight rows, negative if censored; by hand, U^2 / V is largest at 5.5.
    const SmallTable table({5, 1, 4, 7, 2, 8, 6, 3}, 1);
    const std::vector<double> times{1, 2, 3, -3, 4, 5, -6, 8};
    Growth growth;
    growth.log_rank = true;
    growth.max_depth = 1;
    const Tree tree = table.fit_values(times, growth);
    CHECK(tree.nodes[0].threshold == 5.5);
    // The mean square of the residuals .875 .732143 .565476 -.434524 .315476 -.017857 -1.017857
    // twice.
    CHECK(std::abs(tree.impurity[0] - 0.497768) < 1e-5);

    // The order of rows changes nothing, and a weight of two is two rows.
    const SmallTable other({3, 6, 8, 2, 7, 4, 1, 5}, 1);
    const Tree turned = other.fit_values({8, -6, 5, 4, -3, 3, 2, 1}, growth);
    CHECK(turned.nodes[0].threshold == 5.5 && turned.impurity[0] == tree.impurity[0]);
    const SmallTable twice({5, 5, 1, 4, 7, 2, 8, 6, 3}, 1);
    const Tree repeated = twice.fit_values({1, 1, 2, 3, -3, 4, 5, -6, 8}, growth);
    const Tree weighted = table.fit_values(times, growth, {2, 1, 1, 1, 1, 1, 1, 1});
    CHECK(repeated.nodes[0].threshold == weighted.nodes[0].threshold);
    CHECK(check::close(repeated.impurity[0], weighted.impurity[0]));
}

TEST_CASE(the_exact_log_rank_test_takes_another_cut) {
    const SmallTable table({5, 1, 4, 7, 2, 8, 6, 3}, 1);
    const std::vector<double> times{1, 2, 3, -3, 4, 5, -6, 8};
    Growth growth;
    growth.log_rank = growth.exact = true;
    growth.max_depth = 1;
    // |U| / sqrt(V) is 1.520606 at 1.5 and 1.341302 at 5.5; by the score 1.5 comes third.
    CHECK(table.fit_values(times, growth).nodes[0].threshold == 1.5);
    growth.recheck = 3;
    CHECK(table.fit_values(times, growth).nodes[0].threshold == 1.5);
    growth.recheck = 2;
    CHECK(table.fit_values(times, growth).nodes[0].threshold == 5.5);
}

TEST_CASE(all_cuts_are_tested_alike_one_by_one_and_in_a_sweep) {
    // Missing values, categories, weights and late entries, with both ways to compute V.
    Random draw(3);
    std::vector<double> cells, times, entry, weight;
    for (int i = 0; i < 200; ++i) {
        cells.push_back(draw.below(9) ? draw.below(40) : kMissing);
        cells.push_back(draw.below(6));
        const double time = 1.0 + draw.below(50);
        times.push_back(draw.below(3) ? time : -time);
        entry.push_back(draw.below(2) ? 0.0 : draw.below(static_cast<std::uint32_t>(time)));
        weight.push_back(1.0 + draw.below(3));
    }
    const SmallTable table(cells, 2, {0, 1});
    TargetView target;
    target.values = {times.data(), 200, 1, 1, 1};
    Growth growth;
    growth.log_rank = growth.exact = true;
    growth.min_samples_leaf = 3;
    growth.min_events_leaf = 2;
    for (const bool late : {false, true}) {
        if (late) target.entry = {entry.data(), 200, 1, 1, 1};
        growth.recheck = Growth::kNoLimit;
        const Tree swept = table.fit(target, growth, weight);
        growth.recheck = 1000;
        const Tree tested = table.fit(target, growth, weight);
        CHECK(swept.nodes.size() > 20 && swept.nodes.size() == tested.nodes.size());
        for (std::size_t i = 0; i < swept.nodes.size(); ++i)
            CHECK(swept.nodes[i].threshold == tested.nodes[i].threshold &&
                  swept.n_samples[i] == tested.n_samples[i]);
    }
}

TEST_CASE(rows_at_risk_from_the_start_are_those_without_entries) {
    const SmallTable table({5, 1, 4, 7, 2, 8, 6, 3}, 1);
    const std::vector<double> times{1, 2, 3, -3, 4, 5, -6, 8}, zeros(8, 0.0), weight(8, 1.0);
    TargetView target;
    target.values = {times.data(), 8, 1, 1, 1};
    Growth growth;
    growth.log_rank = true;
    for (const bool exact : {false, true}) {
        growth.exact = exact;
        target.entry = {};
        const Tree plain = table.fit(target, growth, weight);
        target.entry = {zeros.data(), 8, 1, 1, 1};
        const Tree late = table.fit(target, growth, weight);
        CHECK(plain.nodes.size() == late.nodes.size());
        for (std::size_t i = 0; i < plain.nodes.size(); ++i)
            CHECK(plain.nodes[i].threshold == late.nodes[i].threshold &&
                  plain.impurity[i] == late.impurity[i]);
    }
}

TEST_CASE(log_rank_needs_events_on_both_sides) {
    // The best cut would part rows 1 to 3, none of which has an event.
    const SmallTable table({1, 2, 3, 4, 5, 6}, 1);
    const std::vector<double> times{-9, -9, -9, 1, 2, 3};
    Growth growth;
    growth.log_rank = true;
    growth.max_depth = 1;
    CHECK(table.fit_values(times, growth).nodes[0].threshold == 3.5);
    growth.min_events_leaf = 1;
    CHECK(table.fit_values(times, growth).nodes[0].threshold == 4.5);
    growth.min_events_leaf = 2;
    CHECK(table.fit_values(times, growth).nodes.size() == 1);
}

TEST_CASE(log_rank_leaves_nodes_without_events_alone) {
    const SmallTable table({1, 2, 3, 4}, 1);
    Growth growth;
    growth.log_rank = true;
    CHECK(table.fit_values({-1, -2, -3, -4}, growth).nodes.size() == 1);
}
