// Tables of which nearly all cells hold zero: only the others are kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "coterie/bins.hpp"
#include "coterie/matrix.hpp"

namespace coterie {

// The filled cells of a column or of a row: where they lie along it, and what they hold.
template <class T>
struct Line {
    const std::uint32_t* at;
    const T* values;
    std::size_t size;
};

// Numbers by lines: the columns of a table, or its rows. Made by sparse_lines.
template <class T>
struct SparseLines {
    std::size_t across = 0;                 // length of a line
    std::span<const std::int64_t> starts;   // where the cells of each line begin, and the end
    std::span<const std::uint32_t> places;  // below `across`
    std::span<const T> values;

    std::size_t lines() const { return starts.size() - 1; }
    Line<T> line(std::size_t k) const {
        const auto begin = static_cast<std::size_t>(starts[k]);
        return {places.data() + begin, values.data() + begin,
                static_cast<std::size_t>(starts[k + 1]) - begin};
    }

    // Throws unless every line lies within the arrays, and every place within its line.
    void check() const;
};

// Cuts the columns of such a table into bins, as find_numeric_bins cuts those of a full one. No
// cell may be there twice.
template <class T>
std::vector<ColumnBins> find_sparse_bins(const SparseLines<T>& columns,
                                         std::span<const double> weight, std::uint32_t max_bins,
                                         std::size_t sample_rows, std::uint64_t seed,
                                         int n_threads);

// Writes the bin of each cell, and for every column that of zero.
template <class T, class Code>
void encode_sparse(const SparseLines<T>& columns, const BinsView& bins, std::span<Code> codes,
                   std::span<Code> usual);

// Codes of which only the unusual ones are held, by column and by row. Usual is the code of zero.
// What the others leave of a node holds it: sums are exact, so that a tree grown on such a table
// is the tree grown on all of its cells, bit for bit.
template <class Code>
class SparseCodes {
  public:
    // Throws where a code lies outside its bins or is the usual one, or a row is there twice.
    SparseCodes(const SparseLines<Code>& columns, std::span<const Code> usual,
                const BinsView& bins);

    std::size_t rows() const { return columns_.across; }
    std::size_t cols() const { return usual_.size(); }
    std::size_t filled() const { return columns_.places.size(); }
    Code usual(std::size_t j) const { return usual_[j]; }
    std::span<const Code> usual() const { return usual_; }

    Line<Code> column(std::size_t j) const { return columns_.line(j); }
    // With the columns in order.
    Line<Code> row(std::size_t i) const {
        const auto begin = static_cast<std::size_t>(row_starts_[i]);
        return {row_columns_.data() + begin, row_codes_.data() + begin,
                static_cast<std::size_t>(row_starts_[i + 1]) - begin};
    }

    Code code(std::size_t i, std::size_t j) const {
        const Line<Code> cells = row(i);
        const auto* end = cells.at + cells.size;
        const auto* found = std::lower_bound(cells.at, end, static_cast<std::uint32_t>(j));
        return found != end && *found == j ? cells.values[found - cells.at] : usual_[j];
    }

  private:
    const SparseLines<Code> columns_;
    const std::span<const Code> usual_;
    std::vector<std::int64_t> row_starts_;
    std::vector<std::uint32_t> row_columns_;
    std::vector<Code> row_codes_;
};

// All codes of a table, or the unusual ones; then `all` has the shape of the table but no data.
template <class Code>
struct CodeTable {
    Matrix<const Code> all;
    const SparseCodes<Code>* sparse = nullptr;

    static CodeTable of(const SparseCodes<Code>& codes) {
        return {{nullptr, codes.rows(), codes.cols(), 0, 0}, &codes};
    }
};

// One column of such a table at a time, with the codes of all rows.
template <class Code>
class WrittenColumn {
  public:
    // Good until it is asked for another one.
    const Code* of(const SparseCodes<Code>& table, std::size_t j) {
        if (codes_.empty()) {
            codes_.assign(table.rows(), table.usual(j));
        } else if (j == column_) {
            return codes_.data();
        } else if (table.usual(column_) == table.usual(j)) {
            const Line<Code> last = table.column(column_);
            for (std::size_t k = 0; k < last.size; ++k) codes_[last.at[k]] = table.usual(j);
        } else {
            std::fill(codes_.begin(), codes_.end(), table.usual(j));
        }
        const Line<Code> cells = table.column(j);
        for (std::size_t k = 0; k < cells.size; ++k) codes_[cells.at[k]] = cells.values[k];
        column_ = j;
        return codes_.data();
    }

  private:
    std::vector<Code> codes_;
    std::size_t column_ = 0;
};

}  // namespace coterie
