#include "coterie/joint.hpp"

#include <algorithm>
#include <numeric>

#include "coterie/team.hpp"

namespace coterie {
namespace {

constexpr std::size_t kBlock = 8192;  // rows a task takes at a time
constexpr std::size_t kSaved = 6;     // one column in so many must be saved

template <class Task>
void in_blocks(std::size_t n, int n_threads, Task&& task) {
    Team(n_threads).run((n + kBlock - 1) / kBlock,
                        [&](std::size_t b) { task(b, b * kBlock, std::min(n, (b + 1) * kBlock)); });
}

// How many codes each column has, up to its largest.
std::vector<std::uint32_t> code_counts(const Matrix<const std::uint8_t>& table, int n_threads) {
    const std::size_t d = table.cols;
    std::vector<std::vector<std::uint8_t>> most((table.rows + kBlock - 1) / kBlock);
    in_blocks(table.rows, n_threads, [&](std::size_t b, std::size_t begin, std::size_t end) {
        std::vector<std::uint8_t> found(d, 0);
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < d; ++j) found[j] = std::max(found[j], table(i, j));
        most[b] = std::move(found);
    });
    std::vector<std::uint32_t> counts(d, 1);
    for (const auto& found : most)
        for (std::size_t j = 0; j < d; ++j) counts[j] = std::max(counts[j], found[j] + 1u);
    return counts;
}

// The columns of most codes first, each to where it fits first.
std::vector<std::vector<Joint::Factor>> join(const std::vector<std::uint32_t>& counts) {
    std::vector<std::uint32_t> order(counts.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return counts[a] > counts[b]; });
    std::vector<std::vector<Joint::Factor>> columns;
    std::vector<std::size_t> sizes;
    for (const std::uint32_t j : order) {
        const auto fits = [&](std::size_t size) { return size * counts[j] <= Joint::kRoom; };
        const auto found = std::find_if(sizes.begin(), sizes.end(), fits);
        const auto at = static_cast<std::size_t>(found - sizes.begin());
        if (at == sizes.size()) {
            sizes.push_back(1);
            columns.emplace_back();
        }
        sizes[at] *= counts[j];
        columns[at].push_back({j, counts[j]});
    }
    return columns;
}

}  // namespace

std::unique_ptr<Joint> Joint::of(const Matrix<const std::uint8_t>& table, int n_threads) {
    const auto worth = [&](const auto& columns) {
        const std::size_t saved = table.cols - columns.size();
        return saved * kSaved >= table.cols && table.rows * saved >= kRoom * columns.size();
    };
    // The first rows tell of most tables that they are not worth another look.
    Matrix<const std::uint8_t> some = table;
    some.rows = std::min(table.rows, kBlock);
    if (!worth(join(code_counts(some, 1)))) return nullptr;
    auto joint = std::make_unique<Joint>();
    joint->columns = join(code_counts(table, n_threads));
    if (!worth(joint->columns)) return nullptr;
    joint->rows = table.rows;
    joint->codes.resize(table.rows * joint->columns.size());
    in_blocks(table.rows, n_threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        const std::size_t d = joint->columns.size();
        for (std::size_t k = 0; k < d; ++k) {
            std::uint32_t step = 1;
            for (const Factor& factor : joint->columns[k]) {
                for (std::size_t i = begin; i < end; ++i) {
                    std::uint8_t& code = joint->codes[i * d + k];
                    code = static_cast<std::uint8_t>(code + step * table(i, factor.column));
                }
                step *= factor.codes;
            }
        }
    });
    return joint;
}

}  // namespace coterie
