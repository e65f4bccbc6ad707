// Where sums lie in a histogram of slopes, and histograms as wholes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "coterie/bins.hpp"
#include "coterie/bundle.hpp"
#include "coterie/matrix.hpp"
#include "coterie/workspace.hpp"

namespace coterie {

// Calls use(i) for every flag that is not set. Of words, most columns are of no use to most nodes.
template <class Use>
void for_each_clear(std::span<const std::uint8_t> flags, Use&& use) {
    constexpr std::size_t some = 8;
    constexpr std::uint64_t all = 0x0101010101010101;
    std::size_t i = 0;
    for (; i + some <= flags.size(); i += some) {
        std::uint64_t set;
        std::memcpy(&set, flags.data() + i, some);
        if (set == all) continue;
        for (std::size_t k = i; k < i + some; ++k)
            if (!flags[k]) use(k);
    }
    for (; i < flags.size(); ++i)
        if (!flags[i]) use(i);
}

// Where the bins of the columns of a tree lie in its histograms.
struct CellPlan {
    static constexpr std::uint32_t kRoom = 256;  // cells per column of an even plan

    // A column of the tree: its cells begin at `begin`, in the order of its codes unless it is
    // bundled, when that of its usual code is left out (see bundle.hpp).
    struct Place {
        std::int32_t column;
        std::uint32_t begin;
        std::int32_t usual;  // -1: not bundled
        std::uint32_t home;  // which of the columns that are counted
    };

    std::vector<Place> places;
    std::vector<std::int32_t> columns;  // of the table that is counted
    std::vector<std::uint32_t> starts;  // first cell of each of them
    std::vector<std::uint32_t> sizes;   // cells of each of them
    std::size_t cells = 0;
    std::size_t sum_from = 0, sum_to = 0;  // cells whose sum is that of the node
    // From here on a cell for every column of the table says in how many rows it is unusual, where
    // only unusual codes are counted and cells do not count rows; otherwise 0.
    std::size_t rows_from = 0;
    bool even = false;    // every column of a table of 8-bit codes, in order, with kRoom cells each
    bool sparse = false;  // of a table of which only unusual codes are counted

    template <class Code>
    static CellPlan of(const BinsView& bins, const BundlesView& bundles,
                       std::span<const std::int32_t> columns, const Matrix<const Code>& table,
                       std::size_t rows) {
        CellPlan plan;
        std::vector<std::uint32_t> sizes(table.cols, 0);
        const auto home_of = [&](std::int32_t j) {
            return bundles.empty() ? j : bundles.home[static_cast<std::size_t>(j)];
        };
        for (const std::int32_t j : columns) {
            const auto home = static_cast<std::size_t>(home_of(j));
            sizes[home] = bundles.empty() ? bins.count(static_cast<std::size_t>(j)) + 1
                                          : static_cast<std::uint32_t>(bundles.sizes[home]);
        }
        std::size_t wanted = 0, used = 0;
        for (const std::uint32_t size : sizes) {
            wanted += size;
            used += size > 0;
        }
        // Even plans count faster, but clearing and scanning what they waste costs more than that
        // unless there are many rows.
        plan.even = sizeof(Code) == 1 && used == table.cols && table.col_stride == 1 &&
                    rows * used >= 80 * (used * kRoom - wanted);
        std::vector<std::uint32_t> start_of(table.cols, 0), place_of(table.cols, 0);
        for (std::size_t home = 0; home < table.cols; ++home) {
            if (!sizes[home]) continue;
            if (plan.columns.empty()) plan.sum_to = sizes[home];
            start_of[home] = static_cast<std::uint32_t>(plan.cells);
            place_of[home] = static_cast<std::uint32_t>(plan.columns.size());
            plan.columns.push_back(static_cast<std::int32_t>(home));
            plan.starts.push_back(start_of[home]);
            plan.sizes.push_back(sizes[home]);
            plan.cells += plan.even ? kRoom : sizes[home];
        }
        for (const std::int32_t j : columns) {
            const auto at = static_cast<std::size_t>(j);
            const auto home = static_cast<std::size_t>(home_of(j));
            const std::uint32_t start = start_of[home];
            const bool shared = !bundles.empty() && bundles.first[at] > 0;
            plan.places.push_back(
                {j, start + (shared ? static_cast<std::uint32_t>(bundles.first[at]) : 0),
                 shared ? bundles.usual[at] : -1, place_of[home]});
        }
        return plan;
    }

    // Of joint columns.
    static CellPlan of(std::size_t columns) {
        CellPlan plan;
        for (std::size_t k = 0; k < columns; ++k) {
            plan.columns.push_back(static_cast<std::int32_t>(k));
            plan.starts.push_back(static_cast<std::uint32_t>(k) * kRoom);
            plan.sizes.push_back(kRoom);
        }
        plan.cells = columns * kRoom;
        plan.even = true;
        return plan;
    }

    // The same without the columns that no place of a node needs; `barren` has a flag per place.
    // The first one stays, for the sum of the node.
    void narrow(const CellPlan& whole, std::span<const std::uint8_t> barren) {
        needless_.assign(whole.columns.size(), 1);
        if (!needless_.empty()) needless_[0] = 0;
        for_each_clear(barren, [&](std::size_t s) { needless_[whole.places[s].home] = 0; });
        columns.clear();
        starts.clear();
        sizes.clear();
        for_each_clear(needless_, [&](std::size_t k) {
            columns.push_back(whole.columns[k]);
            starts.push_back(whole.starts[k]);
            sizes.push_back(whole.sizes[k]);
        });
    }

    // Of a table of which only unusual codes are counted; a cell more holds the sum of all rows.
    static CellPlan of(const BinsView& bins, const Unusual& unusual,
                       std::span<const std::int32_t> columns, bool counts_rows) {
        CellPlan plan;
        for (const std::int32_t j : columns) {
            const auto at = static_cast<std::size_t>(j);
            const auto begin = static_cast<std::uint32_t>(bins.offsets[at]);
            plan.places.push_back(
                {j, begin, unusual.usual[at], static_cast<std::uint32_t>(plan.columns.size())});
            plan.columns.push_back(j);
            plan.starts.push_back(begin);
            plan.sizes.push_back(bins.count(at));
        }
        plan.sum_from = bins.upper.size();
        plan.cells = plan.sum_to = plan.sum_from + 1;
        if (counts_rows) {
            plan.rows_from = plan.cells;
            plan.cells += bins.columns();
        }
        plan.sparse = true;
        return plan;
    }

  private:
    std::vector<std::uint8_t> needless_;
};

// Histograms that come and go with the nodes of a tree. Each has room for all columns; where a node
// has no use for many of them, the cells of the others hold anything.
template <class Cells>
class CellStore {
  public:
    using Cell = typename Cells::Cell;

    CellStore(const CellPlan& whole, Workspace& workspace) : whole_(whole), workspace_(workspace) {}

    const CellPlan& whole() const { return whole_; }
    std::size_t bytes() const { return whole_.cells * sizeof(Cell); }
    static Cell* cells_of(std::byte* bytes) { return reinterpret_cast<Cell*>(bytes); }
    static const Cell* cells_of(const std::byte* bytes) {
        return reinterpret_cast<const Cell*>(bytes);
    }

    Workspace::Buffer take() { return workspace_.take_used(bytes()); }
    void give_back(Workspace::Buffer& buffer) { workspace_.give_back(std::move(buffer)); }

    // The columns worth counting in a part of a node: all of them, unless many are barren. Good
    // until it is asked for others.
    const CellPlan& plan(std::span<const std::uint8_t> barren) {
        const auto fertile =
            static_cast<std::size_t>(std::count(barren.begin(), barren.end(), std::uint8_t{0}));
        const std::size_t places = whole_.places.size();
        if (fertile > (whole_.even ? places / 2 : places * 3 / 4)) return whole_;
        narrow_.narrow(whole_, barren);
        return narrow_;
    }

    void clear(const CellPlan& plan, std::byte* histogram) const {
        if (&plan == &whole_ || whole_.sparse) {
            if (bytes()) std::memset(histogram, 0, bytes());
            return;
        }
        for (std::size_t k = 0; k < plan.columns.size(); ++k)
            std::fill_n(cells_of(histogram) + plan.starts[k], plan.sizes[k], Cell{});
    }
    void add(const CellPlan& plan, std::byte* into, std::byte* other) const {
        combine(plan, cells_of(into), cells_of(other), Cells::add);
    }
    void subtract(const CellPlan& plan, std::byte* from, std::byte* other) const {
        combine(plan, cells_of(from), cells_of(other), Cells::subtract);
    }

  private:
    template <class Change>
    void combine(const CellPlan& plan, Cell* into, const Cell* other, Change&& change) const {
        const auto range = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) change(into[i], other[i]);
        };
        if (&plan == &whole_) {
            range(0, plan.cells);
            return;
        }
        for (std::size_t k = 0; k < plan.columns.size(); ++k) {
            range(plan.starts[k], plan.starts[k] + plan.sizes[k]);
            if (!whole_.rows_from) continue;
            const std::size_t rows = whole_.rows_from + static_cast<std::size_t>(plan.columns[k]);
            range(rows, rows + 1);
        }
        if (whole_.sparse) range(whole_.sum_from, whole_.sum_to);
    }

    const CellPlan& whole_;
    CellPlan narrow_;  // the part of it that a node needs
    Workspace& workspace_;
};

}  // namespace coterie
