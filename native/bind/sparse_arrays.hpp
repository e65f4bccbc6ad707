// Sparse tables as they come from Python.
#pragma once

#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "bins_view.hpp"
#include "coterie/sparse.hpp"

namespace coterie {

// Keeps the arrays that the table looks into, and the bins that it was checked against.
template <class Code>
struct SparseArrays {
    InVector<std::int64_t> starts;
    InVector<std::uint32_t> rows;
    InVector<Code> codes, usual;
    std::vector<std::int64_t> offsets;
    SparseCodes<Code> table;

    // Refuses other bins: codes might lie outside of them.
    const SparseCodes<Code>& of(const BinsView& bins) const {
        require(
            std::equal(offsets.begin(), offsets.end(), bins.offsets.begin(), bins.offsets.end()),
            "codes: made for other bins");
        return table;
    }
};

template <class Code>
CodeTable<Code> as_table(const InMatrix<Code>& codes, const BinsView&) {
    return {as_matrix(codes)};
}

template <class Code>
CodeTable<Code> as_table(const SparseArrays<Code>& codes, const BinsView& bins) {
    return CodeTable<Code>::of(codes.of(bins));
}

// Rows of numbers to predict.
template <class T>
struct SparseRowsArrays {
    InVector<std::int64_t> starts;
    InVector<std::uint32_t> columns;
    InVector<T> values;
    std::size_t width;

    std::size_t rows() const { return starts.shape(0) - 1; }
    SparseLines<T> view() const {
        return {width, as_span(starts), as_span(columns), as_span(values)};
    }
};

}  // namespace coterie
