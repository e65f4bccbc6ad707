// Histograms whose cells are vectors: sums of the gradients of all scores, of the mean hessian and
// of the rows, side by side so that a row is added in a few wide instructions.
//
// Packed: slopes are rounded to 16 bits and summed in 32. Exact: doubles on a grid on which every
// addition is exact (see target.hpp). Both give the same sums in every order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cells.hpp"
#include "coterie/clones.hpp"
#include "coterie/vector_tree.hpp"

namespace coterie {

// Where things lie in a cell: gradients first, padded to fours; then the hessian and the rows.
struct LaneLayout {
    std::size_t scores, gradients, hessian, rows, width;

    explicit LaneLayout(std::size_t n_scores)
        : scores(n_scores), gradients((n_scores + 3) / 4 * 4), hessian(gradients),
          rows(gradients + 1), width((gradients + 2 + 7) / 8 * 8) {}
};

struct PackedLanes {
    using Item = std::int16_t;
    using Sum = std::int32_t;
    static constexpr bool kPacked = true;
};

struct ExactLanes {
    using Item = double;
    using Sum = double;
    static constexpr bool kPacked = false;
};

// What to add to a histogram.
template <class Code, class Lanes>
struct CountTask {
    Matrix<const Code> table;
    const std::uint32_t* rows;
    std::size_t n;
    const typename Lanes::Item* items;  // (rows of the table, width)
    std::size_t width;
    std::span<const std::int32_t> columns;
    const std::size_t* starts;  // first cell of each of them
    typename Lanes::Sum* out;
};

template <class Code, class Lanes>
[[gnu::always_inline]] inline void count_body(const CountTask<Code, Lanes>& task) {
    using Item = typename Lanes::Item;
    using Sum = typename Lanes::Sum;
    constexpr std::size_t ahead = 8, step = 8;
    const std::size_t width = task.width, d = task.columns.size();
    for (std::size_t i = 0; i < task.n; ++i) {
        const std::size_t soon = task.rows[std::min(i + ahead, task.n - 1)];
        __builtin_prefetch(task.table.row(soon));
        __builtin_prefetch(task.items + soon * width);
        const std::size_t row = task.rows[i];
        const Item* __restrict item = task.items + row * width;
        const Code* codes = task.table.row(row);
        for (std::size_t j = 0; j < d; ++j) {
            const std::size_t code = codes[task.columns[j] * task.table.col_stride];
            Sum* __restrict cell = task.out + (task.starts[j] + code) * width;
            for (std::size_t c = 0; c < width; c += step)
                for (std::size_t u = 0; u < step; ++u) cell[c + u] += static_cast<Sum>(item[c + u]);
        }
    }
}

COTERIE_CLONES inline void count_lanes(const CountTask<std::uint8_t, PackedLanes>& task) {
    count_body(task);
}
COTERIE_CLONES inline void count_lanes(const CountTask<std::uint16_t, PackedLanes>& task) {
    count_body(task);
}
COTERIE_CLONES inline void count_lanes(const CountTask<std::uint8_t, ExactLanes>& task) {
    count_body(task);
}
COTERIE_CLONES inline void count_lanes(const CountTask<std::uint16_t, ExactLanes>& task) {
    count_body(task);
}

// Sums of squares of gradients on both sides, in the units of the sums. Four sums run side by
// side, whatever the processor.
struct SquaredSides {
    double left, right;
};

template <class Sum>
[[gnu::always_inline]] inline SquaredSides squares_body(const Sum* left, const Sum* total,
                                                        std::size_t gradients) {
    double l[4] = {}, r[4] = {};
    for (std::size_t c = 0; c < gradients; c += 4)
        for (std::size_t u = 0; u < 4; ++u) {
            const auto a = static_cast<double>(left[c + u]);
            const auto b = static_cast<double>(total[c + u] - left[c + u]);
            l[u] += a * a;
            r[u] += b * b;
        }
    return {(l[0] + l[1]) + (l[2] + l[3]), (r[0] + r[1]) + (r[2] + r[3])};
}

// Running sums over the bins of a column: prefix becomes the sums up to each bin, and the squares
// of both sides are noted. `lost` is added to the first of them.
template <class Sum>
struct ScanTask {
    const Sum* cells;
    std::size_t bins;
    const Sum* total;
    const LaneLayout* layout;
    const Sum* lost;  // or null
    Sum* prefix;      // (width)
    SquaredSides* squares;
    Sum *hessians, *rows;
};

template <class Sum>
[[gnu::always_inline]] inline void scan_body(const ScanTask<Sum>& task) {
    const LaneLayout& layout = *task.layout;
    const std::size_t width = layout.width;
    Sum* __restrict prefix = task.prefix;
    for (std::size_t c = 0; c < width; ++c) prefix[c] = task.lost ? task.lost[c] : Sum{};
    for (std::size_t b = 0; b < task.bins; ++b) {
        const Sum* cell = task.cells + b * width;
        // A bin without rows makes no boundary of its own.
        if (cell[layout.rows] != Sum{}) {
            for (std::size_t c = 0; c < width; ++c) prefix[c] += cell[c];
            task.squares[b] = squares_body(prefix, task.total, layout.gradients);
        }
        task.hessians[b] = prefix[layout.hessian];
        task.rows[b] = cell[layout.rows] != Sum{} ? prefix[layout.rows] : Sum{-1};
    }
}

COTERIE_CLONES inline void scan_lanes(const ScanTask<std::int32_t>& task) { scan_body(task); }
COTERIE_CLONES inline void scan_lanes(const ScanTask<double>& task) { scan_body(task); }

}  // namespace coterie
