// The decider of a tree on slopes: a list of nodes, those that wait for their turn, and what
// constraints make of them. It sees sums and never a row.
#pragma once

#include "newton_search.hpp"
#include "newton_write.hpp"

namespace coterie {

// Best first or by levels, the leaves wait in a heap, and one at a time is split. A symmetric tree
// splits all nodes of a level alike (oblivious trees: Kohavi 1994, Prokhorenkova et al. 2018):
// where the split that gains most in all of them together would leave too little on a side, a node
// gains nothing by it and stays whole; it goes on to the next level as it is.
template <class Cells>
class NewtonDecider final : public Decider {
  public:
    using Cell = typename Cells::Cell;

    NewtonDecider(const BinsView& bins, const NewtonGrowth& growth, std::uint64_t seed,
                  const SlopeScale& scale, std::shared_ptr<const CellPlan> plan, const Tools& tools)
        : bins_(bins), growth_(growth), plan_(std::move(plan)), store_(*plan_, tools.workspace),
          search_(scale, bins_, *plan_, growth_, seed, tools) {
        Grown<Cell> root;
        root.rows = static_cast<std::uint32_t>(scale.rows);
        if (growth_.interactions.data)
            root.permit = Permit::narrow(growth_.interactions, nullptr, -1);
        root.barren.assign(plan_->places.size(), 0);
        nodes_.push_back(std::move(root));
        if (may_split(nodes_[0])) to_count_.push_back(0);
        fresh_.push_back(0);
    }
    NewtonDecider(const NewtonDecider&) = delete;  // parts of it refer to each other

    std::span<const std::size_t> to_part() const override { return to_part_; }
    const CodeSplit& split(std::size_t at) const override { return nodes_.at(at).split; }

    std::size_t parted(std::size_t at, std::uint32_t left_rows) override {
        if (!enough_rows(nodes_.at(at), left_rows)) {
            refused_.push_back(at);
            return 0;
        }
        const std::size_t first = nodes_.size();
        ++leaf_count_;
        make_children(at, left_rows);
        Grown<Cell>& parent = nodes_[at];
        const bool left_is_small = nodes_[first].rows <= nodes_[first + 1].rows;
        const std::size_t small = first + !left_is_small, large = first + left_is_small;
        if (!last() && may_split(nodes_[large])) {
            to_count_.push_back(small);
            nodes_[large].cells = std::move(parent.cells);
        }
        store_.give_back(parent.cells);
        if (!growth_.symmetric && !last()) fresh_.insert(fresh_.end(), {first, first + 1});
        return first;
    }

    std::span<const std::size_t> to_count() const override { return to_count_; }
    std::span<const std::uint8_t> barren(std::size_t at) const override {
        return nodes_.at(at).barren;
    }
    std::span<std::byte> cells(std::size_t at) override {
        if (nodes_.at(at).cells.empty()) nodes_[at].cells = store_.take();
        return nodes_[at].cells;
    }
    double left_share(std::size_t at) const override { return left_share(nodes_.at(at)); }
    void counted_sibling(std::size_t at) override { exchanged_.push_back(at); }

    void decide(const CountCodes& count_codes) override {
        to_part_.clear();
        for (const std::size_t at : to_count_)
            if (at) subtract_from_sibling(at);
        for (const std::size_t at : exchanged_)
            std::swap(nodes_[at].cells, nodes_[sibling(at)].cells);
        to_count_.clear();
        exchanged_.clear();
        if (growth_.symmetric) {
            decide_level(count_codes);
        } else {
            decide_leaf(count_codes);
        }
        refused_.clear();
        fresh_.clear();
    }

    std::span<const std::size_t> leaves() override {
        for (Grown<Cell>& node : nodes_) store_.give_back(node.cells);
        if (growth_.level_wise && !growth_.symmetric && growth_.min_gain > 0.0) prune();
        if (draft_.order.empty()) draft_ = draft_tree(nodes_);
        return draft_.leaves;
    }
    Tree write(std::span<const SlopeSums> leaf_sums) override {
        Tree& tree = draft_.tree;
        write_facts(tree, nodes_, draft_, search_.leaf(), leaf_sums);
        for (std::size_t i = 0; i < draft_.order.size(); ++i)
            if (tree.nodes[i].left >= 0)
                write_split(tree, i, nodes_[draft_.order[i]].split, bins_, growth_.in_middle);
        return std::move(tree);
    }
    std::vector<std::uint32_t> last_left() const override {
        std::vector<std::uint32_t> last;
        for (const std::size_t at : draft_.order) last.push_back(nodes_[at].split.last_left);
        return last;
    }

  private:
    bool may_split(const Grown<Cell>& node) const {
        return node.depth < growth_.max_depth &&
               node.rows >= std::max(growth_.min_samples_split, 2 * growth_.min_samples_leaf) &&
               !plan_->columns.empty();
    }

    // Packed cells do not count rows; the split that wins without that condition wins with it if
    // it happens to hold, which almost all do.
    bool enough_rows(const Grown<Cell>& node, std::uint32_t left_rows) const {
        const auto least = static_cast<std::uint32_t>(growth_.min_samples_leaf);
        return node.sure || (left_rows >= least && node.rows - left_rows >= least);
    }

    // Whether the children of what is split now are leaves for sure.
    bool last() const {
        return growth_.symmetric ? level_depth_ >= growth_.max_depth
                                 : leaf_count_ >= growth_.max_leaf_nodes;
    }

    void make_children(std::size_t at, std::uint32_t left_rows) {
        Grown<Cell> left, right;
        Grown<Cell>& parent = nodes_[at];
        const auto column = static_cast<std::size_t>(parent.split.column);
        left.rows = left_rows;
        right.rows = parent.rows - left_rows;
        left.depth = right.depth = parent.depth + 1;
        left.barren = right.barren = parent.barren;
        if (parent.permit)
            left.permit = right.permit =
                Permit::narrow(growth_.interactions, parent.permit.get(), parent.split.column);
        const int direction = growth_.monotone.empty() ? 0 : growth_.monotone[column];
        std::tie(left.node.bounds, right.node.bounds) =
            parent.node.bounds.divide(direction, parent.split);
        parent.left = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back(std::move(left));
        nodes_.push_back(std::move(right));
    }

    // Children come in pairs after the root.
    static std::size_t sibling(std::size_t at) { return at % 2 ? at + 1 : at - 1; }

    // The larger child has what its parent had and the smaller one has not.
    void subtract_from_sibling(std::size_t at) {
        store_.subtract(store_.plan(nodes_[at].barren), nodes_[sibling(at)].cells.data(),
                        nodes_[at].cells.data());
    }

    // Best first, or by levels -------------------------------------------------------------------

    void decide_leaf(const CountCodes& count_codes) {
        for (const std::size_t at : refused_) {
            search_.best(nodes_[at], at, &count_codes);
            nodes_[at].sure = true;
            enqueue(at);
        }
        std::erase_if(fresh_, [&](std::size_t at) {
            if (may_split(nodes_[at])) return false;
            store_.give_back(nodes_[at].cells);
            return true;
        });
        search_.best_of(nodes_, fresh_);
        for (const std::size_t at : fresh_) enqueue(at);
        while (!waiting_.empty() && leaf_count_ < growth_.max_leaf_nodes) {
            std::pop_heap(waiting_.begin(), waiting_.end(), later());
            const std::size_t at = waiting_.back();
            waiting_.pop_back();
            if (nodes_[at].sure || !doubtful(nodes_[at])) {
                to_part_.push_back(at);
                return;
            }
            // To look first costs less than to part rows in vain.
            search_.best(nodes_[at], at, &count_codes);
            nodes_[at].sure = true;
            enqueue(at);
        }
    }

    double left_share(const Grown<Cell>& node) const {
        return node.node.sums.h > 0.0 ? node.split.left_weight / node.node.sums.h : 0.5;
    }

    // Whether a side seems to have too few rows, going by its weight.
    bool doubtful(const Grown<Cell>& node) const {
        if (Cells::kCounted || growth_.min_samples_leaf < 2 || !(node.node.sums.h > 0.0))
            return false;
        const double left = left_share(node), rows = node.rows;
        return rows * std::min(left, 1.0 - left) < static_cast<double>(growth_.min_samples_leaf);
    }

    // Lets a node wait for its turn if its split gains enough.
    void enqueue(std::size_t at) {
        Grown<Cell>& node = nodes_[at];
        const double least = growth_.level_wise ? 0.0 : growth_.min_gain;
        if (!node.split.found() || !(node.split.gain > least)) {
            node.split = {};
            store_.give_back(node.cells);
            return;
        }
        waiting_.push_back(at);
        std::push_heap(waiting_.begin(), waiting_.end(), later());
    }

    // Equal gains in the order of birth.
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

    // Takes back splits that gain too little, from below: children come after their parents.
    void prune() {
        for (std::size_t at = nodes_.size(); at-- > 0;) {
            Grown<Cell>& node = nodes_[at];
            if (node.left < 0) continue;
            const auto left = static_cast<std::size_t>(node.left);
            const bool bare = nodes_[left].left < 0 && nodes_[left + 1].left < 0;
            if (bare && !(node.split.gain > growth_.min_gain)) node.left = -1;
        }
    }

    // Symmetric trees ----------------------------------------------------------------------------

    void decide_level(const CountCodes& count_codes) {
        if (!next_level()) return;
        ++level_depth_;
        if (leaf_count_ + static_cast<std::int64_t>(level_.size()) > growth_.max_leaf_nodes) return;
        for (const std::size_t at : level_) search_.total(nodes_[at]);
        const CodeSplit rule = search_.best_of_level(nodes_, level_, count_codes);
        if (!rule.found() || !(rule.gain > growth_.min_gain)) return;
        for (const std::size_t at : level_)
            if (search_.suits(nodes_[at], rule)) to_part_.push_back(at);
    }

    // The nodes that may be split now that the last level is carried out; false if it was the last.
    bool next_level() {
        for (const std::size_t at : refused_) nodes_[at].split = {};
        if (level_depth_ == 0) {
            if (may_split(nodes_[0])) level_.push_back(0);
            return !level_.empty();
        }
        std::vector<std::size_t> next;
        bool divided = false;
        for (const std::size_t at : level_) {
            if (nodes_[at].left < 0) {
                next.push_back(at);
                continue;
            }
            divided = true;
            const auto left = static_cast<std::size_t>(nodes_[at].left);
            for (const std::size_t child : {left, left + 1}) {
                if (!last() && may_split(nodes_[child])) {
                    next.push_back(child);
                } else {
                    store_.give_back(nodes_[child].cells);
                }
            }
        }
        level_ = std::move(next);
        return divided && !last() && !level_.empty();
    }

    const BinsView bins_;
    const NewtonGrowth growth_;
    const std::shared_ptr<const CellPlan> plan_;
    CellStore<Cells> store_;
    NewtonSearch<Cells> search_;
    std::vector<Grown<Cell>> nodes_;
    std::vector<std::size_t> to_part_, to_count_;
    std::vector<std::size_t> exchanged_;        // of to_count_, those with their sibling's cells
    std::vector<std::size_t> refused_, fresh_;  // since the last decision
    std::vector<std::size_t> waiting_;          // a heap
    std::vector<std::size_t> level_;            // of a symmetric tree
    std::int64_t level_depth_ = 0;
    std::int64_t leaf_count_ = 1;
    TreeDraft draft_;
};

}  // namespace coterie
