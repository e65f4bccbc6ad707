// A split in terms of codes: what every grower finds and carries out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace coterie {

struct CodeSplit {
    double gain = -std::numeric_limits<double>::infinity();
    std::int32_t column = -1;
    bool categorical = false;
    bool missing_left = false;
    bool saw_missing = false;     // otherwise missing values go with the heavier child
    std::uint32_t last_left = 0;  // numeric: codes up to this one go left
    std::uint32_t next = 0;       // the first code beyond that the node has; 0 if not known
    double left_value = 0.0, right_value = 0.0;  // what the sides would predict
    double left_weight = 0.0;
    std::vector<std::uint32_t> left_codes;  // categories, the missing code among them

    bool found() const { return column >= 0; }

    // Calls `use` with what tells the codes that go left; `missing` is the code of missing values.
    template <class Code, class Use>
    auto with_side(std::uint32_t missing, Use&& use) const {
        const std::uint32_t last = last_left;
        if (categorical) {
            std::vector<std::uint8_t> side(missing + 1, 0);
            for (const std::uint32_t code : left_codes) side[code] = 1;
            return use([flags = side.data()](Code code) { return flags[code] != 0; });
        }
        if (saw_missing && missing_left)
            return use([=](Code code) { return code <= last || code == missing; });
        return use([=](Code code) { return code <= last; });
    }
};

// What monotone ancestors allow a node to predict.
struct Bounds {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    // Those of the two children of a split on a column of this direction.
    std::pair<Bounds, Bounds> divide(int direction, const CodeSplit& split) const {
        const double middle = std::midpoint(split.left_value, split.right_value);
        if (direction > 0) return {{low, middle}, {middle, high}};
        if (direction < 0) return {{middle, high}, {low, middle}};
        return {*this, *this};
    }
};

// Rows of a node and whatever travels with them, with room for those that go right.
template <class T>
struct Lane {
    T *data, *spare;
};

// Moves what goes left in [begin … end) to its front, in the old order, and the rest to the front
// of the spare room; returns how many go left.
template <class Left, class... Rest>
std::uint32_t part_places(std::uint32_t begin, std::uint32_t end, Left left, Lane<Rest>... rest) {
    std::uint32_t kept = begin, others = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
        // Both places are written and one of them counts: no branch to mispredict.
        const bool goes = left(i);
        const auto move = [&](const auto& lane) {
            const auto value = lane.data[i];
            lane.data[kept] = value;
            lane.spare[others] = value;
        };
        (move(rest), ...);
        kept += goes;
        others += !goes;
    }
    return kept - begin;
}

// The same by the codes of the rows, of which the first lane is a list.
template <class Code, class Left, class... Rest>
std::uint32_t part_rows(const Code* codes, std::ptrdiff_t step, std::uint32_t begin,
                        std::uint32_t end, Left left, Lane<std::uint32_t> rows,
                        Lane<Rest>... rest) {
    constexpr std::uint32_t ahead = 16;
    const auto at = [=](std::uint32_t i) {
        return codes + static_cast<std::ptrdiff_t>(rows.data[i]) * step;
    };
    const auto goes = [=](std::uint32_t i) {
        __builtin_prefetch(at(std::min(i + ahead, end - 1)));
        return left(*at(i));
    };
    return part_places(begin, end, goes, rows, rest...);
}

}  // namespace coterie
