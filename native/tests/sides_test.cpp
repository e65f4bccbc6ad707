#include "sides.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "coterie/random.hpp"
#include "running_sums.hpp"

using namespace coterie;

TEST_CASE(rows_are_moved_apart_in_their_order) {
    constexpr std::uint32_t guard = 77;
    Random random(5);
    for (std::size_t n = 0; n < 70; ++n)
        for (const double share : {0.0, 0.3, 0.9, 1.0}) {
            std::vector<std::uint8_t> goes(n);
            std::vector<std::uint32_t> rows, left, right;
            for (std::size_t i = 0; i < n; ++i) {
                goes[i] = random.uniform() < share;
                rows.push_back(static_cast<std::uint32_t>(1000 + 3 * i));
                (goes[i] ? left : right).push_back(rows[i]);
            }
            // In place, and with nothing behind the rows that may be written to.
            std::vector<std::uint32_t> others(n + 1, guard);
            rows.push_back(guard);
            const std::uint32_t kept =
                move_apart(goes.data(), rows.data(), n, rows.data(), others.data());
            CHECK(kept == left.size());
            CHECK(std::equal(left.begin(), left.end(), rows.begin()));
            CHECK(std::equal(right.begin(), right.end(), others.begin()));
            CHECK(rows[n] == guard && others[n] == guard);
        }
}

TEST_CASE(running_sums_pass_over_empty_cells) {
    constexpr std::int64_t before = -(std::int64_t{3} << 33);
    Random random(6);
    for (std::size_t n = 0; n < 70; ++n)
        for (const double share : {0.0, 0.1, 0.5, 1.0}) {
            std::vector<std::int64_t> cells(n), expected;
            std::vector<std::uint32_t> filled;
            std::int64_t sum = before;
            for (std::size_t i = 0; i < n; ++i) {
                if (random.uniform() < share)
                    cells[i] = (static_cast<std::int64_t>(random.below(99)) - 49) * (1ll << 31) + 1;
                sum += cells[i];
                if (!cells[i]) continue;
                expected.push_back(sum);
                filled.push_back(static_cast<std::uint32_t>(i));
            }
            std::vector<std::int64_t> sums(n + kSumsRoom + 1, 7);
            std::vector<std::uint32_t> codes(n + kSumsRoom + 1, 7);
            CHECK(running_sums(cells.data(), n, before, sums.data(), nullptr) == expected.size());
            CHECK(running_sums(cells.data(), n, before, sums.data(), codes.data()) ==
                  expected.size());
            CHECK(std::equal(expected.begin(), expected.end(), sums.begin()));
            CHECK(std::equal(filled.begin(), filled.end(), codes.begin()));
            CHECK(sums.back() == 7 && codes.back() == 7);
            bool any = false;
            CHECK(sum_of_cells(cells.data(), n, any) == sum - before);
            CHECK(any == !expected.empty());
        }
}
