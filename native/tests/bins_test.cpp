#include "coterie/bins.hpp"

#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "small_table.hpp"

using namespace coterie;

TEST_CASE(few_values_have_a_bin_each) {
    const SmallTable table({3, 1, 2, 1, kMissing, 3}, 1);
    CHECK(table.lower == (std::vector<double>{1, 2, 3}));
    CHECK(table.upper == table.lower);
    CHECK(table.codes == (std::vector<std::uint8_t>{2, 0, 1, 0, 3, 2}));  // 3 = missing
}

TEST_CASE(many_values_share_bins_of_equal_weight) {
    std::vector<double> x(1000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>((i * 7) % 1000);
    const Matrix<const double> matrix{x.data(), x.size(), 1, 1, 1};
    const ColumnBins bins = cut_column(matrix, 0, {}, 10, 5000, 0);
    CHECK(bins.lower.size() == 10);
    for (std::size_t b = 0; b < bins.lower.size(); ++b) {
        CHECK(bins.lower[b] == static_cast<double>(100 * b));
        CHECK(bins.upper[b] == static_cast<double>(100 * b + 99));
    }
}

TEST_CASE(weights_move_the_cuts) {
    const std::vector<double> x{1, 2, 3, 4}, weight{1, 1, 1, 3};
    const Matrix<const double> matrix{x.data(), 4, 1, 1, 1};
    const ColumnBins bins = cut_column(matrix, 0, weight, 2, 100, 0);
    CHECK(bins.upper == (std::vector<double>{3, 4}));
}

TEST_CASE(a_sample_does_not_hide_rare_values) {
    std::vector<float> x(50'000, 1.0f);
    x[12'345] = 2.0f;
    const Matrix<const float> matrix{x.data(), x.size(), 1, 1, 1};
    CHECK(cut_column(matrix, 0, {}, 255, 100, 3).lower == (std::vector<double>{1, 2}));
}

TEST_CASE(negative_values_and_zeros_are_in_order) {
    std::vector<double> x;
    for (int i = 0; i < 600; ++i) x.push_back(i % 3 - 1.0);
    x[0] = -0.0;
    const Matrix<const double> matrix{x.data(), x.size(), 1, 1, 1};
    CHECK(cut_column(matrix, 0, {}, 255, 1000, 0).lower == (std::vector<double>{-1, 0, 1}));
}

TEST_CASE(minus_zero_is_zero_whichever_comes_first) {
    const std::vector<double> x{-0.0, 1.0, 0.0};
    const Matrix<const double> matrix{x.data(), x.size(), 1, 1, 1};
    const ColumnBins bins = cut_column(matrix, 0, {}, 255, 1000, 0);
    CHECK(bins.lower == (std::vector<double>{0, 1}));
    CHECK(!std::signbit(bins.lower[0]));
}

TEST_CASE(codes_of_crowded_values_are_those_of_a_plain_search) {
    // Nearly all of them in one of many cells of equal width, in 20,000 rows and in a few.
    for (const std::size_t n : {std::size_t{300}, std::size_t{20'000}}) {
        std::vector<double> x;
        for (std::size_t i = 0; i < n; ++i) {
            const double u = static_cast<double>(i * 7919 % n + 1) / static_cast<double>(n);
            x.push_back(i % 50 ? u * u * u * u : kMissing);
        }
        x[1] = 1e6;
        const SmallTable table(x, 1);
        const std::size_t bins = table.upper.size();
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t below = 0;
            while (below + 1 < bins && between(table.upper[below], table.lower[below + 1]) < x[i])
                ++below;
            CHECK(table.codes[i] == (std::isnan(x[i]) ? bins : below));
        }
    }
}

TEST_CASE(categories_must_be_whole_codes) {
    const std::vector<double> x{0, 1.5};
    const Matrix<const double> matrix{x.data(), 2, 1, 1, 1};
    CHECK(check::throws<std::invalid_argument>([&] { find_category_bins(matrix, 0); }));
}

TEST_CASE(float_and_double_agree_on_every_side_of_a_cut) {
    const SmallTable table({0.1, 0.2, 0.3}, 1);
    const std::vector<float> x{std::nextafter(0.15f, 0.0f), 0.15f, std::nextafter(0.15f, 1.0f)};
    std::vector<std::uint8_t> narrow(3), wide(3);
    const std::vector<double> same(x.begin(), x.end());
    encode(Matrix<const float>{x.data(), 3, 1, 1, 1}, table.bins(),
           Matrix<std::uint8_t>{narrow.data(), 3, 1, 1, 1}, 1);
    encode(Matrix<const double>{same.data(), 3, 1, 1, 1}, table.bins(),
           Matrix<std::uint8_t>{wide.data(), 3, 1, 1, 1}, 1);
    CHECK(narrow == wide);
}
