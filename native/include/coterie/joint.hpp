// Columns of few codes, counted as one.
//
// Where one column has a codes and another b, a single column of a b codes tells both. A row is
// then added to one sum instead of two, and the sums of either column are sums over the other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "coterie/matrix.hpp"
#include "coterie/pages.hpp"

namespace coterie {

struct Joint {
    static constexpr std::size_t kRoom = 256;  // codes of a joint column, at most

    // A column of the table, and how many codes of it there are.
    struct Factor {
        std::uint32_t column, codes;
    };

    std::vector<std::vector<Factor>> columns;  // what each tells, that with the smallest step first
    Pages<std::uint8_t> codes;                 // of the joint columns, row by row
    std::size_t rows = 0;

    // Joins columns while their codes fit together in a byte; null if that saves too few of them.
    static std::unique_ptr<Joint> of(const Matrix<const std::uint8_t>& table, int n_threads);

    Matrix<const std::uint8_t> view() const {
        const std::size_t d = columns.size();
        return {codes.data(), rows, d, static_cast<std::ptrdiff_t>(d), 1};
    }

    // Adds the sums of a joint column, of which there are kRoom, to those of its columns:
    // `cells_of(column)` are theirs. The joint ones are used up.
    template <class Cell, class Add, class CellsOf>
    static void spread(const std::vector<Factor>& factors, Cell* __restrict sums, const Add& add,
                       const CellsOf& cells_of) {
        std::size_t left = 1;
        for (const Factor& factor : factors) left *= factor.codes;
        for (const Factor& factor : factors) {
            Cell* __restrict cells = cells_of(factor.column);
            left /= factor.codes;
            for (std::size_t k = 0; k < left; ++k) {
                const Cell* some = sums + k * factor.codes;
                for (std::uint32_t c = 0; c < factor.codes; ++c) add(cells[c], some[c]);
                // Others may follow although one sum is left: columns of a single code.
                if (&factor == &factors.back()) continue;
                Cell all{};
                for (std::uint32_t c = 0; c < factor.codes; ++c) add(all, some[c]);
                sums[k] = all;  // from here on, without this column
            }
        }
    }
};

}  // namespace coterie
