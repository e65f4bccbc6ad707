// How a long call notices that somebody wants it to stop.
#pragma once

#include <cstddef>
#include <functional>

namespace coterie {

struct Interrupted {};  // thrown through the engine, never seen by users

// Asks `wanted` now and then; "now and then" is measured in visited rows so
// that the question costs nothing against the work between two askings.
class Interrupt {
  public:
    explicit Interrupt(std::function<bool()> wanted = {}) : wanted_(std::move(wanted)) {}

    void after(std::size_t work) {
        done_ += work;
        if (done_ < kPeriod) return;
        done_ = 0;
        if (wanted_ && wanted_()) throw Interrupted{};
    }

  private:
    static constexpr std::size_t kPeriod = 4'000'000;
    std::function<bool()> wanted_;
    std::size_t done_ = 0;
};

}  // namespace coterie
