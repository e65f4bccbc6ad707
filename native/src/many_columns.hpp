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

    bool full() const { return prefix_.size() >= kBoundaries; }
    std::size_t size() const { return ends_.size(); }
    std::uint32_t slot(std::size_t k) const { return slots_[k]; }

    // Takes in the cells of a column, in the order of its codes but for the usual one, which has
    // what they leave of the total. Refuses a column with missing values.
    bool add(std::uint32_t slot, const Cell* cells, std::uint32_t bins, std::int32_t usual,
             Cell total) {
        const auto at = static_cast<std::uint32_t>(usual);
        if (at >= bins || cells[bins - 1] != 0) return false;  // the cell of missing values is last
        for (std::uint32_t c = 0; c + 1 < bins; ++c) total -= cells[c];
        const std::size_t begin = prefix_.size();
        Cell sum = 0;
        const auto pass = [&](Cell cell) {
            sum += cell;
            if (cell != 0) prefix_.push_back(sum);
        };
        for (std::uint32_t c = 0; c < at; ++c) pass(cells[c]);
        pass(total);
        for (std::uint32_t c = at; c + 1 < bins; ++c) pass(cells[c]);
        if (prefix_.size() > begin) prefix_.pop_back();  // nothing is right of the last one
        slots_.push_back(slot);
        ends_.push_back(prefix_.size());
        return true;
    }

    void weigh(const NewtonScanner<PackedCells>& scanner, const NewtonNode& node) {
        const std::size_t n = prefix_.size();
        for (auto* array : {&g_, &h_, &gains_}) array->resize(n);
        scanner.weigh(prefix_, node, g_, h_, gains_);
    }

    // The largest gain of a column; minus infinity if no boundary leaves enough on both sides.
    double most(std::size_t k) const {
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t b = k ? ends_[k - 1] : 0; b < ends_[k]; ++b)
            most = gains_[b] > most ? gains_[b] : most;
        return most;
    }

    void clear() {
        prefix_.clear();
        slots_.clear();
        ends_.clear();
    }

  private:
    static constexpr std::size_t kBoundaries = 1024;

    std::vector<Cell> prefix_;  // what lies left of each boundary
    std::vector<double> g_, h_, gains_;
    std::vector<std::uint32_t> slots_;
    std::vector<std::size_t> ends_;  // behind the boundaries of each column
};

}  // namespace coterie
