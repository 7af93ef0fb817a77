// SPDX-License-Identifier: Apache-2.0
// Eight lanes, for AVX-512, which has twice as many registers as AVX2.
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2")
#endif
#define HEM_SET avx512
#define HEM_SET_NAME "AVX-512"
#define HEM_WIDTH 8
#include "hem/cloth/built_in/constraints_impl.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
