#include "coterie/histogram.hpp"

#include "check.hpp"

using namespace coterie;

TEST_CASE(sums_do_not_depend_on_whether_rows_are_counted_beside_them) {
    // More rows than a block, every third left out, and columns that four do not divide.
    constexpr std::size_t n = 3000, d = 11, bins = 7;
    std::vector<std::uint8_t> codes(n * d);
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = static_cast<std::uint8_t>((i * i / 3 + i) % bins);
    std::vector<std::uint32_t> rows;
    std::vector<Item> items;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (i % 3 == 0) continue;
        rows.push_back(i);
        items.push_back({i % 16 * 0.25, i % 5 * 0.5});
    }
    std::vector<std::int32_t> columns;
    std::vector<std::size_t> starts;
    for (std::size_t j = 0; j < d; ++j) {
        starts.push_back(j * bins);
        if (j != 4) columns.push_back(static_cast<std::int32_t>(j));
    }
    const RowSet<std::uint8_t> set{
        {codes.data(), n, d, d, 1}, rows.data(), items.data(), rows.size()};
    WholeHistogram plain, counted;
    plain.resize(d * bins, 2, false);
    counted.resize(d * bins, 2, true);
    fill_whole(PairKind{}, set, columns, starts, plain);
    fill_whole(PairKind{}, set, columns, starts, counted);
    CHECK(plain.sums == counted.sums);
    double total = 0.0, all = 0.0;
    for (std::size_t entry = 0; entry < plain.sums.size(); entry += 2) total += plain.sums[entry];
    for (const Item& item : items) all += item.w;
    CHECK(total == all * static_cast<double>(columns.size()));
}
