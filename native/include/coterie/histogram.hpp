// Histograms: sums of the target by bin, the only thing a split search reads.
//
// Two ways to hold them. A "direct" histogram covers the few columns a node
// looks at, marks the bins it touched, and is read and cleared by those marks,
// so a node of five rows pays for five bins and not for 256. A "whole" histogram
// covers all columns; with it only the smaller child is counted and the larger
// one is the parent minus its sibling.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "coterie/criterion.hpp"
#include "coterie/matrix.hpp"
#include "coterie/target.hpp"

namespace coterie {

// A row's share in the sums. For one output: weight and weight * y (or the
// weight if y is the second class). For labels of many classes `s` is the class, and for
// several outputs the row of the table by which targets are looked up.
struct Item {
    double w;
    double s;
};

// How a row enters a histogram entry; one type per kind of target. `finish` fills in
// what can be told from the rest of an entry once all rows are in. `put` needs no finish, and with
// a sign of -1 takes a row out of a finished entry: being exact, sums keep no trace of it.
struct PairKind {
    static constexpr bool kPair = true;
    std::size_t stride() const { return PairSums::kStride; }
    void add(double* entry, const Item& item) const {
        entry[0] += item.w;
        entry[1] += item.s;
    }
    template <int Sign>
    void put(double* entry, const Item& item) const {
        entry[0] += Sign * item.w;
        entry[1] += Sign * item.s;
    }
    void finish(double*) const {}
};

struct LabelKind {  // one output, three classes or more
    static constexpr bool kPair = false;
    std::size_t width;
    std::size_t stride() const { return width; }
    void add(double* entry, const Item& item) const {
        entry[1 + static_cast<std::uint32_t>(item.s)] += item.w;
    }
    template <int Sign>
    void put(double* entry, const Item& item) const {
        entry[0] += Sign * item.w;
        entry[1 + static_cast<std::uint32_t>(item.s)] += Sign * item.w;
    }
    void finish(double* entry) const {
        entry[0] = 0.0;
        for (std::size_t c = 1; c < width; ++c) entry[0] += entry[c];
    }
};

struct LabelsKind {  // several outputs of labels
    static constexpr bool kPair = false;
    std::size_t width;
    Matrix<const std::int32_t> codes;
    const Channels* channels;
    std::size_t stride() const { return width; }
    void add(double* entry, const Item& item) const { put<1>(entry, item); }
    template <int Sign>
    void put(double* entry, const Item& item) const {
        entry[0] += Sign * item.w;
        const auto row = static_cast<std::size_t>(item.s);
        std::size_t start = 1;
        for (std::size_t o = 0; o < codes.cols; ++o) {
            entry[start + static_cast<std::size_t>(codes(row, o))] += Sign * item.w;
            start = 1 + channels->group_end[o];
        }
    }
    void finish(double*) const {}
};

struct ValuesKind {  // several outputs of numbers; `products` holds w * y on the grid
    static constexpr bool kPair = false;
    std::size_t width;
    const double* products;  // (rows, width - 1)
    std::size_t stride() const { return width; }
    void add(double* entry, const Item& item) const { put<1>(entry, item); }
    template <int Sign>
    void put(double* entry, const Item& item) const {
        entry[0] += Sign * item.w;
        const double* values = products + static_cast<std::size_t>(item.s) * (width - 1);
        for (std::size_t c = 1; c < width; ++c) entry[c] += Sign * values[c - 1];
    }
    void finish(double*) const {}
};

// The rows of a node: where their codes lie and what they weigh.
template <class Code>
struct RowSet {
    Matrix<const Code> codes;
    const std::uint32_t* rows;
    const Item* items;
    std::size_t size;
};

// Adds a set of rows to the histograms of some columns, all in one pass, since
// the codes of one row lie in one or two cache lines.
template <class Code, class Kind>
class DirectHistograms {
  public:
    DirectHistograms(const Kind& kind, std::size_t largest_bins, std::size_t slots, bool counted)
        : kind_(kind), room_(largest_bins + 1), counted_(counted), stride_(kind.stride()),
          sums_(slots * room_ * stride_), marks_(slots * marks_room()),
          pages_(sizeof(Code) > 1 ? slots * kPages : 0), counts_(counted ? slots * room_ : 0),
          offsets_(slots) {}

    std::size_t slots() const { return offsets_.size(); }
    double* sums(std::size_t slot) { return sums_.data() + slot * room_ * stride_; }
    std::uint32_t* counts(std::size_t slot) {
        return counted_ ? counts_.data() + slot * room_ : nullptr;
    }

    // `column_of` says which columns of the table they are.
    template <class ColumnOf>
    void fill(const RowSet<Code>& set, std::size_t n_columns, ColumnOf column_of) {
        for (std::size_t j = 0; j < n_columns; ++j)
            offsets_[j] = static_cast<std::ptrdiff_t>(column_of(j)) * set.codes.col_stride;
        if (counted_) {
            fill_pass<true>(set, n_columns);
        } else {
            fill_pass<false>(set, n_columns);
        }
    }

    // The bins that were touched, ascending and finished; forgets the marks.
    std::size_t take_occupied(std::size_t slot, std::size_t n_codes, std::uint32_t* occupied) {
        const std::size_t found = find_occupied(slot, n_codes, occupied);
        for (std::size_t i = 0; i < found; ++i) kind_.finish(sums(slot) + occupied[i] * stride_);
        return found;
    }

    void clear(std::size_t slot, std::span<const std::uint32_t> occupied) {
        double* sums = this->sums(slot);
        for (const std::uint32_t bin : occupied) std::fill_n(sums + bin * stride_, stride_, 0.0);
        if (counted_)
            for (const std::uint32_t bin : occupied) counts(slot)[bin] = 0;
    }

  private:
    static constexpr std::size_t kPages = 257;

    std::size_t marks_room() const { return (room_ + 255) / 256 * 256 + 8; }

    std::size_t find_occupied(std::size_t slot, std::size_t n_codes, std::uint32_t* occupied) {
        std::uint8_t* marks = marks_.data() + slot * marks_room();
        if constexpr (sizeof(Code) == 1) {
            return take_marks(marks, n_codes, 0, occupied);
        } else {
            std::size_t found = 0;
            std::uint8_t* pages = pages_.data() + slot * kPages;
            for (std::size_t page = 0; page * 256 < n_codes; ++page) {
                if (!pages[page]) continue;
                pages[page] = 0;
                found += take_marks(marks + page * 256, 256, static_cast<std::uint32_t>(page * 256),
                                    occupied + found);
            }
            return found;
        }
    }

    template <bool Counted>
    void fill_pass(const RowSet<Code>& set, std::size_t n_columns) {
        constexpr std::size_t ahead = 12;
        // Bytes written through `marks` may alias any member: keep what the loop
        // reads in locals.
        const Kind kind = kind_;
        const Matrix<const Code> table = set.codes;
        const std::uint32_t* rows = set.rows;
        const Item* items = set.items;
        const std::size_t n = set.size, room = room_, stride = stride_, marks_step = marks_room();
        const std::ptrdiff_t* offsets = offsets_.data();
        for (std::size_t i = 0; i < n; ++i) {
            if (i + ahead < n) __builtin_prefetch(table.row(rows[i + ahead]));
            const Item item = items[i];
            const Code* codes = table.row(rows[i]);
            double* sums = sums_.data();
            std::uint8_t *marks = marks_.data(), *pages = pages_.data();
            for (std::size_t j = 0; j < n_columns; ++j) {
                const std::size_t code = codes[offsets[j]];
                kind.add(sums + (Kind::kPair ? code * 2 : code * stride), item);
                marks[code] = 1;
                if constexpr (sizeof(Code) > 1) {
                    pages[code >> 8] = 1;
                    pages += kPages;
                }
                if constexpr (Counted) ++counts_[j * room + code];
                sums += room * stride;
                marks += marks_step;
            }
        }
    }

    static std::size_t take_marks(std::uint8_t* marks, std::size_t n, std::uint32_t first,
                                  std::uint32_t* occupied) {
        std::size_t found = 0;
        for (std::size_t at = 0; at < n; at += 8) {
            std::uint64_t word;
            std::memcpy(&word, marks + at, 8);
            if (!word) continue;
            std::memset(marks + at, 0, 8);
            // Each mark is a byte 0 or 1: walk the set bytes.
            for (; word; word &= word - 1)
                occupied[found++] =
                    first + static_cast<std::uint32_t>(
                                at + static_cast<std::size_t>(std::countr_zero(word)) / 8);
        }
        return found;
    }

    Kind kind_;
    std::size_t room_;
    bool counted_;
    std::size_t stride_;
    std::vector<double> sums_;
    std::vector<std::uint8_t> marks_;
    std::vector<std::uint8_t> pages_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::ptrdiff_t> offsets_;
};

// Sums and, where asked, row counts of every bin of every column.
struct WholeHistogram {
    std::vector<double> sums;
    std::vector<std::uint32_t> counts;

    void resize(std::size_t bins, std::size_t stride, bool counted) {
        sums.assign(bins * stride, 0.0);
        counts.assign(counted ? bins : 0, 0);
    }
    void add(const WholeHistogram& other) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    }
    void subtract(const WholeHistogram& other) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] -= other.sums[i];
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] -= other.counts[i];
    }
};

// A column of a whole histogram: where its codes lie in a row, and its sums.
struct WholeLane {
    std::ptrdiff_t offset;
    double* sums;
    std::size_t start;
};

// Adds rows to a few columns, one for each index, whose sums stay in the nearest cache meanwhile.
template <class Code, std::size_t... At>
void fill_few(const RowSet<Code>& set, const WholeLane* lanes, std::index_sequence<At...>) {
    typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));
    constexpr std::size_t ahead = 12;
    const Matrix<const Code> table = set.codes;
    const std::ptrdiff_t offset[] = {lanes[At].offset...};
    double* const sums[] = {lanes[At].sums...};
    for (std::size_t i = 0; i < set.size; ++i) {
        if (i + ahead < set.size) __builtin_prefetch(table.row(set.rows[i + ahead]));
        const Pair item{set.items[i].w, set.items[i].s};
        const Code* codes = table.row(set.rows[i]);
        ((*reinterpret_cast<Pair*>(sums[At] + std::size_t{codes[offset[At]]} * 2) += item), ...);
    }
}

// Pairs without counts: a block of rows at a time, so that their codes are read from memory once.
template <class Code>
void fill_pairs(const RowSet<Code>& set, std::span<const WholeLane> lanes) {
    constexpr std::size_t block = 1024, few = 4;
    for (std::size_t at = 0; at < set.size; at += block) {
        const RowSet<Code> some{set.codes, set.rows + at, set.items + at,
                                std::min(block, set.size - at)};
        std::size_t j = 0;
        for (; j + few <= lanes.size(); j += few)
            fill_few(some, lanes.data() + j, std::make_index_sequence<few>{});
        for (; j < lanes.size(); ++j)
            fill_few(some, lanes.data() + j, std::make_index_sequence<1>{});
    }
}

// Whether rows are so few that going through all bins takes longer than they do.
inline bool are_few(std::size_t rows, std::size_t columns, const WholeHistogram& whole) {
    return 2 * rows * columns <= whole.sums.size();
}

// Adds rows to a histogram, or takes them out of it, without going through all bins.
template <int Sign, class Code, class Kind>
void put_whole(const Kind& kind, const RowSet<Code>& set, std::span<const std::int32_t> columns,
               std::span<const std::size_t> starts, WholeHistogram& out) {
    const std::size_t stride = kind.stride();
    const bool counted = !out.counts.empty();
    for (const std::int32_t column : columns) {
        const std::size_t start = starts[static_cast<std::size_t>(column)];
        const Code* codes = set.codes.col(static_cast<std::size_t>(column));
        for (std::size_t i = 0; i < set.size; ++i) {
            const std::size_t bin =
                start + codes[static_cast<std::ptrdiff_t>(set.rows[i]) * set.codes.row_stride];
            kind.template put<Sign>(out.sums.data() + bin * stride, set.items[i]);
            if (counted) out.counts[bin] += static_cast<std::uint32_t>(Sign);
        }
    }
}

// `starts[column]` is the first bin of a column in the histogram, which is cleared.
template <class Code, class Kind>
void fill_whole(const Kind& kind, const RowSet<Code>& set, std::span<const std::int32_t> columns,
                std::span<const std::size_t> starts, WholeHistogram& out) {
    constexpr std::size_t ahead = 12;
    const std::size_t stride = Kind::kPair ? 2 : kind.stride(), n = set.size;
    const Matrix<const Code> table = set.codes;
    const std::uint32_t* rows = set.rows;
    // Whatever does not depend on the row is worked out beforehand.
    std::vector<WholeLane> lanes;
    for (const std::int32_t column : columns) {
        const std::size_t start = starts[static_cast<std::size_t>(column)];
        lanes.push_back({column * table.col_stride, out.sums.data() + start * stride, start});
    }
    std::uint32_t* counts = out.counts.empty() ? nullptr : out.counts.data();
    if constexpr (Kind::kPair)
        if (!counts) return fill_pairs(set, lanes);
    if (are_few(n, columns.size(), out)) return put_whole<1>(kind, set, columns, starts, out);
    for (std::size_t i = 0; i < n; ++i) {
        if (i + ahead < n) __builtin_prefetch(table.row(rows[i + ahead]));
        const Item item = set.items[i];
        const Code* codes = table.row(rows[i]);
        for (const WholeLane& lane : lanes) {
            const std::size_t code = codes[lane.offset];
            kind.add(lane.sums + code * stride, item);
            if (counts) ++counts[lane.start + code];
        }
    }
    for (std::size_t entry = 0; entry < out.sums.size(); entry += stride)
        kind.finish(out.sums.data() + entry);
}

}  // namespace coterie
