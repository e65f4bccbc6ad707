#include <algorithm>
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
    // Leaves a column two bins; a third code is that of missing values.
    void shrink(std::size_t j, std::uint32_t distinct) {
        for (std::size_t i = 0; i < rows; ++i) codes[i * cols + j] %= distinct;
        const auto surplus = offsets[j + 1] - offsets[j] - 2;
        values.erase(values.begin() + offsets[j] + 2, values.begin() + offsets[j + 1]);
        for (std::size_t k = j + 1; k < offsets.size(); ++k) offsets[k] -= surplus;
    }
    std::uint32_t code(std::size_t i, std::size_t j) const { return codes[i * cols + j]; }
    BinsView bins() const { return {offsets, values, values, categorical}; }
    Tree fit(const std::vector<std::int32_t>& y, Growth growth, int threads = 1,
             double each = 1.0) const {
        growth.criterion = Criterion::gini;
        growth.columns = columns;
        TargetView target;
        target.codes = {y.data(), rows, 1, 1, 1};
        target.n_classes = {*std::ranges::max_element(y) + 1};
        const std::vector<double> weight(rows, each);
        Interrupt interrupt;
        return grow(CodeTable<std::uint16_t>{{codes.data(), rows, cols,
                                              static_cast<std::ptrdiff_t>(cols), 1}},
                    bins(), target, weight, growth, 7, threads, {}, interrupt);
    }
};

}  // namespace

TEST_CASE(the_first_split_of_fine_columns_is_the_best_by_brute_force) {
    for (const std::size_t rows : {100ul, 20'000ul, 70'000ul}) {  // ranked, sorted, counted
        const FineTable table(rows, 2, 60'000, 5);
        Random random(11);
        std::vector<std::int32_t> y;
        for (std::size_t i = 0; i < rows; ++i)
            y.push_back(random.below(60'000) + table.code(i, 0) > 60'000);
        Growth growth;
        growth.max_features = 2;
        const Tree tree = table.fit(y, growth);
        double best = 0.0, found = 0.0;
        for (std::size_t j = 0; j < 2; ++j) {
            std::vector<std::size_t> order(rows);
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::ranges::sort(order, {}, [&](std::size_t i) { return table.code(i, j); });
            double ones = 0.0, left = 0.0;
            for (const auto label : y) ones += label;
            const auto n = static_cast<double>(rows);
            for (std::size_t k = 0; k + 1 < rows; ++k) {
                left += y[order[k]];
                const std::uint32_t low = table.code(order[k], j),
                                    high = table.code(order[k + 1], j);
                if (low == high) continue;
                const auto m = static_cast<double>(k + 1);
                const auto side = [](double a, double size) {
                    return (a * a + (size - a) * (size - a)) / size;
                };
                const double score = side(left, m) + side(ones - left, n - m);
                best = std::max(best, score);
                if (tree.nodes[0].feature() == j && tree.nodes[0].threshold == between(low, high))
                    found = score;
            }
        }
        CHECK(found > 0.0 && check::close(found, best));
    }
}

TEST_CASE(rows_that_differ_are_told_apart_however_many_there_are) {
    const FineTable table(200'000, 1, 65'535, 9);
    std::vector<std::int32_t> y;
    for (std::size_t i = 0; i < table.rows; ++i) y.push_back(table.code(i, 0) * 31 % 7 > 2);
    const Tree tree = table.fit(y, {});
    for (std::size_t at = 0; at < tree.nodes.size(); ++at)
        if (tree.nodes[at].is_leaf()) CHECK(tree.impurity[at] == 0.0);
}

TEST_CASE(fine_trees_do_not_depend_on_threads_and_obey_limits) {
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

// Where no direction is asked for, monotone constraints change nothing but the way: sums of groups
// of rows, scanned one boundary after another, instead of gains computed in vectors.
TEST_CASE(the_fast_search_equals_the_plain_one_bit_for_bit) {
    const std::vector<std::int8_t> free(4, 0);
    for (const std::uint32_t distinct : {2u, 40u, 3'000u, 30'000u})
        for (const std::int32_t classes : {2, 3, 7})
            for (const auto& [smallest, looked_at] :
                 {std::pair{1, 2}, std::pair{1, 4}, std::pair{1, 0}, std::pair{4, 2}}) {
                const FineTable table(6'000, 4, distinct, distinct + 1);
                Random random(3);
                std::vector<std::int32_t> y;
                for (std::size_t i = 0; i < table.rows; ++i)
                    y.push_back(static_cast<std::int32_t>(
                        (table.code(i, 0) + table.code(i, 1) + random.below(distinct)) % classes));
                Growth growth;
                growth.max_features = looked_at;
                growth.min_samples_leaf = smallest;
                const Tree fast = table.fit(y, growth);
                growth.monotone = free;
                const Tree plain = table.fit(y, growth);
                CHECK(fast.nodes.size() == plain.nodes.size() && fast.nodes.size() > 3);
                CHECK(fast.values == plain.values && fast.impurity == plain.impurity);
                for (std::size_t at = 0; at < fast.nodes.size(); ++at)
                    CHECK(fast.nodes[at].threshold == plain.nodes[at].threshold &&
                          fast.nodes[at].column == plain.nodes[at].column);
            }
}

// Rows as heavy as 256 have no tags, and so no words of flags and no contenders either.
TEST_CASE(flags_and_contenders_lead_to_the_tree_that_items_lead_to) {
    for (const std::int32_t classes : {2, 3})
        for (const bool random_thresholds : {false, true})
            for (const std::int64_t smallest : {1, 3}) {
                FineTable table(6'000, 12, 30'000, 8);
                Random random(3);
                for (std::size_t j = 3; j < 12; ++j) table.shrink(j, j == 5 ? 3 : 2);
                std::vector<std::int32_t> y;
                for (std::size_t i = 0; i < table.rows; ++i)
                    y.push_back(static_cast<std::int32_t>(
                        (table.code(i, 0) / 9'000 + table.code(i, 4) + random.below(2)) % classes));
                Growth growth;
                growth.max_features = 4;
                growth.min_samples_leaf = smallest;
                growth.random_thresholds = random_thresholds;
                const Tree light = table.fit(y, growth), heavy = table.fit(y, growth, 1, 256.0);
                CHECK(light.nodes.size() == heavy.nodes.size() && light.nodes.size() > 100);
                CHECK(light.values == heavy.values && light.n_samples == heavy.n_samples);
                for (std::size_t at = 0; at < light.nodes.size(); ++at)
                    CHECK(light.nodes[at].threshold == heavy.nodes[at].threshold &&
                          light.nodes[at].column == heavy.nodes[at].column);
            }
}
