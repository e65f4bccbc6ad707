#include "coterie/grow.hpp"

#include "grow_as.hpp"
#include "stump.hpp"

namespace coterie {
namespace {

// Values are centred on their mean before summing, so that the sums keep the
// digits that tell rows apart. Rounded to float: the last digits of a mean depend
// on the order of summation, and the tree must not.
std::vector<double> centres(const TargetView& target, std::span<const double> weight,
                            const Growth& growth) {
    std::vector<double> centre(target.outputs(), 0.0);
    if (target.labels() || growth.criterion != Criterion::squared_error || growth.l2 > 0.0)
        return centre;
    for (std::size_t k = 0; k < centre.size(); ++k) {
        double total = 0.0, sum = 0.0;
        for (std::size_t i = 0; i < weight.size(); ++i) {
            total += weight[i];
            if (weight[i] > 0.0) sum += weight[i] * target.values(i, k);
        }
        const auto rounded = static_cast<double>(static_cast<float>(sum / total));
        if (std::isfinite(rounded)) centre[k] = rounded;
    }
    return centre;
}

// The target of one row as PairKind and LabelKind hold it.
double plain_target(const TargetView& target, std::size_t row, double centre) {
    return target.labels() ? static_cast<double>(target.codes(row, 0))
                           : target.values(row, 0) - centre;
}

// Every node of a tree then has its rows in the order of time, in which residuals are summed.
void sort_by_time(const TargetView& target, std::span<const double> weight, const Grid& grid,
                  Prepared& out) {
    const auto time = [&](std::uint32_t row) { return std::abs(target.values(row, 0)); };
    std::stable_sort(out.rows.begin(), out.rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return time(a) < time(b); });
    for (std::size_t i = 0; i < out.rows.size(); ++i)
        out.items[i] = {grid.snap(weight[out.rows[i]]), 0.0};
    out.tolerance = 0x1.0p-40;  // of residuals, which are about one
}

// Every node then has its rows in the order of their targets, see RankedRows.
void sort_by_target(Prepared& out) {
    std::vector<std::uint32_t> order(out.rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return out.items[a].s < out.items[b].s;
    });
    BarePages<std::uint32_t> rows;
    BarePages<Item> items;
    for (const std::uint32_t at : order) {
        rows.push_back(out.rows[at]);
        items.push_back(out.items[at]);
    }
    out.rows = std::move(rows);
    out.items = std::move(items);
}

}  // namespace

Prepared prepare(const TargetView& target, std::span<const double> weight, const Growth& growth,
                 bool many_classes, bool many_values) {
    Prepared out;
    out.centre = centres(target, weight, growth);
    double total = 0.0, lightest = std::numeric_limits<double>::infinity(), heaviest = 0.0;
    std::size_t present = 0;
    bool whole = true;
    for (const double w : weight) {
        whole &= w == std::floor(w);
        total += w;
        heaviest = std::max(heaviest, w);
        present += w > 0.0;
        if (w > 0.0) lightest = std::min(lightest, w);
    }
    out.whole = whole && total <= OrderedSearch<LabelKind>::kLargestWeight;
    out.light = out.whole && heaviest <= Tags::kMost;
    const Grid weight_grid(total);
    std::vector<double> moment(target.labels() ? 0 : target.outputs(), 0.0);
    for (std::size_t i = 0; i < weight.size(); ++i)
        for (std::size_t k = 0; k < moment.size(); ++k)
            if (weight[i] > 0.0)
                moment[k] += weight[i] * std::abs(target.values(i, k) - out.centre[k]);
    if (moment.size() == 1) out.tolerance = moment[0] * 0x1.0p-49 / lightest;
    out.rows.reserve(present);
    out.items.reserve(present);
    if (many_values) out.products.resize(weight.size() * target.outputs());
    const Grid first_grid(moment.empty() ? total : moment[0]);
    for (std::size_t i = 0; i < weight.size(); ++i) {
        const double w = weight_grid.snap(weight[i]);
        if (!(w > 0.0)) continue;
        double s = 0.0;
        if (many_values) {
            s = static_cast<double>(i);
            for (std::size_t k = 0; k < moment.size(); ++k)
                out.products[i * moment.size() + k] =
                    Grid(moment[k]).snap(weight[i] * (target.values(i, k) - out.centre[k]));
        } else if (target.outputs() > 1) {
            s = static_cast<double>(i);
        } else if (target.labels()) {
            s = plain_target(target, i, 0.0) * (many_classes ? 1.0 : w);
        } else {
            s = plain_target(target, i, out.centre[0]);
            if (growth.criterion != Criterion::absolute_error) s = first_grid.snap(weight[i] * s);
        }
        out.rows.push_back(static_cast<std::uint32_t>(i));
        out.items.push_back({w, s});
    }
    if (growth.log_rank) sort_by_time(target, weight, weight_grid, out);
    if (growth.criterion == Criterion::absolute_error && target.outputs() == 1) sort_by_target(out);
    return out;
}

template <class Code>
Tree grow(const CodeTable<Code>& codes, const BinsView& bins, const TargetView& target,
          std::span<const double> weight, const Growth& growth, std::uint64_t seed, int n_threads,
          std::span<std::int32_t> leaves, Interrupt& interrupt) {
    Channels channels;
    channels.count = target.channels();
    std::size_t end = 0;
    for (const auto classes : target.n_classes)
        channels.group_end.push_back(end += static_cast<std::size_t>(classes));
    if (!codes.sparse && Stump<Code>::suits(target, growth))
        return Stump<Code>(codes.all, bins, target, weight, growth, channels, n_threads, leaves,
                           interrupt)
            .run();
    const auto as = [&](const auto& kind) {
        return grow_as(kind, channels, codes, bins, target, weight, growth, seed, n_threads, leaves,
                       interrupt);
    };
    const bool one = target.outputs() == 1;
    if (one && (!target.labels() || target.n_classes[0] <= 2)) return as(PairKind{});
    if (one) return as(LabelKind{channels.stride()});
    if (target.labels()) return as(LabelsKind{channels.stride(), target.codes, &channels});
    return as(ValuesKind{channels.stride(), nullptr});
}

template Tree grow(const CodeTable<std::uint8_t>&, const BinsView&, const TargetView&,
                   std::span<const double>, const Growth&, std::uint64_t, int,
                   std::span<std::int32_t>, Interrupt&);
template Tree grow(const CodeTable<std::uint16_t>&, const BinsView&, const TargetView&,
                   std::span<const double>, const Growth&, std::uint64_t, int,
                   std::span<std::int32_t>, Interrupt&);

}  // namespace coterie
