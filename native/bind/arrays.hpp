// Between NumPy arrays and the engine's views. Only files in this folder know Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "coterie/forest.hpp"
#include "coterie/interrupt.hpp"
#include "coterie/matrix.hpp"

namespace coterie {

namespace nb = nanobind;

// Every array states type, rank and place; `strided` ones may have any strides.
template <class T>
using InVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InMatrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using OutMatrix = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;

template <class T>
std::span<const T> as_span(const InVector<T>& array) {
    return {array.data(), array.shape(0)};
}

template <class T>
Matrix<const T> as_matrix(const InMatrix<T>& array) {
    return {array.data(), array.shape(0), array.shape(1),
            static_cast<std::ptrdiff_t>(array.stride(0)),
            static_cast<std::ptrdiff_t>(array.stride(1))};
}

template <class T>
Matrix<T> as_matrix(const OutMatrix<T>& array) {
    return {array.data(), array.shape(0), array.shape(1),
            static_cast<std::ptrdiff_t>(array.stride(0)),
            static_cast<std::ptrdiff_t>(array.stride(1))};
}

// Room for an array, and the capsule that owns it. A large one has pages of its own, which go
// back to the system the moment the array is let go: malloc would keep them, and a forest
// being put together from its trees would be in memory twice.
struct Room {
    void* data;
    nb::capsule owner;
};
Room make_room(std::size_t bytes);

template <class T>
using NewArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using AnyArray = nb::ndarray<nb::numpy, nb::ndim<1>>;
// nodes, n_samples, weight, impurity, values, categories, medians
using TreeArrays = std::tuple<NewArray<std::uint64_t>, NewArray<std::int32_t>, AnyArray, AnyArray,
                              NewArray<double>, NewArray<std::uint64_t>, NewArray<double>>;

template <class T>
NewArray<T> to_array(const std::vector<T>& values) {
    const std::size_t bytes = values.size() * sizeof(T);
    Room room = make_room(bytes);
    if (bytes) std::memcpy(room.data, values.data(), bytes);
    return NewArray<T>(room.data, {values.size()}, room.owner);
}

void require(bool condition, const char* message);

// Runs work without the interpreter lock. `stop` is a flag another thread may set;
// `signals` says that this is the main thread, which alone may ask for Ctrl-C.
void run_interruptible(const std::uint8_t* stop, bool signals,
                       const std::function<void(Interrupt&)>& work);

// The arrays of a grown tree, as coterie.native.Forest takes them.
TreeArrays tree_arrays(const Tree& tree);

void init_bins(nb::module_& module);
void init_elementary(nb::module_& module);
void init_grow(nb::module_& module);
void init_sparse(nb::module_& module);
void init_forest(nb::module_& module);
void init_newton(nb::module_& module);
void init_newton_scores(nb::module_& module);
void init_halves(nb::module_& module);
void init_vector_tree(nb::module_& module);
void init_shap(nb::module_& module);
void init_isolation(nb::module_& module);
void init_ranking(nb::module_& module);
void init_near(nb::module_& module);

}  // namespace coterie
