// Views of arrays owned by somebody else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coterie {

// A two-dimensional array with free strides (in elements), so that row-major,
// column-major and sliced inputs are read in place.
template <class T>
struct Matrix {
    T* data = nullptr;
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t col_stride = 0;

    T* row(std::size_t i) const { return data + static_cast<std::ptrdiff_t>(i) * row_stride; }
    T* col(std::size_t j) const { return data + static_cast<std::ptrdiff_t>(j) * col_stride; }
    T& operator()(std::size_t i, std::size_t j) const {
        return row(i)[static_cast<std::ptrdiff_t>(j) * col_stride];
    }
};

}  // namespace coterie
