#include "coterie/joint.hpp"

#include "check.hpp"
#include "coterie/newton.hpp"
#include "coterie/random.hpp"
#include "small_table.hpp"

using namespace coterie;

namespace {

// Columns of 16, 3, 200, 16 and 5 codes, some of them missing; two pairs and one alone.
SmallTable small_columns(std::size_t n) {
    const std::vector<std::uint32_t> sizes{16, 3, 200, 16, 5};
    std::vector<double> cells;
    Random random(11);
    for (std::size_t i = 0; i < n; ++i)
        for (const std::uint32_t size : sizes)
            cells.push_back(size == 5 && random.uniform() < 0.1 ? kMissing : random.below(size));
    return SmallTable(std::move(cells), sizes.size());
}

Matrix<const std::uint8_t> codes_of(const SmallTable& table) {
    return {table.codes.data(), table.rows, table.cols, static_cast<std::ptrdiff_t>(table.cols), 1};
}

}  // namespace

TEST_CASE(joint_codes_tell_the_codes_of_their_columns) {
    const SmallTable table = small_columns(9000);
    const auto joint = Joint::of(codes_of(table), 2);
    CHECK(joint && joint->columns.size() == 3);
    for (std::size_t i = 0; i < table.rows; ++i)
        for (std::size_t k = 0; k < joint->columns.size(); ++k) {
            std::uint32_t code = joint->view()(i, k);
            for (const Joint::Factor& factor : joint->columns[k]) {
                CHECK(code % factor.codes == codes_of(table)(i, factor.column));
                code /= factor.codes;
            }
            CHECK(code == 0);
        }
    CHECK(!Joint::of(codes_of(small_columns(200)), 1));  // too few rows
}

TEST_CASE(joint_sums_are_spread_over_their_columns) {
    std::vector<std::int64_t> sums(Joint::kRoom, 0);
    for (int i = 0; i < 24; ++i) sums[static_cast<std::size_t>(i)] = 1 << i;
    std::vector<std::vector<std::int64_t>> cells{{0, 0, 0, 0}, {0, 0}, {5, 0, 0}};
    Joint::spread(
        {{0, 4}, {1, 2}, {2, 3}}, sums.data(),
        [](std::int64_t& sum, std::int64_t other) { sum += other; },
        [&](std::uint32_t column) { return cells[column].data(); });
    CHECK(cells[0] == (std::vector<std::int64_t>{0x111111, 0x222222, 0x444444, 0x888888}));
    CHECK(cells[1] == (std::vector<std::int64_t>{0x0f0f0f, 0xf0f0f0}));
    CHECK(cells[2] == (std::vector<std::int64_t>{0xff + 5, 0xff00, 0xff0000}));
}

TEST_CASE(columns_of_one_code_receive_all_sums) {
    std::vector<std::int64_t> sums(Joint::kRoom, 0);
    for (int i = 0; i < 6; ++i) sums[static_cast<std::size_t>(i)] = 1 << i;
    std::vector<std::vector<std::int64_t>> cells{{0, 0, 0}, {0, 0}, {0}, {0}};
    Joint::spread(
        {{0, 3}, {1, 2}, {2, 1}, {3, 1}}, sums.data(),
        [](std::int64_t& sum, std::int64_t other) { sum += other; },
        [&](std::uint32_t column) { return cells[column].data(); });
    CHECK(cells[0] == (std::vector<std::int64_t>{0b001001, 0b010010, 0b100100}));
    CHECK(cells[1] == (std::vector<std::int64_t>{0b000111, 0b111000}));
    CHECK(cells[2] == std::vector<std::int64_t>{0b111111});
    CHECK(cells[3] == std::vector<std::int64_t>{0b111111});
}

TEST_CASE(counting_joint_columns_gives_the_same_tree) {
    const SmallTable table = small_columns(9000);
    const auto codes = codes_of(table);
    const auto joint = Joint::of(codes, 1);
    Random random(3);
    std::vector<double> gradient, hessian;
    for (std::size_t i = 0; i < table.rows; ++i) {
        gradient.push_back(0.1 * codes(i, 0) - 0.2 * codes(i, 1) * codes(i, 4) + random.uniform());
        hessian.push_back(0.2 + random.uniform());
    }
    NewtonGrowth growth;
    growth.max_leaf_nodes = 25;
    growth.min_samples_leaf = 40;
    growth.columns = table.columns;
    const auto grown = [&](const Joint* used, int threads) {
        std::vector<std::int32_t> leaves(table.rows);
        Workspace workspace;
        Interrupt interrupt;
        return grow_newton<std::uint8_t, double>(
            {{codes, codes, table.bins(), {}, nullptr, nullptr, used},
             {gradient, hessian, {}},
             growth,
             5,
             0,
             leaves},
            threads, workspace, interrupt);
    };
    for (const int precision : {1, 2}) {
        growth.precision = precision;
        const Tree plain = grown(nullptr, 1);
        CHECK(plain.values.size() == 25);
        for (const int threads : {1, 3}) CHECK(grown(joint.get(), threads).values == plain.values);
    }
}
