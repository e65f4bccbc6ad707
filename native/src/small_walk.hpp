// Walking many rows down small trees.
//
// A tree of boosting has a few dozen nodes and stays in the first cache, so what a walk costs is
// not waiting for nodes but mispredicting where it ends. Here a leaf leads to itself, and eight
// rows go down in step until none of them moves.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "coterie/forest.hpp"
#include "coterie/matrix.hpp"
#include "coterie/predict.hpp"

namespace coterie {

template <class T>
class SmallForest {
  public:
    static constexpr std::size_t kWorth = 64;     // rows that pay for making the copy
    static constexpr std::int64_t kNodes = 1024;  // of a small tree

    static bool suits(const ForestView& forest) {
        if (!forest.categories.empty()) return false;
        for (std::size_t t = 0; t < forest.trees(); ++t)
            if (forest.node_offsets[t + 1] - forest.node_offsets[t] > kNodes) return false;
        return true;
    }

    SmallForest(const ForestView& forest, std::span<const double> tree_weight)
        : outputs_(forest.outputs()), stops_(forest.nodes.size()), starts_(forest.node_offsets),
          missing_right_(forest.nodes.size()), votes_(forest.nodes.size() * outputs_) {
        for (std::size_t t = 0; t < forest.trees(); ++t) {
            const auto begin = static_cast<std::size_t>(starts_[t]);
            const double weight = tree_weight.empty() ? 1.0 : tree_weight[t];
            for (std::size_t at = begin; at < static_cast<std::size_t>(starts_[t + 1]); ++at) {
                const Node& node = forest.nodes[at];
                if (!node.is_leaf()) {
                    stops_[at] = {below(node.threshold), node.feature(),
                                  static_cast<std::uint32_t>(node.left)};
                    missing_right_[at] = !node.missing_left();
                    continue;
                }
                stops_[at] = {std::numeric_limits<T>::infinity(), 0,
                              static_cast<std::uint32_t>(at - begin)};
                const auto leaf = static_cast<std::size_t>(forest.leaf_offsets[t] + ~node.left);
                for (std::size_t k = 0; k < outputs_; ++k)
                    votes_[at * outputs_ + k] = weight * forest.values(leaf, k);
            }
        }
    }

    // Adds the votes of all trees on rows begin … end.
    void add(const Matrix<const T>& X, std::size_t begin, std::size_t end,
             const Matrix<double>& out) const {
        const std::size_t strip =
            std::clamp<std::size_t>(kStripBytes / (X.cols * sizeof(T)), 8, 512);
        std::vector<T> copy(strip * X.cols);
        for (std::size_t at = begin; at < end; at += strip)
            add_strip(X, at, std::min(end, at + strip), copy, out);
    }

  private:
    static constexpr std::size_t kStripBytes = 24 * 1024;  // rows that stay in the first cache

    struct alignas(16) Stop {
        T threshold;
        std::uint32_t column;
        std::uint32_t left;
    };

    // The largest T that is not above the threshold: x > threshold means the same for every x.
    static T below(double threshold) {
        const T rounded = static_cast<T>(threshold);
        return static_cast<double>(rounded) > threshold
                   ? std::nextafter(rounded, -std::numeric_limits<T>::infinity())
                   : rounded;
    }

    // Rows are copied into one piece: other layouts would miss the cache at every step.
    void add_strip(const Matrix<const T>& X, std::size_t begin, std::size_t end,
                   std::vector<T>& copy, const Matrix<double>& out) const {
        bool missing = false;
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < X.cols; ++j) {
                const T x = X(i, j);
                copy[(i - begin) * X.cols + j] = x;
                missing |= x != x;
            }
        const Matrix<const T> rows{copy.data(), end - begin, X.cols,
                                   static_cast<std::ptrdiff_t>(X.cols), 1};
        for (std::size_t t = 0; t + 1 < starts_.size(); ++t) {
            const auto first = static_cast<std::size_t>(starts_[t]);
            const Tree tree{stops_.data() + first, missing_right_.data() + first};
            const double* votes = votes_.data() + first * outputs_;
            const std::size_t output = first_output(outputs_, out, t);
            const auto vote_one = [&](std::size_t i, std::uint32_t at) {
                out.row(begin + i)[output] += votes[at];
            };
            const auto vote_many = [&](std::size_t i, std::uint32_t at) {
                double* sum = out.row(begin + i);
                for (std::size_t k = 0; k < outputs_; ++k) sum[k] += votes[at * outputs_ + k];
            };
            if (outputs_ == 1) {
                missing ? walk<true>(tree, rows, vote_one) : walk<false>(tree, rows, vote_one);
            } else {
                missing ? walk<true>(tree, rows, vote_many) : walk<false>(tree, rows, vote_many);
            }
        }
    }

    struct Tree {
        const Stop* stops;
        const std::uint8_t* missing_right;
    };

    template <bool Missing>
    static std::uint32_t step(const Tree& tree, std::uint32_t at, const T* x) {
        const Stop stop = tree.stops[at];
        const T value = x[stop.column];
        std::uint32_t right = value > stop.threshold;
        if constexpr (Missing) right |= (value != value) & tree.missing_right[at];
        return stop.left + right;
    }

    template <bool Missing, class Vote>
    static void walk(const Tree& tree, const Matrix<const T>& rows, Vote&& vote) {
        constexpr std::size_t lanes = 8;
        const auto stride = static_cast<std::size_t>(rows.row_stride);
        std::size_t i = 0;
        for (; i + lanes <= rows.rows; i += lanes) {
            std::array<std::uint32_t, lanes> at{};
            const T* x = rows.row(i);
            for (std::uint32_t moved = 1; moved;) {
                moved = 0;
#pragma GCC unroll 8
                for (std::size_t k = 0; k < lanes; ++k) {
                    const std::uint32_t next = step<Missing>(tree, at[k], x + k * stride);
                    moved |= next ^ at[k];
                    at[k] = next;
                }
            }
            for (std::size_t k = 0; k < lanes; ++k) vote(i + k, at[k]);
        }
        for (; i < rows.rows; ++i) {
            std::uint32_t at = 0, next;
            while ((next = step<Missing>(tree, at, rows.row(i))) != at) at = next;
            vote(i, at);
        }
    }

    const std::size_t outputs_;
    std::vector<Stop> stops_;
    const std::span<const std::int64_t> starts_;
    std::vector<std::uint8_t> missing_right_;  // by node
    std::vector<double> votes_;                // by node; only leaves have any
};

}  // namespace coterie
