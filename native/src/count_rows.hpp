// Adding rows to a histogram of slopes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cell_plan.hpp"

namespace coterie {

// Adds rows[0 … n), or without rows the rows first … first + n, to a histogram. Four columns at
// a time: the processor then has four independent sums under way.
template <bool Even, bool Listed, class Cells, class Code>
void count_rows(const typename Cells::Item* items, const CellPlan& plan,
                const Matrix<const Code>& table, const std::uint32_t* rows, std::size_t first,
                std::size_t n, typename Cells::Cell* __restrict out) {
    constexpr std::size_t ahead = 16, room = CellPlan::kRoom;
    const std::uint32_t* starts = plan.starts.data();
    const std::int32_t* columns = plan.columns.data();
    const std::size_t d = plan.columns.size();
    const std::ptrdiff_t step = table.col_stride;
    // Most rows begin in one line of the cache and end in the next.
    const std::ptrdiff_t behind = static_cast<std::ptrdiff_t>(table.cols - 1) * step;
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t row = first + i;
        if constexpr (Listed) {
            row = rows[i];
            const std::size_t soon = rows[std::min(i + ahead, n - 1)];
            __builtin_prefetch(table.row(soon));
            __builtin_prefetch(table.row(soon) + behind);
            __builtin_prefetch(items + soon);
        }
        const typename Cells::Cell value = Cells::cell_of(items[row]);
        const Code* codes = table.row(row);
        std::size_t j = 0;
        if constexpr (Even) {
            typename Cells::Cell* column = out;
            for (; j + 4 <= d; j += 4, column += 4 * room) {
                Cells::add(column[codes[j]], value);
                Cells::add(column[room + codes[j + 1]], value);
                Cells::add(column[2 * room + codes[j + 2]], value);
                Cells::add(column[3 * room + codes[j + 3]], value);
            }
            for (; j < d; ++j, column += room) Cells::add(column[codes[j]], value);
        } else {
            for (; j + 4 <= d; j += 4) {
                const std::size_t a = starts[j] + codes[columns[j] * step];
                const std::size_t b = starts[j + 1] + codes[columns[j + 1] * step];
                const std::size_t c = starts[j + 2] + codes[columns[j + 2] * step];
                const std::size_t e = starts[j + 3] + codes[columns[j + 3] * step];
                Cells::add(out[a], value);
                Cells::add(out[b], value);
                Cells::add(out[c], value);
                Cells::add(out[e], value);
            }
            for (; j < d; ++j) Cells::add(out[starts[j] + codes[columns[j] * step]], value);
        }
    }
}

template <class Cells, class Code>
void count_rows(const typename Cells::Item* items, const CellPlan& plan,
                const Matrix<const Code>& table, const std::uint32_t* rows, std::size_t first,
                std::size_t n, typename Cells::Cell* out) {
    if (plan.even) {
        rows ? count_rows<true, true, Cells>(items, plan, table, rows, first, n, out)
             : count_rows<true, false, Cells>(items, plan, table, rows, first, n, out);
    } else {
        rows ? count_rows<false, true, Cells>(items, plan, table, rows, first, n, out)
             : count_rows<false, false, Cells>(items, plan, table, rows, first, n, out);
    }
}

// The same for the unusual codes alone. Columns a tree does not look at are counted too: telling
// them apart would cost more.
template <bool CountsRows, class Cells>
void count_unusual(const typename Cells::Item* items, const CellPlan& plan, const Unusual& unusual,
                   const std::uint32_t* rows, std::size_t first, std::size_t n,
                   typename Cells::Cell* __restrict out) {
    constexpr std::size_t ahead = 8;
    const std::uint32_t *where = unusual.cells.data(), *columns = unusual.columns.data();
    typename Cells::Cell* rows_of = out + plan.rows_from;
    typename Cells::Cell& all = out[plan.sum_from];
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = rows ? rows[i] : first + i;
        if (rows) {
            const std::size_t soon = rows[std::min(i + ahead, n - 1)];
            __builtin_prefetch(where + unusual.starts[soon]);
            __builtin_prefetch(items + soon);
        }
        const typename Cells::Cell value = Cells::cell_of(items[row]);
        Cells::add(all, value);
        const auto end = static_cast<std::size_t>(unusual.starts[row + 1]);
        for (auto k = static_cast<std::size_t>(unusual.starts[row]); k < end; ++k) {
            Cells::add(out[where[k]], value);
            if constexpr (CountsRows) ++rows_of[columns[k]];
        }
    }
}

// Without a list of rows, columns are not told how many of them are unusual.
template <class Cells>
void count_rows(const typename Cells::Item* items, const CellPlan& plan, const Unusual& unusual,
                const std::uint32_t* rows, std::size_t first, std::size_t n,
                typename Cells::Cell* out) {
    if constexpr (!Cells::kCounted)
        if (rows && plan.rows_from)
            return count_unusual<true, Cells>(items, plan, unusual, rows, first, n, out);
    count_unusual<false, Cells>(items, plan, unusual, rows, first, n, out);
}

}  // namespace coterie
