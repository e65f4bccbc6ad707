// Threads that live for one call: nothing survives to break a later fork.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace coterie {

// Runs task(0) … task(n_tasks - 1) on up to n_threads threads and re-raises the
// first exception. Tasks must write to disjoint places; which thread takes
// which task is not fixed, so results may not depend on it.
template <class Task>
void parallel_for(int n_threads, std::size_t n_tasks, Task&& task) {
    const std::size_t workers = std::min(n_tasks, static_cast<std::size_t>(std::max(n_threads, 1)));
    if (workers <= 1) {
        for (std::size_t i = 0; i < n_tasks; ++i) task(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    std::mutex guard;
    const auto work = [&] {
        for (std::size_t i; (i = next.fetch_add(1)) < n_tasks;) {
            try {
                task(i);
            } catch (...) {
                const std::lock_guard lock(guard);
                if (!error) error = std::current_exception();
                next = n_tasks;
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        threads.reserve(workers - 1);
        for (std::size_t t = 1; t < workers; ++t) threads.emplace_back(work);
        work();
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace coterie
