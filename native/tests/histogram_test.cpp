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

TEST_CASE(rows_taken_out_of_a_histogram_leave_no_trace) {
    constexpr std::size_t n = 60, d = 3, bins = 8, classes = 5, all = d * bins;
    std::vector<std::uint8_t> codes(n * d);
    std::vector<std::uint32_t> rows;
    std::vector<Item> items;
    for (std::uint32_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < d; ++j)
            codes[i * d + j] = static_cast<std::uint8_t>((i * i + 3 * i * j + j) % bins);
        rows.push_back(i);
        items.push_back({0.25 * (1 + i % 7), static_cast<double>(i % classes)});
    }
    const std::vector<std::int32_t> columns{0, 2};
    const std::vector<std::size_t> starts{0, bins, 2 * bins};
    const auto part = [&](std::size_t begin, std::size_t size) {
        return RowSet<std::uint8_t>{
            {codes.data(), n, d, d, 1}, rows.data() + begin, items.data() + begin, size};
    };
    const auto check = [&](const auto& kind, bool counted) {
        WholeHistogram large, small, both;
        for (WholeHistogram* one : {&large, &small, &both})
            one->resize(all, kind.stride(), counted);
        CHECK(!are_few(n, columns.size(), both) && are_few(10, columns.size(), small));
        fill_whole(kind, part(0, n), columns, starts, both);
        fill_whole(kind, part(0, n - 10), columns, starts, large);
        fill_whole(kind, part(n - 10, 10), columns, starts, small);
        small.add(large);
        CHECK(small.sums == both.sums && small.counts == both.counts);
        put_whole<-1>(kind, part(n - 10, 10), columns, starts, both);
        CHECK(both.sums == large.sums && both.counts == large.counts);
    };
    for (const bool counted : {false, true}) {
        check(PairKind{}, counted);
        check(LabelKind{classes + 1}, counted);
    }
}
