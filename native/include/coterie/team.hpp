// Threads that live for one call: nothing survives to break a later fork.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace coterie {

// Starting a thread costs as much as counting a few thousand rows, so a tree of many small nodes
// starts its threads once, when the first piece of work asks for them. Between two pieces of work
// they look for the next one for a moment and then sleep.
class Team {
  public:
    explicit Team(int n_threads) : size_(static_cast<std::size_t>(std::max(n_threads, 1))) {}
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() {
        closing_ = true;
        announce();
    }

    std::size_t size() const { return size_; }

    // Runs task(0) … task(n_tasks - 1) and re-raises the first exception. Tasks must write to
    // disjoint places; results may not depend on who takes which.
    template <class Task>
    void run(std::size_t n_tasks, Task&& task) {
        if (size_ <= 1 || n_tasks <= 1) {
            for (std::size_t i = 0; i < n_tasks; ++i) task(i);
            return;
        }
        while (threads_.size() + 1 < std::min(size_, n_tasks))
            threads_.emplace_back([this, seen = turn_.load()] { serve(seen); });
        call_ = [](void* context, std::size_t i) {
            (*static_cast<std::remove_reference_t<Task>*>(context))(i);
        };
        context_ = const_cast<void*>(static_cast<const void*>(&task));
        n_tasks_ = n_tasks;
        next_ = 0;
        busy_ = threads_.size();
        announce();
        work();
        rest_until([this] { return busy_.load() == 0; }, busy_);
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

  private:
    void announce() {
        turn_.fetch_add(1);
        turn_.notify_all();
    }

    void serve(std::size_t seen) {
        for (;;) {
            rest_until([&] { return turn_.load() != seen; }, turn_);
            seen = turn_.load();
            if (closing_) return;
            work();
            if (busy_.fetch_sub(1) == 1) busy_.notify_all();
        }
    }

    void work() {
        for (std::size_t i; (i = next_.fetch_add(1)) < n_tasks_;) {
            try {
                call_(context_, i);
            } catch (...) {
                const std::lock_guard lock(guard_);
                if (!error_) error_ = std::current_exception();
                next_ = n_tasks_;
            }
        }
    }

    template <class Done>
    static void rest_until(Done&& done, std::atomic<std::size_t>& changing) {
        for (int look = 0; look < 4000; ++look)
            if (done()) return;
        for (std::size_t now = changing.load(); !done(); now = changing.load()) changing.wait(now);
    }

    const std::size_t size_;
    void (*call_)(void*, std::size_t) = nullptr;
    void* context_ = nullptr;
    std::size_t n_tasks_ = 0;
    std::atomic<std::size_t> next_{0}, busy_{0}, turn_{0};
    std::atomic<bool> closing_{false};
    std::exception_ptr error_;
    std::mutex guard_;
    std::vector<std::jthread> threads_;  // last: they end before what they use
};

}  // namespace coterie
