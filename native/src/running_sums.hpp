// Sums of cells up to each of them, where empty cells are passed over.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coterie {

inline constexpr std::size_t kSumsRoom = 16;  // numbers that are written behind those that count

// Writes the sum of `before` and all cells up to each that is not zero, and, unless `codes` is
// null, which cells those are. Returns how many; there is room for `n` and kSumsRoom more of
// either.
std::size_t running_sums(const std::int64_t* cells, std::size_t n, std::int64_t before,
                         std::int64_t* sums, std::uint32_t* codes);

// The sum of some cells; sets `any` unless all of them are zero.
std::int64_t sum_of_cells(const std::int64_t* cells, std::size_t n, bool& any);

}  // namespace coterie
