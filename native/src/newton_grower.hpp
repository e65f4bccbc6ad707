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
inline constexpr std::size_t kPackWideFrom = 1024;   // unless there are many bins
inline constexpr std::size_t kWide = 40'000;         // bins of all columns
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
    std::vector<std::uint8_t> barren;  // places of the plan no split of which leaves enough rows

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
        root.barren.assign(plan_.places.size(), 0);
        if (!plan_.columns.empty()) count(root);
        nodes_.push_back(std::move(root));
        if (growth_.symmetric) {
            grow_levels();
            return write();
        }
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
    // Cells of the columns of a plan are zero; others hold anything.
    Workspace::Buffer new_cells(const CellPlan& plan) {
        const std::size_t bytes = plan_.cells * sizeof(Cell);
        if (&plan == &plan_ || unusual_) return workspace_.take(bytes);
        Workspace::Buffer buffer = workspace_.take_used(bytes);
        for (std::size_t k = 0; k < plan.columns.size(); ++k)
            std::fill_n(cells_of(buffer) + plan.starts[k], plan.sizes[k], Cell{});
        return buffer;
    }
    // `change(cell, other)` for all cells of the columns of a plan.
    template <class Change>
    void combine(const CellPlan& plan, Cell* into, const Cell* other, Change&& change) const {
        const auto range = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) change(into[i], other[i]);
        };
        if (&plan == &plan_) {
            range(0, plan.cells);
            return;
        }
        for (std::size_t k = 0; k < plan.columns.size(); ++k)
            range(plan.starts[k], plan.starts[k] + plan.sizes[k]);
        if (unusual_) range(plan_.sum_from, plan_.sum_to);
    }
    static Cell* cells_of(Workspace::Buffer& buffer) {
        return reinterpret_cast<Cell*>(buffer.data());
    }
    void let_go(Grown<Cell>& node) { workspace_.give_back(std::move(node.cells)); }

    // Counting -----------------------------------------------------------------------------------

    // The columns worth counting in a part of a node: all of them, unless many are barren.
    const CellPlan& plan_of(const Grown<Cell>& node) {
        const auto fertile =
            static_cast<std::size_t>(std::count(node.barren.begin(), node.barren.end(), 0));
        const std::size_t enough =
            plan_.even ? plan_.places.size() / 2 : plan_.places.size() * 3 / 4;
        if (fertile > enough) return plan_;
        narrow_.narrow(plan_, node.barren);
        return narrow_;
    }

    // Makes the cells of a node and fills them.
    void count(Grown<Cell>& node) {
        const CellPlan& plan = plan_of(node);
        node.cells = new_cells(plan);
        const std::size_t n = node.size();
        const bool whole = slopes_.rows.empty() && n == codes_.rows;
        const std::uint32_t* rows = whole ? nullptr : rows_.data() + node.begin;
        interrupt_.after(n * plan.columns.size());
        const std::size_t blocks =
            n * plan.columns.size() >= kWorthTeam + 4 * plan_.cells ? team_.size() : 1;
        if (blocks <= 1) {
            count(plan, rows, 0, n, cells_of(node.cells));
            return;
        }
        std::vector<Workspace::Buffer> parts(blocks - 1);
        for (auto& part : parts) part = new_cells(plan);
        team_.run(blocks, [&](std::size_t b) {
            const std::size_t begin = n * b / blocks, end = n * (b + 1) / blocks;
            count(plan, rows ? rows + begin : nullptr, begin, end - begin,
                  cells_of(b ? parts[b - 1] : node.cells));
        });
        for (auto& part : parts) {
            combine(plan, cells_of(node.cells), cells_of(part), Cells::add);
            workspace_.give_back(std::move(part));
        }
    }

    void count(const CellPlan& plan, const std::uint32_t* rows, std::size_t first, std::size_t n,
               Cell* out) const {
        if (unusual_) {
            count_rows(cells_, plan_, *unusual_, rows, first, n, out);
        } else {
            count_rows(cells_, plan, codes_, rows, first, n, out);
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
        search(at);
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

    // Searching: newton_search.hpp ----------------------------------------------------------------

    void search(std::size_t at, bool strictly = false);
    const Cell* column_cells(Grown<Cell>& node, const CellPlan::Place& place,
                             NewtonScanner<Cells>& scanner) const;
    void offer(Grown<Cell>& node, std::uint32_t slot, NewtonScanner<Cells>& scanner,
               std::vector<std::uint32_t>* counts, NewtonSplit& best);
    std::vector<std::uint32_t> drawn(std::size_t at) const;

    // Dividing -----------------------------------------------------------------------------------

    // Carries out the split of a node, unless it turns out to leave too few rows on a side.
    bool expand(std::size_t at) {
        const std::uint32_t middle = part(nodes_[at]);
        if (!nodes_[at].sure && !enough_rows(nodes_[at], middle)) {
            search_again(at);
            return false;
        }
        const bool last = leaf_count_ + 1 >= growth_.max_leaf_nodes;
        divide(at, middle, last);
        if (last) return true;
        consider(nodes_.size() - 2);
        consider(nodes_.size() - 1);
        return true;
    }

    // Makes the children of a node whose rows are parted; they need no cells if they are the last.
    void divide(std::size_t at, std::uint32_t middle, bool last) {
        Grown<Cell> left, right;
        Grown<Cell>& parent = nodes_[at];
        left.begin = parent.begin;
        left.end = right.begin = middle;
        right.end = parent.end;
        left.depth = right.depth = parent.depth + 1;
        left.barren = right.barren = parent.barren;
        if (parent.permit)
            left.permit = right.permit =
                Permit::narrow(growth_.interactions, parent.permit.get(), parent.split.column);
        share_bounds(parent, left, right);
        share_cells(parent, left, right, last);
        parent.left = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back(std::move(left));
        nodes_.push_back(std::move(right));
    }

    // Packed cells do not count rows; the split that wins without that condition wins with it if
    // it happens to hold, which almost all do.
    bool enough_rows(const Grown<Cell>& node, std::uint32_t middle) const {
        const auto least = static_cast<std::uint32_t>(growth_.min_samples_leaf);
        return middle - node.begin >= least && node.end - middle >= least;
    }

    void search_again(std::size_t at) {
        interrupt_.after(nodes_[at].size() * plan_.places.size());
        search(at, true);
        nodes_[at].sure = true;
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
            count(small);
            large.cells = std::move(parent.cells);
            combine(plan_of(large), cells_of(large.cells), cells_of(small.cells), Cells::subtract);
        }
        let_go(parent);
    }

    std::uint32_t part(const Grown<Cell>& node);
    template <class Left>
    std::uint32_t part_by(const Grown<Cell>& node, Left&& left);

    // Symmetric trees: newton_symmetric.hpp -------------------------------------------------------

    void grow_levels();
    NewtonSplit search_level(const std::vector<std::size_t>& level);
    void count_codes(const std::vector<std::size_t>& level, std::size_t column,
                     std::vector<std::uint32_t>& counts) const;
    bool divide_by(std::size_t at, const NewtonSplit& rule, bool last);

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
    CellPlan narrow_;                             // the part of it that a node needs
    std::vector<NewtonScanner<Cells>> scanners_;  // one per thread
    std::vector<Grown<Cell>> nodes_;
    std::vector<std::size_t> waiting_;  // a heap
    std::vector<std::uint32_t> lefts_;
    std::int64_t leaf_count_ = 1;
};

}  // namespace coterie
