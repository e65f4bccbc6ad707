// The row side of a tree on slopes: everything that touches rows. A template over the width of a
// code, the type of a slope and the precision of sums.
#pragma once

#include <cstring>
#include <numeric>
#include <stdexcept>

#include "cells.hpp"
#include "count_rows.hpp"

namespace coterie {

inline constexpr std::size_t kWorthTeam = 60'000;    // cells to touch before threads pay
inline constexpr std::size_t kSlopeBlock = 16'384;   // rows whose slopes a task takes at a time
inline constexpr std::uint32_t kPartBlock = 32'768;  // rows a task parts at a time

template <class Code, class Real, class Cells>
class Rows final : public RowSide {
  public:
    using Item = typename Cells::Item;

    Rows(const NewtonTask<Code, Real>& task, const SlopeScale& scale,
         std::shared_ptr<const CellPlan> plan, const Tools& tools)
        : table_(task.table), slopes_(task.slopes), leaves_(task.leaves),
          interrupt_(tools.interrupt), team_(tools.team), plan_(std::move(plan)),
          store_(*plan_, tools.workspace),
          rows_(tools.workspace.numbers<std::uint32_t>(0, slopes_.learnt())),
          spare_(tools.workspace.numbers<std::uint32_t>(1, rows_.size())),
          items_(tools.workspace.numbers<Item>(2, slopes_.gradient.size())) {
        if (slopes_.rows.empty()) {
            std::iota(rows_.begin(), rows_.end(), std::uint32_t{0});
        } else {
            std::copy(slopes_.rows.begin(), slopes_.rows.end(), rows_.begin());
        }
        const auto end = static_cast<std::uint32_t>(rows_.size());
        nodes_.push_back({0, end, end});
        const Cells cells(scale);
        if (slopes_.hessian.empty()) {
            fill_items<true>(cells, task.seed, task.first_row);
        } else {
            fill_items<false>(cells, task.seed, task.first_row);
        }
    }

    std::size_t histogram_bytes() const override { return store_.bytes(); }
    bool packed() const override { return !Cells::kCounted; }

    void count(std::size_t at, std::span<const std::uint8_t> barren, std::byte* out) override {
        if (barren.size() != plan_->places.size())
            throw std::invalid_argument("barren: one flag per column of the tree expected");
        const CellPlan& plan = store_.plan(barren);
        const Range& node = nodes_.at(at);
        const std::size_t n = node.size();
        const bool whole = slopes_.rows.empty() && n == table_.codes.rows;
        const std::uint32_t* rows = whole ? nullptr : rows_.data() + node.begin;
        interrupt_.after(n * plan.columns.size());
        const std::size_t blocks =
            n * plan.columns.size() >= kWorthTeam + 4 * plan_->cells ? team_.size() : 1;
        store_.clear(plan, out);
        if (blocks <= 1) {
            count(plan, rows, 0, n, out);
            return;
        }
        std::vector<Workspace::Buffer> parts(blocks - 1);
        for (auto& part : parts) {
            part = store_.take();
            store_.clear(plan, part.data());
        }
        team_.run(blocks, [&](std::size_t b) {
            const std::size_t begin = n * b / blocks, end = n * (b + 1) / blocks;
            count(plan, rows ? rows + begin : nullptr, begin, end - begin,
                  b ? parts[b - 1].data() : out);
        });
        for (auto& part : parts) {
            store_.add(plan, out, part.data());
            store_.give_back(part);
        }
    }

    std::uint32_t part(std::size_t at, const CodeSplit& split) override {
        const auto column = static_cast<std::size_t>(split.column);
        return split.with_side<Code>(table_.bins.count(column), [&](const auto& left) {
            return part_by(nodes_.at(at), table_.by_column.col(column), left);
        });
    }

    void divide(std::size_t at, std::size_t left) override {
        const Range node = nodes_.at(at);
        if (nodes_.size() < left + 2) nodes_.resize(left + 2);
        nodes_[left] = {node.begin, node.middle, node.middle};
        nodes_[left + 1] = {node.middle, node.end, node.end};
    }

    void count_codes(std::size_t at, std::size_t column,
                     std::span<std::uint32_t> counts) const override {
        if (column >= table_.bins.columns() || counts.size() != table_.bins.count(column) + 1u)
            throw std::invalid_argument("counts: one per code of the column expected");
        const Code* codes = table_.by_column.col(column);
        const Range& node = nodes_.at(at);
        for (std::uint32_t i = node.begin; i < node.end; ++i)
            ++counts[codes[static_cast<std::ptrdiff_t>(rows_[i]) * table_.by_column.row_stride]];
    }

    // Blocks of rows are summed by themselves and added in order, whoever summed them.
    std::vector<SlopeSums> leaf_sums(std::span<const std::size_t> nodes) override {
        struct Block {
            std::size_t leaf;
            std::uint32_t begin, end;
        };
        std::vector<Block> blocks;
        for (std::size_t leaf = 0; leaf < nodes.size(); ++leaf) {
            const Range& node = nodes_.at(nodes[leaf]);
            for (std::uint32_t begin = node.begin; begin < node.end; begin += kSlopeBlock)
                blocks.push_back(
                    {leaf, begin, std::min<std::uint32_t>(node.end, begin + kSlopeBlock)});
        }
        std::vector<SlopeSums> parts(blocks.size()), sums(nodes.size());
        team_.run(blocks.size(), [&](std::size_t b) {
            const Block& block = blocks[b];
            SlopeSums sum;
            for (std::uint32_t i = block.begin; i < block.end; ++i) {
                const std::uint32_t row = rows_[i];
                leaves_[row] = static_cast<std::int32_t>(block.leaf);
                if constexpr (!Cells::kCounted) {
                    sum.g += slopes_.gradient[row];
                    sum.h += slopes_.hessian.empty() ? Real{1} : slopes_.hessian[row];
                } else {  // on the grid, where the order of the rows does not matter
                    sum.g += items_[row].g;
                    sum.h += items_[row].h;
                }
            }
            parts[b] = sum;
        });
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            sums[blocks[b].leaf].g += parts[b].g;
            sums[blocks[b].leaf].h += parts[b].h;
        }
        return sums;
    }

    void finish(const Tree& tree, std::span<const std::uint32_t> last_left) override {
        if (slopes_.rows.empty()) return;
        const std::size_t n = table_.codes.rows;
        std::vector<std::uint8_t> learnt(n, 0);
        for (const std::int32_t row : slopes_.rows) learnt[static_cast<std::size_t>(row)] = 1;
        team_.run((n + kSlopeBlock - 1) / kSlopeBlock, [&](std::size_t b) {
            const std::size_t end = std::min(n, (b + 1) * kSlopeBlock);
            for (std::size_t row = b * kSlopeBlock; row < end; ++row)
                if (!learnt[row]) leaves_[row] = walk(tree, last_left, row);
        });
    }

  private:
    // The rows of a node are rows_[begin … end); those before `middle` go left.
    struct Range {
        std::uint32_t begin = 0, end = 0, middle = 0;
        std::uint32_t size() const { return end - begin; }
    };

    template <bool Constant>
    void fill_items(const Cells& cells, std::uint64_t seed, std::uint64_t first) {
        const std::size_t n = items_.size();
        const Real *gradient = slopes_.gradient.data(), *hessian = slopes_.hessian.data();
        Item* items = items_.data();
        // Captured as copies: what the loop stores may alias anything behind a reference.
        team_.run((n + kSlopeBlock - 1) / kSlopeBlock, [=](std::size_t b) {
            const std::size_t end = std::min(n, (b + 1) * kSlopeBlock);
            for (std::size_t i = b * kSlopeBlock; i < end; ++i)
                items[i] = cells.template item<Constant>(
                    gradient[i], Constant ? Real{1} : hessian[i], row_noise(seed, first + i));
        });
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

    template <class Left>
    std::uint32_t part_by(Range& node, const Code* codes, const Left& left) {
        const std::ptrdiff_t step = table_.by_column.row_stride;
        std::uint32_t *rows = rows_.data(), *spare = spare_.data();
        const std::size_t blocks = (node.size() + kPartBlock - 1) / kPartBlock;
        const auto begin_of = [&](std::size_t b) {
            return node.begin + static_cast<std::uint32_t>(b) * kPartBlock;
        };
        lefts_.resize(blocks);
        interrupt_.after(node.size());
        team_.run(blocks, [&](std::size_t b) {
            const std::uint32_t begin = begin_of(b), end = std::min(node.end, begin + kPartBlock);
            lefts_[b] =
                part_rows(codes, step, begin, end, left, Lane<std::uint32_t>{rows, spare + begin});
        });
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
        node.middle = middle;
        return middle - node.begin;
    }

    std::int32_t walk(const Tree& tree, std::span<const std::uint32_t> last_left,
                      std::size_t row) const {
        std::size_t at = 0;
        while (tree.nodes[at].left >= 0) {
            const Node& node = tree.nodes[at];
            const std::uint32_t code = table_.by_column(row, node.feature());
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

    const NewtonTable<Code> table_;
    const SlopesView<Real> slopes_;
    const std::span<std::int32_t> leaves_;
    Interrupt& interrupt_;
    Team& team_;
    const std::shared_ptr<const CellPlan> plan_;
    CellStore<Cells> store_;
    const std::span<std::uint32_t> rows_, spare_;
    const std::span<Item> items_;
    std::vector<Range> nodes_;
    std::vector<std::uint32_t> lefts_;
};

}  // namespace coterie
