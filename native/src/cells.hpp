// Cells of a histogram over slopes, in two precisions.
//
// Packed: slopes are rounded at random to a few thousand levels, so that on average nothing is
// lost, and both sums of a bin live in one 64-bit integer: adding a row is one load, one addition
// and one store. Exact: double sums on a grid on which every addition is exact (see target.hpp).
// Both give the same sums in every order, so trees do not depend on the number of threads, and
// the larger child is exactly its parent less the smaller one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "coterie/bundle.hpp"
#include "coterie/matrix.hpp"
#include "coterie/newton.hpp"
#include "coterie/target.hpp"
#include "coterie/team.hpp"
#include "coterie/workspace.hpp"

namespace coterie {

struct SlopeSums {
    double g = 0.0, h = 0.0;
    double n = 0.0;  // rows, where cells count them
};

constexpr std::size_t kSlopeBlock = 16384;  // rows a task prepares at a time

// What the choice between the two precisions rests on.
struct SlopeScale {
    double most_g = 0.0, most_h = 0.0;  // largest
    double sum_g = 0.0, sum_h = 0.0;    // of absolute values
    double least_h = 0.0;
};

template <class Real>
SlopeScale measure(const SlopesView<Real>& slopes, std::size_t n, Team& team) {
    const std::size_t blocks = (n + kSlopeBlock - 1) / kSlopeBlock;
    std::vector<SlopeScale> parts(blocks);
    team.run(blocks, [&](std::size_t b) {
        SlopeScale part;
        for (std::size_t i = b * kSlopeBlock, end = std::min(n, i + kSlopeBlock); i < end; ++i) {
            const std::size_t row =
                slopes.rows.empty() ? i : static_cast<std::size_t>(slopes.rows[i]);
            const double g = std::abs(static_cast<double>(slopes.gradient[row]));
            part.most_g = std::max(part.most_g, g);
            part.sum_g += g;
            if (slopes.hessian.empty()) continue;
            const double h = slopes.hessian[row];
            part.most_h = std::max(part.most_h, h);
            part.least_h = std::min(part.least_h, h);
            part.sum_h += h;
        }
        parts[b] = part;
    });
    SlopeScale all;
    for (const SlopeScale& part : parts) {
        all.most_g = std::max(all.most_g, part.most_g);
        all.most_h = std::max(all.most_h, part.most_h);
        all.least_h = std::min(all.least_h, part.least_h);
        all.sum_g += part.sum_g;
        all.sum_h += part.sum_h;
    }
    // A sum that is no number, or too large to be one, betrays any such slope.
    if (!std::isfinite(all.sum_g)) throw std::invalid_argument("gradient: NaN or infinite");
    if (!std::isfinite(all.sum_h)) throw std::invalid_argument("hessian: NaN or infinite");
    if (all.least_h < 0.0) throw std::invalid_argument("hessian: negative");
    if (slopes.hessian.empty()) {
        all.most_h = 1.0;
        all.sum_h = static_cast<double>(n);
    }
    return all;
}

// Levels a slope can be rounded to such that the sum of all rows fits in 31 bits.
inline double packed_levels(std::size_t n, double most) {
    return std::min(most, std::floor(2147483647.0 / static_cast<double>(n)) - 1.0);
}

// Whether rounding leaves ordinary rows enough levels, also where a few huge ones set the scale.
inline bool can_pack(const SlopeScale& scale, std::size_t n, bool constant, double enough) {
    const double levels = packed_levels(n, 32767.0);
    const auto fine = [&](double most, double sum) {
        return most > 0.0 && levels * sum >= enough * most * static_cast<double>(n);
    };
    return levels >= 1.0 && fine(scale.most_g, scale.sum_g) &&
           (constant || fine(scale.most_h, scale.sum_h));
}

// A number for a row that depends on nothing but seed and row.
inline std::uint32_t row_noise(std::uint64_t seed, std::uint64_t row) {
    std::uint64_t z = seed + row * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ULL;
    return static_cast<std::uint32_t>(z >> 32);
}

class PackedCells {
  public:
    using Cell = std::int64_t;
    static constexpr bool kCounted = false;

    template <class Real>
    PackedCells(const SlopesView<Real>& slopes, std::size_t n, const SlopeScale& scale,
                std::uint64_t seed, Workspace& workspace, Team& team)
        : items_(workspace.numbers<std::int32_t>(2, slopes.gradient.size())) {
        const bool constant = slopes.hessian.empty();
        const double levels = packed_levels(n, 32767.0);
        unit_g = scale.most_g / levels;
        unit_h = constant ? 1.0 : scale.most_h / levels;
        const double per_g = 1.0 / unit_g, per_h = 1.0 / unit_h;
        const std::size_t rows = items_.size();
        team.run((rows + kSlopeBlock - 1) / kSlopeBlock, [&](std::size_t b) {
            const std::size_t end = std::min(rows, (b + 1) * kSlopeBlock);
            for (std::size_t i = b * kSlopeBlock; i < end; ++i) {
                const std::uint32_t noise = row_noise(seed, i);
                const double up_g = (noise >> 16) * 0x1.0p-16, up_h = (noise & 0xffff) * 0x1.0p-16;
                // Rows that are not learnt from may exceed the levels; nobody reads them.
                const double raw_g = slopes.gradient[i] * per_g + up_g + 32768.0;
                const auto g = static_cast<std::int32_t>(
                                   static_cast<std::uint32_t>(std::clamp(raw_g, 0.0, 65535.0))) -
                               32768;
                std::uint32_t h = 1;
                if (!constant)
                    h = static_cast<std::uint32_t>(
                        std::clamp(slopes.hessian[i] * per_h + up_h, 0.0, 32767.0));
                items_[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(g) << 16 | h);
            }
        });
    }

    SlopeSums sums(Cell cell) const {
        return {static_cast<double>(static_cast<std::int32_t>(cell >> 32)) * unit_g,
                static_cast<double>(static_cast<std::int32_t>(cell)) * unit_h, 0.0};
    }
    static bool empty(Cell cell) { return cell == 0; }
    const std::int32_t* items() const { return items_.data(); }
    static Cell cell_of(std::int32_t item) {
        return (static_cast<std::int64_t>(item >> 16) << 32) + (item & 0xffff);
    }
    static void add(Cell& cell, const Cell& other) { cell += other; }
    static void subtract(Cell& cell, const Cell& other) { cell -= other; }

    double unit_g, unit_h;

  private:
    std::span<std::int32_t> items_;  // gradient in the upper half, hessian in the lower
};

class ExactCells {
  public:
    struct Cell {
        double g, h, n;
    };
    static constexpr bool kCounted = true;

    template <class Real>
    ExactCells(const SlopesView<Real>& slopes, std::size_t, const SlopeScale& scale, std::uint64_t,
               Workspace& workspace, Team& team)
        : items_(workspace.numbers<Cell>(2, slopes.gradient.size())) {
        const Grid grid_g(scale.sum_g), grid_h(scale.sum_h);
        const std::size_t rows = items_.size();
        const bool constant = slopes.hessian.empty();
        team.run((rows + kSlopeBlock - 1) / kSlopeBlock, [&](std::size_t b) {
            const std::size_t end = std::min(rows, (b + 1) * kSlopeBlock);
            for (std::size_t i = b * kSlopeBlock; i < end; ++i)
                items_[i] = {grid_g.snap(slopes.gradient[i]),
                             constant ? 1.0 : grid_h.snap(slopes.hessian[i]), 1.0};
        });
    }

    SlopeSums sums(const Cell& cell) const { return {cell.g, cell.h, cell.n}; }
    static bool empty(const Cell& cell) { return cell.n == 0.0; }
    const Cell* items() const { return items_.data(); }
    static Cell cell_of(const Cell& item) { return item; }
    static void add(Cell& cell, const Cell& other) {
        cell.g += other.g;
        cell.h += other.h;
        cell.n += other.n;
    }
    static void subtract(Cell& cell, const Cell& other) {
        cell.g -= other.g;
        cell.h -= other.h;
        cell.n -= other.n;
    }

  private:
    std::span<Cell> items_;
};

// Where the bins of the columns of a tree lie in its histograms.
struct CellPlan {
    static constexpr std::uint32_t kRoom = 256;  // cells per column of an even plan

    // A column of the tree: its cells begin at `begin`, in the order of its codes unless it is
    // bundled, when that of its usual code is left out (see bundle.hpp).
    struct Place {
        std::int32_t column;
        std::uint32_t begin;
        std::int32_t usual;  // -1: not bundled
        std::uint32_t home;  // which of the columns that are counted
    };

    std::vector<Place> places;
    std::vector<std::int32_t> columns;  // of the table that is counted
    std::vector<std::uint32_t> starts;  // first cell of each of them
    std::vector<std::uint32_t> sizes;   // cells of each of them
    std::size_t cells = 0;
    std::size_t sum_from = 0, sum_to = 0;  // cells whose sum is that of the node
    bool even = false;  // every column of a table of 8-bit codes, in order, with kRoom cells each

    template <class Code>
    static CellPlan of(const BinsView& bins, const BundlesView& bundles,
                       std::span<const std::int32_t> columns, const Matrix<const Code>& table,
                       std::size_t rows) {
        CellPlan plan;
        std::vector<std::uint32_t> sizes(table.cols, 0);
        const auto home_of = [&](std::int32_t j) {
            return bundles.empty() ? j : bundles.home[static_cast<std::size_t>(j)];
        };
        for (const std::int32_t j : columns) {
            const auto home = static_cast<std::size_t>(home_of(j));
            sizes[home] = bundles.empty() ? bins.count(static_cast<std::size_t>(j)) + 1
                                          : static_cast<std::uint32_t>(bundles.sizes[home]);
        }
        std::size_t wanted = 0, used = 0;
        for (const std::uint32_t size : sizes) {
            wanted += size;
            used += size > 0;
        }
        // Even plans count faster, but clearing and scanning what they waste costs more than that
        // unless there are many rows.
        plan.even = sizeof(Code) == 1 && used == table.cols && table.col_stride == 1 &&
                    rows * used >= 80 * (used * kRoom - wanted);
        std::vector<std::uint32_t> start_of(table.cols, 0), place_of(table.cols, 0);
        for (std::size_t home = 0; home < table.cols; ++home) {
            if (!sizes[home]) continue;
            if (plan.columns.empty()) plan.sum_to = sizes[home];
            start_of[home] = static_cast<std::uint32_t>(plan.cells);
            place_of[home] = static_cast<std::uint32_t>(plan.columns.size());
            plan.columns.push_back(static_cast<std::int32_t>(home));
            plan.starts.push_back(start_of[home]);
            plan.sizes.push_back(sizes[home]);
            plan.cells += plan.even ? kRoom : sizes[home];
        }
        for (const std::int32_t j : columns) {
            const auto at = static_cast<std::size_t>(j);
            const auto home = static_cast<std::size_t>(home_of(j));
            const std::uint32_t start = start_of[home];
            const bool shared = !bundles.empty() && bundles.first[at] > 0;
            plan.places.push_back(
                {j, start + (shared ? static_cast<std::uint32_t>(bundles.first[at]) : 0),
                 shared ? bundles.usual[at] : -1, place_of[home]});
        }
        return plan;
    }

    // The same without the columns that no place of a node needs; `barren` has a flag per place.
    // The first one stays, for the sum of the node.
    void narrow(const CellPlan& whole, std::span<const std::uint8_t> barren) {
        needed_.assign(whole.columns.size(), 0);
        needed_[0] = 1;
        for (std::size_t s = 0; s < barren.size(); ++s)
            if (!barren[s]) needed_[whole.places[s].home] = 1;
        columns.clear();
        starts.clear();
        sizes.clear();
        for (std::size_t k = 0; k < needed_.size(); ++k) {
            if (!needed_[k]) continue;
            columns.push_back(whole.columns[k]);
            starts.push_back(whole.starts[k]);
            sizes.push_back(whole.sizes[k]);
        }
    }

    // Of a table of which only unusual codes are counted; a cell more holds the sum of all rows.
    static CellPlan of(const BinsView& bins, const Unusual& unusual,
                       std::span<const std::int32_t> columns) {
        CellPlan plan;
        for (const std::int32_t j : columns) {
            const auto at = static_cast<std::size_t>(j);
            const auto begin = static_cast<std::uint32_t>(bins.offsets[at]);
            plan.places.push_back(
                {j, begin, unusual.usual[at], static_cast<std::uint32_t>(plan.columns.size())});
            plan.columns.push_back(j);
            plan.starts.push_back(begin);
            plan.sizes.push_back(bins.count(at));
        }
        plan.sum_from = bins.upper.size();
        plan.cells = plan.sum_to = plan.sum_from + 1;
        return plan;
    }

  private:
    std::vector<std::uint8_t> needed_;
};

// Adds rows[0 … n), or without rows the rows first … first + n, to a histogram. Four columns at
// a time: the processor then has four independent sums under way.
template <bool Even, bool Listed, class Cells, class Code>
void count_rows(const Cells& cells, const CellPlan& plan, const Matrix<const Code>& table,
                const std::uint32_t* rows, std::size_t first, std::size_t n,
                typename Cells::Cell* __restrict out) {
    constexpr std::size_t ahead = 16, room = CellPlan::kRoom;
    const auto* items = cells.items();
    const std::uint32_t* starts = plan.starts.data();
    const std::int32_t* columns = plan.columns.data();
    const std::size_t d = plan.columns.size();
    const std::ptrdiff_t step = table.col_stride;
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t row = first + i;
        if constexpr (Listed) {
            row = rows[i];
            const std::size_t soon = rows[std::min(i + ahead, n - 1)];
            __builtin_prefetch(table.row(soon));
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
void count_rows(const Cells& cells, const CellPlan& plan, const Matrix<const Code>& table,
                const std::uint32_t* rows, std::size_t first, std::size_t n,
                typename Cells::Cell* out) {
    if (plan.even) {
        rows ? count_rows<true, true>(cells, plan, table, rows, first, n, out)
             : count_rows<true, false>(cells, plan, table, rows, first, n, out);
    } else {
        rows ? count_rows<false, true>(cells, plan, table, rows, first, n, out)
             : count_rows<false, false>(cells, plan, table, rows, first, n, out);
    }
}

// The same for the unusual codes alone. Columns a tree does not look at are counted too: telling
// them apart would cost more.
template <class Cells>
void count_rows(const Cells& cells, const CellPlan& plan, const Unusual& unusual,
                const std::uint32_t* rows, std::size_t first, std::size_t n,
                typename Cells::Cell* __restrict out) {
    constexpr std::size_t ahead = 8;
    const auto* items = cells.items();
    const std::uint32_t* where = unusual.cells.data();
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
        for (auto k = static_cast<std::size_t>(unusual.starts[row]); k < end; ++k)
            Cells::add(out[where[k]], value);
    }
}

}  // namespace coterie
