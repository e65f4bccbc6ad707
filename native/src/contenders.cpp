#include "contenders.hpp"

#include <algorithm>
#include <cstring>

#include "coterie/clones.hpp"
#include "ordered_search.hpp"
#include "tags.hpp"

namespace coterie {
namespace {

// Gains but for a factor that all boundaries of the node share.
struct Gain {
    double weight, share;  // of the node, and that of the second class
    double operator()(double left, double second) const {
        const double ahead = second - share * left;
        return ahead * ahead / std::max(left * (weight - left), 1.0);
    }
};

COTERIE_CLONES void cell_gains(const double* left, const double* second, std::size_t cells,
                               double weight, double share, double* __restrict edges,
                               double* __restrict bounds) {
    const Gain gain{weight, share};
    for (std::size_t c = 0; c < cells; ++c) {
        const double w = left[c], s = second[c];
        const double seconds = second[c + 1] - s, firsts = left[c + 1] - w - seconds;
        edges[c] = gain(left[c + 1], second[c + 1]);
        bounds[c] = std::max(gain(w + seconds, s + seconds), gain(w + firsts, s));
    }
}

using Lanes = std::uint16_t __attribute__((vector_size(2 * Tags::kLanes)));

// Copies the rows whose codes lie in a run, and returns their number. A row is written before it is
// known whether it counts.
COTERIE_CLONES std::size_t keep_near(std::span<const std::uint16_t> codes,
                                     const std::uint16_t* tags,
                                     std::span<const Contenders::Run> runs,
                                     std::uint16_t* near_codes, std::uint16_t* near_tags) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < codes.size(); i += Tags::kLanes) {
        Lanes code, hit{};
        std::memcpy(&code, codes.data() + i, sizeof code);
        // By pointer: of clones, Clang forgets to emit what an iterator calls.
        for (const Contenders::Run* run = runs.data(); run != runs.data() + runs.size(); ++run) {
            const auto first = static_cast<std::uint16_t>(run->first);
            const auto width = static_cast<std::uint16_t>(run->last - run->first);
            hit |= reinterpret_cast<Lanes>(code - first <= width);
        }
        std::uint64_t words[sizeof hit / 8], any = 0;
        std::memcpy(words, &hit, sizeof hit);
        for (const std::uint64_t word : words) any |= word;
        if (!any) continue;
        const std::size_t end = std::min(codes.size() - i, Tags::kLanes);
        std::uint16_t hits[Tags::kLanes];
        std::memcpy(hits, &hit, sizeof hit);
        for (std::size_t k = 0; k < end; ++k) {
            near_codes[found] = codes[i + k];
            near_tags[found] = tags[i + k];
            found += hits[k] & 1;
        }
    }
    return found;
}

}  // namespace

void Contenders::find(std::span<const std::uint16_t> codes, const std::uint16_t* tags,
                      const NodeSums& node) {
    divide(codes);
    count(codes, tags);
    bound(node);
    // More than what rounding can do, and than what counts as a tie.
    const double best = *std::max_element(edges_.begin(), edges_.end() - 1);
    mark(best * (1.0 - 1e-9) - 8.0 * node.tie / node.sums[0]);
    const std::size_t room = codes.size() + Tags::kLanes;
    if (codes_.size() < room) {
        codes_.resize(room);
        tags_.resize(room);
    }
    size_ = keep_near(codes, tags, runs_, codes_.data(), tags_.data());
}

// Cells of a power of two of codes each. Two at least, as codes vary.
void Contenders::divide(std::span<const std::uint16_t> codes) {
    constexpr std::size_t rows_per_cell = 8, most = 4096;
    const auto [least, greatest] = code_range(codes.data(), codes.size());
    const std::size_t wanted = std::clamp<std::size_t>(codes.size() / rows_per_cell, 2, most);
    least_ = least;
    shift_ = 0;
    while (cell_of(greatest) >= wanted) ++shift_;
    cells_ = cell_of(greatest) + 1;
}

void Contenders::count(std::span<const std::uint16_t> codes, const std::uint16_t* tags) {
    constexpr std::uint64_t bytes = 0x000000ff000000ff;
    pairs_.assign(cells_, 0);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::uint64_t tag = tags[i];
        pairs_[cell_of(codes[i])] += (tag | tag << 24) & bytes;
    }
}

void Contenders::bound(const NodeSums& node) {
    left_.resize(cells_ + 1);
    second_.resize(cells_ + 1);
    edges_.resize(cells_);
    bounds_.resize(cells_);
    std::uint64_t sum = 0;
    const auto low = [](std::uint64_t both) { return static_cast<std::uint32_t>(both); };
    for (std::size_t c = 0; c < cells_; ++c) {
        left_[c] = low(sum);
        second_[c] = low(sum >> 32);
        sum += pairs_[c];
    }
    left_[cells_] = low(sum);
    second_[cells_] = low(sum >> 32);
    cell_gains(left_.data(), second_.data(), cells_, node.sums[0], node.sums[1] / node.sums[0],
               edges_.data(), bounds_.data());
}

// Marks the cells in which, or at the edges of which, a boundary reaches the bar.
void Contenders::mark(double bar) {
    marks_.assign(cells_, 0);
    std::size_t previous = cells_;  // that has rows
    const auto filled = [&](std::size_t c) { return left_[c + 1] != left_[c]; };
    for (std::size_t c = 0; c < cells_; ++c) {
        if (!filled(c)) continue;
        const bool edge = previous < cells_ && edges_[previous] >= bar;
        if (edge) marks_[previous] = 1;
        marks_[c] = edge || (shift_ && bounds_[c] >= bar);
        previous = c;
    }
    runs_.clear();
    bool open = false;
    const auto code = [&](std::size_t c) {
        return least_ + (static_cast<std::uint32_t>(c) << shift_);
    };
    for (std::size_t c = 0; c < cells_; ++c) {
        if (!filled(c)) continue;
        if (marks_[c] && !open) runs_.push_back({code(c), 0, left_[c], second_[c]});
        open = marks_[c];
        if (open) runs_.back().last = code(c + 1) - 1;
    }
}

}  // namespace coterie
