// Grows one tree on slopes; a template over the width of a code and the precision of sums.
#pragma once

#include <memory>
#include <numeric>

#include "cells.hpp"
#include "coterie/newton.hpp"
#include "coterie/random.hpp"
#include "coterie/team.hpp"
#include "coterie/workspace.hpp"
#include "newton_split.hpp"
#include "permit.hpp"

namespace coterie {

inline constexpr std::size_t kWorthTeam = 60'000;    // cells to touch before threads pay
inline constexpr std::size_t kPackFrom = 8192;       // fewer rows are summed exactly
inline constexpr std::uint32_t kPartBlock = 32'768;  // rows a task parts at a time

// A node while the tree grows. Its rows are rows_[begin … end).
template <class Cell>
struct Grown {
    std::uint32_t begin = 0, end = 0;
    std::int64_t depth = 0;
    std::int32_t left = -1;  // the right child is the next one; -1: a leaf
    bool sure = false;       // the split is known to leave enough rows on both sides
    NewtonNode node;
    NewtonSplit split;
    Cell total{};
    Workspace::Buffer cells;
    std::shared_ptr<const Permit> permit;

    std::uint32_t size() const { return end - begin; }
};

// Life of a tree: 1. slopes become items, packed or exact; 2. the root is counted; 3. a node's
// columns are scanned for the best split; 4. the best leaf (or the next one of the level) parts
// its rows, the smaller child is counted and the larger one is what remains; 5. the leaves take
// their values from the slopes as they were given.
template <class Code, class Real, class Cells>
class Newton {
  public:
    using Cell = typename Cells::Cell;

    Newton(const NewtonTable<Code>& table, const SlopesView<Real>& slopes,
           const NewtonGrowth& growth, std::uint64_t seed, Workspace& workspace,
           std::span<std::int32_t> leaves, Interrupt& interrupt, Team& team,
           const SlopeScale& scale)
        : codes_(table.codes), by_column_(table.by_column), bins_(table.bins),
          unusual_(table.unusual), slopes_(slopes), growth_(growth), seed_(seed), leaves_(leaves),
          interrupt_(interrupt), team_(team), workspace_(workspace),
          rows_(workspace.numbers<std::uint32_t>(0, learnt(slopes))),
          spare_(workspace.numbers<std::uint32_t>(1, rows_.size())),
          cells_(slopes, rows_.size(), scale, seed, workspace, team),
          plan_(unusual_
                    ? CellPlan::of(bins_, *unusual_, growth.columns)
                    : CellPlan::of(bins_, table.bundles, growth.columns, codes_, rows_.size())) {
        std::uint32_t most_bins = 0;
        for (const std::int32_t column : growth.columns)
            most_bins = std::max(most_bins, bins_.count(static_cast<std::size_t>(column)));
        for (std::size_t t = 0; t < team.size(); ++t)
            scanners_.emplace_back(cells_, growth, slopes.hessian.empty(), most_bins);
        if (slopes.rows.empty()) {
            std::iota(rows_.begin(), rows_.end(), std::uint32_t{0});
        } else {
            std::copy(slopes.rows.begin(), slopes.rows.end(), rows_.begin());
        }
    }

    Tree run() {
        Grown<Cell> root;
        root.end = static_cast<std::uint32_t>(rows_.size());
        if (growth_.interactions.data)
            root.permit = Permit::narrow(growth_.interactions, nullptr, -1);
        root.cells = new_cells();
        if (!plan_.columns.empty()) count(root);
        nodes_.push_back(std::move(root));
        consider(0);
        while (!waiting_.empty() && leaf_count_ < growth_.max_leaf_nodes) {
            const std::size_t next = take();
            if (expand(next)) ++leaf_count_;
        }
        for (const std::size_t at : waiting_) let_go(nodes_[at]);
        if (growth_.level_wise && growth_.min_gain > 0.0) prune();
        return write();
    }

  private:
    static std::size_t learnt(const SlopesView<Real>& slopes) {
        return slopes.rows.empty() ? slopes.gradient.size() : slopes.rows.size();
    }
    Workspace::Buffer new_cells() { return workspace_.take(plan_.cells * sizeof(Cell)); }
    static Cell* cells_of(Workspace::Buffer& buffer) {
        return reinterpret_cast<Cell*>(buffer.data());
    }
    void let_go(Grown<Cell>& node) { workspace_.give_back(std::move(node.cells)); }

    // Counting -----------------------------------------------------------------------------------

    // Fills the cells of a node; they must be zero.
    void count(Grown<Cell>& node) {
        const std::size_t n = node.size();
        const bool whole = slopes_.rows.empty() && n == codes_.rows;
        const std::uint32_t* rows = whole ? nullptr : rows_.data() + node.begin;
        interrupt_.after(n * plan_.columns.size());
        const std::size_t blocks =
            n * plan_.columns.size() >= kWorthTeam + 4 * plan_.cells ? team_.size() : 1;
        if (blocks <= 1) {
            count(rows, 0, n, cells_of(node.cells));
            return;
        }
        std::vector<Workspace::Buffer> parts(blocks - 1);
        for (auto& part : parts) part = new_cells();
        team_.run(blocks, [&](std::size_t b) {
            const std::size_t begin = n * b / blocks, end = n * (b + 1) / blocks;
            count(rows ? rows + begin : nullptr, begin, end - begin,
                  cells_of(b ? parts[b - 1] : node.cells));
        });
        for (auto& part : parts) {
            for (std::size_t i = 0; i < plan_.cells; ++i)
                Cells::add(cells_of(node.cells)[i], cells_of(part)[i]);
            workspace_.give_back(std::move(part));
        }
    }

    void count(const std::uint32_t* rows, std::size_t first, std::size_t n, Cell* out) const {
        if (unusual_) {
            count_rows(cells_, plan_, *unusual_, rows, first, n, out);
        } else {
            count_rows(cells_, plan_, codes_, rows, first, n, out);
        }
    }

    void total(Grown<Cell>& node) {
        Cell sum{};
        if (plan_.columns.empty()) {
            for (std::uint32_t i = node.begin; i < node.end; ++i)
                Cells::add(sum, Cells::cell_of(cells_.items()[rows_[i]]));
        } else {
            for (std::size_t i = plan_.sum_from; i < plan_.sum_to; ++i)
                Cells::add(sum, cells_of(node.cells)[i]);
        }
        node.total = sum;
        node.node.sums = cells_.sums(sum);
        node.node.sums.n = node.size();
    }

    // Deciding -----------------------------------------------------------------------------------

    bool may_split(const Grown<Cell>& node) const {
        return node.depth < growth_.max_depth &&
               node.size() >= 2 * std::max<std::int64_t>(growth_.min_samples_leaf, 1) &&
               !plan_.columns.empty();
    }

    // Lets a node wait for its turn if a split of it gains enough.
    void consider(std::size_t at) {
        if (!may_split(nodes_[at])) {
            let_go(nodes_[at]);
            return;
        }
        total(nodes_[at]);
        search(at, nullptr);
        enqueue(at);
    }

    void enqueue(std::size_t at) {
        Grown<Cell>& node = nodes_[at];
        const double least = growth_.level_wise ? 0.0 : growth_.min_gain;
        if (!node.split.found() || !(node.split.gain > least)) {
            node.split = {};
            let_go(node);
            return;
        }
        waiting_.push_back(at);
        std::push_heap(waiting_.begin(), waiting_.end(), later());
    }

    std::size_t take() {
        std::pop_heap(waiting_.begin(), waiting_.end(), later());
        const std::size_t at = waiting_.back();
        waiting_.pop_back();
        return at;
    }

    // Best first, or by levels; equal gains in the order of birth.
    auto later() const {
        return [this](std::size_t a, std::size_t b) {
            const auto &first = nodes_[a], &second = nodes_[b];
            if (growth_.level_wise) {
                if (first.depth != second.depth) return first.depth > second.depth;
            } else if (first.split.gain != second.split.gain) {
                return first.split.gain < second.split.gain;
            }
            return a > b;
        };
    }

    // Sets the best split of a node; `counts`, if given, are its rows by cell.
    void search(std::size_t at, const std::uint32_t* counts) {
        Grown<Cell>& node = nodes_[at];
        const NewtonLeaf& leaf = scanners_[0].leaf();
        NewtonNode& facts = node.node;
        facts.score = leaf.score(facts.sums, leaf.value(facts.sums, facts.low, facts.high));
        facts.tie = 1e-12 * std::abs(facts.score);
        const std::vector<std::uint32_t> slots = drawn(at);
        const std::size_t parts = plan_.cells >= kWorthTeam / 8 ? team_.size() : 1;
        std::vector<NewtonSplit> best(parts);
        team_.run(parts, [&](std::size_t t) {
            const std::size_t begin = slots.size() * t / parts,
                              end = slots.size() * (t + 1) / parts;
            for (std::size_t s = begin; s < end; ++s) {
                const CellPlan::Place& place = plan_.places[slots[s]];
                const auto column = static_cast<std::size_t>(place.column);
                const std::uint32_t bins = bins_.count(column);
                if (!bins || (node.permit && !node.permit->allowed[column])) continue;
                const Cell* cells = cells_of(node.cells) + place.begin;
                if (place.usual >= 0)
                    cells = scanners_[t].unbundle(cells, bins, place.usual, node.total);
                scanners_[t].offer(place.column, bins_.categorical[column] != 0, bins, cells,
                                   counts ? counts + bins_.offsets[column] + place.column : nullptr,
                                   facts, best[t]);
            }
        });
        node.split = {};
        for (NewtonSplit& split : best)
            if (split.found() &&
                (!node.split.found() ||
                 split.gain > node.split.gain + facts.tie + 1e-12 * std::abs(node.split.gain)))
                node.split = std::move(split);
    }

    // The columns a node looks at, as positions in the plan, ascending.
    std::vector<std::uint32_t> drawn(std::size_t at) const {
        std::vector<std::uint32_t> slots(plan_.places.size());
        std::iota(slots.begin(), slots.end(), std::uint32_t{0});
        const auto draw = [&](std::int64_t wanted, std::uint64_t key) {
            if (!wanted || static_cast<std::size_t>(wanted) >= slots.size()) return;
            Random random(seed_ ^ (key * 0xd1342543de82ef95ULL));
            const auto chosen = static_cast<std::size_t>(wanted);
            for (std::size_t i = 0; i < chosen; ++i)
                std::swap(slots[i],
                          slots[i + random.below(static_cast<std::uint32_t>(slots.size() - i))]);
            slots.resize(chosen);
            std::sort(slots.begin(), slots.end());
        };
        draw(growth_.level_features, 2 * static_cast<std::uint64_t>(nodes_[at].depth) + 1);
        draw(growth_.max_features, 2 * at + 2);
        return slots;
    }

    // Dividing -----------------------------------------------------------------------------------

    // Carries out the split of a node, unless it turns out to leave too few rows on a side.
    bool expand(std::size_t at) {
        const std::uint32_t middle = part(nodes_[at]);
        if (!nodes_[at].sure && !enough_rows(nodes_[at], middle)) {
            recount(at);
            return false;
        }
        Grown<Cell> left, right;
        Grown<Cell>& parent = nodes_[at];
        left.begin = parent.begin;
        left.end = right.begin = middle;
        right.end = parent.end;
        left.depth = right.depth = parent.depth + 1;
        if (parent.permit)
            left.permit = right.permit =
                Permit::narrow(growth_.interactions, parent.permit.get(), parent.split.column);
        share_bounds(parent, left, right);
        const bool last = leaf_count_ + 1 >= growth_.max_leaf_nodes;
        share_cells(parent, left, right, last);
        parent.left = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back(std::move(left));
        nodes_.push_back(std::move(right));
        if (last) return true;
        consider(nodes_.size() - 2);
        consider(nodes_.size() - 1);
        return true;
    }

    // Packed cells do not count rows; the split that wins without that condition wins with it if
    // it happens to hold, which almost all do.
    bool enough_rows(const Grown<Cell>& node, std::uint32_t middle) const {
        const auto least = static_cast<std::uint32_t>(growth_.min_samples_leaf);
        return middle - node.begin >= least && node.end - middle >= least;
    }

    // Counts the rows of every bin and searches again.
    void recount(std::size_t at) {
        Grown<Cell>& node = nodes_[at];
        // As many as a column has bins, and one for its missing values.
        std::vector<std::uint32_t> counts(bins_.upper.size() + bins_.columns(), 0);
        interrupt_.after(node.size() * plan_.places.size());
        for (const CellPlan::Place& place : plan_.places) {
            const auto column = static_cast<std::size_t>(place.column);
            std::uint32_t* out = counts.data() + bins_.offsets[column] + place.column;
            const Code* codes = by_column_.col(column);
            for (std::uint32_t i = node.begin; i < node.end; ++i)
                ++out[codes[static_cast<std::ptrdiff_t>(rows_[i]) * by_column_.row_stride]];
        }
        search(at, counts.data());
        node.sure = true;
        enqueue(at);
    }

    void share_bounds(const Grown<Cell>& parent, Grown<Cell>& left, Grown<Cell>& right) const {
        left.node.low = right.node.low = parent.node.low;
        left.node.high = right.node.high = parent.node.high;
        if (growth_.monotone.empty()) return;
        const auto direction = growth_.monotone[static_cast<std::size_t>(parent.split.column)];
        const double middle = std::midpoint(parent.split.left_value, parent.split.right_value);
        if (direction > 0) left.node.high = right.node.low = middle;
        if (direction < 0) left.node.low = right.node.high = middle;
    }

    void share_cells(Grown<Cell>& parent, Grown<Cell>& left, Grown<Cell>& right, bool last) {
        Grown<Cell>& small = left.size() <= right.size() ? left : right;
        Grown<Cell>& large = left.size() <= right.size() ? right : left;
        if (!last && may_split(large)) {
            small.cells = new_cells();
            count(small);
            large.cells = std::move(parent.cells);
            Cell *whole = cells_of(large.cells), *part = cells_of(small.cells);
            for (std::size_t i = 0; i < plan_.cells; ++i) Cells::subtract(whole[i], part[i]);
        }
        let_go(parent);
    }

    std::uint32_t part(const Grown<Cell>& node);
    template <class Left>
    std::uint32_t part_by(const Grown<Cell>& node, Left&& left);

    // Ending -------------------------------------------------------------------------------------

    void prune();
    Tree write();
    std::vector<SlopeSums> finish_leaves(const std::vector<std::size_t>& leaf_nodes);
    void write_facts(Tree& tree, const std::vector<std::size_t>& order,
                     const std::vector<std::size_t>& leaf_nodes,
                     const std::vector<SlopeSums>& sums) const;
    void write_split(Tree& tree, std::size_t at, const NewtonSplit& split) const;
    void walk_others(const Tree& tree);

    const Matrix<const Code>&codes_, &by_column_;
    const BinsView& bins_;
    const Unusual* const unusual_;
    const SlopesView<Real>& slopes_;
    const NewtonGrowth& growth_;
    const std::uint64_t seed_;
    const std::span<std::int32_t> leaves_;
    Interrupt& interrupt_;
    Team& team_;
    Workspace& workspace_;
    const std::span<std::uint32_t> rows_, spare_;
    const Cells cells_;
    const CellPlan plan_;
    std::vector<NewtonScanner<Cells>> scanners_;  // one per thread
    std::vector<Grown<Cell>> nodes_;
    std::vector<std::size_t> waiting_;  // a heap
    std::vector<std::uint32_t> lefts_;
    std::int64_t leaf_count_ = 1;
};

}  // namespace coterie
