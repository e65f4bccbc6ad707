// The row side of a tree on slopes: everything that touches rows. A template over the width of a
// code; what counts rows, also over the precision of sums; what reads slopes, also over their type.
// So no code is compiled more often than it has to be.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "cells.hpp"
#include "count_rows.hpp"
#include "sides.hpp"

namespace coterie {

inline constexpr std::size_t kWorthTeam = 60'000;    // cells to touch before threads pay
inline constexpr std::size_t kSlopeBlock = 16'384;   // rows whose slopes a task takes at a time
inline constexpr std::uint32_t kPartBlock = 32'768;  // rows a task parts at a time
inline constexpr std::size_t kCached = 262'144;      // codes that a cache holds without being asked

// Knows where the rows of nodes are, and moves them about.
template <class Code>
class PartedRows : public RowSide {
  public:
    // `learnt` are the rows to learn from, empty for all `n`.
    PartedRows(const NewtonTable<Code>& table, std::span<const std::int32_t> learnt, std::size_t n,
               std::span<std::int32_t> leaves, const Tools& tools)
        : table_(table), learnt_(learnt), leaves_(leaves), interrupt_(tools.interrupt),
          team_(tools.team),
          rows_(tools.workspace.numbers<std::uint32_t>(0, learnt.empty() ? n : learnt.size())),
          // Leaves are not noted before the last rows are parted.
          spare_(reinterpret_cast<std::uint32_t*>(leaves.data()), rows_.size()) {
        team_.run((rows_.size() + kPartBlock - 1) / kPartBlock, [&](std::size_t b) {
            const std::size_t begin = b * kPartBlock;
            const auto part =
                rows_.subspan(begin, std::min<std::size_t>(rows_.size() - begin, kPartBlock));
            if (learnt_.empty()) {
                std::iota(part.begin(), part.end(), static_cast<std::uint32_t>(begin));
            } else {
                std::copy_n(learnt_.begin() + static_cast<std::ptrdiff_t>(begin), part.size(),
                            part.begin());
            }
        });
        const auto end = static_cast<std::uint32_t>(rows_.size());
        nodes_.push_back({0, end, end});
    }

    std::uint32_t part(std::size_t at, const CodeSplit& split) override {
        const auto column = static_cast<std::size_t>(split.column);
        Range& node = nodes_.at(at);
        restore(node);
        const BundlesView& bundles = table_.bundles;
        if (bundles.shares(column)) {
            const std::vector<std::uint8_t> side = bundled_side(split, column);
            return part_by(node, table_.by_column.col(bundles.home_of(column)),
                           table_.by_column.row_stride,
                           [flags = side.data()](Code code) { return flags[code] != 0; });
        }
        return split.with_side<Code>(table_.bins.count(column), [&](const auto& left) {
            if (table_.sparse) return part_by(node, written_.of(*table_.sparse, column), 1, left);
            return part_by(node, table_.by_column.col(bundles.home_of(column)),
                           table_.by_column.row_stride, left);
        });
    }

    void divide(std::size_t at, std::size_t left) override {
        const Range node = nodes_.at(at);
        if (nodes_.size() < left + 2) nodes_.resize(left + 2);
        nodes_[left] = {node.begin, node.middle, node.middle};
        nodes_[left + 1] = {node.middle, node.end, node.end};
        nodes_[at].middle = node.end;  // nothing to restore: its children move its rows
    }

    void count_codes(std::size_t at, std::size_t column,
                     std::span<std::uint32_t> counts) const override {
        if (column >= table_.bins.columns() || counts.size() != table_.bins.count(column) + 1u)
            throw std::invalid_argument("counts: one per code of the column expected");
        const Range& node = nodes_.at(at);
        if (table_.sparse) return count_filled(node, column, counts);
        const BundlesView& bundles = table_.bundles;
        const std::size_t home = bundles.home_of(column);
        if (!bundles.shares(column)) return count_column(node, home, counts);
        std::vector<std::uint32_t> found(static_cast<std::size_t>(bundles.sizes[home]), 0);
        count_column(node, home, found);
        for (std::uint32_t code = 0; code < found.size(); ++code)
            counts[bundles.code_of(column, table_.bins.count(column), code)] += found[code];
    }

    void finish(const Tree& tree, std::span<const std::uint32_t> last_left) override {
        if (learnt_.empty()) return;
        const std::size_t n = table_.codes.rows;
        std::vector<std::uint8_t> learnt(n, 0);
        for (const std::int32_t row : learnt_) learnt[static_cast<std::size_t>(row)] = 1;
        team_.run((n + kSlopeBlock - 1) / kSlopeBlock, [&](std::size_t b) {
            const std::size_t end = std::min(n, (b + 1) * kSlopeBlock);
            for (std::size_t row = b * kSlopeBlock; row < end; ++row)
                if (!learnt[row]) leaves_[row] = walk(tree, last_left, row);
        });
    }

  protected:
    // Rows of a leaf that are summed by themselves.
    struct Block {
        std::size_t leaf;
        std::uint32_t begin, end;
    };

    std::vector<Block> blocks_of(std::span<const std::size_t> nodes) {
        std::vector<Block> blocks;
        for (std::size_t leaf = 0; leaf < nodes.size(); ++leaf) {
            Range& node = nodes_.at(nodes[leaf]);
            restore(node);
            for (std::uint32_t begin = node.begin; begin < node.end; begin += kSlopeBlock)
                blocks.push_back(
                    {leaf, begin, std::min<std::uint32_t>(node.end, begin + kSlopeBlock)});
        }
        return blocks;
    }

    // The rows of a node; null if they are all there are, in their order.
    std::pair<const std::uint32_t*, std::size_t> rows_of(std::size_t at) const {
        const Range& node = nodes_.at(at);
        const bool whole = learnt_.empty() && node.size() == table_.codes.rows;
        return {whole ? nullptr : rows_.data() + node.begin, node.size()};
    }

    const NewtonTable<Code> table_;
    const std::span<const std::int32_t> learnt_;
    const std::span<std::int32_t> leaves_;
    Interrupt& interrupt_;
    Team& team_;
    const std::span<std::uint32_t> rows_, spare_;

  private:
    // The rows of a node are rows_[begin … end); those before `middle` go left.
    struct Range {
        std::uint32_t begin = 0, end = 0, middle = 0;
        std::uint32_t size() const { return end - begin; }
    };

    // Puts rows back in order that a refused split has parted: it must leave no trace in the sums
    // of leaves, which depend on the order.
    void restore(Range& node) {
        const auto at = [&](std::uint32_t i) { return rows_.begin() + i; };
        std::inplace_merge(at(node.begin), at(node.middle), at(node.end));
        node.middle = node.end;
    }

    // The rows of a node ascend, or those of both its parts: they did in the beginning, and parting
    // keeps their order.
    void count_filled(const Range& node, std::size_t column,
                      std::span<std::uint32_t> counts) const {
        const auto begin = rows_.begin() + node.begin, middle = rows_.begin() + node.middle;
        const auto end = rows_.begin() + node.end;
        const Line<Code> cells = table_.sparse->column(column);
        std::uint32_t found = 0;
        for (std::size_t k = 0; k < cells.size; ++k) {
            if (!std::binary_search(begin, middle, cells.at[k]) &&
                !std::binary_search(middle, end, cells.at[k]))
                continue;
            ++counts[cells.values[k]];
            ++found;
        }
        counts[table_.sparse->usual(column)] += node.size() - found;
    }

    // Adds the rows of a node to the counts of their codes.
    void count_column(const Range& node, std::size_t column,
                      std::span<std::uint32_t> counts) const {
        const Code* codes = table_.by_column.col(column);
        const std::ptrdiff_t step = table_.by_column.row_stride;
        const std::span<const std::uint32_t> rows = rows_.subspan(node.begin, node.size());
        if (step == 1) return count_codes_of(rows, counts, [=](auto row) { return codes[row]; });
        count_codes_of(rows, counts,
                       [=](auto row) { return codes[static_cast<std::ptrdiff_t>(row) * step]; });
    }

    // Rows take turns with several counts: one of a common code need not wait for the last.
    template <class CodeOf>
    static void count_codes_of(std::span<const std::uint32_t> rows, std::span<std::uint32_t> counts,
                               const CodeOf& code_of) {
        constexpr std::size_t turns = 8;
        std::vector<std::uint32_t> more((turns - 1) * counts.size(), 0);
        std::uint32_t* lists[turns] = {counts.data()};
        for (std::size_t k = 1; k < turns; ++k) lists[k] = more.data() + (k - 1) * counts.size();
        std::size_t i = 0;
        for (; i + turns <= rows.size(); i += turns)
#pragma GCC unroll 8
            for (std::size_t k = 0; k < turns; ++k) ++lists[k][code_of(rows[i + k])];
        for (; i < rows.size(); ++i) ++counts[code_of(rows[i])];
        for (std::size_t k = 1; k < turns; ++k)
            for (std::size_t c = 0; c < counts.size(); ++c) counts[c] += lists[k][c];
    }

    // By code of a bundle, whether its rows go left by a split on one of its columns.
    std::vector<std::uint8_t> bundled_side(const CodeSplit& split, std::size_t column) const {
        const BundlesView& bundles = table_.bundles;
        const std::uint32_t bins = table_.bins.count(column);
        const auto size = static_cast<std::uint32_t>(bundles.sizes[bundles.home_of(column)]);
        std::vector<std::uint8_t> side(size);
        split.with_side<Code>(bins, [&](const auto& left) {
            for (std::uint32_t code = 0; code < size; ++code)
                side[code] = left(static_cast<Code>(bundles.code_of(column, bins, code)));
        });
        return side;
    }

    // Where a block of the rows of a node begins.
    static std::uint32_t block_of(const Range& node, std::size_t block) {
        return node.begin + static_cast<std::uint32_t>(block) * kPartBlock;
    }

    template <class Left>
    std::uint32_t part_by(Range& node, const Code* codes, std::ptrdiff_t step, const Left& left) {
        std::uint32_t *rows = rows_.data(), *spare = spare_.data();
        const std::size_t blocks = (node.size() + kPartBlock - 1) / kPartBlock;
        const auto begin_of = [&](std::size_t b) { return block_of(node, b); };
        lefts_.resize(blocks);
        interrupt_.after(node.size());
        team_.run(blocks, [&](std::size_t b) {
            const std::uint32_t begin = begin_of(b), end = std::min(node.end, begin + kPartBlock);
            lefts_[b] = part_block(codes, step, begin, end, left);
        });
        node.middle = node.begin + std::accumulate(lefts_.begin(), lefts_.end(), 0u);
        if (blocks > 2 && team_.size() > 1) {
            join_blocks(node);
            return node.middle - node.begin;
        }
        std::uint32_t middle = node.begin;
        for (std::size_t b = 0; b < blocks; ++b) {
            const std::uint32_t begin = begin_of(b);
            if (middle != begin) std::memmove(rows + middle, rows + begin, lefts_[b] * 4ul);
            middle += lefts_[b];
        }
        std::uint32_t to = middle;
        for (std::size_t b = 0; b < blocks; ++b) {
            const std::uint32_t begin = begin_of(b);
            const std::uint32_t others = std::min(node.end - begin, kPartBlock) - lefts_[b];
            std::memcpy(rows + to, spare + begin, others * 4ul);
            to += others;
        }
        return middle - node.begin;
    }

    // Rows ascend: `n` of them in a range of as many, as all rows are before the first split, are
    // looked at several at a time.
    template <class Left>
    static void note_sides(const Code* codes, std::ptrdiff_t step, const std::uint32_t* rows,
                           std::uint32_t n, const Left& left, std::uint8_t* __restrict goes) {
        if (step == 1 && rows[n - 1] - rows[0] == n - 1) {
            const Code* some = codes + rows[0];
            for (std::uint32_t i = 0; i < n; ++i) goes[i] = left(some[i]);
        } else if (step == 1) {
#pragma GCC unroll 8
            for (std::uint32_t i = 0; i < n; ++i) goes[i] = left(codes[rows[i]]);
        } else {
            for (std::uint32_t i = 0; i < n; ++i)
                goes[i] = left(codes[static_cast<std::ptrdiff_t>(rows[i]) * step]);
        }
    }

    // Moves the rows of a block that go left to its front, and the others to its spare room. What
    // is known of a row is noted first: nothing waits for anything then.
    template <class Left>
    std::uint32_t part_block(const Code* codes, std::ptrdiff_t step, std::uint32_t begin,
                             std::uint32_t end, const Left& left) const {
        constexpr std::uint32_t strip = 512;
        std::uint8_t goes[strip];
        std::uint32_t kept = 0;
        for (std::uint32_t at = begin; at < end; at += strip) {
            const std::uint32_t* rows = rows_.data() + at;
            const std::uint32_t n = std::min(strip, end - at);
            note_sides(codes, step, rows, n, left, goes);
            kept +=
                move_apart(goes, rows, n, rows_.data() + begin + kept, spare_.data() + at - kept);
        }
        return kept;
    }

    // Puts blocks that were parted one by one together, by several threads: each writes what goes
    // left behind what goes right in the spare room, and both to where they belong.
    void join_blocks(const Range& node) {
        const auto begin_of = [&](std::size_t b) { return block_of(node, b); };
        std::uint32_t *rows = rows_.data(), *spare = spare_.data();
        const std::size_t blocks = lefts_.size();
        std::vector<std::uint32_t> before(blocks, 0);  // rows of earlier blocks that go left
        std::partial_sum(lefts_.begin(), lefts_.end() - 1, before.begin() + 1);
        const auto others = [&](std::size_t b) {
            return std::min(node.end - begin_of(b), kPartBlock) - lefts_[b];
        };
        team_.run(blocks, [&](std::size_t b) {
            std::copy_n(rows + begin_of(b), lefts_[b], spare + begin_of(b) + others(b));
        });
        team_.run(blocks, [&](std::size_t b) {
            const std::uint32_t* from = spare + begin_of(b);
            std::copy_n(from + others(b), lefts_[b], rows + node.begin + before[b]);
            const std::uint32_t right = begin_of(b) - node.begin - before[b];
            std::copy_n(from, others(b), rows + node.middle + right);
        });
    }

    std::int32_t walk(const Tree& tree, std::span<const std::uint32_t> last_left,
                      std::size_t row) const {
        std::size_t at = 0;
        while (tree.nodes[at].left >= 0) {
            const Node& node = tree.nodes[at];
            const std::uint32_t code = table_.code(row, node.feature());
            bool goes;
            if (code == table_.bins.count(node.feature())) {
                goes = node.missing_left();
            } else if (!node.categorical()) {
                goes = code <= last_left[at];
            } else {
                const auto start = static_cast<std::size_t>(node.threshold);
                goes = tree.categories[start + 1 + code / 64] >> (code % 64) & 1;
            }
            at = static_cast<std::size_t>(node.left) + !goes;
        }
        return ~tree.nodes[at].left;
    }

    std::vector<Range> nodes_;
    std::vector<std::uint32_t> lefts_;
    WrittenColumn<Code> written_;  // of a sparse table
};

// Counts rows; a template over the precision of sums too.
template <class Code, class Cells>
class CountedRows : public PartedRows<Code> {
  public:
    using Item = typename Cells::Item;

    CountedRows(const NewtonTable<Code>& table, std::span<const std::int32_t> learnt, std::size_t n,
                std::span<std::int32_t> leaves, std::shared_ptr<const CellPlan> plan,
                const Tools& tools)
        : PartedRows<Code>(table, learnt, n, leaves, tools), plan_(std::move(plan)),
          store_(*plan_, tools.workspace), items_(tools.workspace.numbers<Item>(2, n)) {
        if (!table.joint) return;
        joint_ = CellPlan::of(table.joint->columns.size());
        const std::size_t cells = joint_.cells * tools.team.size();
        joint_sums_ = tools.workspace.numbers<typename Cells::Cell>(3, cells);
    }

    std::size_t histogram_bytes() const override { return store_.bytes(); }
    bool packed() const override { return !Cells::kCounted; }

    void count(std::size_t at, std::span<const std::uint8_t> barren, std::byte* out) override {
        if (barren.size() != plan_->places.size())
            throw std::invalid_argument("barren: one flag per column of the tree expected");
        // Of unusual codes, all are counted.
        const CellPlan& plan = table_.unusual ? *plan_ : store_.plan(barren);
        const auto range = this->rows_of(at);
        const std::uint32_t* rows = range.first;
        const std::size_t n = range.second;
        const std::size_t additions = table_.unusual
                                          ? n * table_.unusual->cells.size() / table_.codes.rows
                                          : n * plan.columns.size();
        interrupt_.after(additions);
        if (worth_joining(plan, n)) return count_jointly(rows, n, out);
        const std::size_t takers = additions >= kWorthTeam + 4 * plan_->cells ? team_.size() : 1;
        std::vector<Workspace::Buffer> parts(takers - 1);
        for (auto& part : parts) part = store_.take();
        in_shares(n, takers, [&](std::size_t taker, const auto& share) {
            std::byte* sums = taker ? parts[taker - 1].data() : out;
            store_.clear(plan, sums);
            share([&](std::size_t begin, std::size_t end) {
                count(plan, rows ? rows + begin : nullptr, begin, end - begin, sums);
            });
        });
        for (auto& part : parts) {
            store_.add(plan, out, part.data());
            store_.give_back(part);
        }
        // Of all rows it is known beforehand in how many a column is unusual.
        if constexpr (!Cells::kCounted)
            if (!rows && plan_->rows_from)
                std::copy(table_.unusual->filled.begin(), table_.unusual->filled.end(),
                          store_.cells_of(out) + plan_->rows_from);
    }

  protected:
    using PartedRows<Code>::interrupt_, PartedRows<Code>::table_, PartedRows<Code>::team_;

    const std::shared_ptr<const CellPlan> plan_;
    CellStore<Cells> store_;
    const std::span<Item> items_;

  private:
    using Cell = typename Cells::Cell;
    static constexpr std::size_t kShares = 8;  // blocks of rows per thread

    // Whether additions that are saved outweigh the sums over joint codes.
    bool worth_joining(const CellPlan& plan, std::size_t n) const {
        return table_.joint && plan.columns.size() == table_.codes.cols &&
               n * (plan.columns.size() - joint_.columns.size()) >= 2 * joint_.cells;
    }

    // Calls work(taker, share) for every taker, on a thread each; share(use) calls use(begin, end)
    // for blocks of the `n` places until no taker has any left. Who comes late takes fewer.
    template <class Work>
    void in_shares(std::size_t n, std::size_t takers, Work&& work) {
        const std::size_t blocks = takers > 1 ? kShares * takers : 1;
        std::atomic<std::size_t> next{0};
        team_.run(takers, [&](std::size_t taker) {
            work(taker, [&](auto&& use) {
                for (std::size_t b; (b = next.fetch_add(1)) < blocks;)
                    use(n * b / blocks, n * (b + 1) / blocks);
            });
        });
    }

    void count_jointly(const std::uint32_t* rows, std::size_t n, std::byte* out) {
        const Joint& joint = *table_.joint;
        const std::size_t columns = joint_.columns.size();
        const std::size_t takers = n * columns >= kWorthTeam + 4 * joint_.cells ? team_.size() : 1;
        const auto part = [&](std::size_t taker) {
            return joint_sums_.data() + taker * joint_.cells;
        };
        in_shares(n, takers, [&](std::size_t taker, const auto& share) {
            std::fill_n(part(taker), joint_.cells, Cell{});
            share([&](std::size_t begin, std::size_t end) {
                count_rows<Cells>(items_.data(), joint_, joint.view(),
                                  rows ? rows + begin : nullptr, begin, end - begin, part(taker));
            });
        });
        for (std::size_t b = 1; b < takers; ++b)
            for (std::size_t i = 0; i < joint_.cells; ++i) Cells::add(part(0)[i], part(b)[i]);
        store_.clear(*plan_, out);
        Cell* cells = store_.cells_of(out);
        for (std::size_t k = 0; k < columns; ++k)
            Joint::spread(joint.columns[k], part(0) + joint_.starts[k], Cells::add,
                          [&](std::uint32_t column) { return cells + plan_->starts[column]; });
    }

    void count(const CellPlan& plan, const std::uint32_t* rows, std::size_t first, std::size_t n,
               std::byte* out) const {
        auto* cells = store_.cells_of(out);
        if (table_.unusual) {
            count_rows<Cells>(items_.data(), *plan_, *table_.unusual, rows, first, n, cells);
        } else {
            count_rows<Cells>(items_.data(), plan, table_.codes, rows, first, n, cells);
        }
    }

    CellPlan joint_;  // of the joint columns, if there are any
    std::span<Cell> joint_sums_;
};

// What depends on the type of a slope: the items of rows before a tree, the sums of leaves after
// it.
template <class Code, class Real, class Cells>
class SlopedRows final : public CountedRows<Code, Cells> {
  public:
    using typename CountedRows<Code, Cells>::Item;

    SlopedRows(const NewtonTask<Code, Real>& task, const SlopeScale& scale,
               std::shared_ptr<const CellPlan> plan, const Tools& tools)
        : CountedRows<Code, Cells>(task.table, task.slopes.rows, task.slopes.gradient.size(),
                                   task.leaves, std::move(plan), tools),
          slopes_(task.slopes), grid_g_(grid_of(scale.sum_g)), grid_h_(grid_of(scale.sum_h)) {
        const Cells cells(scale);
        fill_items(cells, task.seed, task.first_row);
    }

    // Blocks of rows are summed by themselves and added.
    std::vector<SlopeSums> leaf_sums(std::span<const std::size_t> nodes) override {
        const auto blocks = this->blocks_of(nodes);
        const auto rows = this->rows_;
        const auto items = this->items_;
        const auto leaves = this->leaves_;
        std::vector<SlopeSums> parts(blocks.size()), sums(nodes.size());
        this->team_.run(blocks.size(), [&](std::size_t b) {
            const auto& block = blocks[b];
            // Copies: what is stored may alias anything behind a reference.
            const auto slopes = slopes_;
            const Grid grid_g = grid_g_, grid_h = grid_h_;
            const bool constant = slopes.hessian.empty();
            // Rows take turns with several sums, all of them exact: none waits for the last.
            SlopeSums one, two, three, four;
            const auto add = [&](std::uint32_t i, SlopeSums& sum) {
                const std::uint32_t row = rows[i];
                leaves[row] = static_cast<std::int32_t>(block.leaf);
                // On the grid, where neither the order of the rows matters nor who has them.
                if constexpr (!Cells::kCounted) {
                    sum.g += grid_g.snap(slopes.gradient[row]);
                    sum.h += constant ? 1.0 : grid_h.snap(slopes.hessian[row]);
                } else {
                    sum.g += items[row].g;
                    sum.h += items[row].h;
                }
            };
            std::uint32_t i = block.begin;
            for (; i + 4 <= block.end; i += 4) {
                add(i, one);
                add(i + 1, two);
                add(i + 2, three);
                add(i + 3, four);
            }
            for (; i < block.end; ++i) add(i, one);
            parts[b] = {one.g + two.g + three.g + four.g, one.h + two.h + three.h + four.h, 0.0};
        });
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            sums[blocks[b].leaf].g += parts[b].g;
            sums[blocks[b].leaf].h += parts[b].h;
        }
        return sums;
    }

  private:
    void fill_items(const Cells& cells, std::uint64_t seed, std::uint64_t first) {
        const std::size_t n = this->items_.size();
        const bool constant = slopes_.hessian.empty();
        this->team_.run((n + kSlopeBlock - 1) / kSlopeBlock, [&](std::size_t b) {
            const std::size_t begin = b * kSlopeBlock;
            const Real* hessian = constant ? nullptr : slopes_.hessian.data() + begin;
            write_items(ItemsTask<Cells, Real>{
                cells, slopes_.gradient.data() + begin, hessian, seed, first + begin,
                std::min(n - begin, kSlopeBlock), this->items_.data() + begin});
        });
    }

    const SlopesView<Real> slopes_;
    const Grid grid_g_, grid_h_;
};

}  // namespace coterie
