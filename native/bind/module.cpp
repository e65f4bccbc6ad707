#include <atomic>
#include <stdexcept>

#include "arrays.hpp"

namespace coterie {

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

void run_interruptible(const std::uint8_t* stop, bool signals,
                       const std::function<void(Interrupt&)>& work) {
    Interrupt interrupt([stop, signals] {
        if (stop &&
            std::atomic_ref(*const_cast<std::uint8_t*>(stop)).load(std::memory_order_relaxed))
            return true;
        if (!signals) return false;
        const nb::gil_scoped_acquire lock;
        return PyErr_CheckSignals() != 0;
    });
    try {
        const nb::gil_scoped_release unlock;
        work(interrupt);
    } catch (const Interrupted&) {
        if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nb::python_error();
    }
}

}  // namespace coterie

NB_MODULE(_engine, module) {
    module.doc() = "Binning, growing and walking trees (see coterie.native for the typed edge).";
    coterie::init_bins(module);
    coterie::init_grow(module);
    coterie::init_forest(module);
}
