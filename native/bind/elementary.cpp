#include "coterie/elementary.hpp"

#include "arrays.hpp"

namespace coterie {
namespace {

using Numbers = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void define_elementary(nb::module_& module, const char* name, Elementary function) {
    module.def(
        name,
        [function](const InVector<double>& values, const Numbers& out) {
            require(values.shape(0) == out.shape(0), "arrays of one length expected");
            const nb::gil_scoped_release unlock;
            transform(function, as_span(values), {out.data(), out.shape(0)});
        },
        nb::arg("values").noconvert(), nb::arg("out").noconvert(),
        "The function of every number, with the same bits on every processor.");
}

}  // namespace

void init_elementary(nb::module_& module) {
    define_elementary(module, "exp", Elementary::exp);
    define_elementary(module, "expm1", Elementary::expm1);
    define_elementary(module, "log", Elementary::log);
    define_elementary(module, "log1p", Elementary::log1p);
    define_elementary(module, "expit", Elementary::expit);
    define_elementary(module, "softplus", Elementary::softplus);
    module.def(
        "softmax",
        [](const InMatrix<double>& scores, const OutMatrix<double>& out) {
            require(scores.shape(0) == out.shape(0) && scores.shape(1) == out.shape(1),
                    "arrays of one shape expected");
            const nb::gil_scoped_release unlock;
            softmax(as_matrix(scores), as_matrix(out));
        },
        nb::arg("scores").noconvert(), nb::arg("out").noconvert(),
        "Every row's exponentials, divided by their sum.");
    module.def(
        "dot",
        [](const InVector<double>& a, const InVector<double>& b) {
            require(a.shape(0) == b.shape(0), "arrays of one length expected");
            const nb::gil_scoped_release unlock;
            return dot(as_span(a), as_span(b));
        },
        nb::arg("a").noconvert(), nb::arg("b").noconvert(),
        "The sum of products, in an order of its own.");
}

}  // namespace coterie
