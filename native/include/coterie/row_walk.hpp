// Walking single rows down a forest, again and again.
#pragma once

#include <memory>
#include <span>

#include "coterie/forest.hpp"
#include "coterie/matrix.hpp"

namespace coterie {

// A copy of the nodes of a forest in half the room or less, so that more of them stay in the cache
// from one row to the next. It pays after some dozens of rows.
template <class T>
class RowWalk {
  public:
    // Null if there are sets of categories, or more nodes than have room in a word.
    static std::shared_ptr<const RowWalk> of(const ForestView& forest, std::size_t columns);
    virtual ~RowWalk() = default;

    // Adds what `predict` adds, to the bit, for a few rows. `forest` is the one that was copied.
    virtual void add(const ForestView& forest, const Matrix<const T>& X,
                     std::span<const double> tree_weight, const Matrix<double>& out) const = 0;
};

}  // namespace coterie
