// Frames: the codes that a part of a tree works on.
//
// Histograms of many bins miss the cache, but trees need them: a cut that misses the border between
// two classes by a few rows leaves both sides impure, to be split again at random. So a tree on
// 16-bit codes (ranks among up to 65,535 values) looks at its rows through frames: copies of the
// codes of some node's rows, numbered anew. In the frame of a large node a column has at most 255
// bins of about equal shares of the rows, and the best cut is refined (refine.hpp). A node of at
// most kExactRows rows has a frame in which every code of the table has its own bin, and one of few
// rows another with small numbers. A frame is also a copy that stays in the cache, which is all
// that a tree on 8-bit codes wants of it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "coterie/bins.hpp"
#include "coterie/matrix.hpp"
#include "coterie/team.hpp"

namespace coterie {

inline constexpr std::uint32_t kFrameBins = 255;    // of a column in the frame of a large node
inline constexpr std::uint32_t kExactRows = 2'048;  // of the largest node without such bins

// Gives the codes of a column new ones: 0, 1, … in the same order.
class CodeCutter {
  public:
    struct Result {
        std::uint32_t count;  // of bins; also the new code of missing values
        bool exact;           // did every code get a bin of its own?
    };

    // `first` and `last` receive the lowest and highest old code in each bin.
    Result cut(std::span<std::uint16_t> codes, std::uint32_t missing, std::uint16_t* first,
               std::uint16_t* last);

  private:
    // Neighbouring codes that stay together: one of them, or more if they have few rows.
    struct Unit {
        std::uint16_t first, last, bin;
        std::uint32_t rows;
    };
    Result rank(std::span<std::uint16_t> codes, std::uint32_t missing, std::uint16_t* first,
                std::uint16_t* last);
    void sort(std::span<const std::uint16_t> codes);
    void count(std::span<const std::uint16_t> codes, std::uint32_t missing);
    Result share(std::uint16_t* first, std::uint16_t* last);

    std::vector<std::uint32_t> keys_, spare_;    // code and position
    std::vector<std::uint32_t> counts_, heavy_;  // rows by group of codes, and by code
    std::vector<std::uint16_t> bin_of_;          // by code
    std::vector<Unit> units_;                    // ascending, without missing ones
};

template <class Code>
struct Frame {
    struct Column {
        std::uint32_t count = 0;  // of bins; also the code of missing values
        bool ready = false, exact = false;
    };

    Matrix<const Code> codes;
    std::unique_ptr<Code[]> own;         // where they lie, unless they are the table's
    std::vector<std::uint32_t> origins;  // rows of the table, unless they are the same
    std::vector<Column> bins;
    // The lowest and highest code of the table in each bin, `room` of them for each column; those
    // of a column that is not cut anew are never asked for.
    std::unique_ptr<std::uint16_t[]> first, last;
    std::size_t room = 0;
    bool exact = true;  // does every bin hold a single code of the table?
    // Those of the tree, see Grower::choose_columns. Frames of the same bins share them.
    std::shared_ptr<std::vector<std::int32_t>> columns;
    std::vector<std::size_t> starts;  // first bin of a column in a whole histogram
    std::size_t whole_bins = 0;
    std::uint32_t whole_from = std::numeric_limits<std::uint32_t>::max();  // rows that pay for one

    std::size_t origin(std::uint32_t row) const { return origins.empty() ? row : origins[row]; }
    std::uint32_t count(std::int32_t column) const {
        return bins[static_cast<std::size_t>(column)].count;
    }
    std::size_t bytes() const { return codes.rows * codes.cols * sizeof(Code); }
};

template <class Code>
class FrameMaker {
  public:
    // Numeric columns with more than `limit` bins are cut anew in each frame.
    FrameMaker(const Matrix<const Code>& table, const BinsView& bins, std::uint32_t limit,
               Team& team)
        : table_(table), bins_(bins), limit_(limit), team_(team) {
        for (std::size_t j = 0; j < bins.columns(); ++j) cuts_ |= is_cut(j);
    }

    // The table itself.
    std::shared_ptr<Frame<Code>> whole(std::span<const std::int32_t> columns) const;

    // A frame of some rows of the table, which become its rows 0, 1, …
    std::shared_ptr<Frame<Code>> make(std::vector<std::uint32_t> origins,
                                      std::span<const std::int32_t> columns);

    // Of tables that are kept column by column, since nodes look at few of many columns, the
    // columns of a frame are made when they are first asked for.
    void ask(Frame<Code>& frame, std::int32_t column) {
        if (!frame.bins[static_cast<std::size_t>(column)].ready)
            fill(frame, {&column, 1}, scratch_);
    }

    // Do the codes of a row differ from frame to frame?
    bool cuts() const { return cuts_; }

    const Matrix<const Code>& table() const { return table_; }

    // Between two neighbouring bins of a node.
    double threshold(const Frame<Code>& frame, std::int32_t column, std::uint32_t last_left,
                     std::uint32_t first_right) const;

  private:
    struct Scratch {
        std::vector<std::uint16_t> codes;  // of a group of columns, one after another
        CodeCutter cutter;
    };
    bool is_cut(std::size_t column) const {
        return !bins_.categorical[column] && bins_.count(column) > limit_;
    }
    void fill(Frame<Code>& frame, std::span<const std::int32_t> columns, Scratch& scratch);

    const Matrix<const Code> table_;
    const BinsView bins_;
    const std::uint32_t limit_;
    Team& team_;
    bool cuts_ = false;
    Scratch scratch_;
};

}  // namespace coterie
