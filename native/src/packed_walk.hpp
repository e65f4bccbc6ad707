// Walking many rows down deep trees.
//
// The leaves of a full-grown tree lie at very different depths. So rows take a few steps at a time,
// several of them in step so that their loads overlap; between two rounds those that stand at their
// leaves are dropped, without a branch that could be mispredicted. As such a tree outgrows the
// first cache, it is packed if there are enough rows: of float cells a node takes 8 bytes instead
// of 16, and a leaf leads to itself.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "coterie/forest.hpp"
#include "coterie/matrix.hpp"

namespace coterie {

// The largest T that is not above the threshold: x > threshold means the same for every x.
template <class T>
T largest_below(double threshold) {
    const T rounded = static_cast<T>(threshold);
    if constexpr (sizeof(T) == sizeof(double)) return rounded;
    // The bits of floats with their sign folded in are in the order of the numbers. No branch:
    // every other threshold is rounded up.
    auto bits = std::bit_cast<std::int32_t>(static_cast<float>(rounded));
    bits ^= (bits >> 31) & 0x7fffffff;
    bits -= static_cast<double>(rounded) > threshold;
    bits ^= (bits >> 31) & 0x7fffffff;
    return static_cast<T>(std::bit_cast<float>(bits));
}

// A node in two words.
template <class T>
struct Hop {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Word threshold;  // the bits of a T; a leaf's are no number and carry the leaf's row of values
    Word word;       // from the lowest bit: column, whether missing values go right, left child
};

// How the words of hops are divided.
template <class T>
class Packing {
  public:
    using Word = typename Hop<T>::Word;

    explicit Packing(std::size_t columns)
        : missing_(static_cast<unsigned>(std::bit_width(std::max<std::size_t>(columns, 2) - 1))) {}

    // Is there room for the numbers of so many nodes, of which about half are leaves?
    bool holds(std::int64_t nodes) const {
        const int room = std::min(32, std::numeric_limits<Word>::digits - int(missing_) - 1);
        return room > 0 && nodes <= (std::int64_t{1} << room) &&
               (nodes + 1) / 2 <= std::int64_t{kPayload};
    }

    // `at` is the node's number, `values` a leaf's row of values.
    Hop<T> pack(const Node& node, std::uint32_t at, std::uint32_t values) const {
        const bool leaf = node.is_leaf();
        const auto no_number = std::bit_cast<Word>(std::numeric_limits<T>::quiet_NaN()) | values;
        const auto threshold = std::bit_cast<Word>(largest_below<T>(node.threshold));
        const Word left = leaf ? at : static_cast<std::uint32_t>(node.left);
        return {leaf ? no_number : threshold,
                (left << (missing_ + 1)) |
                    (static_cast<Word>(!leaf & !node.missing_left()) << missing_) | node.feature()};
    }

    std::uint32_t column(Word word) const {
        return static_cast<std::uint32_t>(word) & ((1u << missing_) - 1);
    }
    std::uint32_t missing_right(Word word) const {
        return static_cast<std::uint32_t>(word >> missing_) & 1u;
    }
    std::uint32_t left(Word word) const {
        return static_cast<std::uint32_t>(word >> (missing_ + 1));
    }
    static std::uint32_t values(const Hop<T>& leaf) {
        return static_cast<std::uint32_t>(leaf.threshold) & (kPayload - 1);
    }

  private:
    // What a T that is no number has room for.
    static constexpr std::uint32_t kPayload = sizeof(T) == 4 ? 1u << 22 : 1u << 31;

    unsigned missing_;  // the place of that bit
};

// Rows that lie in one piece.
template <class T>
struct Strip {
    const T* cells;
    std::ptrdiff_t stride;
    std::uint32_t rows;
    bool missing;  // is any cell?
};

// Rows begin … end of a table, in `copy` unless each lies in one piece: other layouts would miss
// the cache at every step.
template <class T>
Strip<T> lay_out(const Matrix<const T>& X, std::size_t begin, std::size_t end,
                 std::vector<T>& copy) {
    Strip<T> strip{X.row(begin), X.row_stride, static_cast<std::uint32_t>(end - begin), false};
    if (X.col_stride != 1) {
        copy.resize((end - begin) * X.cols);
        for (std::size_t j = 0; j < X.cols; ++j)
            for (std::size_t i = begin; i < end; ++i) copy[(i - begin) * X.cols + j] = X(i, j);
        strip.cells = copy.data();
        strip.stride = static_cast<std::ptrdiff_t>(X.cols);
    }
    for (std::uint32_t i = 0; i < strip.rows && !strip.missing; ++i) {
        const T* row = strip.cells + static_cast<std::ptrdiff_t>(i) * strip.stride;
        // Counted in a local of the cells' width: a vector adds up what it compares.
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> missing = 0;
        for (std::size_t j = 0; j < X.cols; ++j) missing += row[j] != row[j];
        strip.missing = missing > 0;
    }
    return strip;
}

// Trees as Walkers see them: the next node, which is the same again at a leaf, and whether a node
// is a leaf.
template <class T>
struct PackedTree {
    const Hop<T>* hops;
    Packing<T> packing;

    template <bool Missing>
    std::uint32_t next(std::uint32_t at, const T* x) const {
        const auto word = hops[at].word;
        const T value = x[packing.column(word)];
        std::uint32_t right = value > std::bit_cast<T>(hops[at].threshold);
        if constexpr (Missing) right |= (value != value) & packing.missing_right(word);
        return packing.left(word) + right;
    }
    bool is_leaf(std::uint32_t at) const { return packing.left(hops[at].word) == at; }
};

template <class T>
struct PlainTree {
    const Node* nodes;

    template <bool Missing>
    std::uint32_t next(std::uint32_t at, const T* x) const {
        const Node& node = nodes[at];
        const T value = x[node.feature()];
        std::uint32_t right = static_cast<double>(value) > node.threshold;
        if constexpr (Missing) right |= (value != value) & !node.missing_left();
        const auto leaf = static_cast<std::uint32_t>(node.left >> 31);  // all ones, or none
        return (at & leaf) | ((static_cast<std::uint32_t>(node.left) + right) & ~leaf);
    }
    bool is_leaf(std::uint32_t at) const { return nodes[at].is_leaf(); }
};

// Rows on their way down a tree.
class Walkers {
  public:
    // Notes in `at` the node where each row ends.
    template <class Tree, class T>
    void walk(const Tree& tree, const Strip<T>& strip, std::uint32_t* at) {
        strip.missing ? walk_as<true>(tree, strip, at) : walk_as<false>(tree, strip, at);
    }

  private:
    static constexpr std::size_t kLanes = 8;
    static constexpr int kFirst = 10;  // steps of the first round: few leaves are nearer the root
    static constexpr int kSteps = 4;   // of every other round

    struct Walker {
        std::uint32_t row, at;
    };

    // Moves some walkers on, and keeps those that have not arrived. Returns how many are kept.
    template <bool Missing, std::size_t Lanes, class Tree, class T>
    std::size_t advance(const Tree& tree, const Strip<T>& strip, int steps, std::size_t from,
                        std::size_t kept, std::uint32_t* at) {
        std::array<Walker, Lanes> team;
        std::array<const T*, Lanes> x;
        for (std::size_t k = 0; k < Lanes; ++k) {
            team[k] = walkers_[from + k];
            x[k] = strip.cells + static_cast<std::ptrdiff_t>(team[k].row) * strip.stride;
        }
        for (int s = 0; s < steps; ++s)
#pragma GCC unroll 8
            for (std::size_t k = 0; k < Lanes; ++k)
                team[k].at = tree.template next<Missing>(team[k].at, x[k]);
        for (std::size_t k = 0; k < Lanes; ++k) {
            at[team[k].row] = team[k].at;
            walkers_[kept] = team[k];
            kept += !tree.is_leaf(team[k].at);
        }
        return kept;
    }

    template <bool Missing, class Tree, class T>
    void walk_as(const Tree tree, const Strip<T>& strip, std::uint32_t* at) {
        walkers_.resize(strip.rows);
        for (std::uint32_t i = 0; i < strip.rows; ++i) walkers_[i] = {i, 0};
        int steps = kFirst;
        for (std::size_t active = strip.rows; active;) {
            std::size_t kept = 0, i = 0;
            for (; i + kLanes <= active; i += kLanes)
                kept = advance<Missing, kLanes>(tree, strip, steps, i, kept, at);
            for (; i < active; ++i) kept = advance<Missing, 1>(tree, strip, steps, i, kept, at);
            active = kept;
            steps = kSteps;
        }
    }

    std::vector<Walker> walkers_;
};

}  // namespace coterie
