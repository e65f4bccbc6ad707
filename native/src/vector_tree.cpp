#include "coterie/vector_tree.hpp"

#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "coterie/code_split.hpp"
#include "coterie/random.hpp"
#include "coterie/team.hpp"
#include "newton_write.hpp"
#include "permit.hpp"
#include "vector_lanes.hpp"

namespace coterie {
namespace {

constexpr std::size_t kKeptBytes = 16u << 20;  // larger histograms are not kept for the children
constexpr std::size_t kWorthTeam = 60'000;     // sums to touch before threads pay
constexpr double kFew = 10.0, kSmooth = 10.0;  // rows' worth of weight of a category

// The largest slopes, and whether 16 bits are enough for ordinary ones.
struct VectorScale {
    double most_g = 0.0, most_h = 0.0, sum_g = 0.0, sum_h = 0.0;
    std::size_t rows = 0, scores = 0;

    double levels() const { return packed_levels(rows, 32767.0); }
    bool packs() const {
        const auto n = static_cast<double>(rows), fine = levels() / 16.0;
        return levels() >= 1024.0 && most_g > 0.0 && most_h > 0.0 &&
               fine * sum_g >= most_g * n * static_cast<double>(scores) &&
               fine * sum_h >= most_h * n;
    }
};

template <class Real>
double bend(const VectorSlopes<Real>& slopes, std::size_t row, std::size_t k) {
    return slopes.hessian.data ? static_cast<double>(slopes.hessian(row, k)) : 1.0;
}

// What is counted of every row, and what a step of it means.
template <class Item>
struct VectorItems {
    std::vector<Item> all;
    double unit_g = 1.0, unit_h = 1.0;
};

template <class Lanes, class Real>
VectorItems<typename Lanes::Item> items_of(const VectorSlopes<Real>& slopes,
                                           const VectorScale& scale, std::uint64_t seed) {
    using Item = typename Lanes::Item;
    const LaneLayout layout(scale.scores);
    const std::size_t n = slopes.gradient.rows, width = layout.width, scores = layout.scores;
    VectorItems<Item> items;
    items.all.assign(n * width, Item{});
    const double levels = scale.levels();
    if constexpr (Lanes::kPacked) {
        items.unit_g = scale.most_g / levels;
        items.unit_h = scale.most_h / levels;
    }
    const Grid grid_g(scale.sum_g), grid_h(scale.sum_h);
    const double per_g = 1.0 / items.unit_g, per_h = 1.0 / items.unit_h;
    // With all levels there are, rounding to the nearest loses nothing worth the noise.
    const bool noisy = levels < 32767.0;
    const auto put = [&](double value, double per, const Grid& grid, std::uint64_t number) {
        if constexpr (!Lanes::kPacked) return grid.snap(value);
        const double up = noisy ? row_noise(seed, number) * 0x1.0p-32 : 0.5;
        return static_cast<Item>(std::floor(std::clamp(value * per, -32767.0, 32766.0) + up));
    };
    std::vector<double> means(n, 0.0);
    for (std::size_t k = 0; k < scores; ++k)
        for (std::size_t i = 0; i < scale.rows; ++i) {
            const std::size_t row = slopes.row(i);
            items.all[row * width + k] = put(static_cast<double>(slopes.gradient(row, k)), per_g,
                                             grid_g, std::uint64_t{row} * (scores + 1) + k);
            means[row] += bend(slopes, row, k);
        }
    for (std::size_t i = 0; i < scale.rows; ++i) {
        const std::size_t row = slopes.row(i);
        items.all[row * width + layout.hessian] =
            put(means[row] / static_cast<double>(scores), per_h, grid_h,
                std::uint64_t{row} * (scores + 1) + scores);
        items.all[row * width + layout.rows] = Item{1};
    }
    return items;
}

// Sums of the slopes of leaves, leaf by leaf.
struct LeafSlopes {
    std::vector<double> g, h;
};

// Score by score, in the order of the rows: the sums depend on nothing else.
template <class Real>
LeafSlopes sum_leaves(const VectorSlopes<Real>& slopes, std::span<const std::int32_t> leaves,
                      std::size_t n_leaves, Team& team, Interrupt& interrupt) {
    const std::size_t scores = slopes.gradient.cols, n = slopes.learnt();
    LeafSlopes sums{std::vector<double>(n_leaves * scores, 0.0),
                    std::vector<double>(n_leaves * scores, 0.0)};
    interrupt.after(n * scores);
    team.run(scores, [&](std::size_t k) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t row = slopes.row(i);
            const std::size_t at = static_cast<std::size_t>(leaves[row]) * scores + k;
            sums.g[at] += static_cast<double>(slopes.gradient(row, k));
            sums.h[at] += bend(slopes, row, k);
        }
    });
    return sums;
}

// Grows a tree on items; of the slopes themselves it knows nothing.
template <class Code, class Lanes>
class VectorGrower {
  public:
    using Item = typename Lanes::Item;
    using Sum = typename Lanes::Sum;

    VectorGrower(const CodeTable<Code>& codes, const BinsView& bins,
                 std::span<const std::int32_t> learnt, VectorItems<Item> items,
                 const VectorGrowth& growth, const VectorScale& scale, std::uint64_t seed,
                 Team& team, std::span<std::int32_t> leaves, Interrupt& interrupt)
        : codes_(codes.all), sparse_(codes.sparse), bins_(bins), growth_(growth), leaves_(leaves),
          interrupt_(interrupt), team_(team), random_(seed), layout_(scale.scores),
          rows_(scale.rows), spare_(scale.rows), items_(std::move(items.all)),
          unit_g_(items.unit_g), unit_h_(items.unit_h) {
        if (learnt.empty()) {
            std::iota(rows_.begin(), rows_.end(), std::uint32_t{0});
        } else {
            std::copy(learnt.begin(), learnt.end(), rows_.begin());
        }
        std::size_t most = 0;
        for (const std::int32_t column : growth.columns) {
            starts_.push_back(cells_);
            const std::size_t bins_here = bins.count(static_cast<std::size_t>(column)) + 1u;
            cells_ += bins_here;
            most = std::max(most, bins_here);
        }
        if (sparse_) {
            slot_of_.assign(codes_.cols, -1);
            for (std::size_t s = 0; s < growth.columns.size(); ++s)
                slot_of_[static_cast<std::size_t>(growth.columns[s])] =
                    static_cast<std::int32_t>(s);
        }
        keeps_ = cells_ * layout_.width * sizeof(Sum) <= kKeptBytes;
        for (std::size_t t = 0; t < team_.size(); ++t) scratch_.emplace_back(most, layout_.width);
    }

    // Grows the tree, notes the leaf of every row it learnt from, and returns how many there are.
    std::size_t run() {
        nodes_.emplace_back();
        nodes_[0].end = static_cast<std::uint32_t>(rows_.size());
        if (growth_.interactions.data)
            nodes_[0].permit = Permit::narrow(growth_.interactions, nullptr, -1);
        if (!growth_.columns.empty()) consider(0, count(nodes_[0]));
        std::int64_t leaf_count = 1;
        while (!waiting_.empty() && leaf_count < growth_.max_leaf_nodes) {
            std::pop_heap(waiting_.begin(), waiting_.end(), later());
            const std::size_t at = waiting_.back();
            waiting_.pop_back();
            divide(at, ++leaf_count >= growth_.max_leaf_nodes);
        }
        return number_leaves();
    }

    Tree write(const LeafSlopes& sums) {
        tree_.values.resize(sums.g.size());
        for (std::size_t i = 0; i < sums.g.size(); ++i)
            tree_.values[i] =
                sums.h[i] + growth_.l2 > 0.0 ? 0.0 - sums.g[i] / (sums.h[i] + growth_.l2) : 0.0;
        write_weights(sums);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].left >= 0) write_split(tree_, i, nodes_[i].split, bins_, false);
        return std::move(tree_);
    }

  private:
    using Cells = std::vector<Sum>;

    struct Vector {  // a node while the tree grows
        std::uint32_t begin = 0, end = 0;
        std::int64_t depth = 0;
        std::int32_t left = -1;
        double score = 0.0;
        CodeSplit split;
        Cells cells, total;
        std::shared_ptr<const Permit> permit;
        std::uint32_t size() const { return end - begin; }
    };

    struct Scratch {  // room to scan a column
        Scratch(std::size_t bins, std::size_t width)
            : prefix(width), hessians(bins), rows(bins), squares(bins) {}
        Cells prefix, hessians, rows;
        std::vector<SquaredSides> squares;
    };

    std::size_t parts(std::size_t work) const {
        return work >= kWorthTeam ? std::min(team_.size(), growth_.columns.size()) : 1;
    }

    Cells count(const Vector& node) {
        Cells cells(cells_ * layout_.width, Sum{});
        const std::size_t d = growth_.columns.size(), n = node.size();
        if (sparse_) {
            count_filled(node, cells);
            return cells;
        }
        interrupt_.after(n * d * layout_.width / 8);
        const std::size_t blocks = parts(n * d * layout_.width / 8);
        team_.run(blocks, [&](std::size_t t) {
            const std::size_t from = d * t / blocks, to = d * (t + 1) / blocks;
            count_lanes(CountTask<Code, Lanes>{
                codes_, rows_.data() + node.begin, n, items_.data(), layout_.width,
                growth_.columns.subspan(from, to - from), starts_.data() + from, cells.data()});
        });
        return cells;
    }

    // The usual code of a column has what the others leave of the node.
    void count_filled(const Vector& node, Cells& cells) {
        const std::size_t width = layout_.width;
        Cells total(width, Sum{});
        std::size_t touched = 0;
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
            const Item* item = items_.data() + rows_[i] * width;
            const auto add = [&](Sum* sums) {
                for (std::size_t c = 0; c < width; ++c) sums[c] += item[c];
            };
            add(total.data());
            const Line<Code> row = sparse_->row(rows_[i]);
            touched += row.size;
            for (std::size_t k = 0; k < row.size; ++k)
                if (const std::int32_t slot = slot_of_[row.at[k]]; slot >= 0)
                    add(cells.data() +
                        (starts_[static_cast<std::size_t>(slot)] + row.values[k]) * width);
        }
        for (std::size_t s = 0; s < growth_.columns.size(); ++s) {
            const auto column = static_cast<std::size_t>(growth_.columns[s]);
            Sum* first = cells.data() + starts_[s] * width;
            Sum* usual = first + sparse_->usual(column) * width;
            Cells rest = total;
            for (std::size_t b = 0; b <= bins_.count(column); ++b)
                for (std::size_t c = 0; c < width; ++c) rest[c] -= first[b * width + c];
            std::copy(rest.begin(), rest.end(), usual);
        }
        interrupt_.after((touched + cells_) * width / 8);
    }

    // Finds the best split of a node with these sums, and lets it wait for its turn.
    void consider(std::size_t at, Cells cells) {
        Vector& node = nodes_[at];
        const auto least = static_cast<std::uint32_t>(std::max<std::int64_t>(
            2, 2 * std::min<std::int64_t>(growth_.min_samples_leaf, 1u << 30)));
        if (node.depth >= growth_.max_depth || node.size() < least) return;
        node.total.assign(layout_.width, Sum{});
        const std::size_t first = bins_.count(static_cast<std::size_t>(growth_.columns[0])) + 1u;
        for (std::size_t b = 0; b < first; ++b)
            for (std::size_t c = 0; c < layout_.width; ++c)
                node.total[c] += cells[b * layout_.width + c];
        node.score =
            score(squares_body(node.total.data(), node.total.data(), layout_.gradients).left,
                  node.total[layout_.hessian]);
        search(node, cells);
        if (!node.split.found() || !(node.split.gain > growth_.min_gain)) {
            node.split = {};
            return;
        }
        if (keeps_) node.cells = std::move(cells);
        waiting_.push_back(at);
        std::push_heap(waiting_.begin(), waiting_.end(), later());
    }

    void search(Vector& node, const Cells& cells) {
        const std::vector<std::size_t> slots = drawn(node);
        const std::size_t blocks = parts(cells_ * layout_.width);
        std::vector<CodeSplit> best(blocks);
        team_.run(blocks, [&](std::size_t t) {
            for (std::size_t s = slots.size() * t / blocks; s < slots.size() * (t + 1) / blocks;
                 ++s)
                offer(node, slots[s], cells, scratch_[t], best[t]);
        });
        for (CodeSplit& split : best)
            if (split.found() && better(split.gain, node, node.split))
                node.split = std::move(split);
    }

    // The places of the columns that a node looks at, ascending.
    std::vector<std::size_t> drawn(const Vector& node) {
        std::vector<std::size_t> slots;
        for (std::size_t s = 0; s < growth_.columns.size(); ++s)
            if (!node.permit || node.permit->allowed[static_cast<std::size_t>(growth_.columns[s])])
                slots.push_back(s);
        const auto wanted = static_cast<std::size_t>(growth_.max_features);
        if (!wanted || wanted >= slots.size()) return slots;
        for (std::size_t i = 0; i < wanted; ++i)
            std::swap(slots[i],
                      slots[i + random_.below(static_cast<std::uint32_t>(slots.size() - i))]);
        slots.resize(wanted);
        std::sort(slots.begin(), slots.end());
        return slots;
    }

    double score(double squares, Sum hessian) const {
        const double below = static_cast<double>(hessian) * unit_h_ + growth_.l2;
        return below > 0.0 ? squares * unit_g_ * unit_g_ / below : 0.0;
    }

    // Gains that differ by rounding only are equal: the first wins.
    static bool better(double gain, const Vector& node, const CodeSplit& best) {
        const double tie = 1e-12 * std::abs(node.score);
        if (!(gain > tie)) return false;
        return !best.found() || gain > best.gain + tie + 1e-12 * std::abs(best.gain);
    }

    void offer(const Vector& node, std::size_t slot, const Cells& cells, Scratch& scratch,
               CodeSplit& best) const {
        const std::int32_t column = growth_.columns[slot];
        const auto j = static_cast<std::size_t>(column);
        const std::size_t bins = bins_.count(j), width = layout_.width;
        const Sum* first = cells.data() + starts_[slot] * width;
        if (bins_.categorical[j]) {
            offer_categories(node, column, first, bins, scratch, best);
            return;
        }
        const Sum* lost = first + bins * width;
        const bool missing = lost[layout_.rows] != Sum{};
        for (const bool missing_left : {false, true}) {
            if (missing_left && !missing) break;
            scan_lanes(ScanTask<Sum>{first, bins, node.total.data(), &layout_,
                                     missing_left ? lost : nullptr, scratch.prefix.data(),
                                     scratch.squares.data(), scratch.hessians.data(),
                                     scratch.rows.data()});
            for (std::size_t b = 0; b < bins; ++b) {
                const double gain =
                    worth(node, scratch.squares[b], scratch.hessians[b], scratch.rows[b]);
                if (!better(gain, node, best)) continue;
                note(node, column, gain, scratch.hessians[b], best);
                best.categorical = false;
                best.missing_left = missing_left;
                best.saw_missing = missing;
                best.last_left = static_cast<std::uint32_t>(b);
            }
        }
    }

    // What a side gains; minus infinity if either holds too little.
    double worth(const Vector& node, const SquaredSides& squares, Sum hessian, Sum rows) const {
        const auto left_n = static_cast<std::int64_t>(rows);
        const auto right_n = static_cast<std::int64_t>(node.total[layout_.rows]) - left_n;
        const Sum rest = node.total[layout_.hessian] - hessian;
        const double least = std::max(growth_.min_child_weight, std::numeric_limits<double>::min());
        if (left_n < std::max<std::int64_t>(growth_.min_samples_leaf, 1) ||
            right_n < std::max<std::int64_t>(growth_.min_samples_leaf, 1) ||
            static_cast<double>(hessian) * unit_h_ < least ||
            static_cast<double>(rest) * unit_h_ < least)
            return -std::numeric_limits<double>::infinity();
        return score(squares.left, hessian) + score(squares.right, rest) - node.score;
    }

    void note(const Vector&, std::int32_t column, double gain, Sum hessian, CodeSplit& best) const {
        best.gain = gain;
        best.column = column;
        best.left_weight = static_cast<double>(hessian) * unit_h_;
    }

    // Categories are ordered by the slope of the score that they tell apart best, and the sets
    // tried are those that begin the order; rare ones stay on the right, with what the node never
    // saw.
    void offer_categories(const Vector& node, std::int32_t column, const Sum* cells,
                          std::size_t bins, Scratch& scratch, CodeSplit& best) const {
        const std::size_t width = layout_.width;
        std::vector<std::uint32_t> order;
        for (std::uint32_t code = 0; code <= bins; ++code)
            if (static_cast<double>(cells[code * width + layout_.rows]) >= kFew)
                order.push_back(code);
        if (order.size() < 2) return;
        const double per_row = static_cast<double>(node.total[layout_.hessian]) * unit_h_ /
                               static_cast<double>(node.size());
        const auto slope = [&](std::uint32_t code, std::size_t k) {
            const Sum* cell = cells + code * width;
            return static_cast<double>(cell[k]) * unit_g_ /
                   (static_cast<double>(cell[layout_.hessian]) * unit_h_ + kSmooth * per_row);
        };
        std::size_t chosen = 0;
        double most = -1.0;
        for (std::size_t k = 0; k < layout_.scores; ++k) {
            double told = 0.0;
            for (const std::uint32_t code : order)
                told += std::abs(slope(code, k) * static_cast<double>(cells[code * width + k]));
            if (told > most) most = told, chosen = k;
        }
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return slope(a, chosen) < slope(b, chosen);
        });
        std::fill(scratch.prefix.begin(), scratch.prefix.end(), Sum{});
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            const Sum* cell = cells + order[i] * width;
            for (std::size_t c = 0; c < width; ++c) scratch.prefix[c] += cell[c];
            const Sum* left = scratch.prefix.data();
            const double gain =
                worth(node, squares_body(left, node.total.data(), layout_.gradients),
                      left[layout_.hessian], left[layout_.rows]);
            if (!better(gain, node, best)) continue;
            note(node, column, gain, left[layout_.hessian], best);
            best.categorical = best.saw_missing = true;
            best.left_codes.assign(order.begin(),
                                   order.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            best.missing_left = std::find(best.left_codes.begin(), best.left_codes.end(), bins) !=
                                best.left_codes.end();
        }
    }

    void divide(std::size_t at, bool last) {
        const std::size_t first = nodes_.size();
        nodes_.emplace_back();
        nodes_.emplace_back();
        Vector &node = nodes_[at], &left = nodes_[first], &right = nodes_[first + 1];
        const std::uint32_t middle = part(node);
        node.left = static_cast<std::int32_t>(first);
        left.begin = node.begin, left.end = right.begin = middle, right.end = node.end;
        left.depth = right.depth = node.depth + 1;
        if (node.permit)
            left.permit = right.permit =
                Permit::narrow(growth_.interactions, node.permit.get(), node.split.column);
        Cells cells = std::move(node.cells);
        node.cells = {};
        if (last) return;
        const bool left_is_small = left.size() <= right.size();
        const std::size_t small = first + !left_is_small, large = first + left_is_small;
        Cells few = count(nodes_[small]);
        if (keeps_) {
            for (std::size_t i = 0; i < cells.size(); ++i) cells[i] -= few[i];
        } else {
            cells = count(nodes_[large]);
        }
        consider(first, left_is_small ? std::move(few) : std::move(cells));
        consider(first + 1, left_is_small ? std::move(cells) : std::move(few));
    }

    std::uint32_t part(const Vector& node) {
        const auto column = static_cast<std::size_t>(node.split.column);
        const std::uint32_t kept =
            node.split.template with_side<Code>(bins_.count(column), [&](const auto& left) {
                const Code* codes = sparse_ ? written_.of(*sparse_, column) : codes_.col(column);
                return part_rows(codes, sparse_ ? 1 : codes_.row_stride, node.begin, node.end, left,
                                 Lane<std::uint32_t>{rows_.data(), spare_.data()});
            });
        std::copy_n(spare_.data(), node.size() - kept, rows_.data() + node.begin + kept);
        return node.begin + kept;
    }

    auto later() const {
        return [this](std::size_t a, std::size_t b) {
            const double first = nodes_[a].split.gain, second = nodes_[b].split.gain;
            return first != second ? first < second : a > b;
        };
    }

    // Children follow their parents in pairs already.
    std::size_t number_leaves() {
        std::int32_t n_leaves = 0;
        for (const Vector& node : nodes_) {
            tree_.n_samples.push_back(static_cast<std::int32_t>(node.size()));
            tree_.nodes.push_back({0.0, 0, node.left});
            if (node.left >= 0) continue;
            for (std::uint32_t i = node.begin; i < node.end; ++i) leaves_[rows_[i]] = n_leaves;
            tree_.nodes.back().left = ~n_leaves++;
        }
        return static_cast<std::size_t>(n_leaves);
    }

    // Weights of nodes, and an "impurity" of which a split takes away its gain.
    void write_weights(const LeafSlopes& sums) {
        const std::size_t scores = layout_.scores, count = tree_.nodes.size();
        std::vector<double> pulls(count * scores, 0.0), score(count);
        tree_.weight.assign(count, 0.0);
        double most = 0.0;
        for (std::size_t i = count; i-- > 0;) {
            const std::int32_t left = tree_.nodes[i].left;
            double squares = 0.0;
            for (std::size_t k = 0; k < scores; ++k) {
                double& pull = pulls[i * scores + k];
                if (left < 0) {
                    const std::size_t at = static_cast<std::size_t>(~left) * scores + k;
                    pull = sums.g[at];
                    tree_.weight[i] += sums.h[at] / static_cast<double>(scores);
                } else {
                    const auto first = static_cast<std::size_t>(left);
                    pull = pulls[first * scores + k] + pulls[(first + 1) * scores + k];
                }
                squares += pull * pull;
            }
            if (left >= 0)
                tree_.weight[i] = tree_.weight[static_cast<std::size_t>(left)] +
                                  tree_.weight[static_cast<std::size_t>(left) + 1];
            tree_.weight[i] = std::max(tree_.weight[i], std::numeric_limits<double>::min());
            score[i] = squares / (tree_.weight[i] + growth_.l2);
            most = std::max(most, score[i] / tree_.weight[i]);
        }
        for (std::size_t i = 0; i < count; ++i)
            tree_.impurity.push_back(std::max(most - score[i] / tree_.weight[i], 0.0));
    }

    const Matrix<const Code> codes_;
    const SparseCodes<Code>* const sparse_;  // what is counted instead of them, or null
    WrittenColumn<Code> written_;
    std::vector<std::int32_t> slot_of_;  // place of a column among those of the tree, or -1
    const BinsView bins_;
    const VectorGrowth growth_;
    const std::span<std::int32_t> leaves_;
    Interrupt& interrupt_;
    Team& team_;
    Random random_;
    const LaneLayout layout_;
    std::vector<std::uint32_t> rows_, spare_;
    std::vector<std::size_t> starts_;  // first cell of each column of the tree
    std::size_t cells_ = 0;
    bool keeps_ = true;
    const std::vector<Item> items_;
    const double unit_g_, unit_h_;
    std::vector<Vector> nodes_;
    std::vector<std::size_t> waiting_;  // a heap
    std::vector<Scratch> scratch_;
    Tree tree_;
};

template <class Real>
VectorScale measure(const VectorSlopes<Real>& slopes) {
    VectorScale scale;
    scale.scores = slopes.gradient.cols;
    scale.rows = slopes.learnt();
    std::vector<double> means(scale.rows, slopes.hessian.data ? 0.0 : 1.0);
    for (std::size_t k = 0; k < scale.scores; ++k)
        for (std::size_t i = 0; i < scale.rows; ++i) {
            const std::size_t row = slopes.row(i);
            const double g = std::abs(static_cast<double>(slopes.gradient(row, k)));
            scale.most_g = std::max(scale.most_g, g);
            scale.sum_g += g;
            if (slopes.hessian.data) {
                const auto h = static_cast<double>(slopes.hessian(row, k));
                if (h < 0.0) throw std::invalid_argument("hessian: negative");
                means[i] += h / static_cast<double>(scale.scores);
            }
        }
    for (const double h : means) {
        scale.most_h = std::max(scale.most_h, h);
        scale.sum_h += h;
    }
    // A sum that is no number, or too large to be one, betrays any such slope.
    if (!std::isfinite(scale.sum_g))
        throw std::invalid_argument(
            "gradients of the loss are NaN or infinite; a smaller learning_rate or a rescaled y "
            "may help");
    if (!std::isfinite(scale.sum_h))
        throw std::invalid_argument(
            "second derivatives of the loss are NaN or infinite; a smaller learning_rate or a "
            "rescaled y may help");
    return scale;
}

}  // namespace

template <class Code, class Real>
Tree grow_vector(const CodeTable<Code>& codes, const BinsView& bins,
                 const VectorSlopes<Real>& slopes, const VectorGrowth& growth, std::uint64_t seed,
                 int n_threads, std::span<std::int32_t> leaves, Interrupt& interrupt) {
    const VectorScale scale = measure(slopes);
    Team team(n_threads);
    const auto as = [&]<class Lanes>(Lanes) {
        VectorGrower<Code, Lanes> grower(codes, bins, slopes.rows,
                                         items_of<Lanes>(slopes, scale, seed), growth, scale, seed,
                                         team, leaves, interrupt);
        const std::size_t n_leaves = grower.run();
        return grower.write(sum_leaves(slopes, leaves, n_leaves, team, interrupt));
    };
    const bool packed = growth.precision == 1 || (growth.precision == 0 && scale.packs());
    return packed ? as(PackedLanes{}) : as(ExactLanes{});
}

#define COTERIE_VECTOR(Code, Real)                                                                \
    template Tree grow_vector(const CodeTable<Code>&, const BinsView&, const VectorSlopes<Real>&, \
                              const VectorGrowth&, std::uint64_t, int, std::span<std::int32_t>,   \
                              Interrupt&)
COTERIE_VECTOR(std::uint8_t, float);
COTERIE_VECTOR(std::uint8_t, double);
COTERIE_VECTOR(std::uint16_t, float);
COTERIE_VECTOR(std::uint16_t, double);
#undef COTERIE_VECTOR

}  // namespace coterie
