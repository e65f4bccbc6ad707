// Parting a list of rows by what is known of each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coterie {

// Copies the rows of which `goes` is 1 to `left` and those of which it is 0 to `right`, both in
// their order, and returns how many went left. `left` may lie before `rows` in the same list or be
// `rows` itself; there is room for `n` at either.
std::uint32_t move_apart(const std::uint8_t* goes, const std::uint32_t* rows, std::size_t n,
                         std::uint32_t* left, std::uint32_t* right);

}  // namespace coterie
