// SPDX-License-Identifier: Apache-2.0
// The kernels for NEON, or for WebAssembly's 128-bit vectors, whichever the target has. Of ARM only the
// 64-bit kind: the older NEON has neither square roots nor, everywhere, fused products.
#if defined(__aarch64__) || defined(__wasm_simd128__)
#if defined(__aarch64__)
#include <arm_neon.h>
#define HEM_SET_NAME "NEON"
#else
#include <wasm_simd128.h>
#define HEM_SET_NAME "WebAssembly SIMD"
#endif

#define HEM_SET vectors128
#define HEM_WIDTH 4
#include "hem/runtime/rebuild_integers_impl.h"
#endif
