#include "coterie/near.hpp"

#include "arrays.hpp"

namespace coterie {

void init_near(nb::module_& module) {
    using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    using Codes = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    using Positions = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    module.attr("NEAR_STRIP") = kNearStrip;
    module.attr("NEAR_MOST") = kNearMost;
    module.def(
        "nearest_points",
        [](const Table& points, const Codes& codes, const InVector<double>& centre, double step,
           double slack, const Table& queries, const Positions& out, int n_threads) {
            const std::size_t n = points.shape(0), width = points.shape(1);
            require(n < (std::size_t{1} << 31), "points: too many");
            require(codes.shape(0) == (n + kNearStrip - 1) / kNearStrip &&
                        codes.shape(1) == (width + 1) * kNearStrip,
                    "codes: a strip for every 64 points expected");
            require(centre.shape(0) == width && queries.shape(1) == width,
                    "centre, queries: one number per coordinate expected");
            require(step > 0 && slack >= 0, "step, slack: out of range");
            require(out.shape(0) == queries.shape(0) && out.shape(1) >= 1 && out.shape(1) <= n,
                    "out: positions of one to all points per query expected");
            const auto across = static_cast<std::ptrdiff_t>(width);
            const NearPoints known{
                {points.data(), n, width, across, 1},
                {codes.data(), codes.shape(0), codes.shape(1),
                 static_cast<std::ptrdiff_t>(codes.shape(1)), 1},
                centre.data(),
                step,
                slack,
            };
            const nb::gil_scoped_release unlock;
            nearest_points(known, {queries.data(), queries.shape(0), width, across, 1},
                           {out.data(), out.shape(0), out.shape(1),
                            static_cast<std::ptrdiff_t>(out.shape(1)), 1},
                           n_threads);
        },
        nb::arg("points").noconvert(), nb::arg("codes").noconvert(), nb::arg("centre").noconvert(),
        nb::arg("step"), nb::arg("slack"), nb::arg("queries").noconvert(),
        nb::arg("out").noconvert(), nb::arg("n_threads"),
        "Positions of the nearest points of each query, in ascending order.");
}

}  // namespace coterie
