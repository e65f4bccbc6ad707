#include "coterie/split.hpp"

#include <algorithm>

namespace coterie {

std::ptrdiff_t Scanner::draw_subset(const ColumnView& column, Random& random) {
    order_.assign(column.occupied.begin(), column.occupied.end());
    if (column.missing) order_.push_back(column.missing_code);
    const auto n = static_cast<std::uint32_t>(order_.size());
    std::uint32_t chosen = 0;
    for (std::uint32_t i = 0; i < n; ++i)
        if (random.next() >> 63) std::swap(order_[chosen++], order_[i]);
    if (chosen == 0) std::swap(order_[chosen++], order_[random.below(n)]);
    if (chosen == n) std::swap(order_[--chosen], order_[random.below(n)]);
    return chosen;
}

template <bool Pair>
void Scanner::order_categories(const ColumnView& column, const NodeSums& node) {
    order_.assign(column.occupied.begin(), column.occupied.end());
    if (column.missing) order_.push_back(column.missing_code);
    const std::size_t largest = *std::max_element(order_.begin(), order_.end());
    if (key_.size() <= largest) key_.resize(largest + 1);
    if constexpr (Pair) {
        for (const auto code : order_)
            key_[code] = column.sums[2 * code + 1] / column.sums[2 * code];
    } else {
        // Power iteration on the weighted covariance of the categories' mean vectors.
        const std::size_t stride = channels_.stride();
        std::vector<double> direction(stride, 0.0), next(stride);
        const auto deviation = [&](std::uint32_t code, std::size_t c) {
            const double* entry = column.sums + code * stride;
            return entry[c] / entry[0] - node.sums[c] / node.sums[0];
        };
        for (std::size_t c = 1; c < stride; ++c) direction[c] = deviation(order_.front(), c);
        for (int step = 0; step < 12; ++step) {
            std::fill(next.begin(), next.end(), 0.0);
            double norm = 0.0;
            for (const auto code : order_) {
                double along = 0.0;
                for (std::size_t c = 1; c < stride; ++c) along += deviation(code, c) * direction[c];
                key_[code] = along;
                for (std::size_t c = 1; c < stride; ++c)
                    next[c] += column.sums[code * stride] * along * deviation(code, c);
            }
            for (std::size_t c = 1; c < stride; ++c) norm += next[c] * next[c];
            if (!(norm > 0.0)) break;
            for (std::size_t c = 1; c < stride; ++c) direction[c] = next[c] / std::sqrt(norm);
        }
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key_[a] < key_[b]; });
}

template void Scanner::order_categories<true>(const ColumnView&, const NodeSums&);
template void Scanner::order_categories<false>(const ColumnView&, const NodeSums&);

}  // namespace coterie
