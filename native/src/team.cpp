#include "coterie/team.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace coterie {
namespace {

// Lets the processor know that this is a loop of looks.
inline void breathe() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Looks for about 100 microseconds before sleeping: between two pieces of work on the rows of a
// node, one thread looks for a split, which takes less.
template <class Done>
void rest_until(Done&& done, std::atomic<std::size_t>& changing) {
    for (int look = 0; look < 4000; ++look, breathe())
        if (done()) return;
    for (std::size_t now = changing.load(); !done(); now = changing.load()) changing.wait(now);
}

}  // namespace

struct Team::Crew {
    ~Crew() {
        closing = true;
        announce();
    }

    void announce() {
        turn.fetch_add(1);
        turn.notify_all();
    }

    void serve(std::size_t seen) {
        for (;;) {
            rest_until([&] { return turn.load() != seen; }, turn);
            seen = turn.load();
            if (closing) return;
            work();
            if (busy.fetch_sub(1) == 1) busy.notify_all();
        }
    }

    void work() {
        for (std::size_t i; (i = next.fetch_add(1)) < n_tasks;) {
            try {
                call(context, i);
            } catch (...) {
                const std::lock_guard lock(guard);
                if (!error) error = std::current_exception();
                next = n_tasks;
            }
        }
    }

    void (*call)(void*, std::size_t) = nullptr;
    void* context = nullptr;
    std::size_t n_tasks = 0;
    std::atomic<std::size_t> next{0}, busy{0}, turn{0};
    std::atomic<bool> closing{false};
    std::exception_ptr error;
    std::mutex guard;
    std::vector<std::jthread> threads;  // last: they end before what they use
};

Team::Team(int n_threads) : size_(static_cast<std::size_t>(std::max(n_threads, 1))) {}
Team::~Team() = default;

void Team::share(std::size_t n_tasks, void (*call)(void*, std::size_t), void* context) {
    if (!crew_) crew_ = std::make_unique<Crew>();
    Crew& crew = *crew_;
    while (crew.threads.size() + 1 < std::min(size_, n_tasks))
        crew.threads.emplace_back([&crew, seen = crew.turn.load()] { crew.serve(seen); });
    crew.call = call;
    crew.context = context;
    crew.n_tasks = n_tasks;
    crew.next = 0;
    crew.busy = crew.threads.size();
    crew.announce();
    crew.work();
    rest_until([&] { return crew.busy.load() == 0; }, crew.busy);
    if (crew.error) std::rethrow_exception(std::exchange(crew.error, nullptr));
}

}  // namespace coterie
