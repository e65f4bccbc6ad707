// Grower members for rows with tags: labels, each with a small whole weight (see tags.hpp).
#pragma once

#include "grower.hpp"

namespace coterie {

// Sets tags_ and sums_ for the rows of a node.
template <class Code, class Kind>
void Grower<Code, Kind>::sum_tags(const Pending& pending) {
    const std::size_t n = pending.size();
    if (tags_.size() < n + Tags::kLanes) tags_.resize(n + Tags::kLanes);
    std::copy_n(row_tags_.data() + pending.begin, n, tags_.data());
    std::fill_n(tags_.data() + n, Tags::kLanes, std::uint16_t{0});
    constexpr std::uint32_t all = 65'535;  // whatever is in the place of codes
    if (Kind::kPair) {
        Tags::sum_pairs(tags_.data(), tags_.data(), n, all, sums_.data());
    } else {
        Tags::sum_classes(tags_.data(), tags_.data(), n, all, channels_.count, sums_.data() + 1);
    }
}

// Is no class on both sides of the split? Then none is better, and of equals the first one stays.
// But columns that take random numbers still must.
template <class Code, class Kind>
bool Grower<Code, Kind>::is_settled(const Chosen& chosen, const Split& split,
                                    const NodeSums& node) const {
    const bool draws = growth_.random_thresholds && (chosen.way != Way::drawn || chosen.missing);
    return tagged_ && growth_.max_features && growth_.criterion == Criterion::gini && !draws &&
           split.gain >= cost_ - node.score;
}

template <class Code, class Kind>
void Grower<Code, Kind>::offer_tagged(const Chosen& chosen, const Pending& pending,
                                      const NodeSums& node, Split& split) {
    const std::uint32_t bins = bins_.count(static_cast<std::size_t>(chosen.column));
    tag_counts_.fill(gathered(chosen.slot, pending.size()), tags_.data(), bins + 1, Kind::kPair);
    candidate_.gain = -std::numeric_limits<double>::infinity();
    candidate_.column = -1;
    const auto missing = tag_counts_.bin(bins);
    if (std::all_of(missing.begin(), missing.end(), [](std::uint32_t w) { return w == 0; })) {
        ordered_.search(tag_counts_, bins, node, limits_of(pending, chosen.column),
                        growth_.criterion, candidate_);
        return offer_ordered(chosen.column, node, split);
    }
    group_sums_.clear();
    group_codes_.clear();
    for (std::uint32_t code = 0; code <= bins; ++code) {
        const auto bin = tag_counts_.bin(code);
        const std::size_t begin = group_sums_.size();
        group_sums_.resize(begin + kind_.stride());
        double* sums = group_sums_.data() + begin;
        for (std::uint32_t c = 0; c < bin.size(); ++c)
            if (bin[c]) kind_.add(sums, {1.0 * bin[c], 1.0 * (!Kind::kPair ? c : c ? bin[c] : 0)});
        kind_.finish(sums);
        if (sums[0] > 0.0) {
            group_codes_.push_back(code);
        } else {
            group_sums_.resize(begin);
        }
    }
    offer_grouped(chosen.column, pending, node, split);
}

template <class Code, class Kind>
void Grower<Code, Kind>::offer_thinned(const Chosen& chosen, const Pending& pending,
                                       const NodeSums& node, Split& split) {
    const std::span<const std::uint16_t> codes = gathered(chosen.slot, pending.size());
    const std::uint32_t bins = bins_.count(static_cast<std::size_t>(chosen.column));
    if (code_range(codes.data(), codes.size()).second == bins)  // missing
        return offer_sorted(chosen, pending, node, split);
    candidate_.gain = -std::numeric_limits<double>::infinity();
    candidate_.column = -1;
    contenders_.find(codes, tags_.data(), node);
    ordered_.search(order_.sort(contenders_.codes(), contenders_.tags()), contenders_, node,
                    limits_of(pending, chosen.column), growth_.criterion, candidate_);
    offer_ordered(chosen.column, node, split);
}

// Sums of the rows of either code; those of code 0 are what the others leave of the node.
template <class Code, class Kind>
void Grower<Code, Kind>::sum_flag(std::int32_t column, const Pending& pending,
                                  const NodeSums& node) {
    const Flags::Word* words = flags_.words() + pending.begin;
    const std::size_t stride = kind_.stride();
    const int bit = flags_.bit(column);
    side_sums_.resize(3 * stride);
    double *zeros = side_sums_.data(), *ones = zeros + stride;
    if (Kind::kPair) {
        Flags::sum_pairs(words, tags_.data(), pending.size(), bit, ones);
    } else {
        Flags::sum_classes(words, tags_.data(), pending.size(), bit, stride - 1, ones + 1);
    }
    kind_.finish(ones);
    for (std::size_t c = 0; c < stride; ++c) zeros[c] = node.sums[c] - ones[c];
    if (!counted_) return;
    side_counts_.assign(3, 0);
    for (std::size_t i = 0; i < pending.size(); ++i) ++side_counts_[words[i] >> bit & 1];
}

template <class Code, class Kind>
void Grower<Code, Kind>::offer_flagged(const Chosen& chosen, const Pending& pending,
                                       const NodeSums& node, Split& split) {
    static constexpr std::uint32_t both[] = {0, 1};
    sum_flag(chosen.column, pending, node);
    offer({chosen.column, side_sums_.data(), counted_ ? side_counts_.data() : nullptr, both, false,
           2, false},
          pending, node, split);
}

// Most splits are drawn for nodes so small that all else would take longer than their gains.
template <class Code, class Kind>
void Grower<Code, Kind>::keep_drawn(const Chosen& chosen, const Cut& cut, std::uint32_t first_right,
                                    const NodeSums& node, Split& split) {
    double* left = side_sums_.data();
    double score;
    if constexpr (Kind::kPair) {
        const PairSums all{node.sums[0], node.sums[1]};
        score = PairSums{left[0], left[1]}.template split_score<Criterion::gini>(all, growth_.l2);
    } else {
        score = ChannelSums{&channels_, left, nullptr}.template split_score<Criterion::gini>(
            node.sums, growth_.l2);
    }
    const double gain = score - node.score;
    if (split.found() && !(gain - split.gain > node.tie)) return;
    split.gain = gain;
    split.column = chosen.column;
    split.categorical = split.saw_missing = split.missing_left = false;
    split.left_weight = left[0];
    split.last_left = cut.last_left;
    split.first_right = first_right;
    split.threshold = cut.threshold;
}

}  // namespace coterie
