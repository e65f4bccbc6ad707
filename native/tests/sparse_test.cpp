#include "coterie/sparse.hpp"

#include <algorithm>
#include <stdexcept>

#include "check.hpp"
#include "coterie/newton.hpp"
#include "coterie/predict.hpp"
#include "coterie/random.hpp"
#include "coterie/vector_tree.hpp"
#include "node_cells.hpp"
#include "small_table.hpp"

using namespace coterie;

namespace {

// A table of few filled cells, whole and by column.
struct FewCells {
    SmallTable full;
    std::vector<std::int64_t> starts{0};
    std::vector<std::uint32_t> rows;
    std::vector<double> values;
    std::vector<std::uint8_t> codes, usual;

    FewCells(std::size_t n, std::size_t d, double filled, std::uint64_t seed = 3)
        : full(draw(n, d, filled, seed), d) {
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t i = 0; i < n; ++i) {
                const double cell = full.cells[i * d + j];
                if (cell == 0.0) continue;
                rows.push_back(static_cast<std::uint32_t>(i));
                values.push_back(cell);
            }
            starts.push_back(static_cast<std::int64_t>(rows.size()));
        }
        codes.resize(rows.size());
        usual.resize(d);
        encode_sparse(numbers(), full.bins(), std::span(codes), std::span(usual));
    }

    static std::vector<double> draw(std::size_t n, std::size_t d, double filled,
                                    std::uint64_t seed) {
        Random random(seed);
        std::vector<double> cells(n * d, 0.0);
        for (double& cell : cells)
            if (random.uniform() < filled)
                cell =
                    random.uniform() < 0.05 ? kMissing : static_cast<double>(random.below(5)) - 1.5;
        return cells;
    }

    SparseLines<double> numbers() const { return {full.rows, starts, rows, values}; }
    SparseLines<std::uint8_t> lines() const { return {full.rows, starts, rows, codes}; }
    SparseCodes<std::uint8_t> table() const { return {lines(), usual, full.bins()}; }
    CodeTable<std::uint8_t> whole() const {
        return {
            {full.codes.data(), full.rows, full.cols, static_cast<std::ptrdiff_t>(full.cols), 1}};
    }
};

bool same(const Tree& a, const Tree& b) {
    if (a.nodes.size() != b.nodes.size() || a.values != b.values || a.weight != b.weight ||
        a.n_samples != b.n_samples)
        return false;
    for (std::size_t i = 0; i < a.nodes.size(); ++i)
        if (a.nodes[i].threshold != b.nodes[i].threshold ||
            a.nodes[i].column != b.nodes[i].column || a.nodes[i].left != b.nodes[i].left)
            return false;
    return true;
}

}  // namespace

TEST_CASE(sparse_codes_are_found_by_column_and_by_row) {
    const FewCells few(40, 12, 0.2);
    const auto table = few.table();
    CHECK(table.rows() == 40 && table.cols() == 12 && table.filled() == few.rows.size());
    WrittenColumn<std::uint8_t> written;
    for (const std::size_t j : {0u, 5u, 5u, 11u, 1u, 0u}) {
        const std::uint8_t* column = written.of(table, j);
        for (std::size_t i = 0; i < 40; ++i) {
            CHECK(column[i] == few.full.codes[i * 12 + j]);
            CHECK(table.code(i, j) == few.full.codes[i * 12 + j]);
        }
    }
    for (std::size_t i = 0; i < 40; ++i) {
        const auto row = table.row(i);
        CHECK(std::is_sorted(row.at, row.at + row.size));
    }
}

TEST_CASE(sparse_bins_are_those_of_the_full_table) {
    const FewCells few(60, 9, 0.3);
    const auto bins = find_sparse_bins(few.numbers(), {}, 255, 1000, 0, 2);
    std::vector<double> lower;
    for (const ColumnBins& column : bins)
        lower.insert(lower.end(), column.lower.begin(), column.lower.end());
    CHECK(lower == few.full.lower);
}

TEST_CASE(sparse_codes_out_of_range_are_refused) {
    const FewCells few(20, 4, 0.3);
    const auto refused = [&](auto&& change) {
        FewCells broken = few;
        change(broken);
        return check::throws<std::invalid_argument>([&] { broken.table(); });
    };
    CHECK(!refused([](FewCells&) {}));
    CHECK(refused([](FewCells& t) { t.rows[0] = 20; }));
    CHECK(refused([](FewCells& t) { t.rows[1] = t.rows[0]; }));
    CHECK(refused([](FewCells& t) { t.codes[0] = 200; }));
    CHECK(refused([](FewCells& t) { t.codes[0] = t.usual[0]; }));
    CHECK(refused([](FewCells& t) { t.usual[2] = 200; }));
    CHECK(refused([](FewCells& t) { t.usual.pop_back(); }));
    CHECK(refused([](FewCells& t) { t.starts.back() += 1; }));
    CHECK(refused([](FewCells& t) { t.starts[1] = t.starts[2] + 1; }));
    CHECK(refused([](FewCells& t) { t.starts[0] = 1; }));
    CHECK(refused([](FewCells& t) { t.starts.clear(); }));
}

TEST_CASE(the_cells_of_a_node_are_the_same_looked_up_and_sorted) {
    const FewCells few(50, 10, 0.3);
    const auto table = few.table();
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < 50; i += 1 + i % 3) rows.push_back(49 - i);
    NodeCells<std::uint8_t> looked(table, rows, 0), sorted(table, rows, 1000);
    CHECK(!looked.sorts(2) && sorted.sorts(50));
    const std::uint32_t begin = 4, end = 21;
    looked.open(rows.data(), begin, end);
    sorted.open(rows.data(), begin, end);
    for (std::size_t j = 0; j < 10; ++j) {
        const auto one = looked.column(j), other = sorted.column(j);
        CHECK(one.size == other.size && looked.varies(one) == sorted.varies(other));
        std::vector<std::uint8_t> codes(end - begin, few.usual[j]);
        for (const Filled& cell : looked.of(one))
            codes.at(cell.row) = static_cast<std::uint8_t>(cell.code);
        for (const Filled& cell : sorted.of(other)) CHECK(codes.at(cell.row) == cell.code);
        for (std::uint32_t i = begin; i < end; ++i)
            CHECK(codes[i - begin] == few.full.codes[rows[i] * 10 + j]);
        looked.drop(one);
    }
}

TEST_CASE(trees_on_sparse_codes_are_those_on_all_codes) {
    const FewCells few(200, 15, 0.15);
    const auto table = few.table();
    Random random(5);
    std::vector<double> y(200), weight(200);
    for (double& value : y) value = random.uniform();
    for (double& value : weight) value = static_cast<double>(random.below(3));
    TargetView target;
    target.values = {y.data(), 200, 1, 1, 1};
    for (const std::int64_t drawn : {0, 1, 4})
        for (const bool random_thresholds : {false, true}) {
            Growth growth;
            growth.columns = few.full.columns;
            growth.max_features = drawn;
            growth.random_thresholds = random_thresholds;
            const auto fit = [&](const CodeTable<std::uint8_t>& codes) {
                Interrupt interrupt;
                return grow(codes, few.full.bins(), target, weight, growth, 9, 1, {}, interrupt);
            };
            CHECK(same(fit(few.whole()), fit(CodeTable<std::uint8_t>::of(table))));
        }
}

TEST_CASE(slopes_on_sparse_codes_grow_the_same_trees) {
    const FewCells few(300, 15, 0.15);
    const auto table = few.table();
    const Unusual unusual(table, few.full.bins());
    Random random(5);
    std::vector<double> gradient(300);
    for (double& value : gradient) value = random.uniform() - 0.5;
    for (const int precision : {1, 2}) {
        std::vector<std::int32_t> leaves(600);
        const auto fit = [&](const NewtonTable<std::uint8_t>& on, std::size_t first) {
            NewtonTask<std::uint8_t, double> task;
            task.table = on;
            task.slopes = {gradient, {}, {}};
            task.growth.columns = few.full.columns;
            task.growth.max_leaf_nodes = 9;
            task.growth.precision = precision;
            task.leaves = std::span(leaves).subspan(first, 300);
            Workspace workspace;
            Interrupt interrupt;
            return grow_newton(task, 1, workspace, interrupt);
        };
        const auto shape = CodeTable<std::uint8_t>::of(table).all;
        const Tree full = fit({few.whole().all, few.whole().all, few.full.bins()}, 0);
        const Tree sparse = fit({shape, shape, few.full.bins(), {}, &unusual, &table}, 300);
        CHECK(same(full, sparse) && full.nodes.size() > 9);
        CHECK(std::equal(leaves.begin(), leaves.begin() + 300, leaves.begin() + 300));
    }
}

TEST_CASE(vector_trees_on_sparse_codes_are_the_same) {
    const FewCells few(200, 15, 0.15);
    const auto table = few.table();
    Random random(5);
    std::vector<double> gradient(600);
    for (double& value : gradient) value = random.uniform() - 0.5;
    VectorSlopes<double> slopes;
    slopes.gradient = {gradient.data(), 200, 3, 3, 1};
    VectorGrowth growth;
    growth.columns = std::span(few.full.columns).subspan(2);
    growth.max_leaf_nodes = 12;
    const auto fit = [&](const CodeTable<std::uint8_t>& codes) {
        Interrupt interrupt;
        std::vector<std::int32_t> leaves(200);
        return grow_vector(codes, few.full.bins(), slopes, growth, 1, 1, std::span(leaves),
                           interrupt);
    };
    CHECK(same(fit(few.whole()), fit(CodeTable<std::uint8_t>::of(table))));
}
