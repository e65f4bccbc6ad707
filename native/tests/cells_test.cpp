// Cells and histograms of slopes, reckoned by hand.
#include "cells.hpp"

#include "cell_plan.hpp"
#include "check.hpp"
#include "count_rows.hpp"
#include "small_table.hpp"

using namespace coterie;

namespace {

// With 4 rows and a largest gradient of 32767 a level is 1: whole numbers are packed as they are.
SlopeScale whole_numbers() {
    SlopeScale scale;
    scale.most_g = scale.most_h = 32767.0;
    scale.sum_g = scale.sum_h = 4 * 32767.0;
    scale.rows = 4;
    return scale;
}

bool same(const SlopeSums& sums, double g, double h) { return sums.g == g && sums.h == h; }

}  // namespace

TEST_CASE(a_packed_cell_holds_both_sums) {
    const PackedCells cells(whole_numbers());
    CHECK(cells.unit_g == 1.0 && cells.unit_h == 1.0);
    const auto item = [&](double g, double h) {
        return PackedCells::cell_of(cells.item<false>(g, h, 0));
    };
    CHECK(same(cells.sums(item(-3, 5)), -3, 5));
    PackedCells::Cell sum = item(-32767, 32767);
    PackedCells::add(sum, item(-32767, 32767));  // does not spill from one half into the other
    CHECK(same(cells.sums(sum), -65534, 65534));
    PackedCells::subtract(sum, item(-32767, 32767));
    PackedCells::subtract(sum, item(-32767, 32767));
    CHECK(PackedCells::empty(sum));
}

TEST_CASE(packed_slopes_are_rounded_by_the_noise_of_their_row) {
    const PackedCells cells(whole_numbers());
    const auto g = [&](double value, std::uint32_t noise) {
        return cells.sums(PackedCells::cell_of(cells.item<true>(value, 1.0, noise << 16))).g;
    };
    CHECK(g(2.25, 0) == 2.0);       // down without noise
    CHECK(g(2.25, 0xbfff) == 2.0);  // 0.25 + 0.74999 stays below 1
    CHECK(g(2.25, 0xc000) == 3.0);  // 0.25 + 0.75 does not
    CHECK(g(-2.25, 0x4000) == -2.0 && g(-2.25, 0x3fff) == -3.0);
    CHECK(same(cells.sums(PackedCells::cell_of(cells.item<true>(7.0, 99.0, 0))), 7, 1));
}

TEST_CASE(packing_needs_levels_for_ordinary_rows) {
    SlopeScale scale = whole_numbers();
    CHECK(can_pack(scale, 4.0));
    scale.sum_g = 32768.0;  // one huge row, and others that would all round to nothing
    scale.rows = 1'000'000;
    CHECK(!can_pack(scale, 4.0) && can_pack(scale, 0.0));
    CHECK(packed_levels(4, 32767.0) == 32767.0);
    CHECK(packed_levels(1'000'000, 32767.0) == 2146.0);  // 2147 levels and a million rows: too much
}

TEST_CASE(exact_cells_count_rows) {
    SlopeScale scale;
    scale.sum_g = scale.sum_h = 8.0;
    const ExactCells cells(scale);
    ExactCells::Cell sum{};
    ExactCells::add(sum, cells.item<false>(0.5, 0.25, 0));
    ExactCells::add(sum, cells.item<true>(-2.0, 0.25, 0));
    CHECK(same(cells.sums(sum), -1.5, 1.25) && sum.n == 2.0 && !ExactCells::empty(sum));
}

TEST_CASE(a_histogram_by_hand) {
    // Two columns with codes 0 1 2 | missing = 3 and 0 1 | missing = 2, five rows.
    const std::vector<std::uint8_t> codes{0, 0, 1, 1, 2, 0, 3, 1, 1, 2};
    const std::vector<std::int64_t> offsets{0, 3, 5};
    const std::vector<double> edges(5, 0.0);
    const std::vector<std::uint8_t> categorical(2, 0);
    const BinsView bins{offsets, edges, edges, categorical};
    const std::vector<std::int32_t> columns{0, 1};
    const Matrix<const std::uint8_t> table{codes.data(), 5, 2, 2, 1};
    const CellPlan plan = CellPlan::of(bins, {}, columns, table, 5);
    CHECK(!plan.even && plan.cells == 7 && plan.starts == (std::vector<std::uint32_t>{0, 4}));
    using Cell = ExactCells::Cell;
    std::vector<Cell> items;
    for (int i = 0; i < 5; ++i) items.push_back({double(1 << i), 1.0, 1.0});
    const auto gradients = [](const std::vector<Cell>& cells) {
        std::vector<double> g;
        for (const Cell& cell : cells) g.push_back(cell.g);
        return g;
    };
    std::vector<Cell> all(7), some(7);
    count_rows<ExactCells>(items.data(), plan, table, nullptr, 0, 5, all.data());
    CHECK(gradients(all) == (std::vector<double>{1, 18, 4, 8, 5, 10, 16}));
    const std::vector<std::uint32_t> listed{1, 4};
    count_rows<ExactCells>(items.data(), plan, table, listed.data(), 0, 2, some.data());
    CHECK(gradients(some) == (std::vector<double>{0, 18, 0, 0, 0, 2, 16}));

    // What is left of a node when one child is taken away is the other child.
    Workspace workspace;
    CellStore<ExactCells> store(plan, workspace);
    const auto bytes = [](std::vector<Cell>& cells) {
        return reinterpret_cast<std::byte*>(cells.data());
    };
    store.subtract(plan, bytes(all), bytes(some));
    CHECK(gradients(all) == (std::vector<double>{1, 0, 4, 8, 5, 8, 0}));
    store.add(plan, bytes(all), bytes(some));
    CHECK(gradients(all) == (std::vector<double>{1, 18, 4, 8, 5, 10, 16}));
    store.clear(plan, bytes(all));
    CHECK(gradients(all) == std::vector<double>(7, 0.0));
}

TEST_CASE(barren_columns_are_left_alone) {
    const std::vector<std::int64_t> offsets{0, 1, 2, 3, 4};
    const std::vector<double> edges(4, 0.0);
    const std::vector<std::uint8_t> categorical(4, 0), codes(4, 0);
    const std::vector<std::int32_t> columns{0, 1, 2, 3};
    const CellPlan plan = CellPlan::of({offsets, edges, edges, categorical}, {}, columns,
                                       Matrix<const std::uint8_t>{codes.data(), 1, 4, 4, 1}, 1);
    Workspace workspace;
    CellStore<PackedCells> store(plan, workspace);
    CHECK(&store.plan(std::vector<std::uint8_t>{0, 0, 0, 0}) == &plan);
    const CellPlan& narrow = store.plan(std::vector<std::uint8_t>{1, 1, 0, 1});
    CHECK(narrow.columns == (std::vector<std::int32_t>{0, 2}));  // the first holds the node's sum
    std::vector<std::int64_t> cells(8, 7);
    store.clear(narrow, reinterpret_cast<std::byte*>(cells.data()));
    CHECK(cells == (std::vector<std::int64_t>{0, 0, 7, 7, 0, 0, 7, 7}));
}
