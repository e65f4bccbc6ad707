#include "coterie/bins.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "coterie/clones.hpp"
#include "coterie/random.hpp"
#include "coterie/team.hpp"
#include "cut_guide.hpp"
#include "cuts.hpp"

namespace coterie {
namespace {

// Copies some rows of some columns, column by column, reading along the faster axis.
template <class T>
std::vector<T> gather(const Matrix<const T>& X, std::span<const std::size_t> rows,
                      std::span<const std::size_t> columns) {
    std::vector<T> cells(rows.size() * columns.size());
    if (std::abs(X.row_stride) < std::abs(X.col_stride)) {
        for (std::size_t j = 0; j < columns.size(); ++j)
            for (std::size_t k = 0; k < rows.size(); ++k)
                cells[j * rows.size() + k] = X(rows[k], columns[j]);
    } else {
        constexpr std::size_t ahead = 16;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const std::size_t soon = rows[std::min(k + ahead, rows.size() - 1)];
            __builtin_prefetch(&X(soon, columns.front()));
            __builtin_prefetch(&X(soon, columns.back()));
            for (std::size_t j = 0; j < columns.size(); ++j)
                cells[j * rows.size() + k] = X(rows[k], columns[j]);
        }
    }
    return cells;
}

// Looks at all rows, in blocks that serve all columns while they are in the cache.
template <class T>
void complete(const Matrix<const T>& X, std::span<FewValues> columns, std::size_t limit) {
    constexpr std::size_t block = 128;
    std::array<T, block> cells;
    for (std::size_t begin = 0; begin < X.rows; begin += block) {
        const std::size_t size = std::min(block, X.rows - begin);
        for (FewValues& column : columns) {
            if (!column.few) continue;
            for (std::size_t i = 0; i < size; ++i) cells[i] = X(begin + i, column.column);
            column.see_all(std::span<const T>(cells).first(size), limit);
        }
    }
}

constexpr std::size_t kBlock = 256;  // rows encoded together: fits the first cache

// What parts the bins of a column, with room to search beyond the last.
template <class T>
struct Cuts {
    std::vector<T> points;
    CellGuide<T> guide;
    std::uint32_t half = 0;  // of what a search begins with

    Cuts() = default;
    Cuts(std::vector<T> ascending, std::size_t rows)
        : points(std::move(ascending)), guide(points, cells_for(points.size(), rows)) {
        half = std::bit_ceil(guide.widest() + 1) / 2;
        points.resize(points.size() + 2 * half, std::numeric_limits<T>::infinity());
    }

  private:
    // Where values crowd, a cell of a few would hold many: small ones save steps of every search,
    // and are worth making where there is much to look up.
    static std::uint32_t cells_for(std::size_t count, std::size_t rows) {
        constexpr std::size_t most = 4096, per_row = 16;
        const std::size_t small = std::min({most, 16 * count, rows / per_row});
        return static_cast<std::uint32_t>(std::max(count / 4, small)) + 1;
    }
};

// Number of cuts below each value: from the first in its cell, by binary search on all values in
// step. What is no number gets the code `missing`.
template <class T, class Code>
[[gnu::always_inline]] inline void search_all(const Cuts<T>& cuts, const T* x, Code missing,
                                              Code* codes) {
    const T* points = cuts.points.data();
    const CellGuide<T>& guide = cuts.guide;
    std::array<std::uint32_t, kBlock> at;
    for (std::size_t i = 0; i < kBlock; ++i) at[i] = guide.cell(x[i]);
    for (std::size_t i = 0; i < kBlock; ++i) at[i] = guide.first(at[i]);
    for (std::uint32_t half = cuts.half; half; half /= 2)
        for (std::size_t i = 0; i < kBlock; ++i)
            at[i] += points[at[i] + half - 1] < x[i] ? half : 0;
    for (std::size_t i = 0; i < kBlock; ++i)
        codes[i] = x[i] == x[i] ? static_cast<Code>(at[i]) : missing;
}

#define COTERIE_SEARCH(T, Code)                                                              \
    COTERIE_CLONES void search(const Cuts<T>& cuts, const T* x, Code missing, Code* codes) { \
        search_all(cuts, x, missing, codes);                                                 \
    }
COTERIE_SEARCH(float, std::uint8_t)
COTERIE_SEARCH(float, std::uint16_t)
COTERIE_SEARCH(double, std::uint8_t)
COTERIE_SEARCH(double, std::uint16_t)
#undef COTERIE_SEARCH

// The codes of a block of values.
template <class T, class Code>
void encode_block(const T* x, const Cuts<T>& cuts, std::uint32_t count, bool categorical,
                  Code* codes) {
    if (!categorical) return search(cuts, x, static_cast<Code>(count), codes);
    for (std::size_t i = 0; i < kBlock; ++i)
        codes[i] = static_cast<Code>(x[i] >= T{0} && x[i] < static_cast<T>(count)
                                         ? static_cast<std::uint32_t>(x[i])
                                         : count);
}

// Some rows of a few columns, copied column by column. Their cuts and those of other columns would
// push each other out of the cache, and so would the rows of a table: here a column's cuts serve
// thousands of rows, and every row is read once.
template <class T, class Code>
class Tile {
  public:
    static constexpr std::size_t kRows = 64 * kBlock, kColumns = 16;

    void read(const Matrix<const T>& X, std::size_t begin, std::size_t end, std::size_t first) {
        rows_ = end - begin;
        columns_ = std::min(kColumns, X.cols - first);
        room_ = (rows_ + kBlock - 1) / kBlock * kBlock + kGap;
        values_.resize(room_ * columns_);
        codes_.resize(room_ * columns_);
        each(X, [&](std::size_t i, std::size_t j) {
            values_[j * room_ + i] = X(begin + i, first + j);
        });
    }
    void encode(std::size_t j, const Cuts<T>& cuts, std::uint32_t count, bool categorical) {
        for (std::size_t i = j * room_; i < j * room_ + rows_; i += kBlock)
            encode_block(values_.data() + i, cuts, count, categorical, codes_.data() + i);
    }
    void write(const Matrix<Code>& out, std::size_t begin, std::size_t first) const {
        each(out, [&](std::size_t i, std::size_t j) {
            out(begin + i, first + j) = codes_[j * room_ + i];
        });
    }
    std::size_t columns() const { return columns_; }

  private:
    // Goes along the faster axis of a table.
    template <class Table, class Visit>
    void each(const Table& table, Visit&& visit) const {
        if (std::abs(table.row_stride) < std::abs(table.col_stride)) {
            for (std::size_t j = 0; j < columns_; ++j)
                for (std::size_t i = 0; i < rows_; ++i) visit(i, j);
        } else {
            for (std::size_t i = 0; i < rows_; ++i)
                for (std::size_t j = 0; j < columns_; ++j) visit(i, j);
        }
    }

    // Columns a power of two apart would push each other out of the cache.
    static constexpr std::size_t kGap = 64;

    std::size_t rows_ = 0, columns_ = 0, room_ = 0;  // room for whole blocks of rows, and a gap
    std::vector<T> values_;
    std::vector<Code> codes_;
};

}  // namespace

std::vector<std::size_t> spread_rows(std::size_t n, std::size_t limit, std::uint64_t seed) {
    const std::size_t size = std::min(n, limit);
    std::vector<std::size_t> rows(size);
    const double step = size ? static_cast<double>(n) / static_cast<double>(size) : 1.0;
    Random random(seed);
    for (std::size_t k = 0; k < size; ++k)
        rows[k] =
            n <= limit
                ? k
                : static_cast<std::size_t>((static_cast<double>(k) + random.uniform()) * step);
    return rows;
}

template <class T>
std::vector<ColumnBins> find_numeric_bins(const Matrix<const T>& X,
                                          std::span<const std::size_t> columns,
                                          std::span<const double> weight, std::uint32_t max_bins,
                                          std::size_t sample_rows, std::uint64_t seed,
                                          std::span<const std::uint8_t> crowded, int n_threads) {
    constexpr std::size_t cells_at_once = std::size_t{1} << 21;
    const std::vector<std::size_t> rows = spread_rows(X.rows, sample_rows, seed);
    const bool sampled = X.rows > sample_rows;
    // How often a value occurs does not matter where each gets a bin for sure.
    const std::uint32_t unsorted = sampled || !crowded.empty() ? 16 : 256;
    std::vector<ColumnBins> found(columns.size());
    std::vector<FewValues> few;
    std::vector<std::pair<std::size_t, Distinct>> doubtful;
    const std::size_t group =
        std::max<std::size_t>(cells_at_once / std::max<std::size_t>(rows.size(), 1), 1);
    for (std::size_t first = 0; first < columns.size(); first += group) {
        const auto some = columns.subspan(first, std::min(group, columns.size() - first));
        const std::vector<T> cells = gather(X, rows, some);
        std::vector<Distinct> distinct(some.size());
        Team(n_threads).run(some.size(), [&](std::size_t j) {
            distinct[j] = find_distinct(std::span(cells).subspan(j * rows.size(), rows.size()),
                                        std::span<const std::size_t>(rows), weight,
                                        std::min(unsorted, max_bins));
            const bool many =
                distinct[j].value.size() > max_bins || (!crowded.empty() && crowded[some[j]]);
            if (many) {
                found[first + j] = equal_weight_bins(distinct[j], max_bins);
            } else if (!sampled) {
                found[first + j] = {distinct[j].value, distinct[j].value};
            }
            if (many) distinct[j] = {};  // as large as the sample, and settled
        });
        for (std::size_t j = 0; j < some.size() && sampled; ++j) {
            if (!found[first + j].lower.empty()) continue;
            few.push_back({some[j], distinct[j].value});
            doubtful.emplace_back(first + j, std::move(distinct[j]));
        }
    }
    const std::size_t parts = std::min<std::size_t>(few.size(), std::max(n_threads, 1));
    Team(n_threads).run(parts, [&](std::size_t p) {
        const std::size_t begin = few.size() * p / parts, end = few.size() * (p + 1) / parts;
        complete(X, std::span(few).subspan(begin, end - begin), max_bins);
    });
    for (std::size_t k = 0; k < few.size(); ++k)
        found[doubtful[k].first] = few[k].few ? ColumnBins{few[k].values, few[k].values}
                                              : equal_weight_bins(doubtful[k].second, max_bins);
    return found;
}

template <class T>
ColumnBins find_category_bins(const Matrix<const T>& X, std::size_t column) {
    double largest = -1.0;
    const T* cells = X.col(column);
    for (std::size_t i = 0; i < X.rows; ++i) {
        const double code = cells[static_cast<std::ptrdiff_t>(i) * X.row_stride];
        if (std::isnan(code)) continue;
        if (!(code >= 0.0 && code < 65535.0) || code != std::floor(code))
            throw std::invalid_argument("categorical column " + std::to_string(column) + " holds " +
                                        std::to_string(code) +
                                        ", expected whole codes from 0 to 65534");
        largest = std::max(largest, code);
    }
    ColumnBins bins;
    for (double code = 0.0; code <= largest; ++code) bins.lower.push_back(code);
    bins.upper = bins.lower;
    return bins;
}

template <class T, class Code>
void encode(const Matrix<const T>& X, const BinsView& bins, const Matrix<Code>& out,
            int n_threads) {
    std::vector<Cuts<T>> cuts(X.cols);
    for (std::size_t j = 0; j < X.cols; ++j)
        if (!bins.categorical[j])
            cuts[j] =
                Cuts<T>(cut_points<T>(bins.lower_of(j), bins.upper_of(j), bins.count(j)), X.rows);
    using Piece = Tile<T, Code>;
    Team(n_threads).run((X.rows + Piece::kRows - 1) / Piece::kRows, [&](std::size_t task) {
        const std::size_t begin = task * Piece::kRows, end = std::min(begin + Piece::kRows, X.rows);
        Piece tile;
        for (std::size_t first = 0; first < X.cols; first += Piece::kColumns) {
            tile.read(X, begin, end, first);
            for (std::size_t j = 0; j < tile.columns(); ++j)
                tile.encode(j, cuts[first + j], bins.count(first + j),
                            bins.categorical[first + j] != 0);
            tile.write(out, begin, first);
        }
    });
}

#define COTERIE_INSTANTIATE(T)                                                                 \
    template std::vector<ColumnBins> find_numeric_bins(                                        \
        const Matrix<const T>&, std::span<const std::size_t>, std::span<const double>,         \
        std::uint32_t, std::size_t, std::uint64_t, std::span<const std::uint8_t>, int);        \
    template ColumnBins find_category_bins(const Matrix<const T>&, std::size_t);               \
    template void encode(const Matrix<const T>&, const BinsView&, const Matrix<std::uint8_t>&, \
                         int);                                                                 \
    template void encode(const Matrix<const T>&, const BinsView&, const Matrix<std::uint16_t>&, int)
COTERIE_INSTANTIATE(float);
COTERIE_INSTANTIATE(double);
#undef COTERIE_INSTANTIATE

}  // namespace coterie
