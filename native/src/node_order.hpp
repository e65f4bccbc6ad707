// The rows of a node in the order of a column.
//
// Most nodes of a deep tree are small, and a histogram of a fine column would be nearly empty
// there. Sorting what the node has costs less, and loses nothing. Up to some hundred rows are
// ranked by counting, for each, how many are below it: no branch depends on the data, and a vector
// of codes is compared at a time. More are sorted by their bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace coterie {

class NodeOrder {
  public:
    static constexpr std::size_t kMostRows = 65'536;  // positions have 16 bits

    // A code and the position of its row in the node, or its tag, in one number.
    static std::uint32_t code(std::uint32_t key) { return key >> 16; }
    static std::uint32_t position(std::uint32_t key) { return key & 0xffff; }

    // Keys ascend by code, and by position among equal codes. Good until the next call.
    std::span<const std::uint32_t> sort(std::span<const std::uint16_t> codes);
    // The same with tags in the place of positions, for any number of rows.
    std::span<const std::uint32_t> sort(std::span<const std::uint16_t> codes,
                                        const std::uint16_t* tags);

  private:
    static constexpr std::size_t kRankedRows = 112, kLanes = 16;

    template <class Low>
    std::span<const std::uint32_t> sort_with(std::span<const std::uint16_t> codes, Low low);
    template <class Key>
    void rank(std::span<const std::uint16_t> codes, Key key);
    template <class Key>
    void sort_bytes(std::span<const std::uint16_t> codes, Key key);

    alignas(32) std::array<std::int16_t, kRankedRows + kLanes> signed_;
    alignas(32) std::array<std::uint16_t, kRankedRows + kLanes> below_;
    std::vector<std::uint32_t> keys_, spare_;
};

}  // namespace coterie
