#include "coterie/ranking.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"

using namespace coterie;

namespace {

struct Slopes {
    std::vector<double> gradient, hessian;
};

Slopes slopes_of(const std::vector<double>& raw, const std::vector<double>& gain,
                 const std::vector<std::int64_t>& offsets, const RankSettings& settings,
                 int n_threads = 1) {
    Slopes out{std::vector<double>(raw.size()), std::vector<double>(raw.size())};
    rank_slopes(raw, gain, offsets, settings, out.gradient, out.hessian, n_threads);
    return out;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-6; }

}  // namespace

TEST_CASE(forces_of_one_query_by_hand) {
    const Slopes found = slopes_of({0, 0, 0, 0}, {1, 7, 0, 3}, {0, 4}, {});
    const double gradient[] = {0.151875, -0.209306, 0.086475, -0.029044};
    const double hessian[] = {0.102554, 0.104653, 0.043237, 0.057162};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(near(found.gradient[i], gradient[i]));
        CHECK(near(found.hessian[i], hessian[i]));
    }
}

TEST_CASE(queries_stand_alone_and_empty_ones_are_skipped) {
    const std::vector<double> raw{3, 0.5, -0.2, 0.3, 0.1}, gain{1, 1, 7, 0, 3};
    const Slopes all = slopes_of(raw, gain, {0, 1, 1, 5}, {}, 2);
    CHECK(all.gradient[0] == 0.0 && all.hessian[0] == 0.0);
    const Slopes alone = slopes_of({0.5, -0.2, 0.3, 0.1}, {1, 7, 0, 3}, {0, 4}, {});
    for (std::size_t i = 0; i < 4; ++i) CHECK(all.gradient[i + 1] == alone.gradient[i]);
}

TEST_CASE(pairs_below_the_truncation_exert_no_force) {
    RankSettings settings;
    settings.swap = Swap::pairwise;
    settings.truncation = 1;
    const Slopes found = slopes_of({3, 2, 1}, {0, 0, 1}, {0, 3}, settings);
    CHECK(found.gradient[1] == 0.0);  // the second and the third are no pair
    CHECK(found.gradient[0] > 0.0 && found.gradient[2] == -found.gradient[0]);
}
