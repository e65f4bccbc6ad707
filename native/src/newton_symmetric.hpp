// Members of Newton and NewtonScanner that grow symmetric trees: all nodes of a level are split
// alike (oblivious trees: Kohavi 1994, Prokhorenkova et al. 2018).
#pragma once

#include "newton_grower.hpp"

namespace coterie {

// Life of a symmetric tree: the split that gains most in all nodes of a level together is carried
// out in each of them. Where it would leave too little on a side, a node gains nothing by it and
// stays whole; it goes on to the next level as it is.
template <class Code, class Real, class Cells>
void Newton<Code, Real, Cells>::grow_levels() {
    std::vector<std::size_t> level;
    if (may_split(nodes_[0])) level.push_back(0);
    for (std::int64_t depth = 1; !level.empty(); ++depth) {
        const bool last = depth >= growth_.max_depth;
        if (leaf_count_ + static_cast<std::int64_t>(level.size()) > growth_.max_leaf_nodes) break;
        for (const std::size_t at : level) total(nodes_[at]);
        const NewtonSplit rule = search_level(level);
        if (!rule.found() || !(rule.gain > growth_.min_gain)) break;
        std::vector<std::size_t> next;
        const std::int64_t before = leaf_count_;
        for (const std::size_t at : level) {
            if (!divide_by(at, rule, last)) {
                next.push_back(at);
                continue;
            }
            ++leaf_count_;
            const auto left = static_cast<std::size_t>(nodes_[at].left);
            for (const std::size_t child : {left, left + 1}) {
                if (!last && may_split(nodes_[child])) {
                    next.push_back(child);
                } else {
                    let_go(nodes_[child]);
                }
            }
        }
        level = std::move(next);
        if (last || leaf_count_ == before) break;
    }
    for (const std::size_t at : level) let_go(nodes_[at]);
}

template <class Code, class Real, class Cells>
NewtonSplit Newton<Code, Real, Cells>::search_level(const std::vector<std::size_t>& level) {
    const NewtonLeaf& leaf = scanners_[0].leaf();
    std::vector<const NewtonNode*> facts;
    double tie = 0.0;
    for (const std::size_t at : level) {
        NewtonNode& node = nodes_[at].node;
        node.score = leaf.score(node.sums, leaf.value(node.sums, node.low, node.high));
        tie += 1e-12 * std::abs(node.score);
        facts.push_back(&node);
    }
    const std::vector<std::uint32_t> slots = drawn(level[0]);
    const std::size_t parts =
        plan_.cells * level.size() >= kWorthTeam / 8 ? std::min(team_.size(), slots.size()) : 1;
    std::vector<NewtonSplit> best(parts);
    std::vector<std::vector<std::uint32_t>> counts(parts);
    interrupt_.after(plan_.cells * level.size());
    team_.run(parts, [&](std::size_t t) {
        for (std::size_t s = slots.size() * t / parts; s < slots.size() * (t + 1) / parts; ++s) {
            const CellPlan::Place& place = plan_.places[slots[s]];
            const auto column = static_cast<std::size_t>(place.column);
            const std::uint32_t bins = bins_.count(column);
            const auto forbidden = [&](std::size_t at) {
                return nodes_[at].permit && !nodes_[at].permit->allowed[column];
            };
            if (!bins || std::any_of(level.begin(), level.end(), forbidden)) continue;
            const auto cells = [&](std::size_t k) {
                return column_cells(nodes_[level[k]], place, scanners_[t]);
            };
            const auto offer = [&](const std::uint32_t* counts, NewtonSplit& split) {
                scanners_[t].offer_to_all(place.column, bins_.categorical[column] != 0, bins, facts,
                                          cells, counts, tie, split);
            };
            if (scanners_[t].knows_rows()) {
                offer(nullptr, best[t]);
                continue;
            }
            // A column that does not win without the limit does not win with it.
            NewtonSplit hope = best[t];
            offer(nullptr, hope);
            if (hope.column != place.column) continue;
            count_codes(level, column, counts[t]);
            offer(counts[t].data(), best[t]);
        }
    });
    NewtonSplit found;
    for (NewtonSplit& split : best)
        if (split.found() && (!found.found() || split.gain > found.gain + tie))
            found = std::move(split);
    return found;
}

// Rows of each node of a level by their code in a column, the missing values last.
template <class Code, class Real, class Cells>
void Newton<Code, Real, Cells>::count_codes(const std::vector<std::size_t>& level,
                                            std::size_t column,
                                            std::vector<std::uint32_t>& counts) const {
    const std::size_t size = bins_.count(column) + 1;
    counts.assign(level.size() * size, 0);
    const Code* codes = by_column_.col(column);
    for (std::size_t k = 0; k < level.size(); ++k) {
        const Grown<Cell>& node = nodes_[level[k]];
        for (std::uint32_t i = node.begin; i < node.end; ++i)
            ++counts[k * size +
                     codes[static_cast<std::ptrdiff_t>(rows_[i]) * by_column_.row_stride]];
    }
}

// Whether the rule divides a node; if not, it stays as it is but for the order of its rows.
template <class Code, class Real, class Cells>
bool Newton<Code, Real, Cells>::divide_by(std::size_t at, const NewtonSplit& rule, bool last) {
    Grown<Cell>& node = nodes_[at];
    for (const CellPlan::Place& place : plan_.places) {
        if (place.column != rule.column) continue;
        const std::uint32_t bins = bins_.count(static_cast<std::size_t>(place.column));
        const Cell* cells = column_cells(node, place, scanners_[0]);
        if (!scanners_[0].suits(rule, bins, cells, node.node, node.split)) return false;
    }
    const std::uint32_t middle = part(node);
    if (!enough_rows(node, middle)) {
        node.split = {};
        return false;
    }
    divide(at, middle, last);
    return true;
}

// Gains of each boundary are added up over the nodes; codes are tried in their order, categories in
// that of their slopes in all nodes.
template <class Cells>
template <class CellsOf>
void NewtonScanner<Cells>::offer_to_all(std::int32_t column, bool categorical, std::uint32_t bins,
                                        const std::vector<const NewtonNode*>& nodes,
                                        const CellsOf& cells_of, const std::uint32_t* counts,
                                        double tie, NewtonSplit& best) {
    bool missing = false;
    order_.resize(bins);
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    if (categorical) {
        order_categories(bins, nodes, cells_of);
    } else {
        for (std::size_t k = 0; k < nodes.size(); ++k) missing |= !Cells::empty(cells_of(k)[bins]);
    }
    for (const bool missing_left : {false, true}) {
        if (missing_left && !missing) return;
        // With the missing values on the right, the last boundary parts them from all others.
        const std::size_t count = order_.size() - (!categorical && (missing_left || !missing));
        if (!count) return;
        totals_.assign(count, 0.0);
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            const Cell* cells = cells_of(k);
            const std::uint32_t* rows = counts ? counts + k * (bins + 1) : nullptr;
            fill_gains(column, cells, rows, count, missing_left ? bins : kNone, *nodes[k]);
            for (std::size_t b = 0; b < count; ++b)
                totals_[b] += std::isinf(gains_[b]) ? 0.0 : gains_[b];
        }
        const double most = greatest({totals_.data(), count});
        if (!(most > tie) || (best.found() && !(most > best.gain + tie))) continue;
        const auto first = std::find_if(totals_.begin(), totals_.end(),
                                        [&](double gain) { return gain >= most - tie; });
        const auto b = first - totals_.begin();
        best.gain = *first;
        best.column = column;
        best.categorical = categorical;
        best.missing_left = missing_left;
        best.saw_missing = missing || categorical;
        best.last_left = order_[static_cast<std::size_t>(b)];
        best.left_codes.clear();
        if (!categorical) continue;
        best.left_codes.assign(order_.begin(), order_.begin() + b + 1);
        best.missing_left = std::find(best.left_codes.begin(), best.left_codes.end(), bins) !=
                            best.left_codes.end();
    }
}

// Categories of enough weight by their smoothed slope, the missing values as one more; the others
// stay on the right.
template <class Cells>
template <class CellsOf>
void NewtonScanner<Cells>::order_categories(std::uint32_t bins,
                                            const std::vector<const NewtonNode*>& nodes,
                                            const CellsOf& cells_of) {
    sums_.assign(bins + 1, {});
    SlopeSums all;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        const Cell* cells = cells_of(k);
        all.h += nodes[k]->sums.h;
        all.n += nodes[k]->sums.n;
        for (std::uint32_t code = 0; code <= bins; ++code) {
            const SlopeSums one = cells_.sums(cells[code]);
            sums_[code].g += one.g;
            sums_[code].h += one.h;
        }
    }
    sort_categories(sums_, all.n > 0.0 ? all.h / all.n : 1.0);
}

// Gains of the first `count` boundaries of a node in the order of `order_`, with the code `first`
// on the left of all; minus infinity where too little would be left on a side.
template <class Cells>
void NewtonScanner<Cells>::fill_gains(std::int32_t column, const Cell* cells,
                                      const std::uint32_t* rows, std::size_t count,
                                      std::uint32_t first, const NewtonNode& node) {
    Cell sum = first == kNone ? Cell{} : cells[first];
    double n = rows && first != kNone ? rows[first] : 0.0;
    for (std::size_t b = 0; b < count; ++b) {
        Cells::add(sum, cells[order_[b]]);
        if constexpr (Cells::kCounted) {
            g_[b] = sum.g;
            h_[b] = sum.h;
            n_[b] = sum.n;
        } else {
            prefix_[b] = sum;
            if (rows) n_[b] = n += rows[order_[b]];
        }
    }
    if constexpr (!Cells::kCounted)
        unpack_cells({prefix_.data(), count}, cells_.unit_g, cells_.unit_h, {g_.data(), count},
                     {h_.data(), count});
    weigh(column, static_cast<std::uint32_t>(count), Cells::kCounted || rows, node);
}

// Whether a split of the level leaves a node enough on both sides; `own` is what it is there.
template <class Cells>
bool NewtonScanner<Cells>::suits(const NewtonSplit& rule, std::uint32_t bins, const Cell* cells,
                                 const NewtonNode& node, NewtonSplit& own) const {
    Cell sum{};
    if (rule.categorical) {
        for (const std::uint32_t code : rule.left_codes) Cells::add(sum, cells[code]);
    } else {
        for (std::uint32_t code = 0; code <= rule.last_left; ++code) Cells::add(sum, cells[code]);
        if (rule.missing_left) Cells::add(sum, cells[bins]);
    }
    const SlopeSums left = cells_.sums(sum);
    const double gained = gain(rule.column, left, node);
    if (std::isinf(gained)) return false;
    if (Cells::kCounted && (left.n < least_n_ || node.sums.n - left.n < least_n_)) return false;
    own = rule;
    record(rule.column, left, gained, node, own);
    return true;
}

}  // namespace coterie
