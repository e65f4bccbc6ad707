#include "coterie/ranking.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <string>

#include "arrays.hpp"

namespace coterie {
namespace {

using Numbers = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Swap swap_of(const std::string& name) {
    if (name == "ndcg") return Swap::ndcg;
    if (name == "map") return Swap::map;
    require(name == "pairwise", "swap: 'ndcg', 'map' or 'pairwise' expected");
    return Swap::pairwise;
}

void slopes(const InVector<double>& raw, const InVector<double>& gain,
            const InVector<std::int64_t>& offsets, const std::string& swap, double sigma,
            std::int64_t truncation, bool normalise, const Numbers& gradient,
            const Numbers& hessian, int n_threads) {
    const std::size_t n = raw.shape(0);
    require(gain.shape(0) == n && gradient.shape(0) == n && hessian.shape(0) == n,
            "arrays of one length expected");
    const auto starts = as_span(offsets);
    require(!starts.empty() && starts.front() == 0 && starts.back() == static_cast<std::int64_t>(n),
            "offsets: from 0 to the number of rows expected");
    for (std::size_t q = 1; q < starts.size(); ++q)
        require(starts[q - 1] <= starts[q], "offsets: ascending numbers expected");
    for (const double score : as_span(raw)) require(!std::isnan(score), "raw: NaN");
    require(truncation >= 1, "truncation: at least 1 expected");
    const RankSettings settings{swap_of(swap), sigma, truncation, normalise};
    const nb::gil_scoped_release unlock;
    rank_slopes(as_span(raw), as_span(gain), starts, settings, {gradient.data(), n},
                {hessian.data(), n}, n_threads);
}

}  // namespace

void init_ranking(nb::module_& module) {
    module.def("rank_slopes", &slopes, nb::arg("raw").noconvert(), nb::arg("gain").noconvert(),
               nb::arg("offsets").noconvert(), nb::arg("swap"), nb::arg("sigma"),
               nb::arg("truncation"), nb::arg("normalise"), nb::arg("gradient").noconvert(),
               nb::arg("hessian").noconvert(), nb::arg("n_threads"), "Slopes of LambdaMART.");
}

}  // namespace coterie
