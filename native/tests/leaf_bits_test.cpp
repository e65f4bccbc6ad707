#include "leaf_bits.hpp"

#include <limits>
#include <vector>

#include "check.hpp"
#include "coterie/random.hpp"

using namespace coterie;

namespace {

constexpr std::size_t kColumns = 5, kLines = 700;
constexpr std::uint32_t kCategories = 4;  // the column that has them

// Trees of random shape, with sets of categories of so many words in the last column.
struct SmallTrees {
    std::vector<Node> nodes;
    std::vector<std::int64_t> node_offsets{0}, leaf_offsets{0}, word_offsets{0};
    std::vector<double> values;
    std::vector<std::uint64_t> words;
    std::size_t outputs;

    explicit SmallTrees(std::size_t width) : outputs(width) {}

    void grow(std::size_t leaves, std::size_t set_words, std::uint32_t levels, Random& random) {
        std::vector<Node> tree{{0.0, 0, -1}};
        std::vector<std::size_t> open{0};
        while (open.size() < leaves) {
            const auto pick = random.below(static_cast<std::uint32_t>(open.size()));
            tree[open[pick]] = split(set_words, levels, random);
            tree[open[pick]].left = static_cast<std::int32_t>(tree.size());
            open[pick] = tree.size();
            open.push_back(tree.size() + 1);
            tree.resize(tree.size() + 2, Node{0.0, 0, -1});
        }
        std::int32_t found = 0;
        for (Node& node : tree) {
            if (!node.is_leaf()) continue;
            node.left = ~found++;
            for (std::size_t k = 0; k < outputs; ++k) values.push_back(random.uniform());
        }
        nodes.insert(nodes.end(), tree.begin(), tree.end());
        node_offsets.push_back(static_cast<std::int64_t>(nodes.size()));
        leaf_offsets.push_back(leaf_offsets.back() + found);
        word_offsets.push_back(static_cast<std::int64_t>(words.size()));
    }

    Node split(std::size_t set_words, std::uint32_t levels, Random& random) {
        const std::uint32_t flag = random.below(2) ? Node::kMissingLeft : 0;
        const std::uint32_t column = random.below(set_words ? kColumns : kCategories);
        if (column != kCategories) {
            const double threshold = static_cast<double>(random.below(levels)) / levels;
            return {random.below(20) ? threshold : std::numeric_limits<double>::infinity(),
                    column | flag, 0};
        }
        const auto place =
            static_cast<double>(static_cast<std::int64_t>(words.size()) - word_offsets.back());
        words.push_back(set_words);
        for (std::size_t w = 0; w < set_words; ++w)
            words.push_back(static_cast<std::uint64_t>(random.uniform() * 0x1.0p53) * 2049);
        return {place, column | flag | Node::kCategorical, 0};
    }

    ForestView view() const {
        return {nodes,
                node_offsets,
                leaf_offsets,
                word_offsets,
                words,
                {values.data(), values.size() / outputs, outputs,
                 static_cast<std::ptrdiff_t>(outputs), 1}};
    }
};

// Cells that often equal a threshold, are missing or infinite.
template <class T>
std::vector<T> random_cells(std::uint32_t levels, Random& random) {
    std::vector<T> cells(kLines * kColumns);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool category = i % kColumns == kCategories;
        cells[i] = category ? static_cast<T>(static_cast<int>(random.below(300)) - 20)
                            : static_cast<T>(static_cast<double>(random.below(levels)) / levels);
        const auto odd = random.below(12);
        if (odd == 0) cells[i] = std::numeric_limits<T>::quiet_NaN();
        if (odd == 1) cells[i] = std::numeric_limits<T>::infinity();
        if (odd == 2) cells[i] = -std::numeric_limits<T>::infinity();
        if (odd == 3) cells[i] = static_cast<T>(random.uniform());
    }
    return cells;
}

template <class T>
Matrix<const T> as_table(const std::vector<T>& cells) {
    return {cells.data(), kLines, kColumns, kColumns, 1};
}

// The same sums by plain walks.
template <class T>
std::vector<double> walked(const ForestView& forest, const std::vector<double>& weight,
                           const Matrix<const T>& X, std::size_t width) {
    std::vector<double> sums(X.rows * width, 0.25);
    const Matrix<double> out{sums.data(), X.rows, width, static_cast<std::ptrdiff_t>(width), 1};
    for (std::size_t row = 0; row < X.rows; ++row)
        for (std::size_t t = 0; t < forest.trees(); ++t) {
            const Node* nodes = forest.nodes.data() + forest.node_offsets[t];
            const std::uint64_t* words = forest.categories.data() + forest.category_offsets[t];
            const Node* at = nodes;
            while (!at->is_leaf())
                at = nodes + at->left + goes_right<true>(*at, X(row, at->feature()), words);
            const auto leaf = static_cast<std::size_t>(forest.leaf_offsets[t] + ~at->left);
            double* sum = out.row(row) + first_output(forest.outputs(), out, t);
            for (std::size_t k = 0; k < forest.outputs(); ++k)
                sum[k] += weight[t] * forest.values(leaf, k);
        }
    return sums;
}

template <class T>
void compare(std::size_t outputs, std::size_t width, std::size_t set_words, std::uint64_t seed) {
    Random random(seed);
    SmallTrees trees(outputs);
    std::vector<double> weight;
    for (const std::size_t leaves : {1, 2, 3, 8, 9, 16, 17, 31, 33, 48, 64}) {
        trees.grow(leaves, set_words, 40, random);
        weight.push_back(random.uniform());
    }
    const std::vector<T> cells = random_cells<T>(40, random);
    const Matrix<const T> X = as_table(cells);
    const auto bits = LeafBits<T>::of(trees.view(), weight, X);
    CHECK(bits.has_value());
    if (!bits) return;
    std::vector<double> sums(kLines * width, 0.25);
    const Matrix<double> out{sums.data(), kLines, width, static_cast<std::ptrdiff_t>(width), 1};
    bits->add(X, 0, 300, out);
    bits->add(X, 300, kLines, out);
    CHECK(sums == walked(trees.view(), weight, X, width));
}

// Whether a forest of two trees is taken.
bool taken(std::size_t leaves, std::size_t set_words, std::uint32_t levels, std::size_t rows) {
    Random random(3);
    SmallTrees trees(1);
    for (int t = 0; t < 40; ++t) trees.grow(t ? 31 : leaves, set_words, levels, random);
    const std::vector<float> cells(kLines * kColumns, 0.5f);
    Matrix<const float> X = as_table(cells);
    X.rows = rows;
    return LeafBits<float>::of(trees.view(), {}, X).has_value();
}

}  // namespace

TEST_CASE(leaves_by_bits_are_those_of_a_walk) {
    compare<float>(1, 1, 0, 1);
    compare<double>(1, 1, 0, 2);
    compare<float>(1, 3, 0, 3);   // trees take turns
    compare<double>(3, 3, 0, 4);  // vectors in leaves
}

TEST_CASE(leaves_by_bits_know_categories) {
    for (const std::size_t words : {1, 2, 3}) {
        compare<float>(1, 1, words, 5 + words);
        compare<double>(1, 2, words, 9 + words);
    }
}

TEST_CASE(leaves_by_bits_are_not_for_all_forests) {
    CHECK(taken(64, 3, 40, kLines));
    CHECK(!taken(65, 3, 40, kLines));       // leaves
    CHECK(!taken(64, 4, 40, kLines));       // categories
    CHECK(!taken(64, 0, 100'000, kLines));  // thresholds
    CHECK(!taken(64, 3, 40, 100));          // rows
}
