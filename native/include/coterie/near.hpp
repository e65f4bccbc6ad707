// The nearest points of many queries: a rough distance to every point in whole numbers, and the
// exact one to those that may be among the nearest.
//
// Coordinates are rounded to whole steps from the centre, so the squared distance of two rounded
// places is a whole number, kept modulo 65,536. A distance so large that it wraps around costs an
// exact distance that was not needed, no more. Rounding moves no place farther than a known slack;
// so no point is missed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coterie/matrix.hpp"

namespace coterie {

constexpr std::size_t kNearStrip = 64;  // points that lie side by side

struct NearPoints {
    Matrix<const double> exact;  // (points, width)
    // Strip by strip: squares of the rounded places, then their coordinates one after the other,
    // each of kNearStrip points; (strips, (1 + width) * kNearStrip). The last strip is filled up.
    Matrix<const std::uint16_t> rough;
    const double* centre;
    double step, slack;  // of one coordinate; by which rounding moves a point at most
};

// Coordinates farther from the centre, in steps, are moved there.
constexpr double kNearMost = 30'000.0;

// Positions of the out.cols nearest points of each query, in ascending order; of points that are as
// far away, the first are taken. There must be as many points.
void nearest_points(const NearPoints& points, const Matrix<const double>& queries,
                    const Matrix<std::int64_t>& out, int n_threads);

}  // namespace coterie
