// Hashes of what rows hold, to put rows in an order that does not depend on how they were given.
#pragma once

#include <cstdint>
#include <span>

#include "coterie/matrix.hpp"
#include "coterie/sparse.hpp"

namespace coterie {

// `hashes` holds where each row begins (what its target is, say) and gets what its cells add.
template <class Code>
void row_hashes(const CodeTable<Code>& codes, std::span<std::uint64_t> hashes, int n_threads);

// As row_hashes, of raw values: those that are equal have equal hashes, in either type.
template <class T>
void cell_hashes(const Matrix<const T>& X, std::span<std::uint64_t> hashes, int n_threads);

}  // namespace coterie
