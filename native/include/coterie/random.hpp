// A small, fast and portable random generator: the same seed gives the same
// tree on every platform, which <random>'s distributions do not promise.
#pragma once

#include <cstdint>

namespace coterie {

// SplitMix64 (Steele, Lea & Flood 2014).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    // Uniform in 0 … bound-1 by multiply and shift; the bias is below 2^-32.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

    // What `below` will return after so many other numbers; nothing is drawn.
    std::uint32_t peek(std::uint64_t others, std::uint32_t bound) const {
        return Random(state_ + others * 0x9e3779b97f4a7c15ULL).below(bound);
    }

    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  private:
    std::uint64_t state_;
};

}  // namespace coterie
