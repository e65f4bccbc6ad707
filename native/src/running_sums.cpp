#include "running_sums.hpp"

#include "coterie/clones.hpp"

#ifdef COTERIE_HAS_CLONES
#include <immintrin.h>
#endif

namespace coterie {
namespace {

std::size_t sums_one_by_one(const std::int64_t* cells, std::size_t n, std::int64_t before,
                            std::int64_t* sums, std::uint32_t* codes) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; ++i) {
        // Which cells are empty cannot be foreseen, so all are written and some count.
        before += cells[i];
        sums[found] = before;
        if (codes) codes[found] = static_cast<std::uint32_t>(i);
        found += cells[i] != 0;
    }
    return found;
}

#ifdef COTERIE_HAS_CLONES
// Eight cells at a time.
__attribute__((target("avx512f"))) std::size_t sums_of_eights(const std::int64_t* cells,
                                                              std::size_t n, std::int64_t before,
                                                              std::int64_t* sums,
                                                              std::uint32_t* codes) {
    constexpr std::size_t lanes = 8;
    constexpr __mmask8 every = 0xff;
    const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
    const __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i sum = _mm512_set1_epi64(before);  // of all before, in every lane
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; i += lanes) {
        // Nothing is read behind the last cell.
        const __m512i some =
            i + lanes <= n
                ? _mm512_loadu_si512(cells + i)
                : _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << (n - i)) - 1u), cells + i);
        const __mmask8 filled = _mm512_test_epi64_mask(some, some);
        // GCC warns of the plain forms, which leave lanes undefined where a mask has no bit.
        __m512i up = _mm512_add_epi64(some, _mm512_maskz_alignr_epi64(every, some, zero, 7));
        up = _mm512_add_epi64(up, _mm512_maskz_alignr_epi64(every, up, zero, 6));
        up = _mm512_add_epi64(up, _mm512_maskz_alignr_epi64(every, up, zero, 4));
        const __m512i all = _mm512_maskz_permutexvar_epi64(every, last, up);
        up = _mm512_add_epi64(up, sum);
        sum = _mm512_add_epi64(sum, all);  // one step from eight cells to the next
        _mm512_storeu_si512(sums + found, _mm512_maskz_compress_epi64(filled, up));
        if (codes) {
            const __m512i here = _mm512_add_epi32(numbers, _mm512_set1_epi32(static_cast<int>(i)));
            _mm512_storeu_si512(codes + found, _mm512_maskz_compress_epi32(filled, here));
        }
        found += static_cast<std::size_t>(__builtin_popcount(filled));
    }
    return found;
}
#endif

}  // namespace

std::size_t running_sums(const std::int64_t* cells, std::size_t n, std::int64_t before,
                         std::int64_t* sums, std::uint32_t* codes) {
#ifdef COTERIE_HAS_CLONES
    static const bool wide = __builtin_cpu_supports("avx512f");
    constexpr std::size_t few = 4;  // done before eight lanes are set up
    if (wide && n >= few) return sums_of_eights(cells, n, before, sums, codes);
#endif
    return sums_one_by_one(cells, n, before, sums, codes);
}

COTERIE_CLONES std::int64_t sum_of_cells(const std::int64_t* cells, std::size_t n, bool& any) {
    std::int64_t sum = 0, all = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += cells[i];
        all |= cells[i];
    }
    any = all != 0;
    return sum;
}

}  // namespace coterie
