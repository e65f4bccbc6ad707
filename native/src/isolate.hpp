// The loop that isolates rows, whatever the cuts are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "coterie/isolation.hpp"
#include "coterie/team.hpp"

namespace coterie {

// A point of [low, high), so that both sides of a cut hold rows.
inline double between(double low, double high, double share) {
    const double width = high - low;
    const double point = width < std::numeric_limits<double>::infinity()
                             ? low + share * width
                             : low * (1.0 - share) + high * share;
    return point < high ? std::max(point, low) : low;
}

constexpr std::size_t kNoCut = std::numeric_limits<std::size_t>::max();

// Grows the tree of sample t by `cuts`, whose method cut puts the rows of a node that go left
// first and counts them, or says that there is nothing to cut.
template <class Cuts>
void isolate(Cuts& cuts, const Matrix<const std::int64_t>& samples, std::size_t t,
             const IsolationRule& rule) {
    struct Open {
        std::size_t at, begin, end, columns;
        std::int64_t depth;
    };
    std::vector<std::int64_t> rows(samples.row(t), samples.row(t) + samples.cols);
    std::vector<Open> open{{0, 0, rows.size(), cuts.root_columns(), 0}};
    std::size_t made = 1;
    while (!open.empty()) {
        Open node = open.back();
        open.pop_back();
        const std::size_t n = node.end - node.begin;
        const bool done = n < 2 || node.depth >= rule.max_depth;
        const std::size_t left =
            done ? kNoCut : cuts.cut(node.at, rows.data() + node.begin, n, node.columns);
        if (left == kNoCut) {
            cuts.leaf(node.at, n, static_cast<double>(node.depth) + rule.path[n]);
            continue;
        }
        cuts.place(node.at, static_cast<std::int32_t>(made), n);
        const std::size_t middle = node.begin + left;
        open.push_back({made + 1, middle, node.end, node.columns, node.depth + 1});
        open.push_back({made, node.begin, middle, node.columns, node.depth + 1});
        made += 2;
    }
}

// Trees in groups: signals can only be asked for by the calling thread.
template <class Work>
void for_trees(const IsolationSamples& samples, int n_threads, Interrupt& interrupt, Work&& work) {
    const std::size_t trees = samples.seeds.size();
    const std::size_t group = static_cast<std::size_t>(std::max(n_threads, 1)) * 16;
    Team team(n_threads);
    for (std::size_t first = 0; first < trees; first += group) {
        const std::size_t n = std::min(group, trees - first);
        team.run(n, [&](std::size_t k) { work(first + k); });
        interrupt.after(n * samples.rows.cols * 16);
    }
}

}  // namespace coterie
