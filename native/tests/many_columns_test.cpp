#include "many_columns.hpp"

#include <algorithm>
#include <vector>

#include "cell_plan.hpp"
#include "check.hpp"
#include "coterie/random.hpp"

using namespace coterie;

TEST_CASE(flags_that_are_not_set_are_found_in_order) {
    Random random(3);
    for (std::size_t n = 0; n < 40; ++n)
        for (const double share : {0.0, 0.8, 1.0}) {
            std::vector<std::uint8_t> flags(n);
            std::vector<std::size_t> expected, found;
            for (std::size_t i = 0; i < n; ++i) {
                flags[i] = random.uniform() < share;
                if (!flags[i]) expected.push_back(i);
            }
            for_each_clear(flags, [&](std::size_t i) { found.push_back(i); });
            CHECK(found == expected);
        }
}

TEST_CASE(the_greatest_gain_may_lie_anywhere) {
    constexpr double no = -std::numeric_limits<double>::infinity();
    CHECK(greatest({}) == no);
    for (std::size_t n = 1; n < 40; ++n)
        for (std::size_t at = 0; at < n; ++at) {
            std::vector<double> gains(n, no);
            CHECK(greatest(gains) == no);
            gains[at] = -2.5;
            gains[n - 1 - at] = std::max(gains[n - 1 - at], -3.0);
            CHECK(greatest(gains) == -2.5);
        }
}

// Columns in the order of their codes, the missing one last, and without the usual code.
TEST_CASE(columns_gain_together_what_they_gain_alone) {
    SlopeScale scale;
    scale.most_g = 1.0;
    scale.most_h = 0.25;
    scale.rows = 5000;
    const PackedCells packed(scale);
    NewtonGrowth growth;
    growth.l2 = 1.0;
    growth.min_child_weight = 1e-3;
    constexpr std::uint32_t most_bins = 40;
    Random random(4);
    for (const double share : {0.05, 0.5, 1.0})
        for (std::uint32_t bins = 1; bins <= most_bins; ++bins) {
            NewtonScanner<PackedCells> scanner(packed, growth, false, most_bins);
            std::vector<PackedCells::Cell> cells(bins + 1, 0);
            PackedCells::Cell total = 0;
            for (std::uint32_t c = 0; c < bins; ++c) {
                if (random.uniform() >= share) continue;
                const auto g = static_cast<std::int64_t>(random.below(40'000)) - 20'000;
                cells[c] = (g << 32) + 1 + random.below(30'000);
                total += cells[c];
            }
            NewtonNode node;
            node.sums = packed.sums(total);
            CodeSplit alone;
            const bool fertile = scanner.offer(0, false, bins, cells.data(), nullptr, node, alone);

            const std::uint32_t usual = random.below(bins);
            std::vector<PackedCells::Cell> others = cells;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(usual));
            ManyColumns many;
            CHECK(many.add(7, cells.data(), bins));
            CHECK(many.add(8, others.data(), bins, static_cast<std::int32_t>(usual), total));
            many.weigh(scanner, node);
            for (std::size_t k = 0; k < 2; ++k) {
                const std::span<const double> gains = many.gains(k);
                const double most = greatest(gains);
                CHECK(many.slot(k) == 7 + k);
                CHECK(fertile == (most > -std::numeric_limits<double>::infinity()));
                CHECK(alone.found() == scanner.better(most, node, {}));
                if (alone.found()) CHECK(gains[scanner.first_of(gains, most, node)] == alone.gain);
            }
            cells[bins] = 1;
            CHECK(!many.add(9, cells.data(), bins));
            CHECK(many.size() == 2);
        }
}
