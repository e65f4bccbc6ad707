#include "tags.hpp"

#include <algorithm>

#include "check.hpp"
#include "contenders.hpp"
#include "coterie/random.hpp"
#include "flags.hpp"
#include "ordered_search.hpp"

using namespace coterie;

namespace {

// Rows of a node. A class of two is told by the weight of the second, as items do.
struct Rows {
    std::vector<std::uint16_t> codes, tags;
    std::vector<Item> items;
    std::vector<double> sums;  // of all: weight, then by class, or of the second class

    Rows(std::size_t n, std::uint32_t bins, std::uint32_t classes)
        : codes(n + Tags::kLanes), tags(n + Tags::kLanes), items(n), sums(1 + classes) {
        Random random(n * 31 + bins + classes);
        for (std::size_t i = 0; i < n; ++i) {
            codes[i] = static_cast<std::uint16_t>(random.below(bins));
            const double w = 1.0 + random.below(i % 10 ? 4 : 255);
            const std::uint32_t label = random.below(classes);
            items[i] = {w, classes == 2 ? label * w : label};
            sums[0] += w;
            if (classes == 2) {
                sums[1] += items[i].s;
            } else {
                sums[1 + label] += w;
            }
        }
        Tags::of(items.data(), n, tags.data());
    }
    std::span<const std::uint16_t> present() const { return {codes.data(), items.size()}; }
};

// The best boundary by items is found by tags as well, to the bit.
template <class Kind>
void check_search(const Rows& rows, std::uint32_t bins, std::size_t classes, Criterion criterion) {
    const NodeSums node{rows.sums.data(), static_cast<std::uint32_t>(rows.items.size()), 3.0, 0.0};
    OrderedSearch<Kind> search(classes);
    NodeOrder order;
    Split by_items, by_tags, by_counts;
    search.search(order.sort(rows.present()), rows.items.data(), node, Limits{}, criterion,
                  by_items);
    search.search(order.sort(rows.present(), rows.tags.data()), nullptr, node, Limits{}, criterion,
                  by_tags);
    TagCounts counts(classes);
    counts.fill(rows.present(), rows.tags.data(), bins, Kind::kPair);
    search.search(counts, bins, node, Limits{}, criterion, by_counts);
    for (const Split* split : {&by_tags, &by_counts}) {
        CHECK(split->gain == by_items.gain);
        CHECK(split->last_left == by_items.last_left);
        CHECK(split->first_right == by_items.first_right);
        CHECK(split->left_weight == by_items.left_weight);
    }
}

}  // namespace

TEST_CASE(sums_of_tags_are_those_of_items) {
    for (const std::size_t n : {1ul, 2ul, 15ul, 16ul, 17ul, 100ul, 9'000ul})
        for (const std::uint32_t classes : {2u, 7u, 8u, 9u}) {
            const Rows rows(n, 65'536, classes);
            std::vector<double> expected(classes), found(classes);
            for (std::size_t i = 0; i < n; ++i) {
                if (rows.codes[i] > 40'000) continue;
                const Item& item = rows.items[i];
                expected[classes == 2 ? 1 : static_cast<std::size_t>(item.s)] +=
                    classes == 2 ? item.s : item.w;
                if (classes == 2) expected[0] += item.w;
            }
            if (classes == 2) {
                Tags::sum_pairs(rows.codes.data(), rows.tags.data(), n, 40'000, found.data());
            } else {
                Tags::sum_classes(rows.codes.data(), rows.tags.data(), n, 40'000, classes,
                                  found.data());
            }
            CHECK(found == expected);
        }
}

TEST_CASE(codes_are_found_in_a_range) {
    for (const std::size_t n : {1ul, 15ul, 16ul, 40ul}) {
        std::vector<std::uint16_t> codes(n + Tags::kLanes, 9);
        codes[n - 1] = 65'000;
        const auto found = [&](std::uint32_t from, std::uint32_t to) {
            return Tags::any_between(codes.data(), n, from, to);
        };
        CHECK(found(64'990, 65'001) && found(65'000, 65'001) && found(0, 65'535));
        CHECK(!found(64'990, 65'000) && !found(65'001, 65'535) && !found(65'000, 65'000));
    }
}

TEST_CASE(more_rows_than_positions_are_sorted_with_their_tags) {
    const Rows rows(70'000, 60'000, 7);
    NodeOrder order;
    const auto keys = order.sort(rows.present(), rows.tags.data());
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < rows.items.size(); ++i)
        expected.push_back(static_cast<std::uint32_t>(rows.codes[i]) << 16 | rows.tags[i]);
    std::ranges::stable_sort(expected, {}, NodeOrder::code);
    CHECK(std::ranges::equal(keys, expected));
}

TEST_CASE(tags_lead_to_the_split_that_items_lead_to) {
    for (const std::size_t n : {3ul, 60ul, 113ul, 4'000ul})
        for (const std::uint32_t bins : {2u, 60u, 5'000u}) {
            check_search<PairKind>(Rows(n, bins, 2), bins, 2, Criterion::gini);
            check_search<LabelKind>(Rows(n, bins, 7), bins, 7, Criterion::gini);
        }
}

// Columns that part the classes well, a little, or not at all, with many or few codes.
TEST_CASE(the_best_boundary_is_among_the_contenders) {
    for (const std::size_t n : {2ul, 3ul, 40ul, 500ul, 20'000ul})
        for (const std::uint32_t bins : {2u, 60u, 5'000u, 60'000u})
            for (const std::uint32_t signal : {0u, 3u, 10u}) {
                Rows rows(n, bins, 2);
                Random random(n + bins + signal);
                rows.codes[0] = 0;
                rows.codes[1] = static_cast<std::uint16_t>(bins - 1);
                rows.sums[1] = 0.0;
                for (std::size_t i = 0; i < n; ++i) {
                    const bool second =
                        random.below(10) < signal ? 3u * rows.codes[i] > bins : random.below(2);
                    rows.items[i].s = second ? rows.items[i].w : 0.0;
                    rows.sums[1] += rows.items[i].s;
                }
                Tags::of(rows.items.data(), n, rows.tags.data());
                const NodeSums node{rows.sums.data(), static_cast<std::uint32_t>(n), 3.0, 1e-9};
                OrderedSearch<PairKind> search(2);
                NodeOrder order;
                Split all, found;
                search.search(order.sort(rows.present(), rows.tags.data()), nullptr, node, Limits{},
                              Criterion::gini, all);
                Contenders contenders;
                contenders.find(rows.present(), rows.tags.data(), node);
                search.search(order.sort(contenders.codes(), contenders.tags()), contenders, node,
                              Limits{}, Criterion::gini, found);
                CHECK(found.gain == all.gain && found.left_weight == all.left_weight);
                CHECK(found.last_left == all.last_left && found.first_right == all.first_right);
                if (n >= 20'000 && bins >= 5'000) CHECK(contenders.codes().size() < n / 4);
            }
}

TEST_CASE(flags_are_packed_unless_a_value_is_missing) {
    constexpr std::size_t n = 300, d = 7;
    const Rows rows(n, 2, 7);
    Random random(4);
    std::vector<std::uint16_t> codes(n * d);
    for (auto& code : codes) code = static_cast<std::uint16_t>(random.below(2));
    codes[5 * d + 2] = 2;                                                // missing
    for (std::size_t i = 0; i < n; ++i) codes[i * d + 4] = 1;            // does not vary
    const std::vector<std::int64_t> offsets{0, 2, 4, 6, 8, 10, 12, 15};  // the last has three bins
    const std::vector<double> values(15);
    const std::vector<std::uint8_t> categorical(d);
    const BinsView bins{offsets, values, values, categorical};
    const std::vector<std::int32_t> columns{6, 0, 1, 2, 3, 4, 5};
    std::vector<std::uint32_t> every(n);
    for (std::size_t i = 0; i < n; ++i) every[i] = static_cast<std::uint32_t>(i);
    Flags flags;
    flags.pack(Matrix<const std::uint16_t>{codes.data(), n, d, d, 1}, bins, columns, every);
    CHECK(flags.others() == std::vector<std::size_t>({2, 6}));
    const Flags::Word varying = Flags::varying(flags.words(), n);
    for (const std::int32_t column : {0, 1, 3, 4, 5}) {
        CHECK((varying >> flags.bit(column) & 1) == (column != 4));
        for (const std::size_t classes : {7ul, 9ul}) {
            std::vector<double> sums(classes), expected(classes);
            for (std::size_t i = 0; i < n; ++i)
                if (codes[i * d + static_cast<std::size_t>(column)])
                    expected[static_cast<std::size_t>(rows.items[i].s)] += rows.items[i].w;
            Flags::sum_classes(flags.words(), rows.tags.data(), n, flags.bit(column), classes,
                               sums.data());
            CHECK(sums == expected);
        }
    }
}
