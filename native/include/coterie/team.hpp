// Threads that live for one call: nothing survives to break a later fork.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace coterie {

// Starting a thread costs as much as counting a few thousand rows, so a tree of many small nodes
// starts its threads once, when the first piece of work asks for them. Between two pieces of work
// they look for the next one for a moment and then sleep.
class Team {
  public:
    explicit Team(int n_threads);
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team();

    std::size_t size() const { return size_; }

    // Runs task(0) … task(n_tasks - 1) and re-raises the first exception. Tasks must write to
    // disjoint places; results may not depend on who takes which.
    template <class Task>
    void run(std::size_t n_tasks, Task&& task) {
        if (size_ <= 1 || n_tasks <= 1) {
            for (std::size_t i = 0; i < n_tasks; ++i) task(i);
            return;
        }
        const auto call = [](void* context, std::size_t i) {
            (*static_cast<std::remove_reference_t<Task>*>(context))(i);
        };
        share(n_tasks, call, const_cast<void*>(static_cast<const void*>(&task)));
    }

  private:
    struct Crew;

    void share(std::size_t n_tasks, void (*call)(void*, std::size_t), void* context);

    const std::size_t size_;
    std::unique_ptr<Crew> crew_;  // out of sight: few headers are as long as those of threads
};

}  // namespace coterie
