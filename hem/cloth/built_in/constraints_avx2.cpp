// SPDX-License-Identifier: Apache-2.0
// Eight lanes, for AVX2.
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define HEM_SET avx2
#define HEM_SET_NAME "AVX2"
#define HEM_WIDTH 8
#include "hem/cloth/built_in/constraints_impl.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
