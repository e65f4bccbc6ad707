// The inner loops of Shapley values: a block of rows, a few points of a quadrature.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coterie/clones.hpp"
#include "step.hpp"

namespace coterie::shapley {

constexpr std::size_t kLanes = 8;  // rows of one vector operation; blocks are padded to it

struct Cells {  // arrays below are (points, rows)
    std::size_t points, rows;
};

// What the rows of a block do at a node. `held` is null, or zero for rows that failed a split
// further up on the same column: to them this split says nothing new.
struct Choice {
    const std::int64_t* right;
    const std::int64_t* held;
};

// A factor for rows that go left, that go right, and that are not held.
struct Factor {
    double left, right, loose;
};

#define COTERIE_INLINE inline __attribute__((always_inline))

// Calls use(cell, row, factor) for every point and row.
template <bool Nested, class Use>
COTERIE_INLINE void each_cell(const Choice& choice, const Factor* factors, Cells cells, Use&& use) {
    for (std::size_t q = 0; q < cells.points; ++q) {
        const Factor factor = factors[q];
        for (std::size_t first = 0; first < cells.rows; first += kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const std::size_t row = first + lane;
                double chosen = choice.right[row] ? factor.right : factor.left;
                if constexpr (Nested) chosen = choice.held[row] ? chosen : factor.loose;
                use(q * cells.rows + row, row, chosen);
            }
        }
    }
}

template <class Use>
COTERIE_INLINE void each_cell(const Choice& choice, const Factor* factors, Cells cells, Use&& use) {
    if (choice.held)
        each_cell<true>(choice, factors, cells, use);
    else
        each_cell<false>(choice, factors, cells, use);
}

// out = factor * in
COTERIE_CLONES inline void scale(const Choice& choice, const Factor* factors, Cells cells,
                                 const double* __restrict in, double* __restrict out) {
    each_cell(choice, factors, cells,
              [&](std::size_t cell, std::size_t, double factor) { out[cell] = factor * in[cell]; });
}

// phi += factor * in, summed over the points
COTERIE_CLONES inline void gather(const Choice& choice, const Factor* factors, Cells cells,
                                  const double* __restrict in, double* __restrict phi) {
    each_cell(choice, factors, cells, [&](std::size_t cell, std::size_t row, double factor) {
        phi[row] += factor * in[cell];
    });
}

// total = left + right
COTERIE_CLONES inline void add(Cells cells, const double* __restrict left,
                               const double* __restrict right, double* __restrict total) {
    for (std::size_t i = 0; i < cells.points * cells.rows; ++i) total[i] = left[i] + right[i];
}

// Which rows go right of a threshold.
COTERIE_CLONES inline void compare(const Node node, const double* __restrict x, std::size_t rows,
                                   std::int64_t* __restrict right) {
    for (std::size_t row = 0; row < rows; ++row)
        right[row] = goes_right<false>(node, x[row], nullptr) ? 1 : 0;
}

// Which rows are held after a side is taken.
COTERIE_CLONES inline void hold(const Choice& choice, std::int64_t side, std::size_t rows,
                                std::int64_t* __restrict kept) {
    for (std::size_t row = 0; row < rows; ++row) {
        const std::int64_t above = choice.held ? choice.held[row] : 1;
        kept[row] = choice.right[row] == side ? above : 0;
    }
}

#undef COTERIE_INLINE

}  // namespace coterie::shapley
