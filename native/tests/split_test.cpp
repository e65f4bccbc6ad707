#include "coterie/split.hpp"

#include <algorithm>
#include <numeric>

#include "check.hpp"

using namespace coterie;

namespace {

// A split drawn on a column of `n` categories with one row each, every second one of the target 1.
Split draw_categories(Scanner& scanner, std::uint32_t n, Random& random) {
    std::vector<double> sums;
    for (std::uint32_t code = 0; code < n; ++code) sums.insert(sums.end(), {1.0, code % 2 * 1.0});
    std::vector<std::uint32_t> codes(n);
    std::iota(codes.begin(), codes.end(), 0u);
    const double whole[] = {n * 1.0, n / 2 * 1.0};
    const NodeSums node{whole, n, whole[1] * whole[1] / whole[0], 0.0};
    const ColumnView column{0, sums.data(), nullptr, codes, false, n, true};
    Split split;
    scanner.random_split<true>(Criterion::squared_error, column, node, {}, random, split);
    return split;
}

}  // namespace

TEST_CASE(drawn_sets_of_categories_part_all_of_them) {
    const Channels channels{1, {}};
    Scanner scanner(channels);
    Random random(3);
    // Each column has more categories than the one before, so that room for them must be found.
    for (std::uint32_t n = 2; n <= 4096; n *= 2) {
        Split split = draw_categories(scanner, n, random);
        CHECK(split.found());
        CHECK(!split.left_codes.empty() && !split.right_codes.empty());
        CHECK(split.left_weight == static_cast<double>(split.left_codes.size()));
        std::vector<std::uint32_t> all = split.left_codes;
        all.insert(all.end(), split.right_codes.begin(), split.right_codes.end());
        std::sort(all.begin(), all.end());
        bool each = all.size() == n;
        for (std::uint32_t code = 0; each && code < n; ++code) each = all[code] == code;
        CHECK(each);
    }
}

// Every fourth draw from two categories would send both to one side, and find no split.
TEST_CASE(both_of_two_categories_never_go_to_one_side) {
    const Channels channels{1, {}};
    Scanner scanner(channels);
    Random random(3);
    int first_left = 0;
    for (int draw = 0; draw < 200; ++draw) {
        const Split split = draw_categories(scanner, 2, random);
        CHECK(split.found());
        CHECK(split.left_codes.size() == 1 && split.right_codes.size() == 1);
        first_left += split.left_codes == std::vector<std::uint32_t>{0};
    }
    CHECK(first_left > 60 && first_left < 140);
}
