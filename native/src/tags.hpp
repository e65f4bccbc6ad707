// Class and weight of a row in 16 bits.
//
// A bootstrap gives rows small whole weights. Then a row's share in the sums of a node fits beside
// its code in a key that is sorted, and sides are summed sixteen rows at a time. Whole sums are
// exact, so they have the bits that sums of items have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coterie/histogram.hpp"

namespace coterie {

struct Tags {
    static constexpr double kMost = 255.0;        // of either byte
    static constexpr std::size_t kClasses = 256;  // at most

    // The low byte is the weight. The high byte is what the item holds beside it: the class, or of
    // two classes the weight of the second.
    static void of(const Item* items, std::size_t n, std::uint16_t* tags);
    static std::uint32_t weight(std::uint32_t tag) { return tag & 255; }
    static std::uint32_t other(std::uint32_t tag) { return tag >> 8 & 255; }
    static Item item(std::uint32_t tag) {
        return {static_cast<double>(weight(tag)), static_cast<double>(other(tag))};
    }

    // What is read of codes and tags may exceed n by kLanes; the tags there are zero.
    static constexpr std::size_t kLanes = 16;

    // Whether a code is in [from … to); what is read behind the codes counts too.
    static bool any_between(const std::uint16_t* codes, std::size_t n, std::uint32_t from,
                            std::uint32_t to);

    // Sums of the rows whose code is at most `last`: weight, and that of the second class.
    static void sum_pairs(const std::uint16_t* codes, const std::uint16_t* tags, std::size_t n,
                          std::uint32_t last, double* sums);
    // The same by class; adds to sums[0 … classes).
    static void sum_classes(const std::uint16_t* codes, const std::uint16_t* tags, std::size_t n,
                            std::uint32_t last, std::size_t classes, double* sums);
};

// Weights of the rows of a node by code and class.
class TagCounts {
  public:
    explicit TagCounts(std::size_t classes) : classes_(classes) {}

    // `pairs`: tags hold the weight of the second class, not the class.
    void fill(std::span<const std::uint16_t> codes, const std::uint16_t* tags, std::size_t n_codes,
              bool pairs);
    std::span<const std::uint32_t> bin(std::size_t code) const {
        return {counts_.data() + code * classes_, classes_};
    }
    std::size_t bytes(std::size_t n_codes) const {
        return n_codes * classes_ * sizeof(std::uint32_t);
    }

  private:
    std::size_t classes_;
    std::vector<std::uint32_t> counts_;
};

}  // namespace coterie
