// Walking many rows down small trees without walking.
//
// Number the leaves of a tree so that those below the first child of a node come before those below
// the second. A row that goes to the second child of a node cannot end below the first: clear a bit
// for each of those leaves. When all nodes have been asked, in any order, the lowest bit left is
// the row's leaf (QuickScorer: Lucchese et al. 2015). Nothing depends on what was found before, so
// whole vectors of rows are compared with one node after another.
//
// The cells of a column are replaced by codes: how many of the thresholds that the forest has for
// the column lie below. They are bytes, as are eight leaves' bits, so a register holds many rows.
// Whichever child has fewer leaves is the first, so that nodes clear bits in few bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "coterie/forest.hpp"
#include "coterie/matrix.hpp"
#include "coterie/predict.hpp"
#include "packed_walk.hpp"
#include "step.hpp"

namespace coterie {

inline constexpr std::size_t kStripRows = 128;

// Rows whose code in a slot is above `above` keep the bits of `keep` alone.
struct BitTest {
    std::uint32_t slot;
    std::uint8_t above, keep;
};

// The leaf of each row of a strip in one tree. `codes` has kStripRows bytes for every slot; the
// tests of the p-th byte of bits end at ends[p].
void find_leaves(const std::uint8_t* codes, const BitTest* tests,
                 std::span<const std::uint32_t> ends, std::uint8_t* leaves);

// How many thresholds lie below each cell of a strip. They ascend, and there are 2^k of them, of
// which the last is not asked.
void code_cells(const float* cells, std::span<const float> thresholds, std::uint8_t* codes);
void code_cells(const double* cells, std::span<const double> thresholds, std::uint8_t* codes);

template <class T>
class LeafBits {
  public:
    // Nothing if a tree has too many leaves, or a column too many thresholds or categories, or if
    // there are too few rows to pay for it.
    static std::optional<LeafBits> of(const ForestView& forest, std::span<const double> tree_weight,
                                      const Matrix<const T>& X) {
        if (X.rows < kWorth) return {};
        for (std::size_t t = 0; t < forest.trees(); ++t)
            if (forest.leaf_offsets[t + 1] - forest.leaf_offsets[t] > kLeaves) return {};
        std::optional<LeafBits> bits(LeafBits(forest, X.cols));
        if (!bits->collect(forest)) return {};
        for (std::size_t t = 0; t < forest.trees(); ++t)
            bits->add_tree(forest, t, tree_weight.empty() ? 1.0 : tree_weight[t]);
        bits->fill_up();
        return bits;
    }

    // Adds the votes of all trees on rows begin … end.
    void add(const Matrix<const T>& X, std::size_t begin, std::size_t end,
             const Matrix<double>& out) const {
        std::vector<std::uint8_t> codes((slots_ + 1) * kStripRows);
        for (std::size_t at = begin; at < end; at += kStripRows)
            add_strip(X, at, std::min(end, at + kStripRows), codes, out);
    }

  private:
    static constexpr std::size_t kWorth = 512;   // rows that pay for preparing the trees
    static constexpr std::int64_t kLeaves = 64;  // of a tree
    static constexpr std::size_t kCodes = 254;   // thresholds of a column
    static constexpr std::uint64_t kWords = 3;   // of a set of categories
    static constexpr std::uint32_t kNone = ~0u;  // no slot
    static constexpr std::size_t kInverted = 2, kMissing = 1;

    // A column that is compared with thresholds. A slot has its codes, or 255 less them, and for
    // missing values what makes a test true, or not.
    struct Column {
        std::vector<T> thresholds;
        std::array<std::uint32_t, 4> slots{kNone, kNone, kNone, kNone};
    };
    // A column and, for each of its categories, whether a test is true; beyond the last, whether it
    // is for missing values. In the order of the columns, as each is read once.
    using Set = std::pair<std::uint32_t, std::array<std::uint8_t, 256>>;

    LeafBits(const ForestView& forest, std::size_t columns)
        : outputs_(forest.outputs()), columns_(columns) {}

    // Notes the thresholds of all columns.
    bool collect(const ForestView& forest) {
        for (const Node& node : forest.nodes) {
            if (node.is_leaf() || node.categorical()) continue;
            std::vector<T>& known = columns_[node.feature()].thresholds;
            const T threshold = largest_below<T>(node.threshold);
            const auto place = std::lower_bound(known.begin(), known.end(), threshold);
            if (place != known.end() && *place == threshold) continue;
            if (known.size() == kCodes) return false;
            known.insert(place, threshold);
        }
        for (std::size_t t = 0; t < forest.trees(); ++t)
            for (auto at = forest.node_offsets[t]; at < forest.node_offsets[t + 1]; ++at) {
                const Node& node = forest.nodes[static_cast<std::size_t>(at)];
                if (!node.is_leaf() && node.categorical() && set_of(forest, t, node)[0] > kWords)
                    return false;
            }
        return true;
    }

    static const std::uint64_t* set_of(const ForestView& forest, std::size_t t, const Node& node) {
        return forest.categories.data() + forest.category_offsets[t] +
               static_cast<std::size_t>(node.threshold);
    }

    void add_tree(const ForestView& forest, std::size_t t, double weight) {
        const auto begin = static_cast<std::size_t>(forest.node_offsets[t]);
        const auto n = static_cast<std::size_t>(forest.node_offsets[t + 1]) - begin;
        const Node* nodes = forest.nodes.data() + begin;
        std::vector<std::uint32_t> leaves(n, 1), first(n, 0);
        for (std::size_t at = n; at-- > 0;)
            if (!nodes[at].is_leaf()) {
                const auto left = static_cast<std::size_t>(nodes[at].left);
                leaves[at] = leaves[left] + leaves[left + 1];
            }
        const std::size_t bytes = (leaves[0] + 7) / 8;
        std::array<std::vector<BitTest>, kLeaves / 8> tests;
        const std::size_t votes = votes_.size();
        votes_.resize(votes + leaves[0] * outputs_);
        for (std::size_t at = 0; at < n; ++at) {
            if (nodes[at].is_leaf()) {
                const auto leaf =
                    static_cast<std::size_t>(forest.leaf_offsets[t] + ~nodes[at].left);
                for (std::size_t k = 0; k < outputs_; ++k)
                    votes_[votes + first[at] * outputs_ + k] = weight * forest.values(leaf, k);
                continue;
            }
            const auto left = static_cast<std::size_t>(nodes[at].left);
            const bool inverted = leaves[left] > leaves[left + 1];
            const std::size_t before = left + inverted, after = left + !inverted;
            first[before] = first[at];
            first[after] = first[at] + leaves[before];
            BitTest test = test_of(forest, t, nodes[at], inverted);
            for (std::uint32_t leaf = first[at]; leaf < first[after];) {
                const std::uint32_t byte = leaf / 8, end = std::min(first[after], 8 * byte + 8);
                const unsigned ones = (1u << (end - leaf)) - 1;
                test.keep = static_cast<std::uint8_t>(~(ones << leaf % 8));
                tests[byte].push_back(test);
                leaf = end;
            }
        }
        trees_.push_back({tests_.size(), ends_.size(), bytes, votes});
        std::uint32_t total = 0;
        for (std::size_t byte = 0; byte < bytes; ++byte) {
            tests_.insert(tests_.end(), tests[byte].begin(), tests[byte].end());
            ends_.push_back(total += static_cast<std::uint32_t>(tests[byte].size()));
        }
    }

    // What tells whether a row goes right at a node or, inverted, left.
    BitTest test_of(const ForestView& forest, std::size_t t, const Node& node, bool inverted) {
        if (node.categorical()) return {slot_of_set(forest, t, node, inverted), 0, 0};
        Column& column = columns_[node.feature()];
        const std::vector<T>& known = column.thresholds;
        const auto place =
            std::lower_bound(known.begin(), known.end(), largest_below<T>(node.threshold));
        const auto code = static_cast<std::uint8_t>(place - known.begin());
        const bool missing = node.missing_left() == inverted;
        std::uint32_t& slot = column.slots[inverted * kInverted + missing * kMissing];
        if (slot == kNone) slot = slots_++;
        return {slot, static_cast<std::uint8_t>(inverted ? kCodes - code : code), 0};
    }

    std::uint32_t slot_of_set(const ForestView& forest, std::size_t t, const Node& node,
                              bool inverted) {
        Set set{node.feature(), {}};
        const std::uint64_t* words = forest.categories.data() + forest.category_offsets[t];
        for (std::size_t code = 0; code < set.second.size(); ++code) {
            const T x = code < 255 ? static_cast<T>(code) : std::numeric_limits<T>::quiet_NaN();
            set.second[code] = category_goes_right(node, x, words) != inverted;
        }
        const auto [known, fresh] = sets_.try_emplace(set, slots_);
        slots_ += fresh;
        return known->second;
    }

    void add_strip(const Matrix<const T>& X, std::size_t begin, std::size_t end,
                   std::vector<std::uint8_t>& codes, const Matrix<double>& out) const {
        const std::size_t n = end - begin;
        code_strip(X, begin, n, codes.data());
        std::array<std::uint8_t, kStripRows> leaves;
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            const Bits& tree = trees_[t];
            find_leaves(codes.data(), tests_.data() + tree.tests,
                        std::span(ends_).subspan(tree.ends, tree.bytes), leaves.data());
            const double* votes = votes_.data() + tree.votes;
            double* sum = out.row(begin) + first_output(outputs_, out, t);
            if (outputs_ == 1) {
                for (std::size_t i = 0; i < n; ++i, sum += out.row_stride) *sum += votes[leaves[i]];
            } else {
                for (std::size_t i = 0; i < n; ++i, sum += out.row_stride)
                    for (std::size_t k = 0; k < outputs_; ++k)
                        sum[k] += votes[leaves[i] * outputs_ + k];
            }
        }
    }

    // Adds thresholds that no cell exceeds, until there are 2^k: as many as are asked, and one.
    void fill_up() {
        for (Column& column : columns_)
            if (!column.thresholds.empty())
                column.thresholds.resize(std::bit_ceil(column.thresholds.size() + 1),
                                         std::numeric_limits<T>::infinity());
    }

    // Fills all slots for some rows.
    void code_strip(const Matrix<const T>& X, std::size_t begin, std::size_t n,
                    std::uint8_t* codes) const {
        std::array<T, kStripRows> cells{};
        std::array<std::uint8_t, kStripRows> found, missing;
        const auto load = [&](std::size_t column) {
            for (std::size_t i = 0; i < n; ++i) cells[i] = X(begin + i, column);
        };
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            const Column& column = columns_[j];
            if (column.thresholds.empty()) continue;
            load(j);
            code_cells(cells.data(), column.thresholds, found.data());
            for (std::size_t i = 0; i < kStripRows; ++i) missing[i] = -(cells[i] != cells[i]);
            for (std::size_t v = 0; v < 4; ++v) {
                if (column.slots[v] == kNone) continue;
                std::uint8_t* slot = codes + column.slots[v] * kStripRows;
                const std::uint8_t invert = v & kInverted ? 255 : 0, lost = v & kMissing ? 255 : 0;
                for (std::size_t i = 0; i < kStripRows; ++i)
                    slot[i] = (((found[i] ^ invert) & ~missing[i]) | (lost & missing[i]));
            }
        }
        std::uint32_t loaded = kNone;
        for (const auto& [set, at] : sets_) {
            if (set.first != loaded) {
                load(loaded = set.first);
                for (std::size_t i = 0; i < kStripRows; ++i)
                    found[i] = cells[i] >= T{0} && cells[i] < T{255}
                                   ? static_cast<std::uint8_t>(cells[i])
                                   : std::uint8_t{255};
            }
            std::uint8_t* slot = codes + at * kStripRows;
            for (std::size_t i = 0; i < kStripRows; ++i) slot[i] = set.second[found[i]];
        }
    }

    // Where the parts of a tree begin, and how many bytes its leaves' bits take.
    struct Bits {
        std::size_t tests, ends, bytes, votes;
    };

    std::size_t outputs_;
    std::uint32_t slots_ = 0;
    std::vector<Column> columns_;
    std::map<Set, std::uint32_t> sets_;  // and their slots
    std::vector<Bits> trees_;
    std::vector<BitTest> tests_;
    std::vector<std::uint32_t> ends_;
    std::vector<double> votes_;
};

}  // namespace coterie
