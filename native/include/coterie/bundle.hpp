// Columns that are never unusual together, counted as one.
//
// Flags made of a category, and other sparse columns, hold their most common code in nearly every
// row. Where no row is unusual in two of them, one code tells which one is unusual and how
// (exclusive feature bundling: Ke et al. 2017, here without conflicts, so nothing is lost).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/bins.hpp"
#include "coterie/matrix.hpp"
#include "coterie/pages.hpp"
#include "coterie/sparse.hpp"

namespace coterie {

// Column j lies in column home[j] of the bundled table. If first[j] is 0 it lies there alone, with
// its own codes. Otherwise its usual code is usual[j], code c is first[j] + c, less one beyond the
// usual code, and whatever is not in that range is usual.
struct BundlesView {
    std::span<const std::int32_t> home;
    std::span<const std::int32_t> first;
    std::span<const std::int32_t> usual;
    std::span<const std::int32_t> sizes;  // codes of each column of the bundled table

    bool empty() const { return home.empty(); }
    bool shares(std::size_t j) const { return !empty() && first[j] > 0; }
    std::size_t home_of(std::size_t j) const {
        return empty() ? j : static_cast<std::size_t>(home[j]);
    }
    // The code of a column of so many bins that shares its home, from that of the bundle.
    std::uint32_t code_of(std::size_t j, std::uint32_t bins, std::uint32_t bundled) const {
        const auto own = static_cast<std::uint32_t>(usual[j]);
        const std::uint32_t place = bundled - static_cast<std::uint32_t>(first[j]);
        return place < bins ? place + (place >= own) : own;
    }
};

struct Bundles {
    std::vector<std::int32_t> home, first, usual, sizes;
    std::vector<std::int64_t> unusual;  // rows of each column that hold another code

    BundlesView view() const { return {home, first, usual, sizes}; }
};

// Finds bundles of at most 256 codes. The order of the rows does not matter.
Bundles find_bundles(const Matrix<const std::uint8_t>& codes, const BinsView& bins, int n_threads);

// The unusual codes of a table row by row. Where nearly all are usual it is enough to count the
// others: what they leave of a node is usual.
//
// Code c of column j has the cell offsets[j] + c, less one beyond the usual code.
struct Unusual {
    std::vector<std::int32_t> usual;
    std::vector<std::int64_t> starts;  // where the cells of each row begin, and the end
    Pages<std::uint32_t> cells;
    Pages<std::uint32_t> columns;       // of each of them
    std::vector<std::uint32_t> filled;  // by column, in how many rows it is unusual
    std::size_t n_cells;

    // Throws where a code lies outside its bins.
    Unusual(const Matrix<const std::uint8_t>& codes, const BinsView& bins,
            std::vector<std::int32_t> usual);
    template <class Code>
    Unusual(const SparseCodes<Code>& codes, const BinsView& bins);
};

// Copies codes from one layout to another.
void copy_codes(const Matrix<const std::uint8_t>& codes, const Matrix<std::uint8_t>& out,
                int n_threads);

void encode_bundles(const Matrix<const std::uint8_t>& codes, const BundlesView& bundles,
                    const Matrix<std::uint8_t>& out, int n_threads);

}  // namespace coterie
