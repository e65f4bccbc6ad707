// Members of NewtonScanner that offer a column to all nodes of a level at once.
#pragma once

#include <numeric>

#include "newton_split.hpp"

namespace coterie {

// Gains of each boundary are added up over the nodes; codes are tried in their order, categories in
// that of their slopes in all nodes.
template <class Cells>
template <class CellsOf>
void NewtonScanner<Cells>::offer_to_all(std::int32_t column, bool categorical, std::uint32_t bins,
                                        const std::vector<const NewtonNode*>& nodes,
                                        const CellsOf& cells_of, const std::uint32_t* counts,
                                        double tie, CodeSplit& best) {
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
bool NewtonScanner<Cells>::suits(const CodeSplit& rule, std::uint32_t bins, const Cell* cells,
                                 const NewtonNode& node, CodeSplit& own) const {
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
