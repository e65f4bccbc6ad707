// Columns of two values, in one word per row.
//
// Where most columns are flags, the bulk of a row's codes is about them, and a tree spends its time
// on learning that they do not vary in a node. In words of a bit per flag that travel with the rows
// of a node, one pass over them tells of all flags which vary, and the other columns lie closer
// together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "coterie/bins.hpp"
#include "coterie/code_split.hpp"
#include "coterie/matrix.hpp"
#include "coterie/pages.hpp"
#include "tags.hpp"

namespace coterie {

class Flags {
  public:
    using Word = std::uint64_t;

    bool any() const { return !words_.empty(); }
    bool is(std::int32_t column) const {
        return any() && bits_[static_cast<std::size_t>(column)] >= 0;
    }
    int bit(std::int32_t column) const { return bits_[static_cast<std::size_t>(column)]; }

    // Packs the flags among some columns; missing values take the place of a third code, so columns
    // that have them are none. Little is won by a few flags: they are left alone.
    template <class Code>
    void pack(const Matrix<const Code>& table, const BinsView& bins,
              std::span<const std::int32_t> columns, std::span<const std::uint32_t> rows) {
        std::vector<std::int32_t> flags;
        for (const std::int32_t column : columns) {
            const auto j = static_cast<std::size_t>(column);
            if (flags.size() < 64 && bins.count(j) == 2 && !bins.categorical[j])
                flags.push_back(column);
        }
        const auto has_others = [&](std::int32_t column) {
            const Code* codes = table.col(static_cast<std::size_t>(column));
            return std::ranges::any_of(rows, [&](std::uint32_t row) {
                return codes[static_cast<std::ptrdiff_t>(row) * table.row_stride] > 1;
            });
        };
        words_.resize(rows.size() + Tags::kLanes);
        std::fill_n(words_.end() - Tags::kLanes, Tags::kLanes, Word{0});
        while (flags.size() >= kFew && !pack_words(table, flags, rows))
            std::erase_if(flags, has_others);
        if (flags.size() < kFew) {
            words_.clear();
            return;
        }
        bits_.assign(table.cols, -1);
        for (std::size_t k = 0; k < flags.size(); ++k)
            bits_[static_cast<std::size_t>(flags[k])] = static_cast<std::int8_t>(k);
        spare_.resize(words_.size());
    }

    // The columns that are no flags.
    std::vector<std::size_t> others() const {
        std::vector<std::size_t> columns;
        for (std::size_t j = 0; j < bits_.size(); ++j)
            if (bits_[j] < 0) columns.push_back(j);
        return columns;
    }

    Lane<Word> lane() { return {words_.data(), spare_.data()}; }
    const Word* words() const { return words_.data(); }

    // Bits of the flags that vary among some rows.
    static Word varying(const Word* words, std::size_t n);
    // Weight, and of two classes that of the second, of the rows that have a flag.
    static void sum_pairs(const Word* words, const std::uint16_t* tags, std::size_t n, int bit,
                          double* sums);
    // The same by class. What is read of words and tags may exceed n by Tags::kLanes; the tags
    // there are zero.
    static void sum_classes(const Word* words, const std::uint16_t* tags, std::size_t n, int bit,
                            std::size_t classes, double* sums);

  private:
    static constexpr std::size_t kFew = 4;

    // False if some column has another code than 0 and 1.
    template <class Code>
    bool pack_words(const Matrix<const Code>& table, std::span<const std::int32_t> flags,
                    std::span<const std::uint32_t> rows) {
        std::vector<std::ptrdiff_t> offsets;
        for (const std::int32_t column : flags) offsets.push_back(column * table.col_stride);
        Word any = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Code* codes = table.row(rows[i]);
            Word word = 0;
            for (std::size_t k = offsets.size(); k-- > 0;) {
                const Word code = codes[offsets[k]];
                word = 2 * word + code;
                any |= code;
            }
            words_[i] = word;
        }
        return any <= 1;
    }

    std::vector<std::int8_t> bits_;  // by column; -1: no flag
    BarePages<Word> words_, spare_;  // in the order of the rows of the tree
};

}  // namespace coterie
