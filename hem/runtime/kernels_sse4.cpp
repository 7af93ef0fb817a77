// SPDX-License-Identifier: Apache-2.0
// The kernels for SSE4. Engines need no compiler flags for it.
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("sse4.1"))), apply_to = function)
#else
#pragma GCC target("sse4.1")
#endif
#include <immintrin.h>

#define HEM_SET sse4
#define HEM_SET_NAME "SSE4"
#define HEM_WIDTH 4
#define HEM_X86 1
#define HEM_VNNI 0
#include "hem/runtime/rebuild_integers_impl.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
