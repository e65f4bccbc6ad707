// The filled cells of the rows of one node of a sparse table, column by column.
//
// Where a node has many rows, the cells of a column are looked up one by one: is their row in the
// node? Where it has few, the cells of its rows are sorted by column at once, which also says at
// no cost of all other columns that they hold nothing but zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/sparse.hpp"

namespace coterie {

struct Filled {
    std::uint32_t row;  // its place in the node
    std::uint32_t code;
};

template <class Code>
class NodeCells {
  public:
    // Which of the cells held are those of a column.
    struct Part {
        std::size_t begin = 0, size = 0;
    };

    // A node looks at `wanted` columns. Its rows are those of a range of `rows`, which `moved` is
    // told of whenever they change places.
    NodeCells(const SparseCodes<Code>& table, std::span<const std::uint32_t> rows,
              std::size_t wanted)
        : table_(table), places_(table.cols()), live_(table.cols(), 0) {
        const double filled = static_cast<double>(table.filled());
        per_row_ = filled / static_cast<double>(std::max<std::size_t>(table.rows(), 1));
        const double per_column =
            filled / static_cast<double>(std::max<std::size_t>(table.cols(), 1));
        budget_ = kWorth * static_cast<double>(wanted) * (per_column + kColumn);
        if (sorts(rows.size())) return;
        where_.assign(table.rows(), kNowhere);
        for (std::size_t i = 0; i < rows.size(); ++i)
            where_[rows[i]] = static_cast<std::uint32_t>(i);
    }

    // Whether the cells of so many rows are sorted at once.
    bool sorts(std::size_t rows) const { return static_cast<double>(rows) * per_row_ <= budget_; }
    bool is_open(std::uint32_t begin, std::uint32_t end) const {
        return begin_ == begin && size_ == end - begin;
    }

    // Makes rows[begin … end) the node.
    void open(const std::uint32_t* rows, std::uint32_t begin, std::uint32_t end) {
        if (is_open(begin, end)) return;
        begin_ = begin;
        size_ = end - begin;
        used_ = 0;
        sorted_ = sorts(size_);
        if (sorted_) sort_cells(rows + begin);
    }

    // By column whether it may hold anything but zero; empty if nothing is known of the node.
    std::span<const std::uint8_t> live() const {
        return sorted_ ? std::span<const std::uint8_t>(live_) : std::span<const std::uint8_t>{};
    }

    // Fetches the cells of a column that will be asked for soon.
    void prefetch(std::size_t j) const {
        const Line<Code> cells = table_.column(j);
        __builtin_prefetch(cells.at);
        __builtin_prefetch(cells.values);
    }

    // The cells of a column that hold another code than the usual one; good while the node is open,
    // or until they are let go.
    Part column(std::size_t j) {
        if (sorted_) return {places_[j].end - places_[j].count, places_[j].count};
        const Line<Code> cells = table_.column(j);
        const std::size_t begin = used_;
        make_room(begin + cells.size);
        Filled* out = lists_.data() + begin;
        for (std::size_t k = 0; k < cells.size; ++k) {
            const std::uint32_t place = where_[cells.at[k]] - begin_;  // beyond all if not in it
            *out = {place, cells.values[k]};
            out += place < size_;
        }
        used_ = static_cast<std::size_t>(out - lists_.data());
        return {begin, used_ - begin};
    }
    std::span<const Filled> of(const Part& part) const {
        return {lists_.data() + part.begin, part.size};
    }
    // Lets go of the cells of the last column, or of all.
    void drop(const Part& part) {
        if (!sorted_) used_ = part.begin;
    }
    void drop_all() {
        if (!sorted_) used_ = 0;
    }

    bool varies(const Part& part) const {
        const std::span<const Filled> cells = of(part);
        if (cells.empty() || cells.size() < size_) return !cells.empty();
        for (const Filled& cell : cells)
            if (cell.code != cells[0].code) return true;
        return false;
    }

    // The rows of the node have changed places.
    void moved(const std::uint32_t* rows, std::uint32_t begin, std::uint32_t end) {
        size_ = 0;
        if (sorts(end - begin)) return;
        for (std::uint32_t i = begin; i < end; ++i) where_[rows[i]] = i;
    }

  private:
    static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
    static constexpr double kWorth = 1.5;    // cells looked up in the time one takes to be sorted
    static constexpr double kColumn = 16.0;  // cells looked up in the time a column costs anyway

    struct Place {
        std::uint32_t count = 0, end = 0;
    };

    // One more than asked for, as a cell is written before it is known whether it counts.
    void make_room(std::size_t cells) {
        if (lists_.size() <= cells) lists_.resize(2 * cells + 1);
    }

    void sort_cells(const std::uint32_t* rows) {
        for (const std::uint32_t j : touched_) places_[j].count = live_[j] = 0;
        touched_.clear();
        constexpr std::uint32_t ahead = 4, line = 64 / sizeof(std::uint32_t);
        for (std::uint32_t i = 0; i < size_; ++i) {
            const Line<Code> cells = table_.row(rows[i]);
            const Line<Code> soon = table_.row(rows[std::min(i + ahead, size_ - 1)]);
            for (std::size_t k = 0; k < soon.size; k += line) __builtin_prefetch(soon.at + k);
            __builtin_prefetch(soon.values);
            for (std::size_t k = 0; k < cells.size; ++k)
                if (!places_[cells.at[k]].count++) touched_.push_back(cells.at[k]);
        }
        std::uint32_t end = 0;
        for (const std::uint32_t j : touched_) {
            live_[j] = 1;
            places_[j].end = end;
            end += places_[j].count;
        }
        make_room(end);
        for (std::uint32_t i = 0; i < size_; ++i) {
            const Line<Code> cells = table_.row(rows[i]);
            for (std::size_t k = 0; k < cells.size; ++k)
                lists_[places_[cells.at[k]].end++] = {i, cells.values[k]};
        }
    }

    const SparseCodes<Code>& table_;
    double per_row_ = 0.0, budget_ = 0.0;
    std::vector<std::uint32_t>
        where_;  // the place of every row of the table among those of the tree
    std::uint32_t begin_ = 0, size_ = 0;
    bool sorted_ = false;
    std::vector<Place> places_;           // by column
    std::vector<std::uint8_t> live_;      // whether a column has any; smaller, for the first cache
    std::vector<std::uint32_t> touched_;  // columns whose count is not zero
    std::vector<Filled> lists_;
    std::size_t used_ = 0;
};

}  // namespace coterie
