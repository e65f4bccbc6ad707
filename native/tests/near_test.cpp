#include "coterie/near.hpp"

#include <vector>

#include "check.hpp"

using namespace coterie;

// Codes that say nothing cost time and no neighbour, if the slack says so.
TEST_CASE(near_points_are_found_whatever_rounding_did) {
    const std::size_t n = 130, strips = 3;
    std::vector<double> points(n), queries{64.2, -5.0, 1e9}, centre{0.0};
    for (std::size_t i = 0; i < n; ++i) points[i] = static_cast<double>(i * 37 % n);
    const std::vector<std::uint16_t> codes(strips * 2 * kNearStrip, 0);
    std::vector<std::int64_t> found(6);
    nearest_points({{points.data(), n, 1, 1, 1},
                    {codes.data(), strips, 2 * kNearStrip, 2 * kNearStrip, 1},
                    centre.data(),
                    1.0,
                    1e12},
                   {queries.data(), 3, 1, 1, 1}, {found.data(), 3, 2, 2, 1}, 2);
    for (std::size_t k = 0; k < 2; ++k) {
        CHECK(points[found[k]] == 64.0 || points[found[k]] == 65.0);
        CHECK(points[found[2 + k]] <= 1.0);
        CHECK(points[found[4 + k]] >= 128.0);
    }
}
