// Grower members that begin and end a tree, and what grows one on a kind of target.
#pragma once

#include "decide.hpp"
#include "decide_sparse.hpp"
#include "decide_tagged.hpp"
#include "divide.hpp"
#include "grower.hpp"

namespace coterie {

inline constexpr std::size_t kDirectBytes =
    128 * 1024;  // histograms of the columns counted together
inline constexpr std::size_t kWholeBytes = 8 * 1024 * 1024;  // larger whole histograms do not pay
inline constexpr std::size_t kCompactBytes = 768 * 1024;  // a copy of codes that stays in the cache
inline constexpr std::size_t kThinned =
    8;  // of so many rows of a large frame, one is left in the node

inline std::size_t direct_slots(std::size_t wanted, std::size_t largest_bins, std::size_t stride) {
    const std::size_t fit = kDirectBytes / ((largest_bins + 1) * stride * sizeof(double));
    return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(fit, 1));
}

inline std::size_t largest_bins(const BinsView& bins) {
    std::size_t most = 1;
    for (std::size_t j = 0; j < bins.columns(); ++j)
        most = std::max<std::size_t>(most, bins.count(j));
    return most;
}

template <class Code, class Kind>
Grower<Code, Kind>::Grower(const CodeTable<Code>& codes, const BinsView& bins,
                           const TargetView& target, std::span<const double> weight,
                           const Growth& growth, const Kind& kind, const Channels& channels,
                           Prepared prepared, std::uint64_t seed, int n_threads,
                           std::span<std::int32_t> leaves, Interrupt& interrupt)
    : bins_(bins), target_(target), weight_(weight), growth_(growth), kind_(kind),
      channels_(channels), team_(n_threads), table_(codes.all), sparse_(codes.sparse),
      leaves_of_rows_(leaves), interrupt_(interrupt), random_(seed),
      rows_(std::move(prepared.rows)), spare_rows_(rows_.size()), items_(std::move(prepared.items)),
      products_(std::move(prepared.products)), centre_(std::move(prepared.centre)),
      tolerance_(prepared.tolerance), fast_{OrderedSearch<Kind>::suits(growth, prepared.whole)},
      tagged_{prepared.light && target.labels() && target.outputs() == 1 && !sparse_ &&
              channels.count <= static_cast<std::size_t>(Tags::kMost)},
      plain_{tagged_ && growth.criterion == Criterion::gini && growth.monotone.empty() &&
             growth.max_features && growth.min_samples_leaf <= 1 && growth.min_weight_leaf <= 0.0},
      thinned_{Kind::kPair && tagged_ && fast_ && growth.min_samples_leaf <= 1 &&
               growth.min_weight_leaf <= 0.0},
      few_{fast_ && growth.min_samples_leaf <= 1 && growth.min_weight_leaf <= 0.0},
      drawn_(growth.max_features ? static_cast<std::size_t>(growth.max_features)
                                 : growth.columns.size()),
      counted_(growth.min_samples_leaf > 1), columns_(growth.columns.begin(), growth.columns.end()),
      direct_(kind_, largest_bins(bins), direct_slots(drawn_, largest_bins(bins), kind_.stride()),
              counted_),
      scanner_(channels), occupied_(largest_bins(bins) + 2), log_rank_(growth, prepared.whole),
      tag_counts_(channels.count == 1 ? 2 : channels.count), ordered_(channels.count),
      edges_(bins, growth.random_thresholds ? growth.columns : std::span<const std::int32_t>{}),
      sums_(kind_.stride()) {
    if (sparse_) cells_.emplace(*sparse_, rows_, drawn_);
    if (!tagged_) {
        spare_items_.resize(items_.size());
        return;
    }
    row_tags_.resize(rows_.size());
    spare_tags_.resize(rows_.size());
    Tags::of(items_.data(), items_.size(), row_tags_.data());
    items_ = {};
}

template <class Code, class Kind>
Tree Grower<Code, Kind>::run() {
    Pending root;
    root.node = new_node();
    root.end = static_cast<std::uint32_t>(rows_.size());
    root.frame = std::make_shared<Frame<Code>>();
    root.frame->codes = table_;
    plan_whole();
    pack_flags(root);
    if (growth_.interactions.data) root.permit = Permit::narrow(growth_.interactions, nullptr, -1);
    start_whole(root);
    if (growth_.max_leaf_nodes != Growth::kNoLimit) {
        grow_best_first(std::move(root));
    } else {
        grow_depth_first(std::move(root));
    }
    settle_thresholds();
    return std::move(tree_);
}

template <class Code, class Kind>
void Grower<Code, Kind>::grow_depth_first(Pending root) {
    std::vector<Pending> stack;
    stack.push_back(std::move(root));
    while (!stack.empty()) {
        Pending pending = std::move(stack.back());
        stack.pop_back();
        if (moves_in(pending)) move_in(pending);
        interrupt_.after(pending.size());
        Split split;
        if (!decide(pending, split)) {
            write_leaf(pending);
            continue;
        }
        auto [left, right] = divide(pending, split);
        stack.push_back(std::move(right));
        stack.push_back(std::move(left));
    }
}

template <class Code, class Kind>
void Grower<Code, Kind>::grow_best_first(Pending root) {
    const auto later = [](const Candidate& a, const Candidate& b) {
        return a.split.gain < b.split.gain || (a.split.gain == b.split.gain && a.born > b.born);
    };
    std::vector<Candidate> heap;
    std::uint64_t births = 0;
    const auto consider = [&](Pending pending) {
        interrupt_.after(pending.size());
        if (moves_in(pending)) move_in(pending);
        pending.constants = 0;  // the order of the columns follows no path down the tree here
        Split split;
        if (!decide(pending, split)) return write_leaf(pending);
        heap.push_back({std::move(pending), std::move(split), births++});
        std::push_heap(heap.begin(), heap.end(), later);
    };
    consider(std::move(root));
    std::int64_t leaves = 1;
    while (!heap.empty() && leaves < growth_.max_leaf_nodes) {
        std::pop_heap(heap.begin(), heap.end(), later);
        Candidate best = std::move(heap.back());
        heap.pop_back();
        auto [left, right] = divide(best.pending, best.split);
        ++leaves;
        consider(std::move(left));
        consider(std::move(right));
    }
    for (const Candidate& rest : heap) {
        sum_items(rest.pending);
        write_leaf(rest.pending);
    }
}

// Should the node and what comes below it have a frame of their own?
template <class Code, class Kind>
bool Grower<Code, Kind>::moves_in(const Pending& pending) const {
    const Frame<Code>& frame = *pending.frame;
    const std::size_t n = pending.size(), width = frame.codes.cols;
    const std::size_t bytes = n * width * sizeof(Code);
    const bool thinned = bytes > 4 * kCompactBytes && kThinned * n <= frame.codes.rows;
    return !sparse_ && n >= 64 && width <= 8 * drawn_ &&
           ((frame.bytes() > kCompactBytes && bytes <= kCompactBytes) || thinned);
}

template <class Code, class Kind>
void Grower<Code, Kind>::move_in(Pending& pending) {
    pending.frame = copy_frame(*pending.frame, rows_.data() + pending.begin, pending.size());
}

// Frames of the tree then have the other columns only.
template <class Code, class Kind>
void Grower<Code, Kind>::pack_flags(Pending& root) {
    if (!tagged_ || !starts_.empty()) return;
    flags_.pack(table_, bins_, growth_.columns, rows_);
    if (!flags_.any()) return;
    const std::vector<std::size_t> others = flags_.others();
    places_.resize(bins_.columns());
    for (std::size_t k = 0; k < others.size(); ++k) places_[others[k]] = k;
    if (others.empty()) return;
    root.frame = copy_frame(*root.frame, rows_.data(), rows_.size(), others);
}

// Where columns lie in whole histograms, and which nodes are worth one: below twice as many rows
// as bins in a column, clearing and subtracting whole histograms costs more than counting.
template <class Code, class Kind>
void Grower<Code, Kind>::plan_whole() {
    if (drawn_ < growth_.columns.size() || growth_.random_thresholds ||
        growth_.criterion == Criterion::absolute_error || growth_.interactions.data ||
        growth_.log_rank)  // children have other residuals than their parent
        return;
    starts_.resize(bins_.columns());
    for (const auto column : growth_.columns) {
        const auto j = static_cast<std::size_t>(column);
        starts_[j] = whole_bins_;
        whole_bins_ += bins_.count(j) + 1;
    }
    if (whole_bins_ * kind_.stride() * sizeof(double) <= kWholeBytes)
        whole_from_ = static_cast<std::uint32_t>(2 * whole_bins_ /
                                                 std::max<std::size_t>(growth_.columns.size(), 1));
}

template <class Code, class Kind>
std::int32_t Grower<Code, Kind>::new_node() {
    if (tree_.nodes.size() >= std::numeric_limits<std::int32_t>::max() - 2)
        throw std::length_error("a tree would need more than 2^31 nodes; limit max_depth");
    tree_.nodes.push_back({0.0, 0, -1});
    tree_.n_samples.push_back(0);
    tree_.weight.push_back(0.0);
    tree_.impurity.push_back(0.0);
    if (growth_.criterion == Criterion::absolute_error)
        tree_.medians.resize(tree_.nodes.size() * target_.outputs());
    return static_cast<std::int32_t>(tree_.nodes.size()) - 1;
}

// Splits are found on sums whose grid serves the whole table; a leaf takes its mean
// from the targets themselves on a grid of its own, as fine as doubles allow and
// still the same in every order of the rows.
template <class Code, class Kind>
double Grower<Code, Kind>::leaf_mean(const Pending& pending, std::size_t output) const {
    const auto row_of = [&](std::uint32_t i) { return pending.frame->origin(rows_[i]); };
    const double first = target_.values(row_of(pending.begin), output);
    double heaviest = 0.0, largest = 0.0;
    bool alike = true;
    for (std::uint32_t i = pending.begin; i < pending.end; ++i) {
        const double w = weight_[row_of(i)], y = target_.values(row_of(i), output);
        heaviest = std::max(heaviest, w);
        largest = std::max(largest, std::abs(w * y));
        alike &= y == first;
    }
    if (alike && !(growth_.l2 > 0.0)) return first;
    const Grid weights(heaviest * pending.size()), products(largest * pending.size());
    double w = 0.0, s = 0.0;
    for (std::uint32_t i = pending.begin; i < pending.end; ++i) {
        w += weights.snap(weight_[row_of(i)]);
        s += products.snap(weight_[row_of(i)] * target_.values(row_of(i), output));
    }
    return s / (w + growth_.l2);
}

template <class Code, class Kind>
void Grower<Code, Kind>::write_leaf(const Pending& pending) {
    if (!leaves_of_rows_.empty())
        for (std::uint32_t i = pending.begin; i < pending.end; ++i)
            leaves_of_rows_[pending.frame->origin(rows_[i])] = leaves_;
    tree_.nodes[static_cast<std::size_t>(pending.node)] = {0.0, 0, ~leaves_++};
    if (!target_.labels()) {
        for (std::size_t k = 0; k < target_.outputs(); ++k) {
            const auto node = static_cast<std::size_t>(pending.node);
            const bool median = growth_.criterion == Criterion::absolute_error;
            const double value =
                median ? tree_.medians[node * target_.outputs() + k] : leaf_mean(pending, k);
            // Bounds were set on centred means.
            tree_.values.push_back(std::clamp(value, pending.bounds.low + centre_[k],
                                              pending.bounds.high + centre_[k]));
        }
    } else if constexpr (Kind::kPair) {
        const double mean = std::clamp(sums_[1] / sums_[0], std::max(pending.bounds.low, 0.0),
                                       std::min(pending.bounds.high, 1.0));
        const bool two = target_.n_classes[0] > 1;
        if (two) tree_.values.push_back(1.0 - mean);
        tree_.values.push_back(two ? mean : 1.0);
    } else {
        for (std::size_t c = 0; c < channels_.count; ++c)
            tree_.values.push_back(sums_[c + 1] / sums_[0]);
    }
}

template <class Code, class Kind>
Tree grow_as(Kind kind, const Channels& channels, const CodeTable<Code>& codes,
             const BinsView& bins, const TargetView& target, std::span<const double> weight,
             const Growth& growth, std::uint64_t seed, int n_threads,
             std::span<std::int32_t> leaves, Interrupt& interrupt) {
    Prepared prepared = prepare(target, weight, growth, std::is_same_v<Kind, LabelKind>,
                                std::is_same_v<Kind, ValuesKind>);
    if constexpr (std::is_same_v<Kind, ValuesKind>) kind.products = prepared.products.data();
    return Grower<Code, Kind>(codes, bins, target, weight, growth, kind, channels,
                              std::move(prepared), seed, n_threads, leaves, interrupt)
        .run();
}

// Several outputs are compiled by themselves.
#define COTERIE_SEVERAL(Code, Kind)                                                       \
    template Tree grow_as(Kind, const Channels&, const CodeTable<Code>&, const BinsView&, \
                          const TargetView&, std::span<const double>, const Growth&,      \
                          std::uint64_t, int, std::span<std::int32_t>, Interrupt&)
extern COTERIE_SEVERAL(std::uint8_t, LabelsKind);
extern COTERIE_SEVERAL(std::uint16_t, LabelsKind);
extern COTERIE_SEVERAL(std::uint8_t, ValuesKind);
extern COTERIE_SEVERAL(std::uint16_t, ValuesKind);

}  // namespace coterie
