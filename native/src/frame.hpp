// Frames: the codes that a part of a tree works on, either the table's or a copy of those of some
// rows that stays in the cache for the rest of the rows' lives (some twenty levels).
#pragma once

#include <algorithm>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "coterie/histogram.hpp"
#include "coterie/matrix.hpp"
#include "coterie/pages.hpp"

namespace coterie {

template <class Code>
struct Frame {
    Matrix<const Code> codes;
    BarePages<Code> own;               // where they lie, unless they are the table's
    BarePages<std::uint32_t> origins;  // rows of the table, unless they are the same

    std::size_t origin(std::uint32_t row) const { return origins.empty() ? row : origins[row]; }
    std::size_t bytes() const { return codes.rows * codes.cols * sizeof(Code); }
};

// A frame of some rows of another one, which become its rows 0, 1, …; `rows` is told so. It has all
// columns, or those listed.
template <class Code>
std::shared_ptr<Frame<Code>> copy_frame(const Frame<Code>& from, std::uint32_t* rows, std::size_t n,
                                        std::span<const std::size_t> columns = {}) {
    constexpr std::size_t ahead = 12;
    auto frame = std::make_shared<Frame<Code>>();
    const Matrix<const Code> old = from.codes;
    const std::size_t width = columns.empty() ? old.cols : columns.size();
    const bool by_row = old.col_stride == 1;
    frame->own.resize(n * width);
    frame->codes = {frame->own.data(), n, width, by_row ? static_cast<std::ptrdiff_t>(width) : 1,
                    by_row ? 1 : static_cast<std::ptrdiff_t>(n)};
    frame->origins.resize(n);
    Code* out = frame->own.data();
    if (by_row) {
        for (std::size_t i = 0; i < n; ++i, out += width) {
            __builtin_prefetch(old.row(rows[std::min(i + ahead, n - 1)]));
            const Code* codes = old.row(rows[i]);
            if (columns.empty()) std::copy_n(codes, width, out);
            for (std::size_t k = 0; k < columns.size(); ++k) out[k] = codes[columns[k]];
        }
    } else {
        for (std::size_t j = 0; j < width; ++j)
            for (std::size_t i = 0; i < n; ++i)
                *out++ = old(rows[i], columns.empty() ? j : columns[j]);
    }
    for (std::size_t i = 0; i < n; ++i) {
        frame->origins[i] = static_cast<std::uint32_t>(from.origin(rows[i]));
        rows[i] = static_cast<std::uint32_t>(i);
    }
    return frame;
}

// Copies the codes that some rows of a set have in a few columns, to columns of as many rows as the
// set has.
template <std::size_t Columns, class Code>
void copy_codes(const RowSet<Code>& set, std::size_t begin, std::size_t end,
                const std::ptrdiff_t* offsets, std::uint16_t* out) {
    const Code* columns[Columns];
    std::uint16_t* outs[Columns];
    for (std::size_t k = 0; k < Columns; ++k) {
        columns[k] = set.codes.data + offsets[k];
        outs[k] = out + k * set.size;
    }
    const std::ptrdiff_t step = set.codes.row_stride;
    for (std::size_t i = begin; i < end; ++i) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(set.rows[i]) * step;
        for (std::size_t k = 0; k < Columns; ++k) outs[k][i] = columns[k][at];
    }
}

}  // namespace coterie
