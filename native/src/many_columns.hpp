// Columns of few bins offered to a node together.
//
// Of words and flags there are thousands, each with one boundary or two, and what a search costs is
// going from one to the next. Here the gains of the boundaries of many columns are computed at
// once, with the bits they have by themselves, and only a column that wins is looked at again.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "newton_split.hpp"

namespace coterie {

class ManyColumns {
  public:
    using Cell = PackedCells::Cell;

    bool full() const { return used_ >= kBoundaries; }
    std::size_t size() const { return ends_.size(); }
    std::uint32_t slot(std::size_t k) const { return slots_[k]; }

    // Takes in the cells of a column, in the order of its codes but for the usual one, which has
    // what they leave of the total. Refuses a column with missing values.
    bool add(std::uint32_t slot, const Cell* cells, std::uint32_t bins, std::int32_t usual,
             Cell total) {
        const auto at = static_cast<std::uint32_t>(usual);
        if (at >= bins || cells[bins - 1] != 0) return false;  // the cell of missing values is last
        Cell any = 0;
        for (std::uint32_t c = 0; c + 1 < bins; ++c) {
            total -= cells[c];
            any |= cells[c];
        }
        if (any) {  // otherwise all rows hold the usual code
            if (prefix_.size() < used_ + bins) prefix_.resize(used_ + 2 * kBoundaries + bins);
            Cell* out = prefix_.data() + used_;
            Cell sum = 0;
            // Which cells are empty cannot be foreseen, so all are written and some count.
            const auto pass = [&](Cell cell) {
                sum += cell;
                *out = sum;
                out += cell != 0;
            };
            for (std::uint32_t c = 0; c < at; ++c) pass(cells[c]);
            pass(total);
            for (std::uint32_t c = at; c + 1 < bins; ++c) pass(cells[c]);
            used_ = static_cast<std::size_t>(out - prefix_.data()) - 1;  // nothing is right of all
        }
        slots_.push_back(slot);
        ends_.push_back(used_);
        return true;
    }

    void weigh(const NewtonScanner<PackedCells>& scanner, const NewtonNode& node) {
        for (auto* array : {&g_, &h_, &gains_}) array->resize(used_);
        scanner.weigh(std::span(prefix_).first(used_), node, g_, h_, gains_);
    }

    // The largest gain of a column; minus infinity if no boundary leaves enough on both sides.
    double most(std::size_t k) const {
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t b = k ? ends_[k - 1] : 0; b < ends_[k]; ++b)
            most = gains_[b] > most ? gains_[b] : most;
        return most;
    }

    void clear() {
        used_ = 0;
        slots_.clear();
        ends_.clear();
    }

  private:
    static constexpr std::size_t kBoundaries = 1024;

    std::vector<Cell> prefix_;  // what lies left of each boundary, and room
    std::size_t used_ = 0;
    std::vector<double> g_, h_, gains_;
    std::vector<std::uint32_t> slots_;
    std::vector<std::size_t> ends_;  // behind the boundaries of each column
};

}  // namespace coterie
