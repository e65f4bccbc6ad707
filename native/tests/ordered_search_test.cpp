#include "ordered_search.hpp"

#include <vector>

#include "check.hpp"
#include "coterie/random.hpp"

using namespace coterie;

namespace {

// Looks at a few rows both ways: in the order of a column, and by the ways to part them.
template <class Kind>
void compare_ways(Criterion criterion, std::size_t channels, int labels) {
    Random random(7);
    OrderedSearch<Kind> in_order(channels), by_ways(channels);
    NodeOrder order;
    int found = 0;
    for (int turn = 0; turn < 3000; ++turn) {
        const std::size_t n = 2 + random.below(OrderedSearch<Kind>::kFewRows - 1);
        std::vector<std::uint16_t> codes(n);
        std::vector<Item> items(n);
        std::vector<double> sums(channels + 1, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            codes[i] = static_cast<std::uint16_t>(random.below(5));
            items[i] = {1.0 + random.below(3), static_cast<double>(random.below(labels))};
            if (criterion == Criterion::gini && Kind::kPair) items[i].s *= items[i].w;
            sums[0] += items[i].w;
            const bool one = Kind::kPair;
            sums[1 + (one ? 0 : static_cast<std::size_t>(items[i].s))] +=
                one ? items[i].s : items[i].w;
        }
        const NodeSums node{sums.data(), static_cast<std::uint32_t>(n), 0.25, 1e-12};
        Split one, other;
        by_ways.weigh_ways(n, [&](std::size_t i) { return items[i]; }, node, 0.0, criterion);
        if (!by_ways.search_ways(codes, node, one)) continue;
        ++found;
        in_order.search(order.sort(codes), items.data(), node, Limits{}, criterion, other);
        CHECK(one.gain == other.gain);
        CHECK(one.last_left == other.last_left);
        CHECK(one.first_right == other.first_right);
        CHECK(one.left_weight == other.left_weight);
    }
    CHECK(found > 1000);
}

}  // namespace

TEST_CASE(ways_to_part_numbers_have_the_gains_of_boundaries) {
    compare_ways<PairKind>(Criterion::squared_error, 1, 100);
}

TEST_CASE(ways_to_part_two_classes_have_the_gains_of_boundaries) {
    compare_ways<PairKind>(Criterion::gini, 1, 2);
}

TEST_CASE(ways_to_part_many_classes_have_the_gains_of_boundaries) {
    compare_ways<LabelKind>(Criterion::gini, 4, 4);
}

// Which of two boundaries with one gain counts depends on their order: the other search knows it.
TEST_CASE(ways_that_tie_are_not_offered) {
    const std::vector<std::uint16_t> codes{0, 1, 2};
    const std::vector<double> sums{3.0, 2.0};
    const NodeSums node{sums.data(), 3, 0.0, 1e-12};
    OrderedSearch<PairKind> search(1);
    const auto item = [](std::size_t i) { return Item{1.0, i == 1 ? 0.0 : 1.0}; };
    search.weigh_ways(3, item, node, 0.0, Criterion::squared_error);
    Split split;
    CHECK(!search.search_ways(codes, node, split));
    CHECK(!split.found());
}
