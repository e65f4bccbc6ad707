#include "coterie/hashes.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"

using namespace coterie;

TEST_CASE(hashes_do_not_tell_zeros_or_nans_apart) {
    const std::vector<double> rows{0.0, -0.0, std::nan("1"), -std::nan("2"), 1.0, 2.0};
    std::vector<std::uint64_t> hashes(6, 0);
    cell_hashes(Matrix<const double>{rows.data(), 6, 1, 1, 1}, hashes, 2);
    CHECK(hashes[0] == hashes[1]);
    CHECK(hashes[2] == hashes[3]);
    CHECK(hashes[4] != hashes[5]);
}
