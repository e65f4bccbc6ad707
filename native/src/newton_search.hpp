// Members of Newton that look for the best split of a node.
#pragma once

#include "newton_grower.hpp"

namespace coterie {

// Sets the best split of a node. `strictly`: rows of packed cells are counted where a column
// would win, so that it leaves enough of them on both sides.
template <class Code, class Real, class Cells>
void Newton<Code, Real, Cells>::search(std::size_t at, bool strictly) {
    Grown<Cell>& node = nodes_[at];
    const NewtonLeaf& leaf = scanners_[0].leaf();
    NewtonNode& facts = node.node;
    facts.score = leaf.score(facts.sums, leaf.value(facts.sums, facts.low, facts.high));
    facts.tie = 1e-12 * std::abs(facts.score);
    const std::vector<std::uint32_t> slots = drawn(at);
    const std::size_t parts = plan_.cells >= kWorthTeam / 8 ? team_.size() : 1;
    std::vector<NewtonSplit> best(parts);
    team_.run(parts, [&](std::size_t t) {
        const std::size_t begin = slots.size() * t / parts, end = slots.size() * (t + 1) / parts;
        std::vector<std::uint32_t> counts;
        for (std::size_t s = begin; s < end; ++s)
            offer(node, slots[s], scanners_[t], strictly ? &counts : nullptr, best[t]);
    });
    node.split = {};
    for (NewtonSplit& split : best)
        if (split.found() &&
            (!node.split.found() ||
             split.gain > node.split.gain + facts.tie + 1e-12 * std::abs(node.split.gain)))
            node.split = std::move(split);
}

// The cells of a column in the order of its codes; good until the scanner is asked for others.
template <class Code, class Real, class Cells>
const typename Cells::Cell* Newton<Code, Real, Cells>::column_cells(
    Grown<Cell>& node, const CellPlan::Place& place, NewtonScanner<Cells>& scanner) const {
    const Cell* cells = cells_of(node.cells) + place.begin;
    if (place.usual < 0) return cells;
    return scanner.unbundle(cells, bins_.count(static_cast<std::size_t>(place.column)), place.usual,
                            node.total);
}

// Offers one column to a node; `counts`, if given, is room for the rows of its bins.
template <class Code, class Real, class Cells>
void Newton<Code, Real, Cells>::offer(Grown<Cell>& node, std::uint32_t slot,
                                      NewtonScanner<Cells>& scanner,
                                      std::vector<std::uint32_t>* counts, NewtonSplit& best) {
    const CellPlan::Place& place = plan_.places[slot];
    const auto column = static_cast<std::size_t>(place.column);
    const std::uint32_t bins = bins_.count(column);
    if (!bins || node.barren[slot]) return;
    if (node.permit && !node.permit->allowed[column]) return;
    const Cell* cells = column_cells(node, place, scanner);
    const auto try_with = [&](const std::uint32_t* rows, NewtonSplit& split) {
        node.barren[slot] = !scanner.offer(place.column, bins_.categorical[column] != 0, bins,
                                           cells, rows, node.node, split);
    };
    if (!counts) {
        try_with(nullptr, best);
        return;
    }
    // A column that does not win without the condition does not win with it.
    NewtonSplit hope = best;
    try_with(nullptr, hope);
    if (hope.column != place.column) return;
    counts->assign(bins + 1, 0);
    const Code* codes = by_column_.col(column);
    for (std::uint32_t i = node.begin; i < node.end; ++i)
        ++(*counts)[codes[static_cast<std::ptrdiff_t>(rows_[i]) * by_column_.row_stride]];
    try_with(counts->data(), best);
}

// The columns a node looks at, as positions in the plan, ascending.
template <class Code, class Real, class Cells>
std::vector<std::uint32_t> Newton<Code, Real, Cells>::drawn(std::size_t at) const {
    std::vector<std::uint32_t> slots(plan_.places.size());
    std::iota(slots.begin(), slots.end(), std::uint32_t{0});
    const auto draw = [&](std::int64_t wanted, std::uint64_t key) {
        if (!wanted || static_cast<std::size_t>(wanted) >= slots.size()) return;
        Random random(seed_ ^ (key * 0xd1342543de82ef95ULL));
        const auto chosen = static_cast<std::size_t>(wanted);
        for (std::size_t i = 0; i < chosen; ++i)
            std::swap(slots[i],
                      slots[i + random.below(static_cast<std::uint32_t>(slots.size() - i))]);
        slots.resize(chosen);
        std::sort(slots.begin(), slots.end());
    };
    draw(growth_.level_features, 2 * static_cast<std::uint64_t>(nodes_[at].depth) + 1);
    draw(growth_.max_features, 2 * at + 2);
    return slots;
}

}  // namespace coterie
