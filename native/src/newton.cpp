#include "coterie/newton.hpp"

#include <cstring>
#include <stdexcept>

#include "coterie/clones.hpp"
#include "coterie/newton_halves.hpp"
#include "newton_decider.hpp"
#include "row_side.hpp"

namespace coterie {
namespace {

constexpr std::size_t kPackFrom = 8192;      // fewer rows are summed exactly
constexpr std::size_t kPackWideFrom = 1024;  // unless there are many bins
constexpr std::size_t kWide = 40'000;        // bins of all columns

// Whether sums are packed; the halves must agree on it.
bool packs(const SlopeScale& scale, const NewtonGrowth& growth, const BinsView& bins) {
    // Histograms that no cache holds cost more than the rows.
    const bool large =
        scale.rows >= kPackFrom || (scale.rows >= kPackWideFrom && bins.upper.size() >= kWide);
    return can_pack(scale, growth.precision == 1 ? 0.0 : 4.0) &&
           (growth.precision == 1 || (growth.precision == 0 && large));
}

// Numbers to measure: a slope of some rows, or of those that are listed.
template <class Real>
struct MeasureTask {
    const Real *gradient, *hessian;  // no hessian: it is not asked for
    const std::int32_t* rows;        // or null
    std::size_t n;
};

// Eight rows at a time, always as many, so that all processors find the same sums.
template <bool Listed, bool Bent, class Real>
[[gnu::always_inline]] inline void measure_lanes(const MeasureTask<Real>& task, SlopeScale& part) {
    constexpr std::size_t lanes = 8;
    typedef Real Some __attribute__((vector_size(lanes * sizeof(Real))));
    typedef double Lanes __attribute__((vector_size(lanes * sizeof(double))));
    const auto [gradient, hessian, rows, n] = task;
    const auto read = [&](const Real* from, std::size_t i, Lanes& out) {
        Some some{};  // zeros behind the last row change nothing
        const std::size_t count = std::min(lanes, n - i);
        if (Listed || count < lanes) {
            for (std::size_t k = 0; k < count; ++k)
                some[k] = from[Listed ? static_cast<std::size_t>(rows[i + k]) : i + k];
        } else {
            std::memcpy(&some, from + i, sizeof some);
        }
        out = __builtin_convertvector(some, Lanes);
    };
    Lanes most_g{}, sum_g{}, most_h{}, least_h{}, sum_h{};
    for (std::size_t i = 0; i < n; i += lanes) {
        Lanes g, h;
        read(gradient, i, g);
        g = g < 0.0 ? -g : g;
        most_g = most_g < g ? g : most_g;
        sum_g += g;
        if constexpr (Bent) {
            read(hessian, i, h);
            most_h = most_h < h ? h : most_h;
            least_h = h < least_h ? h : least_h;
            sum_h += h;
        }
    }
    for (std::size_t k = 0; k < lanes; ++k) {
        SlopeScale lane;
        lane.most_g = most_g[k];
        lane.sum_g = sum_g[k];
        lane.most_h = most_h[k];
        lane.least_h = least_h[k];
        lane.sum_h = sum_h[k];
        part.add(lane);
    }
}

template <class Real>
[[gnu::always_inline]] inline void measure_some(const MeasureTask<Real>& task, SlopeScale& part) {
    if (task.rows) {
        task.hessian ? measure_lanes<true, true>(task, part)
                     : measure_lanes<true, false>(task, part);
    } else {
        task.hessian ? measure_lanes<false, true>(task, part)
                     : measure_lanes<false, false>(task, part);
    }
}

COTERIE_CLONES void measure_block(const MeasureTask<float>& task, SlopeScale& part) {
    measure_some(task, part);
}
COTERIE_CLONES void measure_block(const MeasureTask<double>& task, SlopeScale& part) {
    measure_some(task, part);
}

}  // namespace

void SlopeScale::add(const SlopeScale& other) {
    most_g = std::max(most_g, other.most_g);
    most_h = std::max(most_h, other.most_h);
    least_h = std::min(least_h, other.least_h);
    sum_g += other.sum_g;
    sum_h += other.sum_h;
    rows += other.rows;
}

template <class Real>
SlopeScale measure(const SlopesView<Real>& slopes, Team& team) {
    const std::size_t n = slopes.learnt();
    std::vector<SlopeScale> parts((n + kSlopeBlock - 1) / kSlopeBlock);
    team.run(parts.size(), [&](std::size_t b) {
        const std::size_t begin = b * kSlopeBlock;
        const std::size_t first = slopes.rows.empty() ? begin : 0;  // the list says the rest
        measure_block({slopes.gradient.data() + first,
                       slopes.hessian.empty() ? nullptr : slopes.hessian.data() + first,
                       slopes.rows.empty() ? nullptr : slopes.rows.data() + begin,
                       std::min(n - begin, kSlopeBlock)},
                      parts[b]);
    });
    SlopeScale all;
    for (const SlopeScale& part : parts) all.add(part);
    // A sum that is no number, or too large to be one, betrays any such slope.
    if (!std::isfinite(all.sum_g))
        throw std::invalid_argument(
            "gradients of the loss are NaN or infinite; a smaller learning_rate or a rescaled y "
            "may help");
    if (!std::isfinite(all.sum_h))
        throw std::invalid_argument(
            "second derivatives of the loss are NaN or infinite; a smaller learning_rate or a "
            "rescaled y may help");
    if (all.least_h < 0.0) throw std::invalid_argument("hessian: negative");
    all.rows = n;
    all.constant = slopes.hessian.empty();
    if (all.constant) {
        all.most_h = 1.0;
        all.sum_h = static_cast<double>(n);
    }
    return all;
}

template <class Code>
std::shared_ptr<const CellPlan> plan_cells(const NewtonTable<Code>& table,
                                           const NewtonGrowth& growth, const SlopeScale& scale) {
    return std::make_shared<const CellPlan>(
        table.unusual
            ? CellPlan::of(table.bins, *table.unusual, growth.columns,
                           packs(scale, growth, table.bins))
            : CellPlan::of(table.bins, table.bundles, growth.columns, table.codes, scale.rows));
}

template <class Code, class Real>
std::unique_ptr<RowSide> open_rows(const NewtonTask<Code, Real>& task, const SlopeScale& scale,
                                   std::shared_ptr<const CellPlan> plan, const Tools& tools) {
    if (packs(scale, task.growth, task.table.bins))
        return std::make_unique<SlopedRows<Code, Real, PackedCells>>(task, scale, std::move(plan),
                                                                     tools);
    return std::make_unique<SlopedRows<Code, Real, ExactCells>>(task, scale, std::move(plan),
                                                                tools);
}

std::unique_ptr<Decider> open_decider(const BinsView& bins, const NewtonGrowth& growth,
                                      std::uint64_t seed, const SlopeScale& scale,
                                      std::shared_ptr<const CellPlan> plan, const Tools& tools) {
    if (packs(scale, growth, bins))
        return std::make_unique<NewtonDecider<PackedCells>>(bins, growth, seed, scale,
                                                            std::move(plan), tools);
    return std::make_unique<NewtonDecider<ExactCells>>(bins, growth, seed, scale, std::move(plan),
                                                       tools);
}

Tree grow(RowSide& rows, Decider& decider) {
    const auto count_codes = [&](std::size_t node, std::size_t column,
                                 std::span<std::uint32_t> counts) {
        rows.count_codes(node, column, counts);
    };
    do {
        for (const std::size_t node : decider.to_part()) {
            const std::uint32_t left_rows = rows.part(node, decider.split(node));
            if (const std::size_t left = decider.parted(node, left_rows)) rows.divide(node, left);
        }
        for (const std::size_t node : decider.to_count())
            rows.count(node, decider.barren(node), decider.cells(node).data());
        decider.decide(count_codes);
    } while (!decider.to_part().empty());
    Tree tree = decider.write(rows.leaf_sums(decider.leaves()));
    rows.finish(tree, decider.last_left());
    return tree;
}

template <class Code, class Real>
Tree grow_newton(const NewtonTask<Code, Real>& task, int n_threads, Workspace& workspace,
                 Interrupt& interrupt) {
    const std::size_t cells = task.slopes.learnt() * task.growth.columns.size();
    Team team(cells >= 4 * kWorthTeam ? n_threads : 1);
    const Tools tools{workspace, team, interrupt};
    const SlopeScale scale = measure(task.slopes, team);
    const auto plan = plan_cells(task.table, task.growth, scale);
    const auto rows = open_rows(task, scale, plan, tools);
    const auto decider = open_decider(task.table.bins, task.growth, task.seed, scale, plan, tools);
    return grow(*rows, *decider);
}

#define COTERIE_NEWTON(Code, Real)                                                                \
    template std::unique_ptr<RowSide> open_rows(const NewtonTask<Code, Real>&, const SlopeScale&, \
                                                std::shared_ptr<const CellPlan>, const Tools&);   \
    template Tree grow_newton(const NewtonTask<Code, Real>&, int, Workspace&, Interrupt&);
COTERIE_NEWTON(std::uint8_t, float)
COTERIE_NEWTON(std::uint8_t, double)
COTERIE_NEWTON(std::uint16_t, float)
COTERIE_NEWTON(std::uint16_t, double)
#undef COTERIE_NEWTON

template SlopeScale measure(const SlopesView<float>&, Team&);
template SlopeScale measure(const SlopesView<double>&, Team&);
template std::shared_ptr<const CellPlan> plan_cells(const NewtonTable<std::uint8_t>&,
                                                    const NewtonGrowth&, const SlopeScale&);
template std::shared_ptr<const CellPlan> plan_cells(const NewtonTable<std::uint16_t>&,
                                                    const NewtonGrowth&, const SlopeScale&);

}  // namespace coterie
