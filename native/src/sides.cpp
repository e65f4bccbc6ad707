#include "sides.hpp"

#include "coterie/clones.hpp"

#ifdef COTERIE_HAS_CLONES
#include <immintrin.h>
#endif

namespace coterie {
namespace {

std::uint32_t move_one_by_one(const std::uint8_t* goes, const std::uint32_t* rows, std::size_t n,
                              std::uint32_t* left, std::uint32_t* right) {
    std::uint32_t kept = 0, others = 0;
    for (std::size_t i = 0; i < n; ++i) {
        // Both places are written and one of them counts: no branch to mispredict.
        const std::uint32_t row = rows[i];
        left[kept] = row;
        right[others] = row;
        kept += goes[i];
        others += 1u - goes[i];
    }
    return kept;
}

#ifdef COTERIE_HAS_CLONES
// Sixteen rows at a time. What is written behind those that count has been read, and is written
// again or belongs to nobody.
__attribute__((target("avx512f"))) std::uint32_t move_sixteens(const std::uint8_t* goes,
                                                               const std::uint32_t* rows,
                                                               std::size_t n, std::uint32_t* left,
                                                               std::uint32_t* right) {
    constexpr std::size_t lanes = 16;
    std::uint32_t kept = 0, others = 0;
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const __m128i flags = _mm_loadu_si128(reinterpret_cast<const __m128i*>(goes + i));
        const __m512i some = _mm512_loadu_si512(rows + i);
        // The lowest bit of a byte becomes its highest, of which a mask is made.
        const auto mask = static_cast<__mmask16>(_mm_movemask_epi8(_mm_slli_epi16(flags, 7)));
        _mm512_storeu_si512(left + kept, _mm512_maskz_compress_epi32(mask, some));
        _mm512_storeu_si512(right + others, _mm512_maskz_compress_epi32(_knot_mask16(mask), some));
        const auto found = static_cast<std::uint32_t>(__builtin_popcount(mask));
        kept += found;
        others += static_cast<std::uint32_t>(lanes) - found;
    }
    return kept + move_one_by_one(goes + i, rows + i, n - i, left + kept, right + others);
}
#endif

}  // namespace

std::uint32_t move_apart(const std::uint8_t* goes, const std::uint32_t* rows, std::size_t n,
                         std::uint32_t* left, std::uint32_t* right) {
#ifdef COTERIE_HAS_CLONES
    static const bool wide = __builtin_cpu_supports("avx512f");
    if (wide) return move_sixteens(goes, rows, n, left, right);
#endif
    return move_one_by_one(goes, rows, n, left, right);
}

}  // namespace coterie
