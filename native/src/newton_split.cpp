#include "newton_split.hpp"

#include <cstring>

#include "coterie/clones.hpp"

namespace coterie {

COTERIE_CLONES static void gains_of(const double* left_g, const double* left_h, std::size_t count,
                                    double all_g, double all_h, double score, double l2,
                                    double least_h, double* gains) {
    constexpr double no = -std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < count; ++b) {
        const double gl = left_g[b], hl = left_h[b];
        const double gr = all_g - gl, hr = all_h - hl;
        const double dl = hl + l2, dr = hr + l2;
        // One division instead of two.
        const double gain = (gl * gl * dr + gr * gr * dl) / (dl * dr) - score;
        gains[b] = hl >= least_h && hr >= least_h ? gain : no;
    }
}

void plain_gains(std::span<const double> left_g, std::span<const double> left_h,
                 const NewtonNode& node, double l2, double least_h, std::span<double> gains) {
    gains_of(left_g.data(), left_h.data(), gains.size(), node.sums.g, node.sums.h, node.score, l2,
             least_h, gains.data());
}

COTERIE_CLONES static void forbid(const double* left_n, std::size_t count, double least,
                                  double most, double* gains) {
    constexpr double no = -std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < count; ++b)
        gains[b] = left_n[b] >= least && left_n[b] <= most ? gains[b] : no;
}

void forbid_few(std::span<const double> left_n, double least, double most, double* gains) {
    forbid(left_n.data(), left_n.size(), least, most, gains);
}

COTERIE_CLONES static double most_of(const double* gains, std::size_t count) {
    constexpr std::size_t lanes = 8;  // one comparison need not wait for the last
    typedef double Lanes __attribute__((vector_size(lanes * sizeof(double))));
    constexpr double no = -std::numeric_limits<double>::infinity();
    Lanes most{no, no, no, no, no, no, no, no};
    std::size_t b = 0;
    for (; b + lanes <= count; b += lanes) {
        Lanes some;
        std::memcpy(&some, gains + b, sizeof some);
        most = some > most ? some : most;
    }
    double last = no;
    for (; b < count; ++b) last = std::max(last, gains[b]);
    for (std::size_t half = lanes / 2; half; half /= 2)
        for (std::size_t k = 0; k < half; ++k) most[k] = std::max(most[k], most[k + half]);
    return std::max(most[0], last);
}

double greatest(std::span<const double> gains) { return most_of(gains.data(), gains.size()); }

COTERIE_CLONES static void unpack(const std::int64_t* cells, std::size_t count, double unit_g,
                                  double unit_h, double* g, double* h) {
    for (std::size_t b = 0; b < count; ++b) {
        g[b] = static_cast<double>(static_cast<std::int32_t>(cells[b] >> 32)) * unit_g;
        h[b] = static_cast<double>(static_cast<std::int32_t>(cells[b])) * unit_h;
    }
}

void unpack_cells(std::span<const std::int64_t> cells, double unit_g, double unit_h,
                  std::span<double> g, std::span<double> h) {
    unpack(cells.data(), cells.size(), unit_g, unit_h, g.data(), h.data());
}

}  // namespace coterie
