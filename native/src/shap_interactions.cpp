// A leaf of value v is a product over the columns of its path (see shap_walk.hpp): known columns
// count o_j, unknown ones z_j. Of such a game the Shapley interaction of the columns i and j is
//
//     v (o_i - z_i) (o_j - z_j) ∫ ∏_{l≠i,j} (t o_l + (1 - t) z_l) dt,  t from 0 to 1,
//
// as ∫ t^s (1-t)^(k-2-s) dt = s! (k-2-s)! / (k-1)! is the weight of a coalition of s out of k - 2.
// Half of it goes to either order of the two, and what is left of the value of a column by itself
// stays on the diagonal. (Fujimoto, Kojadinovic & Marichal 2006; Lundberg, Erion & Lee 2018.)
#include <algorithm>
#include <vector>

#include "coterie/shap.hpp"
#include "coterie/team.hpp"
#include "quadrature.hpp"
#include "step.hpp"

namespace coterie {
namespace {

using shapley::Quadrature;

constexpr std::size_t kRows = 16;  // rows that a task takes

struct Asked {  // a column of the current path
    std::uint32_t column;
    bool passed;   // o
    double share;  // z
};

template <class T>
class Pairs {
  public:
    Pairs(const ForestView& forest, std::span<const double> weight, const Matrix<const T>& X,
          std::span<const double> tree_weight, const Matrix<double>& out)
        : forest_(forest), weight_(weight), X_(X), tree_weight_(tree_weight), out_(out) {}

    void explain(std::size_t row) {
        row_ = row;
        for (std::size_t tree = 0; tree < forest_.trees(); ++tree) {
            first_ = static_cast<std::size_t>(forest_.node_offsets[tree]);
            leaves_ = static_cast<std::size_t>(forest_.leaf_offsets[tree]);
            categories_ = forest_.categories.data() + forest_.category_offsets[tree];
            factor_ = tree_weight_.empty() ? 1.0 : tree_weight_[tree];
            descend(0);
        }
    }

  private:
    // Depth is bounded by memory, not by the stack of calls.
    void descend(std::size_t root) {
        struct Step {
            std::size_t node;
            std::vector<Asked> path;
        };
        std::vector<Step> waiting;
        waiting.push_back({root, {}});
        while (!waiting.empty()) {
            Step step = std::move(waiting.back());
            waiting.pop_back();
            const Node& node = forest_.nodes[first_ + step.node];
            if (node.is_leaf()) {
                reach(leaves_ + static_cast<std::size_t>(~node.left), step.path);
                continue;
            }
            const auto left = static_cast<std::size_t>(node.left);
            const double* both = weight_.data() + first_ + left;
            const double total = both[0] + both[1];
            const double share = total > 0.0 ? both[0] / total : 0.5;
            const bool right = goes_right<true>(node, X_(row_, node.feature()), categories_);
            for (const bool side : {true, false}) {
                std::vector<Asked> path = step.path;
                auto known = std::find_if(path.begin(), path.end(), [&](const Asked& asked) {
                    return asked.column == node.feature();
                });
                if (known == path.end()) known = path.insert(path.end(), {node.feature(), true, 1});
                known->passed &= side == right;
                known->share *= side ? 1.0 - share : share;
                // Nobody gets there, whatever is known.
                if (!known->passed && known->share == 0.0) continue;
                waiting.push_back({left + side, std::move(path)});
            }
        }
    }

    void reach(std::size_t leaf, const std::vector<Asked>& path) {
        const std::size_t k = path.size();
        if (!k) return;
        const Quadrature& rule = rule_of((k + 1) / 2);
        const std::size_t points = rule.at.size();
        inverse_.resize(k * points);
        products_.assign(rule.weight.begin(), rule.weight.end());
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t q = 0; q < points; ++q) {
                const double f = (path[i].passed ? rule.at[q] : 0.0) + rule.rest[q] * path[i].share;
                inverse_[i * points + q] = 1.0 / f;
                products_[q] *= f;
            }
        for (std::size_t i = 0; i < k; ++i) {
            double whole = 0.0;
            for (std::size_t q = 0; q < points; ++q)
                whole += products_[q] * inverse_[i * points + q];
            add(leaf, path[i].column, path[i].column, gap(path[i]) * whole);
            for (std::size_t j = 0; j < i; ++j) {
                double both = 0.0;
                for (std::size_t q = 0; q < points; ++q)
                    both += products_[q] * inverse_[i * points + q] * inverse_[j * points + q];
                share(leaf, path[i], path[j], 0.5 * gap(path[i]) * gap(path[j]) * both);
            }
        }
    }

    static double gap(const Asked& asked) { return (asked.passed ? 1.0 : 0.0) - asked.share; }

    // Half an interaction in both orders, taken from what the columns have by themselves.
    void share(std::size_t leaf, const Asked& a, const Asked& b, double half) {
        add(leaf, a.column, b.column, half);
        add(leaf, b.column, a.column, half);
        add(leaf, a.column, a.column, -half);
        add(leaf, b.column, b.column, -half);
    }

    void add(std::size_t leaf, std::uint32_t i, std::uint32_t j, double part) {
        const std::size_t outputs = forest_.outputs();
        double* sum = out_.row(row_) + (i * X_.cols + j) * outputs;
        const double* value = forest_.values.row(leaf);
        for (std::size_t o = 0; o < outputs; ++o) sum[o] += part * factor_ * value[o];
    }

    const Quadrature& rule_of(std::size_t points) {
        while (rules_.size() < points) rules_.emplace_back(rules_.size() + 1);
        return rules_[points - 1];
    }

    const ForestView& forest_;
    const std::span<const double> weight_;
    const Matrix<const T>& X_;
    const std::span<const double> tree_weight_;
    const Matrix<double>& out_;
    std::size_t row_ = 0, first_ = 0, leaves_ = 0;
    const std::uint64_t* categories_ = nullptr;
    double factor_ = 1.0;
    std::vector<Quadrature> rules_;
    std::vector<double> inverse_, products_;
};

}  // namespace

template <class T>
void shap_interactions(const ForestView& forest, std::span<const double> weight,
                       const Matrix<const T>& X, std::span<const double> tree_weight,
                       const Matrix<double>& out, int n_threads, Interrupt& interrupt) {
    const std::size_t group = static_cast<std::size_t>(std::max(n_threads, 1)) * 4 * kRows;
    Team team(n_threads);
    for (std::size_t first = 0; first < X.rows; first += group) {
        const std::size_t n = std::min(group, X.rows - first);
        team.run((n + kRows - 1) / kRows, [&](std::size_t block) {
            Pairs<T> pairs(forest, weight, X, tree_weight, out);
            const std::size_t begin = first + block * kRows;
            for (std::size_t row = begin; row < std::min(begin + kRows, first + n); ++row)
                pairs.explain(row);
        });
        interrupt.after(n * forest.nodes.size() * 16);
    }
}

template void shap_interactions(const ForestView&, std::span<const double>,
                                const Matrix<const float>&, std::span<const double>,
                                const Matrix<double>&, int, Interrupt&);
template void shap_interactions(const ForestView&, std::span<const double>,
                                const Matrix<const double>&, std::span<const double>,
                                const Matrix<double>&, int, Interrupt&);

}  // namespace coterie
