// Frames: the codes that a part of a tree works on.
//
// Deep nodes need all the values of a column, but histograms of 65,535 bins miss the cache. So a
// tree on 16-bit codes (ranks among so many values) looks at the rows of a small node through a
// frame: a copy of their codes, ranked anew among those rows, in which nothing is lost. A frame is
// also a copy that stays in the cache, which is all that a tree on 8-bit codes wants of it.
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

inline constexpr std::size_t kRankedRows = 65'536;  // of the largest frame whose codes are ranked

// Replaces codes by their ranks among themselves.
class Ranker {
  public:
    // Returns the number of different codes, which is the rank of missing values; `codes_of`
    // receives the codes by rank. At most kRankedRows rows.
    std::uint32_t rank(std::span<std::uint16_t> codes, std::uint32_t missing,
                       std::uint16_t* codes_of);

  private:
    void sort(std::span<const std::uint16_t> codes);

    std::vector<std::uint32_t> keys_, spare_;  // code and position
};

template <class Code>
struct Frame {
    struct Column {
        std::uint32_t count = 0;  // of bins; also the code of missing values
        bool ready = false;
    };

    Matrix<const Code> codes;
    std::unique_ptr<Code[]> own;         // where they lie, unless they are the table's
    std::vector<std::uint32_t> origins;  // rows of the table, unless they are the same
    std::vector<Column> bins;
    // The code of the table for each rank in column j, from j * codes.rows; those of a column that
    // is not ranked are never asked for.
    std::unique_ptr<std::uint16_t[]> codes_of;
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
    // Numeric columns with more than `limit` bins are ranked anew in each frame.
    FrameMaker(const Matrix<const Code>& table, const BinsView& bins, std::uint32_t limit,
               Team& team)
        : table_(table), bins_(bins), limit_(limit), team_(team) {
        for (std::size_t j = 0; j < bins.columns(); ++j) ranks_ |= is_ranked(j);
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
    bool ranks() const { return ranks_; }

    // Between two neighbouring bins of a node.
    double threshold(const Frame<Code>& frame, std::int32_t column, std::uint32_t last_left,
                     std::uint32_t first_right) const;

  private:
    struct Scratch {
        std::vector<std::uint16_t> codes;  // of a group of columns, one after another
        Ranker ranker;
    };
    bool is_ranked(std::size_t column) const {
        return !bins_.categorical[column] && bins_.count(column) > limit_;
    }
    void fill(Frame<Code>& frame, std::span<const std::int32_t> columns, Scratch& scratch);

    const Matrix<const Code> table_;
    const BinsView bins_;
    const std::uint32_t limit_;
    Team& team_;
    bool ranks_ = false;
    Scratch scratch_;
};

}  // namespace coterie
