// Memory that one tree leaves to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "coterie/pages.hpp"

namespace coterie {

// Histograms come and go with the nodes of a tree, and asking the system for each of them anew
// costs more than filling it. Whoever grows many trees lends them one workspace, one after the
// other.
class Workspace {
  public:
    using Buffer = Pages<std::byte>;

    // `count` values of a plain type; not cleared.
    template <class T>
    std::span<T> numbers(std::size_t slot, std::size_t count) {
        if (numbers_.size() <= slot) numbers_.resize(slot + 1);
        if (numbers_[slot].size() < count * sizeof(T)) numbers_[slot] = Buffer(count * sizeof(T));
        return {reinterpret_cast<T*>(numbers_[slot].data()), count};
    }

    // A buffer of exactly so many bytes; not cleared, but never without a value.
    Buffer take_used(std::size_t bytes) {
        if (bytes != bytes_) free_.clear();
        bytes_ = bytes;
        if (free_.empty()) return Buffer(bytes);
        Buffer buffer = std::move(free_.back());
        free_.pop_back();
        return buffer;
    }

    // The same, cleared.
    Buffer take(std::size_t bytes) {
        Buffer buffer = take_used(bytes);
        if (bytes) std::memset(buffer.data(), 0, bytes);
        return buffer;
    }

    void give_back(Buffer&& buffer) {
        if (buffer.size() == bytes_ && bytes_) free_.push_back(std::move(buffer));
        buffer = {};
    }

  private:
    std::vector<Buffer> numbers_, free_;
    std::size_t bytes_ = 0;
};

}  // namespace coterie
