// Hot loops are compiled for several instruction sets and chosen at load time,
// so that one binary is fast everywhere. Off where the platform or a sanitizer
// cannot resolve such functions.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(COTERIE_NO_CLONES)
#define COTERIE_HAS_CLONES
#define COTERIE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define COTERIE_CLONES
#endif
