#include "coterie/shap.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "coterie/predict.hpp"
#include "coterie/team.hpp"
#include "shap_duel.hpp"
#include "shap_walk.hpp"

namespace coterie {
namespace {

using namespace shapley;

constexpr std::size_t kRows = 64;         // rows that go through a tree together, at most
constexpr std::size_t kDuelRows = 512;    // the same against a background, at most
constexpr std::size_t kOutputs = 8;       // outputs that do
constexpr std::size_t kBatch = 1u << 20;  // nodes times points, at least, of a batch of trees
constexpr std::size_t kGroup = 1u << 27;  // the same times rows, between two looks at the clock
constexpr std::size_t kRoom = 1u << 18;   // numbers that a walk may keep, about

// What there is to know of a tree before rows come: fills the plan, and adds its weighted
// expectation to `base`.
class Survey {
  public:
    explicit Survey(std::size_t n_columns) : asked_(n_columns, 0), known_(n_columns, kNone) {}

    void run(Plan& plan, std::size_t number, std::size_t outputs, std::span<double> base) {
        std::vector<std::uint8_t> used(outputs, 0);
        std::size_t visits = 0, columns = 0;
        stack_.assign(1, {plan.root, 1.0, false});
        std::size_t level = 0;
        while (!stack_.empty()) {
            Stop& stop = stack_.back();
            const Node& node = *stop.node;
            if (stop.left_behind) {
                if (--asked_[node.feature()] == 0) --columns;
                --level;
                stack_.pop_back();
                continue;
            }
            if (++visits > plan.nodes)
                throw std::invalid_argument("damaged forest: a node of tree " +
                                            std::to_string(number) + " has two parents");
            if (node.is_leaf()) {
                const double* value = plan.values + static_cast<std::size_t>(~node.left) * outputs;
                for (std::size_t k = 0; k < outputs; ++k) {
                    base[k] += plan.tree_weight * stop.share * value[k];
                    used[k] |= value[k] != 0.0;
                }
                stack_.pop_back();
                continue;
            }
            if (known_[node.feature()] != number) plan.columns.push_back(node.feature());
            known_[node.feature()] = number;
            if (asked_[node.feature()]++ == 0) ++columns;
            plan.points = std::max(plan.points, (columns + 1) / 2);
            plan.depth = std::max(plan.depth, ++level);
            const double share = stop.share, left = left_share(plan, node);
            const Node* child = plan.root + node.left;
            stop.left_behind = true;
            stack_.push_back({child, share * left, false});
            stack_.push_back({child + 1, share * (1.0 - left), false});
        }
        for (std::size_t k = 0; k < outputs; ++k)
            if (used[k]) plan.outputs.push_back(k);
    }

  private:
    struct Stop {
        const Node* node;
        double share;
        bool left_behind;
    };
    std::vector<Stop> stack_;
    std::vector<std::uint32_t> asked_;  // splits of the current path, by column
    std::vector<std::size_t> known_;    // the last tree that asked for a column
};

std::vector<Plan> survey_trees(const ForestView& forest, std::span<const double> weight,
                               std::size_t n_columns, std::span<const double> tree_weight,
                               std::span<double> base) {
    std::vector<Plan> plans;
    Survey survey(n_columns);
    for (std::size_t tree = 0; tree < forest.trees(); ++tree) {
        const auto start = static_cast<std::size_t>(forest.node_offsets[tree]);
        plans.push_back(
            {.root = forest.nodes.data() + start,
             .weight = weight.data() + start,
             .categories = forest.categories.data() + forest.category_offsets[tree],
             .values = forest.values.row(static_cast<std::size_t>(forest.leaf_offsets[tree])),
             .tree_weight = tree_weight.empty() ? 1.0 : tree_weight[tree],
             .nodes = static_cast<std::size_t>(forest.node_offsets[tree + 1]) - start,
             .width = forest.outputs()});
        survey.run(plans.back(), tree, forest.outputs(), base);
    }
    return plans;
}

// Trees that are walked one after the other, and the columns they ask for.
struct Batch {
    std::size_t first, last, work = 0;
    std::size_t rows = kRows;  // of a block: fewer if paths are long
    std::vector<std::uint32_t> columns{};
};

// The batch that begins with tree `first`; numbers its columns in `slots`. With others to meet,
// blocks are larger, as these go through the trees with every block.
Batch next_batch(const std::vector<Plan>& plans, std::size_t first, std::size_t others,
                 std::vector<std::uint32_t>& slots) {
    constexpr std::uint32_t free = ~std::uint32_t{0};
    std::fill(slots.begin(), slots.end(), free);
    Batch batch{first, first};
    while (batch.last < plans.size() && batch.work < kBatch) {
        const Plan& plan = plans[batch.last++];
        const std::size_t points = std::max<std::size_t>(plan.points, 1);
        batch.work += plan.nodes * (others ? 1 + others / 8 : points);
        const std::size_t width = 1 + 2 * std::min(plan.outputs.size(), kOutputs);
        const std::size_t fitting = kRoom / ((plan.depth + 1) * points * width);
        batch.rows = std::min(batch.rows, std::max(fitting / kLanes, std::size_t{1}) * kLanes);
        for (const std::uint32_t column : plan.columns) {
            if (slots[column] != free) continue;
            slots[column] = static_cast<std::uint32_t>(batch.columns.size());
            batch.columns.push_back(column);
        }
    }
    // A block may keep as many pairs on a path as there are rows and others.
    if (others) batch.rows = std::clamp(kRoom / others, kLanes, kDuelRows);
    return batch;
}

// What walks need for each number of points.
struct Rule {
    Points points;
    Shares shares;
};
using Rules = std::map<std::size_t, Rule>;

// All that is the same for every block of rows.
template <class T>
struct Task {
    const std::vector<Plan>& plans;
    const Rules& rules;
    const Matrix<const T>& X;
    const Matrix<const double>& background;
    const Matrix<double>& out;
};

// Takes the rows from `begin` on through the trees of a batch.
template <class T>
void explain_block(const Task<T>& task, const Batch& batch, const std::vector<std::uint32_t>& slots,
                   std::size_t begin) {
    const auto& [plans, rules, X, background, out] = task;
    const std::size_t n = std::min(batch.rows, X.rows - begin), outputs = plans[0].width;
    const std::size_t padded = (n + kLanes - 1) / kLanes * kLanes;
    Walk walk(batch.columns.size(), padded, outputs);
    for (std::size_t slot = 0; slot < batch.columns.size(); ++slot)
        for (std::size_t row = 0; row < padded; ++row)
            walk.x(slot)[row] = X(begin + std::min(row, n - 1), batch.columns[slot]);
    for (std::size_t tree = batch.first; tree < batch.last; ++tree) {
        const Plan& plan = plans[tree];
        if (!plan.depth) continue;
        const std::span<const std::size_t> all(plan.outputs);
        for (std::size_t first = 0; first < all.size(); first += kOutputs)
            walk.run(plan, rules.at(plan.points).points, slots,
                     all.subspan(first, std::min(kOutputs, all.size() - first)));
    }
    for (std::size_t slot = 0; slot < batch.columns.size(); ++slot)
        for (std::size_t k = 0; k < outputs; ++k)
            for (std::size_t row = 0; row < n; ++row)
                out(begin + row, batch.columns[slot] * outputs + k) += walk.phi(slot, k)[row];
}

// The same against the background.
template <class T>
void duel_block(const Task<T>& task, const Batch& batch, const std::vector<std::uint32_t>& slots,
                std::size_t begin) {
    const auto& [plans, rules, X, background, out] = task;
    const std::size_t n = std::min(batch.rows, X.rows - begin);
    Duel duel(batch.columns.size(), n, background.rows);
    for (std::size_t slot = 0; slot < batch.columns.size(); ++slot) {
        double* x = duel.x(slot);
        for (std::size_t row = 0; row < n; ++row) x[row] = X(begin + row, batch.columns[slot]);
        for (std::size_t other = 0; other < background.rows; ++other)
            x[n + other] = background(other, batch.columns[slot]);
    }
    const Matrix<double> rows{out.row(begin), n, out.cols, out.row_stride, out.col_stride};
    for (std::size_t tree = batch.first; tree < batch.last; ++tree)
        if (plans[tree].depth)
            duel.run(plans[tree], rules.at(plans[tree].points).shares, slots, rows);
}

void check_weight(std::span<const double> weight) {
    for (const double each : weight)
        if (!(each >= 0.0) || std::isinf(each))
            throw std::invalid_argument("weight: " + std::to_string(each) +
                                        " is no weight of a node");
}

// The trees say the mean over the background: turns their weights, and what is expected.
void spread_over(const Matrix<const double>& background, const ForestView& forest,
                 std::span<const double> tree_weight, std::vector<Plan>& plans,
                 std::span<double> base, int n_threads, Interrupt& interrupt) {
    const auto rows = static_cast<double>(background.rows);
    for (Plan& plan : plans) plan.tree_weight /= rows;
    std::vector<double> said(background.rows * base.size(), 0.0);
    predict(forest, background, tree_weight,
            Matrix<double>{said.data(), background.rows, base.size(),
                           static_cast<std::ptrdiff_t>(base.size()), 1},
            n_threads, interrupt);
    std::fill(base.begin(), base.end(), 0.0);
    for (std::size_t i = 0; i < said.size(); ++i) base[i % base.size()] += said[i] / rows;
}

}  // namespace

template <class T>
void shap(const ForestView& forest, std::span<const double> weight, const Matrix<const T>& X,
          const Matrix<const double>& background, std::span<const double> tree_weight,
          const Matrix<double>& out, int n_threads, Interrupt& interrupt) {
    check_weight(weight);
    const std::size_t outputs = forest.outputs();
    std::vector<double> base(outputs, 0.0);
    std::vector<Plan> plans = survey_trees(forest, weight, X.cols, tree_weight, base);
    if (background.rows)
        spread_over(background, forest, tree_weight, plans, base, n_threads, interrupt);
    for (std::size_t row = 0; row < X.rows; ++row)
        for (std::size_t k = 0; k < outputs; ++k) out(row, X.cols * outputs + k) += base[k];
    Rules rules;
    for (const Plan& plan : plans)
        if (!rules.contains(plan.points))
            rules.emplace(plan.points, Rule{Points(plan.points), Shares(2 * plan.points)});

    const Task<T> task{plans, rules, X, background, out};
    std::vector<std::uint32_t> slots(X.cols);
    for (std::size_t tree = 0; tree < plans.size();) {
        const Batch batch = next_batch(plans, tree, background.rows, slots);
        tree = batch.last;
        const std::size_t blocks = (X.rows + batch.rows - 1) / batch.rows;
        // Signals can only be asked for by the calling thread: between groups of blocks.
        const std::size_t group = std::max(static_cast<std::size_t>(std::max(n_threads, 1)) * 4,
                                           kGroup / (batch.work * batch.rows));
        for (std::size_t first = 0; first < blocks; first += group) {
            const std::size_t n = std::min(group, blocks - first);
            Team(n_threads).run(n, [&](std::size_t block) {
                const std::size_t begin = (first + block) * batch.rows;
                background.rows ? duel_block(task, batch, slots, begin)
                                : explain_block(task, batch, slots, begin);
            });
            interrupt.after(n * batch.rows * batch.work);
        }
    }
}

#define COTERIE_INSTANTIATE(T)                                                             \
    template void shap(const ForestView&, std::span<const double>, const Matrix<const T>&, \
                       const Matrix<const double>&, std::span<const double>,               \
                       const Matrix<double>&, int, Interrupt&)
COTERIE_INSTANTIATE(float);
COTERIE_INSTANTIATE(double);
#undef COTERIE_INSTANTIATE

}  // namespace coterie
