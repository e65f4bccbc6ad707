// Numbers as unsigned integers in the same order, which one instruction compares and another adds.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "coterie/matrix.hpp"

namespace coterie {

template <class T>
using Key = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Above those of all numbers.
template <class T>
inline constexpr Key<T> kMissingKey = std::numeric_limits<Key<T>>::max();

// Both zeros have one key.
template <class T>
Key<T> key_of(T x) {
    constexpr int sign = std::numeric_limits<Key<T>>::digits - 1;
    const auto bits = std::bit_cast<Key<T>>(x + T{0});
    return bits ^ ((Key<T>{0} - (bits >> sign)) | (Key<T>{1} << sign));
}

// Writes the keys of rows begin … end, those of some rows side by side, one such group after the
// other; lanes behind the last row keep what they hold. Returns whether a cell is missing.
template <std::size_t Lanes, class T>
bool write_keys(const Matrix<const T>& X, std::size_t begin, std::size_t end, Key<T>* keys) {
    bool missing = false;
    for (std::size_t i = begin; i < end; ++i) {
        Key<T>* lane = keys + (i - begin) / Lanes * Lanes * X.cols + (i - begin) % Lanes;
        for (std::size_t j = 0; j < X.cols; ++j) {
            const T x = X(i, j);
            lane[j * Lanes] = x == x ? key_of(x) : kMissingKey<T>;
            missing |= x != x;
        }
    }
    return missing;
}

}  // namespace coterie
