#include "coterie/isolation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "coterie/random.hpp"
#include "coterie/team.hpp"
#include "isolate.hpp"

namespace coterie {
namespace {

// Grows one tree with cuts along the axes.
template <class T>
class AxisCuts {
  public:
    AxisCuts(const Matrix<const T>& X, std::span<const std::uint32_t> levels,
             std::span<const std::int32_t> columns, std::uint64_t seed)
        : X_(X), levels_(levels), columns_(columns.begin(), columns.end()), random_(seed) {}

    Tree tree;

    std::size_t root_columns() const { return columns_.size(); }

    // Cuts a node, if any of its columns varies: the rows that go left come first then. Returns
    // how many they are, and leaves in `n_columns` those that may vary below.
    std::size_t cut(std::size_t at, std::int64_t* rows, std::size_t n, std::size_t& n_columns) {
        while (n_columns) {
            const std::uint32_t k = random_.below(static_cast<std::uint32_t>(n_columns));
            const auto column = static_cast<std::uint32_t>(columns_[k]);
            const std::size_t left = levels_[column] ? cut_levels(at, column, rows, n)
                                                     : cut_numbers(at, column, rows, n);
            if (left != kNoCut) return left;
            std::swap(columns_[k], columns_[--n_columns]);
        }
        return kNoCut;
    }

    void place(std::size_t at, std::int32_t left, std::size_t n) {
        grow_to(at);
        tree.nodes[at].left = left;
        tree.n_samples[at] = static_cast<std::int32_t>(n);
        tree.weight[at] = static_cast<double>(n);
    }

    void leaf(std::size_t at, std::size_t n, double path) {
        place(at, ~static_cast<std::int32_t>(tree.values.size()), n);
        tree.nodes[at].threshold = 0.0;
        tree.nodes[at].column = 0;
        tree.values.push_back(path);
    }

  private:
    void grow_to(std::size_t at) {
        if (at < tree.nodes.size()) return;
        tree.nodes.resize(at + 1);
        tree.n_samples.resize(at + 1);
        tree.weight.resize(at + 1);
        tree.impurity.resize(at + 1);
    }

    // Rows for which `right` is false first; the order within does not matter to anybody.
    template <class Right>
    std::size_t divide(std::int64_t* rows, std::size_t n, Right&& right) const {
        return static_cast<std::size_t>(
            std::partition(rows, rows + n, [&](std::int64_t row) { return !right(row); }) - rows);
    }

    T cell(std::int64_t row, std::uint32_t column) const {
        return X_(static_cast<std::size_t>(row), column);
    }

    std::size_t cut_numbers(std::size_t at, std::uint32_t column, std::int64_t* rows,
                            std::size_t n) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t i = 0; i < n; ++i) {
            const auto x = static_cast<double>(cell(rows[i], column));
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (!(low < high)) return kNoCut;
        const double threshold = between(low, high, random_.uniform());
        const bool missing_left = random_.next() >> 63;
        set(at, threshold, column | (missing_left ? Node::kMissingLeft : 0));
        return divide(rows, n, [&](std::int64_t row) {
            const auto x = static_cast<double>(cell(row, column));
            return x > threshold || (x != x && !missing_left);
        });
    }

    // A set of levels goes left. Those that are not in the node go either way too, so that a row
    // which shows up with one is not always on the same side.
    std::size_t cut_levels(std::size_t at, std::uint32_t column, std::int64_t* rows,
                           std::size_t n) {
        const std::size_t words = (levels_[column] + 63) / 64;
        present_.assign(words, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const T x = cell(rows[i], column);
            if (!(x >= T{0}) || !(x < static_cast<T>(words * 64))) continue;
            const auto code = static_cast<std::size_t>(x);
            present_[code / 64] |= std::uint64_t{1} << (code % 64);
        }
        int found = 0;
        for (const std::uint64_t word : present_) found += std::popcount(word);
        if (found < 2) return kNoCut;
        const std::size_t position = tree.categories.size();
        tree.categories.resize(position + 1 + words);
        std::uint64_t* set_left = tree.categories.data() + position;
        set_left[0] = words;
        for (int inside = 0; inside == 0 || inside == found;) {
            inside = 0;
            for (std::size_t w = 0; w < words; ++w) {
                set_left[1 + w] = random_.next();
                inside += std::popcount(set_left[1 + w] & present_[w]);
            }
        }
        const bool missing_left = random_.next() >> 63;
        set(at, static_cast<double>(position),
            column | Node::kCategorical | (missing_left ? Node::kMissingLeft : 0));
        return divide(rows, n, [&](std::int64_t row) {
            const T x = cell(row, column);
            if (!(x >= T{0}) || !(x < static_cast<T>(words * 64))) return !missing_left;
            const auto code = static_cast<std::size_t>(x);
            return !((set_left[1 + code / 64] >> (code % 64)) & 1);
        });
    }

    void set(std::size_t at, double threshold, std::uint32_t column) {
        grow_to(at);
        tree.nodes[at].threshold = threshold;
        tree.nodes[at].column = column;
    }

    const Matrix<const T>& X_;
    const std::span<const std::uint32_t> levels_;
    std::vector<std::int32_t> columns_;
    std::vector<std::uint64_t> present_;
    Random random_;
};

}  // namespace

template <class T>
std::vector<Tree> grow_isolation(const Matrix<const T>& X, std::span<const std::uint32_t> levels,
                                 const IsolationSamples& samples, const IsolationRule& rule,
                                 int n_threads, Interrupt& interrupt) {
    std::vector<Tree> trees(samples.seeds.size());
    for_trees(samples, n_threads, interrupt, [&](std::size_t t) {
        AxisCuts<T> cuts(X, levels, {samples.columns.row(t), samples.columns.cols},
                         samples.seeds[t]);
        isolate(cuts, samples.rows, t, rule);
        trees[t] = std::move(cuts.tree);
    });
    return trees;
}

#define COTERIE_INSTANTIATE(T)                                                           \
    template std::vector<Tree> grow_isolation(                                           \
        const Matrix<const T>&, std::span<const std::uint32_t>, const IsolationSamples&, \
        const IsolationRule&, int, Interrupt&)
COTERIE_INSTANTIATE(float);
COTERIE_INSTANTIATE(double);
#undef COTERIE_INSTANTIATE

}  // namespace coterie
