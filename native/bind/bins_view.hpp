#pragma once

#include "arrays.hpp"
#include "coterie/bins.hpp"

namespace coterie {

// Checks that the offsets fit the arrays, whoever made them.
BinsView as_bins(const InVector<std::int64_t>& offsets, const InVector<double>& lower,
                 const InVector<double>& upper, const InVector<std::uint8_t>& categorical);

}  // namespace coterie
