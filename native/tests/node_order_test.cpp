#include "node_order.hpp"

#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "coterie/random.hpp"
#include "cut_edges.hpp"
#include "ordered_search.hpp"

using namespace coterie;

TEST_CASE(rows_are_sorted_by_code_and_then_by_position) {
    NodeOrder order;
    for (const std::size_t n : {2ul, 15ul, 16ul, 17ul, 111ul, 112ul, 113ul, 5'000ul, 65'536ul})
        for (const std::uint32_t distinct : {1u, 2u, 200u, 256u, 65'536u})
            for (const std::uint32_t step : {1u, 256u}) {
                if (distinct * step > 65'536) continue;
                Random random(n + distinct);
                std::vector<std::uint16_t> codes(n);
                for (auto& code : codes)
                    code = static_cast<std::uint16_t>(random.below(distinct) * step);
                std::vector<std::uint32_t> expected(n);
                std::iota(expected.begin(), expected.end(), 0u);
                std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return codes[i]; });
                const auto keys = order.sort(codes);
                CHECK(keys.size() == n);
                bool same = true;
                for (std::size_t i = 0; i < n; ++i)
                    same &= NodeOrder::position(keys[i]) == expected[i] &&
                            NodeOrder::code(keys[i]) == codes[expected[i]];
                CHECK(same);
            }
}

TEST_CASE(sums_of_the_left_rows_are_those_of_a_plain_loop) {
    Random random(4);
    for (std::size_t n = 1; n < 40; ++n) {
        std::vector<std::uint16_t> codes(n);
        std::vector<Item> items(n);
        double w = 0.0, s = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            codes[i] = static_cast<std::uint16_t>(random.below(65'536));
            items[i] = {1.0 + random.below(3), static_cast<double>(random.below(9)) - 4.0};
            w += codes[i] <= 30'000 ? items[i].w : 0.0;
            s += codes[i] <= 30'000 ? items[i].s : 0.0;
        }
        double sums[2];
        sum_left(codes.data(), items.data(), n, 30'000, sums);
        CHECK(sums[0] == w && sums[1] == s);
    }
}

TEST_CASE(the_range_of_codes_is_that_of_a_plain_search) {
    Random random(7);
    for (std::size_t n = 1; n < 100; ++n) {
        std::vector<std::uint16_t> codes(n);
        for (auto& code : codes) code = static_cast<std::uint16_t>(random.below(65'536));
        const auto [least, most] = std::ranges::minmax(codes);
        const auto [low, high] = code_range(codes.data(), n);
        CHECK(low == least && high == most);
    }
}

TEST_CASE(the_guide_leads_to_the_bin_of_every_value) {
    Random random(8);
    const double most = std::numeric_limits<double>::max();
    std::vector<std::vector<double>> columns{{5.0}, {-most, 0.0, most}, {1.0, 1.0 + 1e-16 * 4}};
    for (const std::size_t n : {2ul, 100ul, 60'000ul}) {
        std::vector<double> even(n), skewed(n);
        for (auto& x : even) x = random.uniform() - 0.5;
        for (auto& x : skewed) x = std::exp(40.0 * random.uniform());
        columns.push_back(even);
        columns.push_back(skewed);
    }
    std::vector<std::int64_t> offsets{0};
    std::vector<double> lower;
    std::vector<std::int32_t> ids;
    for (auto& column : columns) {
        std::ranges::sort(column);
        lower.insert(lower.end(), column.begin(), column.end());
        offsets.push_back(static_cast<std::int64_t>(lower.size()));
        ids.push_back(static_cast<std::int32_t>(ids.size()));
    }
    const std::vector<std::uint8_t> categorical(columns.size(), 0);
    const CutGuide guide({offsets, lower, lower, categorical}, ids);
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const auto& column = columns[j];
        const auto check_value = [&](double value) {
            const auto [from, to] = guide.around(j, value);
            const auto above = std::ranges::upper_bound(column, value) - column.begin();
            CHECK(from <= above && above <= to);
        };
        for (const double value : column) check_value(value);
        for (int i = 0; i < 2'000; ++i)
            check_value(std::lerp(column.front(), column.back(), random.uniform()));
        check_value(column.front() - 1.0);
        check_value(column.back() + 1.0);
    }
}

// Single precision numbers are kept as such, others are read where they are.
TEST_CASE(edges_are_those_of_bins) {
    Random random(9);
    for (const bool single : {true, false}) {
        std::vector<double> values;
        for (int i = 0; i < 2'000; ++i) {
            const double value = random.uniform();
            values.push_back(single ? static_cast<float>(value) : value);
        }
        std::ranges::sort(values);
        std::vector<double> upper(values.begin() + 1, values.end());
        upper.push_back(2.0);
        const std::vector<std::int64_t> offsets{0, 500, 2'000};
        const std::vector<std::uint8_t> categorical(2, 0);
        const BinsView bins{offsets, values, upper, categorical};
        const std::vector<std::int32_t> ids{0, 1};
        const CutEdges edges(bins, ids);
        for (std::size_t j = 0; j < 2; ++j)
            for (std::uint32_t bin = 0; bin < bins.count(j); ++bin) {
                CHECK(edges.lower(j, bin) == bins.lower_of(j)[bin]);
                CHECK(edges.upper(j, bin) == bins.upper_of(j)[bin]);
            }
        for (int i = 0; i < 1'000; ++i) {
            const double value = random.uniform();
            const auto [from, to] = edges.around(1, value);
            const double* lower = bins.lower_of(1);
            const auto above = std::upper_bound(lower, lower + bins.count(1), value) - lower;
            CHECK(edges.first_above(1, value, from, to) == above);
        }
    }
}
