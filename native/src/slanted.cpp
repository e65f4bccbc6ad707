#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "coterie/elementary.hpp"
#include "coterie/isolation.hpp"
#include "coterie/random.hpp"
#include "isolate.hpp"

namespace coterie {
namespace {

// Grows one tree with slanted cuts.
class SlantedCuts {
  public:
    SlantedCuts(const Matrix<const double>& X, std::size_t width, int redraw, std::uint64_t seed)
        : X_(X), width_(width), redraw_(redraw), random_(seed), low_(X.cols), high_(X.cols),
          order_(X.cols), columns_(width), slant_(width) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    SlantedTree tree;

    std::size_t root_columns() const { return X_.cols; }

    // Parts the rows unless all are equal. A side that is empty still makes the path longer.
    std::size_t cut(std::size_t at, std::int64_t* rows, std::size_t n, std::size_t&) {
        if (!find_box(rows, n)) return kNoCut;
        std::size_t left = 0;
        double offset = 0.0;
        for (int tries = 0; tries <= redraw_; ++tries) {
            offset = draw();
            left = 0;
            for (std::size_t i = 0; i < n; ++i) left += !(along(rows[i]) > offset);
            if (left && left < n) break;
        }
        grow_to(at);
        tree.offsets[at] = offset;
        tree.columns.insert(tree.columns.end(), columns_.begin(), columns_.end());
        tree.slants.insert(tree.slants.end(), slant_.begin(), slant_.end());
        std::partition(rows, rows + n, [&](std::int64_t row) { return !(along(row) > offset); });
        return left;
    }

    void place(std::size_t at, std::int32_t left, std::size_t) {
        grow_to(at);
        tree.left[at] = left;
    }

    void leaf(std::size_t at, std::size_t, double path) {
        grow_to(at);
        tree.left[at] = -1;
        tree.offsets[at] = path;
    }

  private:
    void grow_to(std::size_t at) {
        if (at < tree.left.size()) return;
        tree.left.resize(at + 1);
        tree.offsets.resize(at + 1);
    }

    bool find_box(const std::int64_t* rows, std::size_t n) {
        bool varies = false;
        for (std::size_t j = 0; j < X_.cols; ++j) {
            double low = X_(static_cast<std::size_t>(rows[0]), j), high = low;
            for (std::size_t i = 1; i < n; ++i) {
                const double x = X_(static_cast<std::size_t>(rows[i]), j);
                low = std::min(low, x);
                high = std::max(high, x);
            }
            low_[j] = low;
            high_[j] = high;
            varies |= low < high;
        }
        return varies;
    }

    // A normal and a point of the box; returns where the plane through it lies along the normal.
    double draw() {
        for (std::size_t k = 0; k < width_; ++k) {
            const auto rest = static_cast<std::uint32_t>(X_.cols - k);
            std::swap(order_[k], order_[k + random_.below(rest)]);
            columns_[k] = order_[k];
        }
        std::sort(columns_.begin(), columns_.end());
        double offset = 0.0;
        for (std::size_t k = 0; k < width_; ++k) {
            const auto j = static_cast<std::size_t>(columns_[k]);
            slant_[k] = normal();
            offset += slant_[k] * (low_[j] + random_.uniform() * (high_[j] - low_[j]));
        }
        return offset;
    }

    double along(std::int64_t row) const {
        double sum = 0.0;
        for (std::size_t k = 0; k < width_; ++k)
            sum += slant_[k] *
                   X_(static_cast<std::size_t>(row), static_cast<std::size_t>(columns_[k]));
        return sum;
    }

    // Marsaglia's polar method, one of the two numbers.
    double normal() {
        for (;;) {
            const double u = 2.0 * random_.uniform() - 1.0, v = 2.0 * random_.uniform() - 1.0;
            const double s = u * u + v * v;
            if (s > 0.0 && s < 1.0) return u * std::sqrt(-2.0 * logarithm(s) / s);
        }
    }

    const Matrix<const double>& X_;
    const std::size_t width_;
    const int redraw_;
    Random random_;
    std::vector<double> low_, high_;
    std::vector<std::int32_t> order_, columns_;
    std::vector<double> slant_;
};

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument("damaged forest: " + what);
}

void check_tree(const SlantedView& forest, std::size_t t, std::vector<bool>& taken) {
    const std::int64_t begin = forest.starts[t], n = forest.starts[t + 1] - begin;
    taken.assign(static_cast<std::size_t>(n), false);
    std::int64_t inner = 0;
    for (std::int64_t at = 0; at < n; ++at) {
        const std::int64_t left = forest.left[static_cast<std::size_t>(begin + at)];
        if (left < 0) continue;
        ++inner;
        const auto place = static_cast<std::size_t>(left);
        if (left <= at || left % 2 == 0 || left + 1 >= n || taken[place])
            refuse("node " + std::to_string(at) + " of tree " + std::to_string(t) +
                   " names child " + std::to_string(left));
        taken[place] = true;
    }
    if (n != 2 * inner + 1) refuse("tree " + std::to_string(t) + " has nodes without a parent");
}

}  // namespace

std::vector<SlantedTree> grow_slanted(const Matrix<const double>& X,
                                      const IsolationSamples& samples, const IsolationRule& rule,
                                      std::size_t width, int redraw, int n_threads,
                                      Interrupt& interrupt) {
    std::vector<SlantedTree> trees(samples.seeds.size());
    for_trees(samples, n_threads, interrupt, [&](std::size_t t) {
        SlantedCuts cuts(X, width, redraw, samples.seeds[t]);
        isolate(cuts, samples.rows, t, rule);
        trees[t] = std::move(cuts.tree);
    });
    return trees;
}

void check_slanted(const SlantedView& forest, std::size_t n_columns) {
    if (forest.starts.empty() || forest.starts.front() != 0 ||
        forest.starts.back() != static_cast<std::int64_t>(forest.left.size()) ||
        forest.offsets.size() != forest.left.size())
        refuse("its arrays differ in length");
    std::vector<bool> taken;
    for (std::size_t t = 0; t + 1 < forest.starts.size(); ++t) {
        if (forest.starts[t + 1] <= forest.starts[t] ||
            forest.starts[t + 1] > static_cast<std::int64_t>(forest.left.size()))
            refuse("tree " + std::to_string(t) + " does not begin behind the one before");
        check_tree(forest, t, taken);
    }
    const std::size_t trees = forest.starts.size() - 1;
    const std::size_t inner = (forest.left.size() - trees) / 2;
    if (!forest.width || forest.columns.size() != inner * forest.width ||
        forest.slants.size() != forest.columns.size())
        refuse("its slants do not fit its nodes");
    for (const std::int32_t column : forest.columns)
        if (column < 0 || static_cast<std::size_t>(column) >= n_columns)
            refuse("a slant names column " + std::to_string(column));
}

void slanted_paths(const SlantedView& forest, const Matrix<const double>& X, std::span<double> out,
                   int n_threads, Interrupt& interrupt) {
    constexpr std::size_t block = 256;
    const std::size_t trees = forest.starts.size() - 1, blocks = (X.rows + block - 1) / block;
    const auto walk = [&](std::size_t row, std::size_t t) {
        const auto begin = static_cast<std::size_t>(forest.starts[t]);
        const std::size_t first = (begin - t) / 2;  // inner nodes of the trees before
        std::size_t at = begin;
        while (forest.left[at] >= 0) {
            const auto left = static_cast<std::size_t>(forest.left[at]);
            const std::size_t slant = (first + (left - 1) / 2) * forest.width;
            double sum = 0.0;
            for (std::size_t k = slant; k < slant + forest.width; ++k)
                sum += forest.slants[k] * X(row, static_cast<std::size_t>(forest.columns[k]));
            at = begin + left + (sum > forest.offsets[at]);
        }
        return forest.offsets[at];
    };
    const std::size_t group = static_cast<std::size_t>(std::max(n_threads, 1)) * 4;
    Team team(n_threads);
    for (std::size_t first = 0; first < blocks; first += group) {
        const std::size_t n = std::min(group, blocks - first);
        team.run(n, [&](std::size_t b) {
            const std::size_t begin = (first + b) * block, end = std::min(begin + block, X.rows);
            for (std::size_t t = 0; t < trees; ++t)
                for (std::size_t row = begin; row < end; ++row) out[row] += walk(row, t);
        });
        interrupt.after(n * block * trees * forest.width * 8);
    }
}

}  // namespace coterie
