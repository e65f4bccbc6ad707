// Frames: the codes that a part of a tree works on, either the table's or a copy of those of some
// rows that stays in the cache for the rest of the rows' lives (some twenty levels).
#pragma once

#include <algorithm>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "coterie/matrix.hpp"

namespace coterie {

template <class Code>
struct Frame {
    Matrix<const Code> codes;
    std::unique_ptr<Code[]> own;         // where they lie, unless they are the table's
    std::vector<std::uint32_t> origins;  // rows of the table, unless they are the same

    std::size_t origin(std::uint32_t row) const { return origins.empty() ? row : origins[row]; }
    std::size_t bytes() const { return codes.rows * codes.cols * sizeof(Code); }
};

// A frame of some rows of another one, which become its rows 0, 1, …; `rows` is told so.
template <class Code>
std::shared_ptr<Frame<Code>> copy_frame(const Frame<Code>& from, std::uint32_t* rows,
                                        std::size_t n) {
    constexpr std::size_t ahead = 12;
    auto frame = std::make_shared<Frame<Code>>();
    const Matrix<const Code> old = from.codes;
    const std::size_t width = old.cols;
    const bool by_row = old.col_stride == 1;
    frame->own = std::make_unique_for_overwrite<Code[]>(n * width);
    frame->codes = {frame->own.get(), n, width, by_row ? static_cast<std::ptrdiff_t>(width) : 1,
                    by_row ? 1 : static_cast<std::ptrdiff_t>(n)};
    frame->origins.resize(n);
    Code* out = frame->own.get();
    if (by_row) {
        for (std::size_t i = 0; i < n; ++i, out += width) {
            __builtin_prefetch(old.row(rows[std::min(i + ahead, n - 1)]));
            std::copy_n(old.row(rows[i]), width, out);
        }
    } else {
        for (std::size_t j = 0; j < width; ++j)
            for (std::size_t i = 0; i < n; ++i) *out++ = old(rows[i], j);
    }
    for (std::size_t i = 0; i < n; ++i) {
        frame->origins[i] = static_cast<std::uint32_t>(from.origin(rows[i]));
        rows[i] = static_cast<std::uint32_t>(i);
    }
    return frame;
}

}  // namespace coterie
