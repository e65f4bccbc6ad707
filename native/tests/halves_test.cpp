// The row side and the decider, each without the other.
#include "coterie/newton_halves.hpp"

#include <cstring>

#include "cell_plan.hpp"
#include "check.hpp"
#include "newton_split.hpp"
#include "small_table.hpp"

using namespace coterie;

namespace {

using Cell = ExactCells::Cell;

struct Workbench {
    Workspace workspace;
    Team team{1};
    Interrupt interrupt;
    Tools tools() { return {workspace, team, interrupt}; }
};

// Six rows, one column with the values 1 2 3 and a missing one; gradients that tell rows apart.
struct Six {
    SmallTable table{{1, 2, 3, kMissing, 2, 1}, 1};
    std::vector<double> gradient{1, 2, 4, 8, 16, 32};
    std::vector<std::int32_t> leaves = std::vector<std::int32_t>(6, -1);
    NewtonTask<std::uint8_t, double> task;
    Workbench bench;
    SlopeScale scale;
    std::unique_ptr<RowSide> rows;

    Six() {
        const Matrix<const std::uint8_t> codes{table.codes.data(), 6, 1, 1, 1};
        task.table = {codes, codes, table.bins()};
        task.slopes = {gradient, {}, {}};
        task.growth.columns = table.columns;
        task.leaves = leaves;
        scale = measure(task.slopes, bench.team);
        rows = open_rows(task, scale, plan_cells(task.table, task.growth, scale), bench.tools());
    }
    std::vector<double> count(std::size_t node) {
        std::vector<Cell> cells(4);
        rows->count(node, std::vector<std::uint8_t>{0}, reinterpret_cast<std::byte*>(cells.data()));
        std::vector<double> g;
        for (const Cell& cell : cells) g.push_back(cell.g);
        return g;
    }
};

CodeSplit up_to(std::uint32_t last, bool missing_left) {
    CodeSplit split;
    split.column = 0;
    split.last_left = last;
    split.saw_missing = true;
    split.missing_left = missing_left;
    return split;
}

}  // namespace

TEST_CASE(the_row_side_counts_parts_and_sums) {
    Six six;
    CHECK(six.scale.rows == 6 && six.scale.constant && six.scale.sum_g == 63.0);
    CHECK(!six.rows->packed() && six.rows->histogram_bytes() == 4 * sizeof(Cell));
    CHECK(six.count(0) == (std::vector<double>{33, 18, 4, 8}));
    CHECK(six.rows->part(0, up_to(0, true)) == 3);  // rows 0, 3 and 5
    CHECK(six.rows->part(0, up_to(0, true)) == 3);  // twice changes nothing
    six.rows->divide(0, 1);
    CHECK(six.count(1) == (std::vector<double>{33, 0, 0, 8}));
    CHECK(six.count(2) == (std::vector<double>{0, 18, 4, 0}));
    std::vector<std::uint32_t> codes(4, 0);
    six.rows->count_codes(2, 0, codes);
    CHECK(codes == (std::vector<std::uint32_t>{0, 2, 1, 0}));
    const std::vector<std::size_t> nodes{2, 1};
    const std::vector<SlopeSums> sums = six.rows->leaf_sums(nodes);
    CHECK(sums[0].g == 22.0 && sums[0].h == 3.0 && sums[1].g == 41.0 && sums[1].h == 3.0);
    CHECK(six.leaves == (std::vector<std::int32_t>{1, 0, 0, 1, 0, 1}));
}

TEST_CASE(a_split_that_is_thought_better_of_leaves_the_node_whole) {
    Six six;
    CHECK(six.rows->part(0, up_to(2, false)) == 5);
    CHECK(six.rows->part(0, up_to(1, false)) == 4);
    six.rows->divide(0, 1);
    CHECK(six.count(1) == (std::vector<double>{33, 18, 0, 0}));
    CHECK(six.count(2) == (std::vector<double>{0, 0, 4, 8}));
}

TEST_CASE(rows_keep_their_order_when_parted) {
    std::uint32_t rows[] = {9, 4, 1, 3, 5, 2}, spare[6];
    char names[] = {'a', 'b', 'c', 'd', 'e', 'f'}, room[6];
    const std::uint8_t codes[] = {0, 1, 0, 1, 1, 0, 0, 0, 0, 1};
    const auto kept = part_rows(
        codes, 1, 1, 6, [](std::uint8_t code) { return code == 1; },
        Lane<std::uint32_t>{rows, spare}, Lane<char>{names, room});
    CHECK(kept == 3);
    CHECK((std::vector<std::uint32_t>(rows, rows + 4) == std::vector<std::uint32_t>{9, 4, 1, 3}));
    CHECK((std::vector<std::uint32_t>(spare, spare + 2) == std::vector<std::uint32_t>{5, 2}));
    CHECK(std::string(names, 4) == "abcd" && std::string(room, 2) == "ef");
}

TEST_CASE(bounds_meet_in_the_middle_of_a_monotone_split) {
    CodeSplit split;
    split.left_value = 1.0;
    split.right_value = 4.0;
    const Bounds node{-1.0, 9.0};
    const auto [left, right] = node.divide(1, split);
    CHECK(left.low == -1.0 && left.high == 2.5 && right.low == 2.5 && right.high == 9.0);
    const auto [above, below] = node.divide(-1, split);
    CHECK(above.low == 2.5 && above.high == 9.0 && below.low == -1.0 && below.high == 2.5);
    CHECK(node.divide(0, split).second.low == -1.0);
}

TEST_CASE(the_best_boundary_by_hand) {
    // G = -4, 0, 4 and missing -8, a row each with H = 1: the boundary after code 0 with the
    // missing values on its left gains 144/2 + 16/2 - 64/4; the next one 144/3 + 16/1 - 16.
    SlopeScale scale;
    scale.sum_g = scale.sum_h = 16.0;
    const ExactCells cells(scale);
    NewtonGrowth growth;
    NewtonScanner<ExactCells> scanner(cells, growth, true, 3);
    const std::vector<Cell> column{{-4, 1, 1}, {0, 1, 1}, {4, 1, 1}, {-8, 1, 1}};
    NewtonNode node;
    node.sums = {-8.0, 4.0, 4.0};
    node.score = 16.0;
    CodeSplit best;
    CHECK(scanner.offer(0, false, 3, column.data(), nullptr, node, best));
    CHECK(best.missing_left && best.last_left == 0 && best.gain == 64.0);
    CHECK(best.left_value == 6.0 && best.right_value == -2.0 && best.left_weight == 2.0);
    growth.min_child_weight = 3.0;  // no boundary has as much on both sides
    NewtonScanner<ExactCells> strict(cells, growth, true, 3);
    CodeSplit none;
    CHECK(!strict.offer(0, false, 3, column.data(), nullptr, node, none) && !none.found());
}

TEST_CASE(the_decider_needs_no_rows) {
    // One column of three bins, ten rows; its histogram is told, and so is what a split moved.
    const std::vector<std::int64_t> offsets{0, 3};
    const std::vector<double> edges{1, 2, 3};
    const std::vector<std::uint8_t> categorical{0};
    const std::vector<std::int32_t> columns{0};
    const BinsView bins{offsets, edges, edges, categorical};
    NewtonTable<std::uint8_t> table{{nullptr, 0, 1, 1, 1}, {nullptr, 0, 1, 1, 1}, bins};
    NewtonGrowth growth;
    growth.columns = columns;
    growth.max_leaf_nodes = 3;
    SlopeScale scale;
    scale.rows = 10;
    scale.constant = true;
    scale.sum_g = scale.sum_h = 64.0;
    Workbench bench;
    const auto decider =
        open_decider(bins, growth, 0, scale, plan_cells(table, growth, scale), bench.tools());
    const auto ask_nobody = [](std::size_t, std::size_t, std::span<std::uint32_t>) {
        CHECK(false);  // exact cells count rows themselves
    };
    const auto tell = [&](std::size_t node, const std::vector<Cell>& cells) {
        std::memcpy(decider->cells(node).data(), cells.data(), cells.size() * sizeof(Cell));
    };
    CHECK(decider->to_part().empty() && decider->to_count().size() == 1);
    tell(0, {{-12, 4, 4}, {6, 3, 3}, {9, 3, 3}, {0, 0, 0}});
    decider->decide(ask_nobody);
    CHECK(decider->to_part().size() == 1 && decider->to_part()[0] == 0);
    CHECK(decider->split(0).last_left == 0 && decider->parted(0, 4) == 1);
    CHECK(decider->to_count().size() == 1 && decider->to_count()[0] == 1);  // the smaller child
    tell(1, {{-12, 4, 4}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
    decider->decide(ask_nobody);
    CHECK(decider->to_part().size() == 1 && decider->to_part()[0] == 2);
    CHECK(decider->split(2).last_left == 1 && decider->parted(2, 3) == 3);
    CHECK(decider->to_count().empty());  // three leaves: their histograms are of no use
    decider->decide(ask_nobody);
    CHECK(decider->to_part().empty());
    const auto leaves = decider->leaves();
    CHECK((std::vector<std::size_t>(leaves.begin(), leaves.end()) ==
           std::vector<std::size_t>{1, 3, 4}));
    const std::vector<SlopeSums> sums{{-12, 4}, {6, 3}, {9, 3}};
    const Tree tree = decider->write(sums);
    CHECK(tree.values == (std::vector<double>{3, -2, -3}));
    CHECK(tree.nodes[0].threshold == 1.5 && tree.nodes[2].threshold == 2.5);
    CHECK(tree.n_samples == (std::vector<std::int32_t>{10, 4, 6, 3, 3}));
    CHECK(decider->last_left() == (std::vector<std::uint32_t>{0, 0, 1, 0, 0}));
}
