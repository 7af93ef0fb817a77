// SPDX-License-Identifier: Apache-2.0
// Vectors as wide as the registers, by the compilers' vector extensions. No include guard by
// design: kernels_<set>.cpp defines HEM_SET (a namespace), HEM_WIDTH (floats a register), HEM_X86
// and HEM_VNNI (whether the set is one of Intel's, and has their 16- and 8-bit products), and includes it
// once. Everything has internal linkage or lives in that namespace, so that no code of
// a wide set can be linked into a narrow one.
#include "hem/runtime/kernels.h"

#ifndef HEM_X86
#define HEM_X86 0
#endif
#ifndef HEM_VNNI
#define HEM_VNNI 0
#endif

#define HEM_INLINE __attribute__((always_inline)) inline

namespace hem::runtime::HEM_SET {

constexpr int kWidth = HEM_WIDTH;
constexpr int kParts = 16 / kWidth;  // registers a panel's row

typedef float Floats __attribute__((vector_size(4 * kWidth)));
typedef int32_t Ints __attribute__((vector_size(4 * kWidth)));
typedef uint32_t Words __attribute__((vector_size(4 * kWidth)));

HEM_INLINE Floats load(const float* from) {
    Floats v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
HEM_INLINE Ints load(const int32_t* from) {
    Ints v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
HEM_INLINE void store(float* to, Floats v) { __builtin_memcpy(to, &v, sizeof v); }
HEM_INLINE void store(int32_t* to, Ints v) { __builtin_memcpy(to, &v, sizeof v); }
HEM_INLINE Floats splat(float x) { return x - Floats{}; }
HEM_INLINE Ints splat(int32_t x) { return x - Ints{}; }
HEM_INLINE Ints bitsOf(Floats v) { return Ints(v); }
// a < b ? a : b and a > b ? a : b, which compilers do not always see to be one instruction.
HEM_INLINE Floats least(Floats a, Floats b) {
#if HEM_X86 && HEM_WIDTH == 16
    return Floats(_mm512_maskz_min_ps(0xffff, __m512(a), __m512(b)));
#elif HEM_X86 && HEM_WIDTH == 8
    return Floats(_mm256_min_ps(__m256(a), __m256(b)));
#elif HEM_X86 && HEM_WIDTH == 4
    return Floats(_mm_min_ps(__m128(a), __m128(b)));
#else
    return a < b ? a : b;
#endif
}
HEM_INLINE Floats most(Floats a, Floats b) {
#if HEM_X86 && HEM_WIDTH == 16
    return Floats(_mm512_maskz_max_ps(0xffff, __m512(a), __m512(b)));
#elif HEM_X86 && HEM_WIDTH == 8
    return Floats(_mm256_max_ps(__m256(a), __m256(b)));
#elif HEM_X86 && HEM_WIDTH == 4
    return Floats(_mm_max_ps(__m128(a), __m128(b)));
#else
    return a > b ? a : b;
#endif
}

// Bit i is set where lane i of a comparison's result is.
HEM_INLINE uint32_t bitMask(Ints mask) {
#if HEM_X86 && HEM_WIDTH == 16
    return _mm512_movepi32_mask(__m512i(mask));
#elif HEM_X86 && HEM_WIDTH == 8
    return uint32_t(_mm256_movemask_ps(__m256(mask)));
#elif HEM_X86 && HEM_WIDTH == 4
    return uint32_t(_mm_movemask_ps(__m128(mask)));
#elif defined(__wasm_simd128__) && HEM_WIDTH == 4
    return uint32_t(wasm_i32x4_bitmask(v128_t(mask)));
#else
    uint32_t bits = 0;
    for (int i = 0; i < kWidth; ++i) bits |= (uint32_t(mask[i]) & 1) << i;
    return bits;
#endif
}

// Bit i is set where lane i has a sign, be it of a zero.
HEM_INLINE uint32_t signMask(Floats v) {
#if HEM_X86 && HEM_WIDTH > 1
    return bitMask(bitsOf(v));
#elif defined(__wasm_simd128__) && HEM_WIDTH == 4
    return bitMask(bitsOf(v));
#else
    return bitMask(bitsOf(v) >> 31);
#endif
}

// Those of `bits` whose lanes have a <= b; never where one is not a number.
HEM_INLINE uint32_t whereAtMost(Floats a, Floats b, uint32_t bits) {
#if HEM_X86 && HEM_WIDTH == 16
    return _mm512_mask_cmp_ps_mask(__mmask16(bits), __m512(a), __m512(b), _CMP_LE_OQ);
#else
    return bits & bitMask(a <= b);
#endif
}

template <int... kLane>
struct Lanes {};
#if HEM_WIDTH == 16
using AllLanes = Lanes<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;
#elif HEM_WIDTH == 8
using AllLanes = Lanes<0, 1, 2, 3, 4, 5, 6, 7>;
#elif HEM_WIDTH == 4
using AllLanes = Lanes<0, 1, 2, 3>;
#else
using AllLanes = Lanes<0>;
#endif

// The least and the largest of all lanes, in every lane.
template <int kStep, int... kLane>
HEM_INLINE Floats swappedLanes(Floats v, Lanes<kLane...>) {
    return __builtin_shufflevector(v, v, (kLane ^ kStep)...);
}
template <int kStep = kWidth / 2>
HEM_INLINE Floats leastLane(Floats v) {
    if constexpr (kStep == 0)
        return v;
    else
        return leastLane<kStep / 2>(least(v, swappedLanes<kStep>(v, AllLanes())));
}
template <int kStep = kWidth / 2>
HEM_INLINE Floats mostLane(Floats v) {
    if constexpr (kStep == 0)
        return v;
    else
        return mostLane<kStep / 2>(most(v, swappedLanes<kStep>(v, AllLanes())));
}

// a b + c: fused where the set does it at all.
HEM_INLINE Floats mulAdd(Floats a, Floats b, Floats c) {
#if HEM_X86 && HEM_WIDTH == 16
    return Floats(_mm512_fmadd_ps(__m512(a), __m512(b), __m512(c)));
#elif HEM_X86 && HEM_WIDTH == 8
    return Floats(_mm256_fmadd_ps(__m256(a), __m256(b), __m256(c)));
#elif defined(__aarch64__) && HEM_WIDTH == 4
    return Floats(vfmaq_f32(float32x4_t(c), float32x4_t(a), float32x4_t(b)));
#else
    return a * b + c;
#endif
}

HEM_INLINE Floats squareRoots(Floats v) {
#if HEM_X86 && HEM_WIDTH == 16
    return Floats(_mm512_maskz_sqrt_ps(0xffff, __m512(v)));
#elif HEM_X86 && HEM_WIDTH == 8
    return Floats(_mm256_sqrt_ps(__m256(v)));
#elif HEM_X86 && HEM_WIDTH == 4
    return Floats(_mm_sqrt_ps(__m128(v)));
#elif defined(__aarch64__) && HEM_WIDTH == 4
    return Floats(vsqrtq_f32(float32x4_t(v)));
#elif defined(__wasm_simd128__) && HEM_WIDTH == 4
    return Floats(wasm_f32x4_sqrt(v128_t(v)));
#else
    for (int i = 0; i < kWidth; ++i) v[i] = __builtin_sqrtf(v[i]);
    return v;
#endif
}

// sum + a.low b.low + a.high b.high, for the two int16 of each lane. Exact.
HEM_INLINE Ints dotPairs(Ints sum, Ints a, Ints b) {
#if HEM_X86 && HEM_WIDTH == 16 && HEM_VNNI
    return Ints(_mm512_dpwssd_epi32(__m512i(sum), __m512i(a), __m512i(b)));
#elif HEM_X86 && HEM_WIDTH == 16
    return sum + Ints(_mm512_madd_epi16(__m512i(a), __m512i(b)));
#elif HEM_X86 && HEM_WIDTH == 8
    return sum + Ints(_mm256_madd_epi16(__m256i(a), __m256i(b)));
#elif HEM_X86 && HEM_WIDTH == 4
    return sum + Ints(_mm_madd_epi16(__m128i(a), __m128i(b)));
#elif defined(__wasm_simd128__) && HEM_WIDTH == 4
    return sum + Ints(wasm_i32x4_dot_i16x8(v128_t(a), v128_t(b)));
#else
    return sum + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

// sum + the products of a's four bytes, which have no signs, and b's four int8, for each lane. Exact.
constexpr bool kHasQuads = HEM_WIDTH == 16 && HEM_VNNI;
HEM_INLINE Ints dotQuads(Ints sum, [[maybe_unused]] Ints a, [[maybe_unused]] Ints b) {
#if HEM_WIDTH == 16 && HEM_VNNI
    return Ints(_mm512_dpbusd_epi32(__m512i(sum), __m512i(a), __m512i(b)));
#else
    return sum;
#endif
}

HEM_INLINE Floats fromHalves(const uint16_t* from) {
#if HEM_X86 && HEM_WIDTH == 16
    return Floats(
        _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
#elif HEM_X86 && HEM_WIDTH == 8
    return Floats(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#else
    typedef uint16_t Halves __attribute__((vector_size(2 * kWidth)));
    Halves halves;
    __builtin_memcpy(&halves, from, sizeof halves);
    const Words h = __builtin_convertvector(halves, Words);
    // the exponent's bias differs by 112; subnormals come out right, too
    const Floats magnitude = Floats((h & 0x7fff) << 13) * 0x1p112f;
    return Floats(Words(magnitude) | (h & 0x8000) << 16);
#endif
}

// `from`: two int8 a lane; each widened to int16. One instruction, where compilers make four.
HEM_INLINE Ints widenPairs(const int8_t* from) {
#if HEM_X86 && HEM_WIDTH == 16
    return Ints(_mm512_maskz_cvtepi8_epi16(
        0xffffffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
#elif HEM_X86 && HEM_WIDTH == 8
    return Ints(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#else
    typedef int8_t Bytes __attribute__((vector_size(2 * kWidth)));
    typedef int16_t Shorts __attribute__((vector_size(4 * kWidth)));
    Bytes bytes;
    __builtin_memcpy(&bytes, from, sizeof bytes);
    return Ints(__builtin_convertvector(bytes, Shorts));
#endif
}
// 65536 times the int16 of each lane: what is fewest instructions, and exact.
HEM_INLINE Floats lowOfPairs(Ints pairs) { return __builtin_convertvector(pairs << 16, Floats); }
HEM_INLINE Floats highOfPairs(Ints pairs) {
    return __builtin_convertvector(pairs & -65536, Floats);
}

// exp(x), x held within -87 and 87; relative error below 2e-7.
HEM_INLINE Floats exponential(Floats x) {
    x = least(most(x, splat(-87.0f)), splat(87.0f));
    const Floats magic = splat(12582912.0f);  // 1.5 * 2^23: the sum's low bits are the whole number
    const Floats shifted = mulAdd(x, splat(1.44269504f), magic);
    const Floats n = shifted - magic;
    Floats r = mulAdd(n, splat(-0.693145752f), x);
    r = mulAdd(n, splat(-1.42860677e-6f), r);
    Floats p = splat(1.0f / 720);
    p = mulAdd(p, r, splat(1.0f / 120));
    p = mulAdd(p, r, splat(1.0f / 24));
    p = mulAdd(p, r, splat(1.0f / 6));
    p = mulAdd(p, r, splat(0.5f));
    p = mulAdd(p, r, splat(1.0f));
    p = mulAdd(p, r, splat(1.0f));
    return Floats(bitsOf(p) + (bitsOf(shifted) << 23));
}

HEM_INLINE Floats silu(Floats z) { return z / (1.0f + exponential(-z)); }

// Of |x| up to 4.
HEM_INLINE void sinCosine(Floats x, Floats* sine, Floats* cosine) {
    const Floats magic = splat(12582912.0f);
    const Floats shifted = mulAdd(x, splat(0.636619772f), magic);
    const Floats n = shifted - magic;
    const Ints quarter = bitsOf(shifted);
    Floats r = mulAdd(n, splat(-1.57079637f), x);
    r = mulAdd(n, splat(4.37113883e-8f), r);
    const Floats q = r * r;
    Floats s = mulAdd(q, splat(2.75573192e-6f), splat(-1.98412698e-4f));
    s = mulAdd(s, q, splat(8.33333333e-3f));
    s = mulAdd(s, q, splat(-0.166666667f));
    s = mulAdd(s * q, r, r);
    Floats c = mulAdd(q, splat(-2.75573192e-7f), splat(2.48015873e-5f));
    c = mulAdd(c, q, splat(-1.38888889e-3f));
    c = mulAdd(c, q, splat(4.16666667e-2f));
    c = mulAdd(c, q, splat(-0.5f));
    c = mulAdd(c, q, splat(1.0f));
    const Ints swap = (quarter & 1) != 0;
    const Floats a = swap ? c : s, b = swap ? s : c;
    *sine = (quarter & 2) != 0 ? -a : a;
    *cosine = ((quarter + 1) & 2) != 0 ? -b : b;
}

}  // namespace hem::runtime::HEM_SET
