// SPDX-License-Identifier: Apache-2.0
// The kernels for AVX-512 with its 16- and 8-bit products (VNNI). Engines need no compiler flags for it.
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(                                                               \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni,avx2,fma,f16c"))), \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni,avx2,fma,f16c")
#endif
#include <immintrin.h>

#define HEM_SET avx512vnni
#define HEM_SET_NAME "AVX-512 VNNI"
#define HEM_WIDTH 16
#define HEM_X86 1
#define HEM_VNNI 1
#include "hem/runtime/rebuild_integers_impl.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
