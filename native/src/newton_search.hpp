// The best split of a node, or of all nodes of a level, from their histograms.
#pragma once

#include <memory>
#include <numeric>

#include "cell_plan.hpp"
#include "coterie/random.hpp"
#include "many_columns.hpp"
#include "newton_level.hpp"
#include "newton_split.hpp"
#include "permit.hpp"

namespace coterie {

inline constexpr std::size_t kWorthScan = 7'500;  // cells to scan before threads pay
inline constexpr std::size_t kWorthNode = 1'000;  // cells of one of several nodes
inline constexpr std::size_t kFewBins = 32;       // per column, for columns to be offered together

// A node while the tree grows.
template <class Cell>
struct Grown {
    std::uint32_t rows = 0;
    std::int64_t depth = 0;
    std::int32_t left = -1;  // the right child is the next one; -1: a leaf
    bool sure = false;       // the split is known to leave enough rows on both sides
    NewtonNode node;
    CodeSplit split;
    Cell total{};
    Workspace::Buffer cells;
    std::shared_ptr<const Permit> permit;
    std::vector<std::uint8_t> barren;  // places of the plan no split of which leaves enough rows
};

template <class Cells>
class NewtonSearch {
  public:
    using Cell = typename Cells::Cell;
    using Store = CellStore<Cells>;
    using CountCodes = Decider::CountCodes;

    NewtonSearch(const SlopeScale& scale, const BinsView& bins, const CellPlan& plan,
                 const NewtonGrowth& growth, std::uint64_t seed, const Tools& tools)
        : cells_(scale), bins_(bins), plan_(plan), growth_(growth), seed_(seed), team_(tools.team),
          interrupt_(tools.interrupt) {
        std::uint32_t most_bins = 0;
        std::size_t all_bins = 0;
        for (const std::int32_t column : growth.columns) {
            const std::uint32_t count = bins.count(static_cast<std::size_t>(column));
            most_bins = std::max(most_bins, count);
            all_bins += count;
        }
        for (std::size_t t = 0; t < team_.size(); ++t)
            scanners_.emplace_back(cells_, growth, scale.constant, most_bins);
        many_.resize(team_.size());
        together_ = !Cells::kCounted && scanners_[0].plain() &&
                    (plan.sparse || all_bins <= kFewBins * growth.columns.size());
    }

    const NewtonLeaf& leaf() const { return scanners_[0].leaf(); }

    // The sums of a node, from its histogram.
    void total(Grown<Cell>& node) const {
        Cell sum{};
        const Cell* cells = Store::cells_of(node.cells.data());
        for (std::size_t i = plan_.sum_from; i < plan_.sum_to; ++i) Cells::add(sum, cells[i]);
        node.total = sum;
        node.node.sums = cells_.sums(sum);
        node.node.sums.n = node.rows;
    }

    // Sets the sums and the best splits of some nodes.
    void best_of(std::vector<Grown<Cell>>& nodes, std::span<const std::size_t> fresh) {
        const auto look = [&](std::size_t at) {
            total(nodes[at]);
            best(nodes[at], at, nullptr);
        };
        // Few columns are not worth dividing; two children are, between threads that are awake.
        if (plan_.cells < kWorthNode || divided() || fresh.size() > scanners_.size()) {
            for (const std::size_t at : fresh) look(at);
            return;
        }
        team_.run(fresh.size(), [&](std::size_t k) {
            Grown<Cell>& node = nodes[fresh[k]];
            total(node);
            weigh(node);
            const std::vector<std::uint32_t> slots = fertile(node, fresh[k]);
            node.split = {};
            offer_all(node, slots, scanners_[k], node.split);
        });
    }

    // Sets the best split of a node. With `count_codes`, rows of packed cells are counted where a
    // column would win, so that it leaves enough of them on both sides.
    void best(Grown<Cell>& node, std::size_t at, const CountCodes* count_codes) {
        weigh(node);
        const std::vector<std::uint32_t> slots = fertile(node, at);
        const std::size_t parts = divided() ? team_.size() : 1;
        std::vector<CodeSplit> best(parts);
        if (count_codes) interrupt_.after(node.rows * plan_.places.size());
        team_.run(parts, [&](std::size_t t) {
            const std::size_t begin = slots.size() * t / parts;
            const auto own =
                std::span(slots).subspan(begin, slots.size() * (t + 1) / parts - begin);
            if (count_codes)
                return offer_counted(node, at, own, scanners_[t], *count_codes, best[t]);
            offer_all(node, own, scanners_[t], best[t]);
        });
        const NewtonNode& facts = node.node;
        node.split = {};
        for (CodeSplit& split : best)
            if (split.found() &&
                (!node.split.found() ||
                 split.gain > node.split.gain + facts.tie + 1e-12 * std::abs(node.split.gain)))
                node.split = std::move(split);
    }

    // The split that gains most in all nodes of a level together.
    CodeSplit best_of_level(std::vector<Grown<Cell>>& nodes, const std::vector<std::size_t>& level,
                            const CountCodes& count_codes) {
        std::vector<const NewtonNode*> facts;
        double tie = 0.0;
        for (const std::size_t at : level) {
            NewtonNode& node = nodes[at].node;
            node.score = leaf().score(node.sums, leaf().value(node.sums, node.bounds));
            tie += 1e-12 * std::abs(node.score);
            facts.push_back(&node);
        }
        const std::vector<std::uint32_t> slots = drawn(level[0], nodes[level[0]].depth);
        const std::size_t parts =
            plan_.cells * level.size() >= kWorthScan ? std::min(team_.size(), slots.size()) : 1;
        std::vector<CodeSplit> best(parts);
        interrupt_.after(plan_.cells * level.size());
        team_.run(parts, [&](std::size_t t) {
            std::vector<std::uint32_t> counts;
            for (std::size_t s = slots.size() * t / parts; s < slots.size() * (t + 1) / parts; ++s)
                offer_to_level(nodes, level, facts, plan_.places[slots[s]], scanners_[t],
                               count_codes, counts, tie, best[t]);
        });
        CodeSplit found;
        for (CodeSplit& split : best)
            if (split.found() && (!found.found() || split.gain > found.gain + tie))
                found = std::move(split);
        return found;
    }

    // Whether the split of a level suits a node of it, by its sums; makes it the node's own.
    bool suits(Grown<Cell>& node, const CodeSplit& rule) {
        const auto place =
            std::find_if(plan_.places.begin(), plan_.places.end(),
                         [&](const CellPlan::Place& p) { return p.column == rule.column; });
        return scanners_[0].suits(rule, bins_.count(static_cast<std::size_t>(rule.column)),
                                  column_cells(node, *place, scanners_[0]), node.node, node.split);
    }

  private:
    // Whether the columns of a node are divided between the threads.
    bool divided() const { return plan_.cells >= kWorthScan; }

    void weigh(Grown<Cell>& node) const {
        NewtonNode& facts = node.node;
        facts.score = leaf().score(facts.sums, leaf().value(facts.sums, facts.bounds));
        facts.tie = 1e-12 * std::abs(facts.score);
    }

    // Offers columns to a node without counting its rows.
    void offer_all(Grown<Cell>& node, std::span<const std::uint32_t> slots,
                   NewtonScanner<Cells>& scanner, CodeSplit& best) {
        if (together_) return offer_together(node, slots, scanner, best);
        for (const std::uint32_t slot : slots) offer(node, slot, scanner, nullptr, best);
    }

    // The cells of a column in the order of its codes; good until the scanner is asked for others.
    const Cell* column_cells(Grown<Cell>& node, const CellPlan::Place& place,
                             NewtonScanner<Cells>& scanner) const {
        const Cell* cells = Store::cells_of(node.cells.data()) + place.begin;
        if (place.usual < 0) return cells;
        return scanner.unbundle(cells, bins_.count(static_cast<std::size_t>(place.column)),
                                place.usual, node.total);
    }

    // Whether a column is unusual in fewer rows of a node than a side must have: a split of it
    // leaves no more on the side without the usual code.
    bool too_few(const Grown<Cell>& node, std::size_t column) const {
        if constexpr (!Cells::kCounted)
            if (plan_.rows_from)
                return Store::cells_of(node.cells.data())[plan_.rows_from + column] <
                       std::max<std::int64_t>(growth_.min_samples_leaf, 1);
        return false;
    }

    // Offers one column to a node; `counts`, if given, are the rows of its bins.
    void offer(Grown<Cell>& node, std::uint32_t slot, NewtonScanner<Cells>& scanner,
               const std::uint32_t* counts, CodeSplit& best) {
        const CellPlan::Place& place = plan_.places[slot];
        const auto column = static_cast<std::size_t>(place.column);
        const std::uint32_t bins = bins_.count(column);
        if (!bins || node.barren[slot]) return;
        if (node.permit && !node.permit->allowed[column]) return;
        if (too_few(node, column)) {
            node.barren[slot] = 1;
            return;
        }
        node.barren[slot] =
            !scanner.offer(place.column, bins_.categorical[column] != 0, bins,
                           column_cells(node, place, scanner), counts, node.node, best);
    }

    // Offers columns whose rows are counted where they could win: a column gains no more with the
    // condition than without it, so those that promise most are counted first.
    void offer_counted(Grown<Cell>& node, std::size_t at, std::span<const std::uint32_t> slots,
                       NewtonScanner<Cells>& scanner, const CountCodes& count_codes,
                       CodeSplit& best) {
        struct Hope {
            std::size_t place;  // among the slots
            double gain;
        };
        std::vector<Hope> hopes;
        for (std::size_t s = 0; s < slots.size(); ++s) {
            CodeSplit hope;
            offer(node, slots[s], scanner, nullptr, hope);
            if (hope.found()) hopes.push_back({s, hope.gain});
        }
        std::stable_sort(hopes.begin(), hopes.end(),
                         [](const Hope& a, const Hope& b) { return a.gain > b.gain; });
        std::vector<CodeSplit> found(slots.size());
        std::vector<std::uint32_t> counts;
        double most = -std::numeric_limits<double>::infinity();
        for (const Hope& hope : hopes) {
            // Those that may tie with the winner stay in the race.
            if (hope.gain < most - 4.0 * scanner.slack(most, node.node)) break;
            const std::uint32_t slot = slots[hope.place];
            const auto column = static_cast<std::size_t>(plan_.places[slot].column);
            counts.assign(bins_.count(column) + 1, 0);
            count_codes(at, column, counts);
            offer(node, slot, scanner, counts.data(), found[hope.place]);
            most = std::max(most, found[hope.place].gain);
        }
        for (CodeSplit& split : found)
            if (scanner.better(split.gain, node.node, best)) best = std::move(split);
    }

    // Offers columns whose gains are computed together.
    void offer_together(Grown<Cell>& node, std::span<const std::uint32_t> slots,
                        NewtonScanner<Cells>& scanner, CodeSplit& best) {
        if constexpr (!Cells::kCounted) {
            ManyColumns& many = many_[static_cast<std::size_t>(&scanner - scanners_.data())];
            const auto alone = [&](std::uint32_t slot) {
                offer(node, slot, scanner, nullptr, best);
            };
            const Cell* cells = Store::cells_of(node.cells.data());
            for (const std::uint32_t slot : slots) {
                const CellPlan::Place& place = plan_.places[slot];
                const auto column = static_cast<std::size_t>(place.column);
                const std::uint32_t bins = bins_.count(column);
                if (!bins || node.barren[slot]) continue;
                if (node.permit && !node.permit->allowed[column]) continue;
                const Cell* own = cells + place.begin;
                if (too_few(node, column)) {
                    node.barren[slot] = 1;
                } else if (bins_.categorical[column] ||
                           !(place.usual < 0
                                 ? many.add(slot, own, bins)
                                 : many.add(slot, own, bins, place.usual, node.total))) {
                    settle(many, node, scanner, best);
                    alone(slot);
                }
                if (many.full()) settle(many, node, scanner, best);
            }
            settle(many, node, scanner, best);
        }
    }

    // Only the column that wins is looked at by itself.
    void settle(ManyColumns& many, Grown<Cell>& node, NewtonScanner<Cells>& scanner,
                CodeSplit& best) {
        many.weigh(scanner, node.node);
        CodeSplit ahead;
        ahead.column = best.column;
        ahead.gain = best.gain;
        std::size_t winner = many.size();
        for (std::size_t k = 0; k < many.size(); ++k) {
            const std::span<const double> gains = many.gains(k);
            const double most = greatest(gains);
            node.barren[many.slot(k)] = !(most > -std::numeric_limits<double>::infinity());
            if (!scanner.better(most, node.node, ahead)) continue;
            winner = k;
            ahead.column = plan_.places[many.slot(k)].column;
            ahead.gain = gains[scanner.first_of(gains, most, node.node)];
        }
        if (winner < many.size()) offer(node, many.slot(winner), scanner, nullptr, best);
        many.clear();
    }

    void offer_to_level(std::vector<Grown<Cell>>& nodes, const std::vector<std::size_t>& level,
                        const std::vector<const NewtonNode*>& facts, const CellPlan::Place& place,
                        NewtonScanner<Cells>& scanner, const CountCodes& count_codes,
                        std::vector<std::uint32_t>& counts, double tie, CodeSplit& best) const {
        const auto column = static_cast<std::size_t>(place.column);
        const std::uint32_t bins = bins_.count(column);
        const auto forbidden = [&](std::size_t at) {
            return nodes[at].permit && !nodes[at].permit->allowed[column];
        };
        if (!bins || std::any_of(level.begin(), level.end(), forbidden)) return;
        const auto cells = [&](std::size_t k) {
            return column_cells(nodes[level[k]], place, scanner);
        };
        const auto try_with = [&](const std::uint32_t* rows, CodeSplit& split) {
            scanner.offer_to_all(place.column, bins_.categorical[column] != 0, bins, facts, cells,
                                 rows, tie, split);
        };
        if (scanner.knows_rows()) {
            try_with(nullptr, best);
            return;
        }
        // A column that does not win without the limit does not win with it.
        CodeSplit hope = best;
        try_with(nullptr, hope);
        if (hope.column != place.column) return;
        const std::size_t size = bins + 1;
        counts.assign(level.size() * size, 0);
        for (std::size_t k = 0; k < level.size(); ++k)
            count_codes(level[k], column, std::span(counts).subspan(k * size, size));
        try_with(counts.data(), best);
    }

    // The columns a node looks at that are not barren, as positions in the plan, ascending.
    std::vector<std::uint32_t> fertile(const Grown<Cell>& node, std::size_t at) const {
        std::vector<std::uint32_t> slots;
        if (growth_.level_features || growth_.max_features) {
            slots = drawn(at, node.depth);
            std::erase_if(slots, [&](std::uint32_t slot) { return node.barren[slot] != 0; });
        } else {
            for_each_clear(node.barren, [&](std::size_t slot) {
                slots.push_back(static_cast<std::uint32_t>(slot));
            });
        }
        return slots;
    }

    // The columns a node looks at, as positions in the plan, ascending.
    std::vector<std::uint32_t> drawn(std::size_t at, std::int64_t depth) const {
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
        draw(growth_.level_features, 2 * static_cast<std::uint64_t>(depth) + 1);
        draw(growth_.max_features, 2 * at + 2);
        return slots;
    }

    const Cells cells_;
    const BinsView& bins_;
    const CellPlan& plan_;
    const NewtonGrowth& growth_;
    const std::uint64_t seed_;
    Team& team_;
    Interrupt& interrupt_;
    std::vector<NewtonScanner<Cells>> scanners_;  // one per thread
    std::vector<ManyColumns> many_;               // likewise
    bool together_ = false;                       // whether gains of many columns are computed so
};

}  // namespace coterie
