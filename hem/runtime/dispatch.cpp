// SPDX-License-Identifier: Apache-2.0
// Chooses the kernels by what the processor says of itself.
#include "hem/runtime/kernels.h"

namespace hem::runtime {

namespace scalar {
extern const Kernels table;
}
namespace vectors128 {
extern const Kernels table;
}
namespace sse4 {
extern const Kernels table;
}
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
namespace avx512vnni {
extern const Kernels table;
}

namespace {

#if defined(__x86_64__)
struct X86 {
    bool sse4, avx2, avx512, avx512vnni;
};

struct Registers {
    uint32_t a, b, c, d;
};
Registers cpuid(uint32_t leaf) {
    Registers r;
    __asm__ volatile("cpuid" : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d) : "a"(leaf), "c"(0));
    return r;
}
bool has(uint32_t bits, int bit) { return bits >> bit & 1; }

// What the processor has and the operating system keeps across threads. Intel's manual, volume 2,
// CPUID, and volume 1, chapter 14.
X86 x86() {
    X86 found{};
    if (cpuid(0).a < 7) return found;
    const Registers one = cpuid(1), seven = cpuid(7);
    found.sse4 = has(one.c, 19);
    if (!has(one.c, 27)) return found;  // XGETBV
    uint32_t kept, high;
    __asm__ volatile("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
    const bool fma = has(one.c, 12), f16c = has(one.c, 29);
    found.avx2 = (kept & 0x6) == 0x6 && fma && f16c && has(seven.b, 5);
    const bool f = has(seven.b, 16), dq = has(seven.b, 17), bw = has(seven.b, 30),
               vl = has(seven.b, 31);
    found.avx512 = found.avx2 && (kept & 0xe6) == 0xe6 && f && dq && bw && vl;
    found.avx512vnni = found.avx512 && has(seven.c, 11);
    return found;
}
#endif

// Null until the first call; every thread would write the same.
const Kernels* chosen = nullptr;

}  // namespace

const Kernels* kernelsNumber(size_t number) {
    const Kernels* all[8];
    size_t count = 0;
#if defined(__x86_64__)
    const X86 found = x86();
    if (found.avx512vnni) all[count++] = &avx512vnni::table;
    if (found.avx512) all[count++] = &avx512::table;
    if (found.avx2) all[count++] = &avx2::table;
    if (found.sse4) all[count++] = &sse4::table;
#elif defined(__aarch64__) || defined(__wasm_simd128__)
    all[count++] = &vectors128::table;
#endif
    all[count++] = &scalar::table;
    return number < count ? all[number] : nullptr;
}

const Kernels& kernels() {
    const Kernels* best = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (!best) {  // CPUID is slow, very much so in a virtual machine
        best = kernelsNumber(0);
        __atomic_store_n(&chosen, best, __ATOMIC_RELAXED);
    }
    return *best;
}

void forceKernels(const Kernels* kernels) { __atomic_store_n(&chosen, kernels, __ATOMIC_RELAXED); }

}  // namespace hem::runtime
