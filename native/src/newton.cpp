#include "coterie/newton.hpp"

#include "newton_divide.hpp"
#include "newton_grower.hpp"
#include "newton_search.hpp"
#include "newton_symmetric.hpp"
#include "newton_write.hpp"

namespace coterie {

template <class Code, class Real>
Tree grow_newton(const NewtonTable<Code>& table, const SlopesView<Real>& slopes,
                 const NewtonGrowth& growth, std::uint64_t seed, int n_threads,
                 Workspace& workspace, std::span<std::int32_t> leaves, Interrupt& interrupt) {
    const std::size_t n = slopes.rows.empty() ? table.codes.rows : slopes.rows.size();
    Team team(n * growth.columns.size() >= 4 * kWorthTeam ? n_threads : 1);
    const SlopeScale scale = measure(slopes, n, team);
    const bool constant = slopes.hessian.empty();
    // Histograms that no cache holds cost more than the rows.
    const bool large = n >= kPackFrom || (n >= kPackWideFrom && table.bins.upper.size() >= kWide);
    const bool packed = can_pack(scale, n, constant, growth.precision == 1 ? 0.0 : 4.0) &&
                        (growth.precision == 1 || (growth.precision == 0 && large));
    if (packed)
        return Newton<Code, Real, PackedCells>(table, slopes, growth, seed, workspace, leaves,
                                               interrupt, team, scale)
            .run();
    return Newton<Code, Real, ExactCells>(table, slopes, growth, seed, workspace, leaves, interrupt,
                                          team, scale)
        .run();
}

#define COTERIE_NEWTON(Code, Real)                                                 \
    template Tree grow_newton(const NewtonTable<Code>&, const SlopesView<Real>&,   \
                              const NewtonGrowth&, std::uint64_t, int, Workspace&, \
                              std::span<std::int32_t>, Interrupt&);
COTERIE_NEWTON(std::uint8_t, float)
COTERIE_NEWTON(std::uint8_t, double)
COTERIE_NEWTON(std::uint16_t, float)
COTERIE_NEWTON(std::uint16_t, double)
#undef COTERIE_NEWTON

}  // namespace coterie
