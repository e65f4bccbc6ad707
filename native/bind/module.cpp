#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define COTERIE_PAGES 1
#endif

#include "arrays.hpp"

namespace coterie {

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

Room make_room(std::size_t bytes) {
#ifdef COTERIE_PAGES
    constexpr std::size_t large = 64 * 1024;
    if (bytes >= large) {
        void* data =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (data == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
        (void)madvise(data, bytes, MADV_HUGEPAGE);  // see coterie/pages.hpp
#endif
        struct Pages {
            void* data;
            std::size_t bytes;
        };
        return {data, nb::capsule(new Pages{data, bytes}, [](void* p) noexcept {
                    const auto* pages = static_cast<Pages*>(p);
                    munmap(pages->data, pages->bytes);
                    delete pages;
                })};
    }
#endif
    void* data = std::malloc(bytes ? bytes : 1);
    if (!data) throw std::bad_alloc();
    return {data, nb::capsule(data, [](void* p) noexcept { std::free(p); })};
}

// Facts about nodes keep seven digits, at half the room, unless their scale asks for more.
static AnyArray to_compact_array(const std::vector<double>& values) {
    const double root = values.front();
    const bool fits = root == 0.0 || (root > 1e-25 && root < 1e35);
    if (!fits) return AnyArray(to_array(values));
    Room room = make_room(values.size() * sizeof(float));
    std::copy(values.begin(), values.end(), static_cast<float*>(room.data));
    return AnyArray(NewArray<float>(room.data, {values.size()}, room.owner));
}

TreeArrays tree_arrays(const Tree& tree) {
    const std::size_t bytes = tree.nodes.size() * sizeof(Node);
    Room nodes = make_room(bytes);
    std::memcpy(nodes.data, tree.nodes.data(), bytes);
    // Absolute error is slow in any case, and its users compare digits.
    const AnyArray impurity =
        tree.medians.empty() ? to_compact_array(tree.impurity) : AnyArray(to_array(tree.impurity));
    return {NewArray<std::uint64_t>(nodes.data, {bytes / sizeof(std::uint64_t)}, nodes.owner),
            to_array(tree.n_samples),
            to_compact_array(tree.weight),
            impurity,
            to_array(tree.values),
            to_array(tree.categories),
            to_array(tree.medians)};
}

void run_interruptible(const std::uint8_t* stop, bool signals,
                       const std::function<void(Interrupt&)>& work) {
    const auto told = [stop] {
        return stop &&
               std::atomic_ref(*const_cast<std::uint8_t*>(stop)).load(std::memory_order_relaxed);
    };
    Interrupt interrupt([told, signals] {
        if (told()) return true;
        if (!signals) return false;
        const nb::gil_scoped_acquire lock;
        return PyErr_CheckSignals() != 0;
    });
    try {
        // A loop of many short calls must end as well, though none of them asks.
        if (told()) throw Interrupted{};
        const nb::gil_scoped_release unlock;
        work(interrupt);
    } catch (const Interrupted&) {
        if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nb::python_error();
    }
}

}  // namespace coterie

NB_MODULE(_engine, module) {
    // A model that somebody still holds when Python ends is no leak worth a page of warnings.
    nanobind::set_leak_warnings(false);
    module.doc() = "Binning, growing and walking trees (see coterie.native for the typed edge).";
    coterie::init_bins(module);
    coterie::init_elementary(module);
    coterie::init_forest(module);
    coterie::init_sparse(module);
    coterie::init_grow(module);
    coterie::init_newton(module);
    coterie::init_newton_scores(module);
    coterie::init_halves(module);
    coterie::init_vector_tree(module);
    coterie::init_shap(module);
    coterie::init_isolation(module);
    coterie::init_ranking(module);
    coterie::init_near(module);
}
