#include "leaf_bits.hpp"

#include <bit>
#include <cstring>

#include "coterie/clones.hpp"

namespace coterie {
namespace {

// Split up where registers are shorter.
using Bytes = std::uint8_t __attribute__((vector_size(32)));
constexpr std::size_t kWidth = sizeof(Bytes), kParts = kStripRows / kWidth;

// The only argument is a plain one: how vectors are passed depends on the instruction set.
struct LeafTask {
    const std::uint8_t* codes;
    const BitTest* tests;
    const std::uint32_t* ends;
    std::size_t bytes;
    std::uint8_t* leaves;
};

COTERIE_CLONES void find_in_strip(const LeafTask& task) {
    Bytes chosen[kParts], base[kParts];
    std::uint32_t at = 0;
    for (std::size_t p = 0; p < task.bytes; ++p) {
        Bytes left[kParts];
        for (std::size_t q = 0; q < kParts; ++q) left[q] = Bytes{} + std::uint8_t{255};
        for (; at < task.ends[p]; ++at) {
            const BitTest test = task.tests[at];
            const Bytes above = Bytes{} + test.above, keep = Bytes{} + test.keep;
            const std::uint8_t* codes = task.codes + std::size_t{test.slot} * kStripRows;
#pragma GCC unroll 4
            for (std::size_t q = 0; q < kParts; ++q) {
                Bytes code;
                std::memcpy(&code, codes + q * kWidth, kWidth);
                left[q] &= keep | reinterpret_cast<Bytes>(code <= above);
            }
        }
        // The first byte that has a bit left.
        for (std::size_t q = 0; q < kParts; ++q) {
            const Bytes none =
                p ? reinterpret_cast<Bytes>(chosen[q] == 0) : Bytes{} + std::uint8_t{255};
            chosen[q] = p ? (chosen[q] | (left[q] & none)) : left[q];
            const Bytes here = Bytes{} + static_cast<std::uint8_t>(8 * p);
            base[q] = p ? ((base[q] & ~none) | (here & none)) : here;
        }
    }
    for (std::size_t q = 0; q < kParts; ++q) {
        const Bytes lowest = chosen[q] & (~chosen[q] + 1);
        const Bytes place = (reinterpret_cast<Bytes>((lowest & 0xaa) != 0) & 1) |
                            (reinterpret_cast<Bytes>((lowest & 0xcc) != 0) & 2) |
                            (reinterpret_cast<Bytes>((lowest & 0xf0) != 0) & 4);
        const Bytes leaf = base[q] + place;
        std::memcpy(task.leaves + q * kWidth, &leaf, kWidth);
    }
}

// Halves the range of every cell in step.
template <class T>
[[gnu::always_inline]] inline void code_body(const T* cells, const T* thresholds, std::size_t count,
                                             std::uint8_t* codes) {
    std::uint32_t at[kStripRows];
    std::uint32_t half = static_cast<std::uint32_t>(count / 2);
    const T first = thresholds[half - 1];
    for (std::size_t i = 0; i < kStripRows; ++i) at[i] = cells[i] > first ? half : 0;
    while (half /= 2)
        for (std::size_t i = 0; i < kStripRows; ++i)
            at[i] += cells[i] > thresholds[at[i] + half - 1] ? half : 0;
    for (std::size_t i = 0; i < kStripRows; ++i) codes[i] = static_cast<std::uint8_t>(at[i]);
}

COTERIE_CLONES void code(const float* cells, const float* thresholds, std::size_t count,
                         std::uint8_t* codes) {
    code_body(cells, thresholds, count, codes);
}
COTERIE_CLONES void code(const double* cells, const double* thresholds, std::size_t count,
                         std::uint8_t* codes) {
    code_body(cells, thresholds, count, codes);
}

}  // namespace

void find_leaves(const std::uint8_t* codes, const BitTest* tests,
                 std::span<const std::uint32_t> ends, std::uint8_t* leaves) {
    find_in_strip({codes, tests, ends.data(), ends.size(), leaves});
}

void code_cells(const float* cells, std::span<const float> thresholds, std::uint8_t* codes) {
    code(cells, thresholds.data(), thresholds.size(), codes);
}
void code_cells(const double* cells, std::span<const double> thresholds, std::uint8_t* codes) {
    code(cells, thresholds.data(), thresholds.size(), codes);
}

}  // namespace coterie
