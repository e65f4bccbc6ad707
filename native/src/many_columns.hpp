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

    // Takes in the cells of a column, in the order of its codes. Refuses one with missing values.
    bool add(std::uint32_t slot, const Cell* cells, std::uint32_t bins) {
        if (cells[bins] != 0) return false;
        make_room(bins);
        const std::size_t found = running_sums(cells, bins, 0, prefix_.data() + used_, nullptr);
        close(slot, used_ + found - (found > 0));  // nothing is right of all
        return true;
    }

    // The same but for the usual code, which has what the others leave of the total.
    bool add(std::uint32_t slot, const Cell* cells, std::uint32_t bins, std::int32_t usual,
             Cell total) {
        const auto at = static_cast<std::uint32_t>(usual);
        if (at >= bins || cells[bins - 1] != 0) return false;  // the cell of missing values is last
        bool any = false;
        total -= sum_of_cells(cells, bins - 1, any);
        std::size_t end = used_;
        if (any) {  // otherwise all rows hold the usual code
            make_room(bins);
            Cell* out = prefix_.data() + used_;
            const std::size_t before = running_sums(cells, at, 0, out, nullptr);
            Cell sum = before ? out[before - 1] : 0;
            out += before;
            if (total) *out++ = sum += total;
            out += running_sums(cells + at, bins - 1 - at, sum, out, nullptr);
            end = static_cast<std::size_t>(out - prefix_.data()) - 1;
        }
        close(slot, end);
        return true;
    }

    void weigh(const NewtonScanner<PackedCells>& scanner, const NewtonNode& node) {
        if (gains_.size() < used_)
            for (auto* array : {&g_, &h_, &gains_}) array->resize(used_);
        scanner.weigh(std::span(prefix_).first(used_), node, std::span(g_).first(used_),
                      std::span(h_).first(used_), std::span(gains_).first(used_));
    }

    // Gains of the boundaries of a column, if weighed.
    std::span<const double> gains(std::size_t k) const {
        const std::size_t begin = k ? ends_[k - 1] : 0;
        return std::span(gains_).subspan(begin, ends_[k] - begin);
    }

    void clear() {
        used_ = 0;
        slots_.clear();
        ends_.clear();
    }

  private:
    static constexpr std::size_t kBoundaries = 1024;

    void make_room(std::uint32_t bins) {
        const std::size_t room = used_ + bins + kSumsRoom;
        if (prefix_.size() < room) prefix_.resize(room + 2 * kBoundaries);
    }
    void close(std::uint32_t slot, std::size_t end) {
        slots_.push_back(slot);
        ends_.push_back(used_ = end);
    }

    std::vector<Cell> prefix_;  // what lies left of each boundary, and room
    std::size_t used_ = 0;
    std::vector<double> g_, h_, gains_;
    std::vector<std::uint32_t> slots_;
    std::vector<std::size_t> ends_;  // behind the boundaries of each column
};

}  // namespace coterie
