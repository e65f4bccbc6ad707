// The tree grower, a template over the width of a code and the kind of target.
//
// Life of a tree: 1. rows of positive weight become items on the exact grid;
// 2. a node sums its items; 3. unless a limit makes it a leaf, columns are drawn,
// counted and scanned; 4. the best split parts the items in place; 5. the children
// wait on a stack (depth first) or a heap (best first); 6. a leaf writes its value.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <queue>

#include "coterie/absolute.hpp"
#include "coterie/grow.hpp"
#include "coterie/histogram.hpp"
#include "coterie/random.hpp"
#include "coterie/split.hpp"
#include "coterie/team.hpp"
#include "frame.hpp"
#include "permit.hpp"
#include "whole_search.hpp"

namespace coterie {

template <class Code>
struct Pending {
    std::int32_t node = 0;
    std::uint32_t begin = 0, end = 0;
    std::int64_t depth = 0;
    std::uint32_t constants = 0;         // as many columns of the frame do not vary here
    std::shared_ptr<Frame<Code>> frame;  // whose rows are meant
    Bounds bounds;
    std::unique_ptr<WholeHistogram> whole;
    std::shared_ptr<const Permit> permit;

    std::uint32_t size() const { return end - begin; }
};

// A numeric boundary: codes up to last_left, values up to threshold.
struct Cut {
    std::uint32_t last_left;
    double threshold;
};

template <class Code>
struct Candidate {
    Pending<Code> pending;
    Split split;
    std::uint64_t born;  // equal gains are served in the order of birth
};

// Items, targets and their sums, prepared once per tree.
struct Prepared {
    std::vector<std::uint32_t> rows;
    std::vector<Item> items;
    std::vector<double> products;  // ValuesKind: (rows, outputs), weight * (y - centre)
    std::vector<double> centre;    // subtracted from values before summing
    double tolerance = 0.0;        // values closer than this are one value
};

template <class Code, class Kind>
class Grower {
  public:
    Grower(const Matrix<const Code>& codes, const BinsView& bins, const TargetView& target,
           std::span<const double> weight, const Growth& growth, const Kind& kind,
           const Channels& channels, Prepared prepared, std::uint64_t seed, int n_threads,
           std::span<std::int32_t> leaves, Interrupt& interrupt);

    Tree run();

  private:
    using Pending = coterie::Pending<Code>;
    using Candidate = coterie::Candidate<Code>;

    // Deciding
    bool decide(Pending& pending, Split& split);
    void sum_items(const Pending& pending);
    bool may_split(const Pending& pending) const;
    void find_split(Pending& pending, Split& split);
    void search_direct(Pending& pending, const NodeSums& node, Split& split);
    void search_whole(const Pending& pending, const NodeSums& node, Split& split);
    bool varies(const RowSet<Code>& set, std::int32_t column) const;
    std::size_t choose_columns(Pending& pending, std::size_t& at, std::size_t wanted);
    void offer_counted(std::size_t slot, const Pending& pending, const NodeSums& node,
                       Split& split);
    void gather_codes(const RowSet<Code>& set, std::span<const std::int32_t> columns);
    void offer_drawn(const RowSet<Code>& set, std::size_t slot, const Pending& pending,
                     const NodeSums& node, Split& split);
    void sum_sides(const RowSet<Code>& set, std::span<const Code> codes, std::uint32_t last_left,
                   std::uint32_t missing_code, bool missing);
    Cut draw_cut(std::size_t column, std::uint32_t least, std::uint32_t most);
    void offer(const ColumnView& column, const Pending& pending, const NodeSums& node, Split& split,
               const Cut* cut = nullptr);
    void note_codes(const Pending& pending, std::int32_t column, const Cut* cut);
    bool permitted(const Pending& pending, std::int32_t column) const {
        return !pending.permit || pending.permit->allowed[static_cast<std::size_t>(column)];
    }
    double score_of(const double* sums, double l2) const;

    Limits limits_of(const Pending& pending, std::int32_t column) const;

    // Dividing
    std::pair<Pending, Pending> divide(Pending& pending, Split& split);
    std::uint32_t part(const Pending& pending, const Split& split);
    void write_inner(std::int32_t node, const Split& split, std::int32_t left);
    void share_whole(Pending& parent, Pending& left, Pending& right);
    void fill(const Pending& pending, WholeHistogram& out);
    void start_whole(Pending& pending);
    bool moves_in(const Pending& pending) const;
    void move_in(Pending& pending);
    void plan_whole(Frame<Code>& frame);

    // Ending
    void write_leaf(const Pending& pending);
    double leaf_mean(const Pending& pending, std::size_t output) const;
    std::int32_t new_node();
    void grow_depth_first(Pending root);
    void grow_best_first(Pending root);

    RowSet<Code> rows_of(const Pending& pending) const {
        return {pending.frame->codes, rows_.data() + pending.begin, items_.data() + pending.begin,
                pending.size()};
    }

    const BinsView bins_;
    const TargetView& target_;
    const std::span<const double> weight_;
    const Growth& growth_;
    const Kind kind_;
    const Channels& channels_;
    Team team_;
    FrameMaker<Code> frames_;
    const std::span<std::int32_t> leaves_of_rows_;
    Interrupt& interrupt_;
    Random random_;

    std::vector<std::uint32_t> rows_;
    std::vector<Item> items_;
    std::unique_ptr<std::uint32_t[]> spare_rows_;  // room to part rows in; not cleared, so that
    std::unique_ptr<Item[]> spare_items_;          // pages no split needs are never touched
    const std::vector<double> products_, centre_;
    const double tolerance_;
    const std::size_t drawn_;  // columns a node looks at
    bool counted_;
    DirectHistograms<Code, Kind> direct_;
    Scanner scanner_;
    std::vector<std::uint32_t> occupied_;
    std::vector<std::int32_t> counted_batch_, drawn_batch_;  // columns looked at together
    Split candidate_;
    AbsoluteError absolute_;
    std::vector<std::uint32_t> row_codes_;
    std::vector<Code> drawn_codes_;
    std::vector<double> side_sums_;
    std::vector<std::uint32_t> side_counts_;

    // The node at hand
    std::vector<double> sums_;
    double cost_ = 0.0;  // see criterion.hpp
    bool pure_ = false;
    double root_weight_ = 0.0;
    Tree tree_;
    std::int32_t leaves_ = 0;
};

}  // namespace coterie
