// The tree grower, a template over the width of a code and the kind of target.
//
// Life of a tree: 1. rows of positive weight become items on the exact grid;
// 2. a node sums its items; 3. unless a limit makes it a leaf, columns are drawn,
// counted and scanned; 4. the best split parts the items in place; 5. the children
// wait on a stack (depth first) or a heap (best first); 6. a leaf writes its value.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>

#include "coterie/absolute.hpp"
#include "coterie/grow.hpp"
#include "coterie/histogram.hpp"
#include "coterie/pages.hpp"
#include "coterie/random.hpp"
#include "coterie/split.hpp"
#include "coterie/team.hpp"
#include "cut_edges.hpp"
#include "flags.hpp"
#include "frame.hpp"
#include "log_rank.hpp"
#include "node_cells.hpp"
#include "node_order.hpp"
#include "ordered_search.hpp"
#include "permit.hpp"
#include "tags.hpp"
#include "whole_search.hpp"

namespace coterie {

inline constexpr std::size_t kGatheredCells = 1 << 19;  // of the columns looked at together

inline constexpr std::uint32_t kSoon = 6;  // draws after which a sparse column is looked at

inline constexpr std::size_t kWaitingRows = 64;  // at most, of a node where cuts may wait

template <class Code>
struct Pending {
    std::int32_t node = 0;
    std::uint32_t begin = 0, end = 0;
    std::int64_t depth = 0;
    std::uint32_t constants = 0;         // as many of the columns do not vary here
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

// How a column is looked at: its rows are counted in a histogram (of items, or of tags), sorted,
// sorted where they may matter, listed (those of the few codes that are not 0), grouped by what is
// filled, or parted once at random. Flags that lie in words are summed there.
enum class Way { counted, tagged, sorted, thinned, listed, flagged, filled, drawn };

template <class Code>
struct Chosen {
    std::int32_t column;
    Way way;
    std::size_t slot;                            // of its histogram or of its gathered codes
    typename NodeCells<Code>::Part filled = {};  // of a sparse table
    // Of a column that is parted at random:
    std::uint32_t least = 0, most = 0;  // codes of the node, but for missing values
    bool missing = false;
    double threshold = 0.0;
    std::uint32_t from = 0, to = 0;  // the first code on the right is one of these, or behind them
};

// Between which codes a numeric split is; of a threshold that was drawn, the first code on the
// right may also be one between them.
struct NodeCut {
    std::int32_t node;
    std::uint32_t last_left, first_right;
};

template <class Code>
struct Candidate {
    Pending<Code> pending;
    Split split;
    std::uint64_t born;  // equal gains are served in the order of birth
};

// Items, targets and their sums, prepared once per tree.
struct Prepared {
    BarePages<std::uint32_t> rows;
    BarePages<Item> items;
    std::vector<double> products;  // ValuesKind: (rows, outputs), weight * (y - centre)
    std::vector<double> centre;    // subtracted from values before summing
    double tolerance = 0.0;        // values closer than this are one value
    bool whole = false;            // are all weights whole numbers, and their sum not too large?
    bool light = false;            // and each of them fits into a tag?
};

// `many_classes`: for LabelKind; `many_values`: for ValuesKind.
Prepared prepare(const TargetView& target, std::span<const double> weight, const Growth& growth,
                 bool many_classes, bool many_values);

// A condition that not every kind of target can meet: where it cannot, what it guards is not
// compiled.
template <bool Possible>
struct Condition {
    bool holds;
    constexpr operator bool() const { return Possible && holds; }
};

template <class Code, class Kind>
class Grower {
  public:
    Grower(const CodeTable<Code>& codes, const BinsView& bins, const TargetView& target,
           std::span<const double> weight, const Growth& growth, const Kind& kind,
           const Channels& channels, Prepared prepared, std::uint64_t seed, int n_threads,
           std::span<std::int32_t> leaves, Interrupt& interrupt);

    Tree run();

  private:
    using Pending = coterie::Pending<Code>;
    using Candidate = coterie::Candidate<Code>;
    using Chosen = coterie::Chosen<Code>;
    using Part = typename NodeCells<Code>::Part;
    static constexpr bool kOne = Kind::kPair || std::is_same_v<Kind, LabelKind>;  // output

    // Deciding
    bool decide(Pending& pending, Split& split);
    void sum_items(const Pending& pending);
    void sum_tags(const Pending& pending);
    void relabel(const Pending& pending);
    void search_log_rank(const Pending& pending, const NodeSums& node, Split& split);
    bool parts_events(const Pending& pending, const Split& split);
    CodedColumn coded_column(const Pending& pending, std::int32_t column);
    bool may_split(const Pending& pending) const;
    void find_split(Pending& pending, Split& split);
    void search_direct(Pending& pending, const NodeSums& node, Split& split);
    void search_few(Pending& pending, const NodeSums& node, Split& split);
    void search_whole(const Pending& pending, const NodeSums& node, Split& split);
    bool is_settled(const Chosen& chosen, const Split& split, const NodeSums& node) const;
    void shuffle_columns();
    void draw_column(std::size_t at);
    bool varies(const RowSet<Code>& set, std::int32_t column) const;
    std::size_t choose_columns(Pending& pending, std::size_t& at, std::size_t wanted);
    Way way_of(std::size_t column, std::size_t rows) const;
    void offer_counted(const Chosen& chosen, const Pending& pending, const NodeSums& node,
                       Split& split);
    void offer_tagged(const Chosen& chosen, const Pending& pending, const NodeSums& node,
                      Split& split);
    void offer_ordered(std::int32_t column, const NodeSums& node, Split& split);
    void offer_sorted(const Chosen& chosen, const Pending& pending, const NodeSums& node,
                      Split& split);
    bool offer_way(std::int32_t column, std::span<const std::uint16_t> codes, const NodeSums& node,
                   Split& split);
    void offer_thinned(const Chosen& chosen, const Pending& pending, const NodeSums& node,
                       Split& split);
    void offer_medians(std::span<const std::uint32_t> keys, const ColumnView& column,
                       const Pending& pending, const NodeSums& node, Split& split);
    void offer_flagged(const Chosen& chosen, const Pending& pending, const NodeSums& node,
                       Split& split);
    void sum_flag(std::int32_t column, const Pending& pending, const NodeSums& node);
    void offer_listed(const Chosen& chosen, const Pending& pending, const NodeSums& node,
                      Split& split);
    template <class Is>
    std::size_t sum_listed(const RowSet<Code>& set, std::span<const std::uint16_t> codes,
                           double* sums, Is is);
    void offer_groups(std::span<const std::uint32_t> keys, std::int32_t column,
                      const Pending& pending, const NodeSums& node, Split& split);
    void offer_grouped(std::int32_t column, const Pending& pending, const NodeSums& node,
                       Split& split);
    void gather_codes(const RowSet<Code>& set, std::span<const std::int32_t> columns);
    std::span<const std::uint16_t> gathered(std::size_t slot, std::size_t rows) const {
        return {node_codes_.data() + slot * rows, rows};
    }
    void offer_drawn(const Chosen& chosen, const Pending& pending, const NodeSums& node,
                     Split& split);
    void keep_drawn(const Chosen& chosen, const Cut& cut, std::uint32_t first_right,
                    const NodeSums& node, Split& split);
    void sum_sides(const Pending& pending, std::span<const std::uint16_t> codes,
                   std::uint32_t last_left, std::uint32_t missing_code, bool missing);
    void draw_thresholds(std::size_t rows);
    void find_range(Chosen& chosen, std::size_t rows) const;
    Cut cut_of(const Chosen& chosen) const;
    bool may_wait(const Chosen& chosen, std::size_t rows) const;
    void settle_thresholds();
    double between_bins(std::size_t column, double threshold, const NodeCut& cut) const;
    void offer(const ColumnView& column, const Pending& pending, const NodeSums& node, Split& split,
               const Cut* cut = nullptr, std::span<const std::uint32_t> codes_of = {});
    void note_codes(const Pending& pending, std::int32_t column, const Cut* cut);
    bool permitted(const Pending& pending, std::int32_t column) const {
        return !pending.permit || pending.permit->allowed[static_cast<std::size_t>(column)];
    }
    double score_of(const double* sums, double l2) const;

    Limits limits_of(const Pending& pending, std::int32_t column) const;

    // Sparse tables
    void group_filled(std::span<const Filled> cells, const Item* items, std::uint32_t usual,
                      const NodeSums& node);
    void offer_filled(std::int32_t column, const Part& part, const Pending& pending,
                      const NodeSums& node, Split& split);
    bool pass_empty(Pending& pending, std::size_t& at);
    void find_filled_range(Chosen& chosen, std::size_t rows) const;
    void sum_filled_sides(const Chosen& chosen, std::uint32_t last_left, const Pending& pending,
                          const NodeSums& node);
    void search_filled(const Pending& pending, const NodeSums& node, Split& split);
    std::uint32_t part_filled(const Pending& pending, const Split& split);

    // Dividing
    std::pair<Pending, Pending> divide(Pending& pending, Split& split);
    std::uint32_t part(const Pending& pending, const Split& split);
    void write_inner(std::int32_t node, const Split& split, std::int32_t left);
    void share_whole(Pending& parent, Pending& left, Pending& right);
    void fill(const Pending& pending, WholeHistogram& out);
    void start_whole(Pending& pending);
    bool moves_in(const Pending& pending) const;
    void move_in(Pending& pending);
    void pack_flags(Pending& root);
    void plan_whole();

    // Ending
    void write_leaf(const Pending& pending);
    double leaf_mean(const Pending& pending, std::size_t output) const;
    std::int32_t new_node();
    void grow_depth_first(Pending root);
    void grow_best_first(Pending root);

    // Where a column lies in the frames of the tree.
    std::size_t place(std::int32_t column) const {
        const auto j = static_cast<std::size_t>(column);
        return places_.empty() ? j : places_[j];
    }
    bool has_flags() const { return tagged_ && flags_.any(); }
    bool is_flag(std::int32_t column) const { return tagged_ && flags_.is(column); }
    // Without items where rows have tags.
    RowSet<Code> rows_of(const Pending& pending) const {
        return {pending.frame->codes, rows_.data() + pending.begin,
                tagged_ ? nullptr : items_.data() + pending.begin, pending.size()};
    }
    // With items in any case; good until the next call.
    RowSet<Code> rows_with_items(const Pending& pending) {
        RowSet<Code> set = rows_of(pending);
        if (!tagged_) return set;
        node_items_.resize(set.size);
        for (std::size_t i = 0; i < set.size; ++i)
            node_items_[i] = Tags::item(row_tags_[pending.begin + i]);
        set.items = node_items_.data();
        return set;
    }

    const BinsView bins_;
    const TargetView& target_;
    const std::span<const double> weight_;
    const Growth& growth_;
    const Kind kind_;
    const Channels& channels_;
    Team team_;
    const Matrix<const Code> table_;
    const SparseCodes<Code>* const sparse_;  // what is looked at instead of it, or null
    const std::span<std::int32_t> leaves_of_rows_;
    Interrupt& interrupt_;
    Random random_;

    BarePages<std::uint32_t> rows_, spare_rows_;  // and room to part them in
    BarePages<Item> items_, spare_items_;         // of rows without tags
    BarePages<std::uint16_t> row_tags_, spare_tags_;
    std::vector<Item> node_items_;  // see rows_with_items
    Flags flags_;
    std::vector<std::size_t> places_;  // by column, in frames without flags; empty: the same
    Flags::Word varying_ = 0;          // flags that vary in the node
    std::vector<std::ptrdiff_t> offsets_;
    const std::vector<double> products_, centre_;
    const double tolerance_;
    const Condition<kOne> fast_;            // see OrderedSearch
    const Condition<kOne> tagged_;          // see Tags
    const Condition<kOne> plain_;           // tags, Gini's index, columns drawn, and no limits
    const Condition<Kind::kPair> thinned_;  // see Contenders
    const Condition<kOne> few_;             // see OrderedSearch::weigh_ways
    const std::size_t drawn_;               // columns a node looks at
    bool counted_;
    std::vector<std::int32_t> columns_;  // those of the tree, see choose_columns
    std::vector<std::size_t> starts_;    // first bin of a column in a whole histogram
    std::size_t whole_bins_ = 0;
    std::uint32_t whole_from_ = std::numeric_limits<std::uint32_t>::max();  // rows that pay for one
    DirectHistograms<Code, Kind> direct_;
    Scanner scanner_;
    std::vector<std::uint32_t> occupied_;
    std::vector<Chosen> batch_;                        // columns looked at together
    std::vector<std::int32_t> histograms_, gathered_;  // those of them that need one or the other
    Split candidate_;
    AbsoluteError absolute_;
    LogRank log_rank_;
    std::vector<std::int32_t> visited_;  // columns looked at, if log_rank_ is to look again
    std::vector<std::uint32_t> row_codes_;
    std::vector<std::uint16_t> node_codes_;  // of a batch, column by column
    std::int32_t gathered_node_ = -1;        // whose codes they are
    std::vector<std::uint16_t> tags_;        // of the rows of the node, if they have some
    TagCounts tag_counts_;
    Contenders contenders_;
    NodeOrder order_;
    OrderedSearch<Kind> ordered_;
    const CutEdges edges_;  // where thresholds are drawn
    std::vector<NodeCut> cuts_;
    std::vector<double> group_sums_;  // of rows with one code, see offer_groups
    std::vector<std::uint32_t> group_counts_, group_codes_, groups_;
    std::vector<std::uint32_t> listed_;  // rows of a node
    std::vector<double> side_sums_, other_sums_;
    std::vector<std::uint32_t> side_counts_;
    std::optional<NodeCells<Code>> cells_;  // of a sparse table
    std::vector<std::uint32_t> group_of_;   // the group of a code, see group_filled

    // The node at hand
    std::vector<double> sums_;
    double cost_ = 0.0;  // see criterion.hpp
    bool pure_ = false;
    double root_weight_ = 0.0;
    Tree tree_;
    std::int32_t leaves_ = 0;
};

}  // namespace coterie
