// Columns of few bins offered to a node together.
//
// Of words and flags there are thousands, each with one boundary or two, and what a search costs is
// going from one to the next. Here the gains of the boundaries of many columns are computed at
// once, with the bits they have by themselves, and only a column that wins is looked at again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "newton_split.hpp"
#include "running_sums.hpp"

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
        bool any = false;
        total -= sum_of_cells(cells, bins - 1, any);
        if (any) {  // otherwise all rows hold the usual code
            const std::size_t room = used_ + bins + kSumsRoom;
            if (prefix_.size() < room) prefix_.resize(room + 2 * kBoundaries);
            Cell* out = prefix_.data() + used_;
            const std::size_t before = running_sums(cells, at, 0, out, nullptr);
            Cell sum = before ? out[before - 1] : 0;
            out += before;
            if (total) *out++ = sum += total;
            out += running_sums(cells + at, bins - 1 - at, sum, out, nullptr);
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
        const std::size_t begin = k ? ends_[k - 1] : 0;
        return greatest(std::span(gains_).subspan(begin, ends_[k] - begin));
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
