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

#include "coterie/clones.hpp"
#include "coterie/newton_halves.hpp"
#include "coterie/target.hpp"

namespace coterie {

// Levels a slope can be rounded to such that the sum of all rows fits in 31 bits.
inline double packed_levels(std::size_t n, double most) {
    return std::min(most, std::floor(2147483647.0 / static_cast<double>(n)) - 1.0);
}

// Whether rounding leaves ordinary rows enough levels, also where a few huge ones set the scale.
inline bool can_pack(const SlopeScale& scale, double enough) {
    const double levels = packed_levels(scale.rows, 32767.0);
    const auto fine = [&](double most, double sum) {
        return most > 0.0 && levels * sum >= enough * most * static_cast<double>(scale.rows);
    };
    return levels >= 1.0 && fine(scale.most_g, scale.sum_g) &&
           (scale.constant || fine(scale.most_h, scale.sum_h));
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
    using Item = std::int32_t;  // gradient in the upper half, hessian in the lower
    static constexpr bool kCounted = false;

    explicit PackedCells(const SlopeScale& scale) {
        const double levels = packed_levels(scale.rows, 32767.0);
        unit_g = scale.most_g / levels;
        unit_h = scale.constant ? 1.0 : scale.most_h / levels;
        per_g_ = 1.0 / unit_g;
        per_h_ = 1.0 / unit_h;
    }

    // Rows that are not learnt from may exceed the levels, or be NaN; nobody reads them.
    template <bool Constant>
    [[gnu::always_inline]] Item item(double gradient, double hessian, std::uint32_t noise) const {
        const double up_g = static_cast<std::int32_t>(noise >> 16) * 0x1.0p-16;
        const double up_h = static_cast<std::int32_t>(noise & 0xffff) * 0x1.0p-16;
        const std::uint32_t g = whole(gradient * per_g_ + up_g + 32768.0, 65535.0) - 32768u;
        const std::uint32_t h = Constant ? 1 : whole(hessian * per_h_ + up_h, 32767.0);
        return static_cast<std::int32_t>(g << 16 | h);
    }

    SlopeSums sums(Cell cell) const {
        return {static_cast<double>(static_cast<std::int32_t>(cell >> 32)) * unit_g,
                static_cast<double>(static_cast<std::int32_t>(cell)) * unit_h, 0.0};
    }
    static bool empty(Cell cell) { return cell == 0; }
    static Cell cell_of(Item item) {
        return (static_cast<std::int64_t>(item >> 16) << 32) + (item & 0xffff);
    }
    static void add(Cell& cell, const Cell& other) { cell += other; }
    static void subtract(Cell& cell, const Cell& other) { cell -= other; }

    double unit_g, unit_h;

  private:
    // By way of signed numbers: vectors are converted to no others.
    [[gnu::always_inline]] static std::uint32_t whole(double value, double most) {
        return static_cast<std::uint32_t>(
            static_cast<std::int32_t>(std::min(std::max(0.0, value), most)));
    }

    double per_g_, per_h_;
};

// The grid of sums up to this one. What is added up by several holders of rows differs in its last
// bits from what one of them adds up, and sums of weights are often powers of two, where the grid
// changes: so it changes a little below them.
inline Grid grid_of(double sum) { return Grid(sum * (1.0 + 0x1.0p-10)); }

class ExactCells {
  public:
    struct Cell {
        double g, h, n;
    };
    using Item = Cell;
    static constexpr bool kCounted = true;

    explicit ExactCells(const SlopeScale& scale)
        : grid_g_(grid_of(scale.sum_g)), grid_h_(grid_of(scale.sum_h)) {}

    template <bool Constant>
    Item item(double gradient, double hessian, std::uint32_t) const {
        return {grid_g_.snap(gradient), Constant ? 1.0 : grid_h_.snap(hessian), 1.0};
    }

    SlopeSums sums(const Cell& cell) const { return {cell.g, cell.h, cell.n}; }
    static bool empty(const Cell& cell) { return cell.n == 0.0; }
    static Cell cell_of(const Item& item) { return item; }
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
    Grid grid_g_, grid_h_;
};

// Consecutive rows to make items of.
template <class Cells, class Real>
struct ItemsTask {
    Cells cells;
    const Real *gradient, *hessian;  // no hessian: 1 for every row
    std::uint64_t seed, first;       // number of the first row
    std::size_t n;
    typename Cells::Item* out;
};

template <class Cells, class Real>
[[gnu::always_inline]] inline void items_body(const ItemsTask<Cells, Real>& task) {
    // Copies: what the loops store may alias anything behind a reference.
    const auto [cells, gradient, hessian, seed, first, n, out] = task;
    // Noise comes first, some at a time: vectors of its numbers are not those of doubles.
    constexpr std::size_t some = 256;
    std::uint32_t noise[some];
    for (std::size_t at = 0; at < n; at += some) {
        const std::size_t count = std::min(some, n - at);
        for (std::size_t i = 0; i < count; ++i) noise[i] = row_noise(seed, first + at + i);
        if (hessian) {
            for (std::size_t i = 0; i < count; ++i)
                out[at + i] =
                    cells.template item<false>(gradient[at + i], hessian[at + i], noise[i]);
        } else {
            for (std::size_t i = 0; i < count; ++i)
                out[at + i] = cells.template item<true>(gradient[at + i], 1.0, noise[i]);
        }
    }
}

template <class Real>
void write_items(const ItemsTask<ExactCells, Real>& task) {
    items_body(task);
}
COTERIE_CLONES inline void write_items(const ItemsTask<PackedCells, float>& task) {
    items_body(task);
}
COTERIE_CLONES inline void write_items(const ItemsTask<PackedCells, double>& task) {
    items_body(task);
}

}  // namespace coterie
