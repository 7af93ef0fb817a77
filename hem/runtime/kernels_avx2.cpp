// SPDX-License-Identifier: Apache-2.0
// The kernels for AVX2. Engines need no compiler flags for it.
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif
#include <immintrin.h>

#define HEM_SET avx2
#define HEM_SET_NAME "AVX2"
#define HEM_WIDTH 8
#define HEM_X86 1
#define HEM_VNNI 0
#include "hem/runtime/rebuild_integers_impl.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
