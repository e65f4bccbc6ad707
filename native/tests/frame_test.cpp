#include "frame.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "check.hpp"
#include "coterie/grow.hpp"
#include "coterie/random.hpp"

using namespace coterie;

namespace {

// A table of one or more fine columns in 16-bit codes, each value with a bin of its own.
struct FineTable {
    std::size_t rows, cols;
    std::vector<std::uint16_t> codes;
    std::vector<std::int64_t> offsets{0};
    std::vector<double> values;
    std::vector<std::uint8_t> categorical;
    std::vector<std::int32_t> columns;

    FineTable(std::size_t n, std::size_t d, std::uint32_t distinct, std::uint64_t seed)
        : rows(n), cols(d), codes(n * d), categorical(d, 0), columns(d) {
        Random random(seed);
        std::iota(columns.begin(), columns.end(), 0);
        for (auto& code : codes) code = static_cast<std::uint16_t>(random.below(distinct));
        for (std::size_t j = 0; j < d; ++j) {
            for (std::uint32_t v = 0; v < distinct; ++v) values.push_back(v);
            offsets.push_back(static_cast<std::int64_t>(values.size()));
        }
    }
    std::uint32_t code(std::size_t i, std::size_t j) const { return codes[i * cols + j]; }
    BinsView bins() const { return {offsets, values, values, categorical}; }
    Tree fit(const std::vector<std::int32_t>& y, Growth growth, int threads = 1) const {
        growth.criterion = Criterion::gini;
        growth.columns = columns;
        TargetView target;
        target.codes = {y.data(), rows, 1, 1, 1};
        target.n_classes = {*std::ranges::max_element(y) + 1};
        const std::vector<double> weight(rows, 1.0);
        Interrupt interrupt;
        return grow(Matrix<const std::uint16_t>{codes.data(), rows, cols,
                                                static_cast<std::ptrdiff_t>(cols), 1},
                    bins(), target, weight, growth, 7, threads, {}, interrupt);
    }
};

void check_cut(std::size_t n, std::uint32_t distinct, std::uint32_t missing) {
    Random random(n);
    std::vector<std::uint16_t> old(n);
    for (auto& code : old) {
        // Half of the rows share a value: it must get a bin of its own.
        const std::uint32_t drawn = random.below(2) ? 17 : random.below(distinct);
        code = static_cast<std::uint16_t>(random.below(20) ? drawn : missing);
    }
    std::vector<std::uint16_t> cut = old, first(n), last(n);
    const auto [count, exact] = CodeCutter().cut(cut, missing, first.data(), last.data());
    CHECK(exact == (n <= kExactRows) && (exact || count <= kFrameBins));
    std::map<std::uint16_t, std::uint16_t> bin_of;
    for (std::size_t i = 0; i < n; ++i) {
        CHECK((old[i] == missing) == (cut[i] == count));
        CHECK(bin_of.try_emplace(old[i], cut[i]).first->second == cut[i]);
        if (old[i] != missing) CHECK(first[cut[i]] <= old[i] && old[i] <= last[cut[i]]);
    }
    std::uint16_t before = 0;
    for (const auto& [code, bin] : bin_of) {
        CHECK(bin >= before);
        before = bin;
    }
    CHECK(first[bin_of[17]] == 17 && last[bin_of[17]] == 17);
}

double gini_sum(double pure, double n) { return n > 0 ? pure * pure / n : 0.0; }

}  // namespace

TEST_CASE(cut_codes_keep_their_order_and_heavy_values_their_own_bin) {
    check_cut(200, 60'000, 60'000);
    check_cut(200, 100, 65'535);
    check_cut(30'000, 60'000, 60'000);
}

TEST_CASE(the_best_cut_of_a_large_node_is_refined_to_the_row) {
    const FineTable table(30'000, 1, 20'000, 3);
    std::vector<std::int32_t> y;
    for (std::size_t i = 0; i < table.rows; ++i) y.push_back(table.code(i, 0) > 12'345);
    const Tree tree = table.fit(y, {});
    CHECK(tree.nodes.size() == 3);
    CHECK(tree.nodes[0].threshold > 12'345.0 - 2 && tree.nodes[0].threshold < 12'346.0 + 2);
    CHECK(tree.impurity[1] == 0.0 && tree.impurity[2] == 0.0);
}

TEST_CASE(a_refined_cut_is_the_best_within_two_bins_by_brute_force) {
    const FineTable table(20'000, 1, 60'000, 5);
    Random random(11);
    std::vector<std::int32_t> y;
    for (std::size_t i = 0; i < table.rows; ++i)
        y.push_back(random.below(60'000) + table.code(i, 0) > 60'000);
    Growth growth;
    growth.max_depth = 1;
    growth.min_samples_leaf = 2;  // a stump would be grown otherwise than by frames
    growth.max_features = 1;
    const Tree tree = table.fit(y, growth);
    std::vector<std::size_t> order(table.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return table.code(i, 0); });
    double ones = 0, left = 0, best = 0, found = 0;
    for (const auto label : y) ones += label;
    const auto n = static_cast<double>(table.rows);
    const double share = n / kFrameBins;
    for (std::size_t k = 0; k + 1 < order.size(); ++k) {
        left += y[order[k]];
        const double m = static_cast<double>(k + 1);
        if (table.code(order[k], 0) == table.code(order[k + 1], 0)) continue;
        const double score = gini_sum(left, m) + gini_sum(m - left, m) +
                             gini_sum(ones - left, n - m) + gini_sum(n - m - ones + left, n - m);
        const bool chosen = table.code(order[k], 0) <= tree.nodes[0].threshold &&
                            table.code(order[k + 1], 0) > tree.nodes[0].threshold;
        if (chosen) found = score;
        const double away = std::abs(m - static_cast<double>(tree.n_samples[1]));
        if (away < share / 2) best = std::max(best, score);
    }
    CHECK(check::close(found, best));
}

TEST_CASE(rows_that_differ_are_told_apart_however_many_there_are) {
    // One column: nodes of thousands of rows lie within one bin of the first frame.
    const FineTable table(200'000, 1, 65'535, 9);
    std::vector<std::int32_t> y;
    for (std::size_t i = 0; i < table.rows; ++i) y.push_back(table.code(i, 0) * 31 % 7 > 2);
    const Tree tree = table.fit(y, {});
    for (std::size_t at = 0; at < tree.nodes.size(); ++at)
        if (tree.nodes[at].is_leaf()) CHECK(tree.impurity[at] == 0.0);
}

TEST_CASE(framed_trees_do_not_depend_on_threads_and_obey_limits) {
    const FineTable table(20'000, 4, 30'000, 2);
    std::vector<std::int32_t> y;
    for (std::size_t i = 0; i < table.rows; ++i)
        y.push_back((table.code(i, 0) + table.code(i, 1) > 30'000) + (table.code(i, 2) > 9'000));
    for (const std::int64_t leaves : {Growth::kNoLimit, std::int64_t{300}})
        for (const std::int64_t drawn : {0, 2}) {
            Growth growth;
            growth.max_leaf_nodes = leaves;
            growth.max_features = drawn;
            growth.min_samples_leaf = 5;
            const Tree one = table.fit(y, growth), three = table.fit(y, growth, 3);
            CHECK(one.values == three.values && one.nodes.size() == three.nodes.size());
            for (std::size_t at = 0; at < one.nodes.size(); ++at) {
                CHECK(one.nodes[at].threshold == three.nodes[at].threshold);
                CHECK(one.n_samples[at] >= 5);
                if (one.nodes[at].is_leaf()) continue;
                const auto left = static_cast<std::size_t>(one.nodes[at].left);
                CHECK(one.weight[left] + one.weight[left + 1] == one.weight[at]);
            }
        }
}
