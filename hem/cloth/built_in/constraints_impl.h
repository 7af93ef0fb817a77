// SPDX-License-Identifier: Apache-2.0
// The constraints' loops for one width: constraints_<set>.cpp defines HEM_SET (a namespace),
// HEM_SET_NAME and HEM_WIDTH (lanes a register) and includes this once. No include guard by design.
// Everything is inlined or lives in that namespace, and no function of another header is used, so
// that no code of a wide set can be linked in place of a narrow one's.
#include "hem/cloth/built_in/air.h"
#include "hem/cloth/built_in/constraints.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define HEM_INLINE __attribute__((always_inline)) inline

namespace hem::built_in::HEM_SET {
namespace {

constexpr int kWidth = HEM_WIDTH;

typedef float Floats __attribute__((vector_size(4 * kWidth)));
typedef int32_t Ints __attribute__((vector_size(4 * kWidth)));

HEM_INLINE Floats all(float x) { return x - Floats{}; }
HEM_INLINE Floats at(const Row& row, size_t lane) {
    Floats v;
    __builtin_memcpy(&v, row.of + lane, sizeof v);
    return v;
}
HEM_INLINE Floats larger(Floats a, Floats b) { return a > b ? a : b; }
HEM_INLINE Floats rootOf(Floats a) {
#if defined(__x86_64__) && HEM_WIDTH == 8
    return Floats(_mm256_sqrt_ps(__m256(a)));
#elif defined(__x86_64__)
    return Floats(_mm_sqrt_ps(__m128(a)));
#else
    for (int i = 0; i < kWidth; ++i) a[i] = __builtin_sqrtf(a[i]);
    return a;
#endif
}
HEM_INLINE bool any(Ints mask) {
#if defined(__x86_64__) && HEM_WIDTH == 8
    return _mm256_movemask_ps(__m256(mask)) != 0;
#elif defined(__x86_64__)
    return _mm_movemask_ps(__m128(mask)) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

struct Vectors {
    Floats x, y, z;
};
HEM_INLINE Vectors operator+(Vectors a, Vectors b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
HEM_INLINE Vectors operator-(Vectors a, Vectors b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HEM_INLINE Vectors operator*(Vectors a, Floats s) { return {a.x * s, a.y * s, a.z * s}; }
HEM_INLINE Floats product(Vectors a, Vectors b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HEM_INLINE Vectors across(Vectors a, Vectors b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Fours of lanes: a shuffle within each, or one four alone.
template <int a, int b, int c, int d>
HEM_INLINE Floats shuffled(Floats v, Floats w) {
    constexpr auto from = [](int lane, int group) {
        return lane < 4 ? 4 * group + lane : kWidth + 4 * group + lane - 4;
    };
#define HEM_FOUR(g) from(a, g), from(b, g), from(c, g), from(d, g)
#if HEM_WIDTH == 8
    return __builtin_shufflevector(v, w, HEM_FOUR(0), HEM_FOUR(1));
#else
    return __builtin_shufflevector(v, w, HEM_FOUR(0));
#endif
#undef HEM_FOUR
}
template <int kGroup>
HEM_INLINE Float4 four(Floats v) {
    constexpr int k = 4 * kGroup;
    return __builtin_shufflevector(v, v, k, k + 1, k + 2, k + 3);
}

HEM_INLINE void transposeFours(Floats& a, Floats& b, Floats& c, Floats& d) {
    const Floats t0 = shuffled<0, 4, 1, 5>(a, b), t1 = shuffled<2, 6, 3, 7>(a, b);
    const Floats t2 = shuffled<0, 4, 1, 5>(c, d), t3 = shuffled<2, 6, 3, 7>(c, d);
    a = shuffled<0, 1, 4, 5>(t0, t2);
    b = shuffled<2, 3, 6, 7>(t0, t2);
    c = shuffled<0, 1, 4, 5>(t1, t3);
    d = shuffled<2, 3, 6, 7>(t1, t3);
}

// Particles index[0] and, of eight lanes, index[4].
HEM_INLINE Floats everyFourth(const Float4* particles, const uint32_t* index) {
#if HEM_WIDTH == 4
    return particles[index[0]];
#else
    return __builtin_shufflevector(particles[index[0]], particles[index[4]], 0, 1, 2, 3, 4, 5, 6,
                                   7);
#endif
}
HEM_INLINE void storeEveryFourth(Float4* particles, const uint32_t* index, Floats v) {
    particles[index[0]] = four<0>(v);
#if HEM_WIDTH == 8
    particles[index[4]] = four<1>(v);
#endif
}

// As many particles as there are lanes.
struct Points {
    Vectors p;
    Floats w;
};
HEM_INLINE Points load(const Float4* particles, const uint32_t* index) {
    Floats a = everyFourth(particles, index), b = everyFourth(particles, index + 1),
           c = everyFourth(particles, index + 2), d = everyFourth(particles, index + 3);
    transposeFours(a, b, c, d);
    return {{a, b, c}, d};
}
HEM_INLINE void store(Float4* particles, const uint32_t* index, const Points& points) {
    Floats a = points.p.x, b = points.p.y, c = points.p.z, d = points.w;
    transposeFours(a, b, c, d);
    storeEveryFourth(particles, index, a);
    storeEveryFourth(particles, index + 1, b);
    storeEveryFourth(particles, index + 2, c);
    storeEveryFourth(particles, index + 3, d);
}

HEM_INLINE void addTo(Points& corner, Vectors direction, Floats amount) {
    corner.p = corner.p + direction * (amount * corner.w);
}

// --- Membrane ----------------------------------------------------------------------------------

HEM_INLINE void stretch(Points& p0, Points& p1, Points& p2, Floats g1, Floats g2, Floats compliance,
                        Floats pressed, Floats inverse_dt2) {
    const Floats g0 = -g1 - g2;
    const Vectors f = (p1.p - p0.p) * g1 + (p2.p - p0.p) * g2;
    const Floats length = rootOf(product(f, f)) + all(1e-12f);
    const Floats c = length - all(1);
    const Floats weight = p0.w * g0 * g0 + p1.w * g1 * g1 + p2.w * g2 * g2;
    const Floats soft = (c < all(0) ? pressed : compliance) * inverse_dt2;
    const Floats step = -c / ((weight + soft) * length);
    addTo(p0, f, step * g0), addTo(p1, f, step * g1), addTo(p2, f, step * g2);
}

void solveMembrane(const MembraneBatch* batches, size_t count, Float4* x, float dt) {
    const Floats inverse_dt2 = all(1 / (dt * dt));
    for (size_t number = 0; number < count; ++number) {
        const MembraneBatch& batch = batches[number];
        for (size_t lane = 0; lane < kLanes; lane += kWidth) {
            const uint32_t* i0 = &batch.index.of[0][lane];
            const uint32_t *i1 = &batch.index.of[1][lane], *i2 = &batch.index.of[2][lane];
            Points p0 = load(x, i0), p1 = load(x, i1), p2 = load(x, i2);
            const Floats u1 = at(batch.u1, lane), u2 = at(batch.u2, lane);
            const Floats v1 = at(batch.v1, lane), v2 = at(batch.v2, lane);
            stretch(p0, p1, p2, u1, u2, at(batch.compliance_u, lane), at(batch.pressed_u, lane),
                    inverse_dt2);
            stretch(p0, p1, p2, v1, v2, at(batch.compliance_v, lane), at(batch.pressed_v, lane),
                    inverse_dt2);
            const Vectors e1 = p1.p - p0.p, e2 = p2.p - p0.p;
            const Vectors fu = e1 * u1 + e2 * u2, fv = e1 * v1 + e2 * v2;
            const Vectors g1 = fv * u1 + fu * v1, g2 = fv * u2 + fu * v2;
            const Vectors g0 = (g1 + g2) * all(-1);
            const Floats weight =
                p0.w * product(g0, g0) + p1.w * product(g1, g1) + p2.w * product(g2, g2);
            const Floats step =
                -product(fu, fv) / (weight + at(batch.compliance_shear, lane) * inverse_dt2);
            addTo(p0, g0, step), addTo(p1, g1, step), addTo(p2, g2, step);
            store(x, i0, p0);
            store(x, i1, p1);
            store(x, i2, p2);
        }
    }
}

HEM_INLINE void dampAlong(Points& v0, Points& v1, Points& v2, Vectors g1, Vectors g2, Floats soft) {
    const Vectors g0 = (g1 + g2) * all(-1);
    const Floats rate = product(g0, v0.p) + product(g1, v1.p) + product(g2, v2.p);
    const Floats weight = v0.w * product(g0, g0) + v1.w * product(g1, g1) + v2.w * product(g2, g2);
    const Floats step = -rate / (weight + soft);
    addTo(v0, g0, step), addTo(v1, g1, step), addTo(v2, g2, step);
}

// A damper of k A tau on C: with the rate r = grad C . v, one implicit step changes v by
// -w grad C  r / (sum w |grad C|^2 + 1 / (k A tau dt)).
void dampMembrane(const MembraneBatch* batches, size_t count, const Float4* x, Float4* v,
                  float dt) {
    for (size_t number = 0; number < count; ++number) {
        const MembraneBatch& batch = batches[number];
        for (size_t lane = 0; lane < kLanes; lane += kWidth) {
            const uint32_t* i0 = &batch.index.of[0][lane];
            const uint32_t *i1 = &batch.index.of[1][lane], *i2 = &batch.index.of[2][lane];
            const Points p0 = load(x, i0), p1 = load(x, i1), p2 = load(x, i2);
            Points v0 = load(v, i0), v1 = load(v, i1), v2 = load(v, i2);
            const Floats u1 = at(batch.u1, lane), u2 = at(batch.u2, lane);
            const Floats w1 = at(batch.v1, lane), w2 = at(batch.v2, lane);
            const Vectors e1 = p1.p - p0.p, e2 = p2.p - p0.p;
            const Vectors fu = e1 * u1 + e2 * u2, fv = e1 * w1 + e2 * w2;
            const Floats scale = all(1) / (at(batch.damping, lane) * all(dt) + all(1e-12f));
            const Vectors nu = fu * (all(1) / (rootOf(product(fu, fu)) + all(1e-12f)));
            const Vectors nv = fv * (all(1) / (rootOf(product(fv, fv)) + all(1e-12f)));
            dampAlong(v0, v1, v2, nu * u1, nu * u2, at(batch.compliance_u, lane) * scale);
            dampAlong(v0, v1, v2, nv * w1, nv * w2, at(batch.compliance_v, lane) * scale);
            dampAlong(v0, v1, v2, fv * u1 + fu * w1, fv * u2 + fu * w2,
                      at(batch.compliance_shear, lane) * scale);
            store(v, i0, v0);
            store(v, i1, v1);
            store(v, i2, v2);
        }
    }
}

// --- Bending -----------------------------------------------------------------------------------

void solveBending(const BendingBatch* batches, size_t count, Float4* x, const Float4* before,
                  float dt) {
    const Floats inverse_dt = all(1 / dt), inverse_dt2 = all(1 / (dt * dt));
    for (size_t number = 0; number < count; ++number) {
        const BendingBatch& batch = batches[number];
        for (size_t lane = 0; lane < kLanes; lane += kWidth) {
            Points p[4];
            Vectors h, h_before;
            Floats weight;
            const Row* rows[4] = {&batch.c0, &batch.c1, &batch.c2, &batch.c3};
#pragma GCC unroll 4
            for (size_t i = 0; i < 4; ++i) {
                const Floats c = at(*rows[i], lane);
                p[i] = load(x, &batch.index.of[i][lane]);
                const Points q = load(before, &batch.index.of[i][lane]);
                h = i ? h + p[i].p * c : p[i].p * c;
                h_before = i ? h_before + q.p * c : q.p * c;
                weight = i ? weight + p[i].w * c * c : p[i].w * c * c;
            }
            const Floats length = rootOf(product(h, h)) + all(1e-12f);
            // towards the rest length along h; never past it through nought
            const Floats excess = (length - at(batch.rest, lane)) / length;
            const Floats share = larger(excess, all(-1));
            const Floats g = at(batch.damping, lane) * inverse_dt;
            const Floats divisor = (all(1) + g) * weight + at(batch.compliance, lane) * inverse_dt2;
            const Vectors step = (h * share + (h - h_before) * g) * (all(-1) / divisor);
#pragma GCC unroll 4
            for (size_t i = 0; i < 4; ++i) {
                p[i].p = p[i].p + step * (p[i].w * at(*rows[i], lane));
                store(x, &batch.index.of[i][lane], p[i]);
            }
        }
    }
}

// --- Links -------------------------------------------------------------------------------------

void sweepLinks(const LinkBatch* batches, size_t count, Float4* x) {
    for (size_t number = 0; number < count; ++number) {
        const LinkBatch& batch = batches[number];
        for (size_t lane = 0; lane < kLanes; lane += kWidth) {
            Points a = load(x, &batch.index.of[0][lane]), b = load(x, &batch.index.of[1][lane]);
            const Floats longest = at(batch.length, lane);
            const Vectors d = a.p - b.p;
            const Floats squared = product(d, d);
            const Ints taut = squared > longest * longest;
            if (!any(taut)) continue;
            const Floats length = rootOf(squared) + all(1e-12f);
            const Floats weight = a.w + b.w + all(1e-12f);
            const Floats pull = taut ? (length - longest) / (length * weight) : all(0);
            a.p = a.p - d * (pull * a.w);
            b.p = b.p + d * (pull * b.w);
            store(x, &batch.index.of[0][lane], a);
            store(x, &batch.index.of[1][lane], b);
        }
    }
}

// --- Air ---------------------------------------------------------------------------------------

void applyAir(const AirBatch* batches, size_t count, const Float4* x, Float4* v, Vec3 wind,
              float dt) {
    const Vectors air{all(wind.x), all(wind.y), all(wind.z)};
    const Floats third = all(1.0f / 3), step = all(dt);
    for (size_t number = 0; number < count; ++number) {
        const AirBatch& batch = batches[number];
        for (size_t lane = 0; lane < kLanes; lane += kWidth) {
            const uint32_t* i0 = &batch.index.of[0][lane];
            const uint32_t *i1 = &batch.index.of[1][lane], *i2 = &batch.index.of[2][lane];
            const Points p0 = load(x, i0), p1 = load(x, i1), p2 = load(x, i2);
            Points v0 = load(v, i0), v1 = load(v, i1), v2 = load(v, i2);
            const Vectors normal = across(p1.p - p0.p, p2.p - p0.p);
            const Floats twice_area = rootOf(product(normal, normal)) + all(1e-20f);
            const Vectors n = normal * (all(1) / twice_area);
            const Vectors u = air - (v0.p + v1.p + v2.p) * third;
            const Floats un = product(u, n);
            const Vectors ut = u - n * un;
            // pressure per velocity; the divisor makes the step implicit
            const Floats density = at(batch.density, lane);
            const Floats c = all(Air::kDensity / 2) * at(batch.drag, lane);
            const Floats cn = c * ((un < all(0) ? -un : un) + all(Air::kEddies));
            const Floats ct =
                c * all(Air::kTangential) * (rootOf(product(ut, ut)) + all(Air::kEddies));
            const Vectors pressure = n * (un * cn / (all(1) + step * cn / density)) +
                                     ut * (ct / (all(1) + step * ct / density));
            const Vectors impulse = pressure * (twice_area * all(0.5f) * third * step);
            v0.p = v0.p + impulse * v0.w;
            v1.p = v1.p + impulse * v1.w;
            v2.p = v2.p + impulse * v2.w;
            store(v, i0, v0);
            store(v, i1, v1);
            store(v, i2, v2);
        }
    }
}

}  // namespace

extern const Constraints table;
const Constraints table = {HEM_SET_NAME, solveMembrane, dampMembrane,
                           solveBending, sweepLinks,    applyAir};

}  // namespace hem::built_in::HEM_SET
