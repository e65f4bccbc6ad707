// The rows of a node next to those boundaries of a column that may be the best one. For two
// classes: with more of them bounds are so wide that sorting all rows takes no longer.
//
// Most boundaries of a fine column are far from the best, and it takes no sorting to see that.
// Codes are divided into cells of some rows each, and weights are counted by cell. Between cells
// gains are known then, and within a cell they are bounded: the gain is convex in what lies before
// a boundary, so it is greatest where all rows of one class come before all others. Cells whose
// bound is below the best gain between cells are left out; the rows of the others are looked at one
// by one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/split.hpp"

namespace coterie {

class Contenders {
  public:
    static constexpr std::size_t kFewRows = 192;  // fewer are sorted faster

    // Rows have tags that hold the weight of the second class (see tags.hpp), their codes vary, and
    // no value is missing. Every boundary is allowed, and gains are those of Gini's index.
    void find(std::span<const std::uint16_t> codes, const std::uint16_t* tags,
              const NodeSums& node);

    // The rows found, in the order of the node.
    std::span<const std::uint16_t> codes() const { return {codes_.data(), size_}; }
    const std::uint16_t* tags() const { return tags_.data(); }

    // Codes first … last, and the weights before them: of all rows, and of the second class. There
    // is no need to look at boundaries but those between rows of a run.
    struct Run {
        std::uint32_t first, last;
        double weight, second;
    };
    std::span<const Run> runs() const { return runs_; }

  private:
    void divide(std::span<const std::uint16_t> codes);
    void count(std::span<const std::uint16_t> codes, const std::uint16_t* tags);
    void bound(const NodeSums& node);
    void mark(double bar);

    std::size_t cell_of(std::uint32_t code) const { return (code - least_) >> shift_; }

    std::uint32_t least_ = 0;
    int shift_ = 0;
    std::size_t cells_ = 0, size_ = 0;
    std::vector<std::uint64_t> pairs_;    // by cell: weight, and above it that of the second class
    std::vector<double> left_, second_;   // before each cell: the weight, and of the second class
    std::vector<double> edges_, bounds_;  // by cell: the gain behind it, and what is possible in it
    std::vector<std::uint8_t> marks_;
    std::vector<Run> runs_;
    std::vector<std::uint16_t> codes_, tags_;
};

}  // namespace coterie
