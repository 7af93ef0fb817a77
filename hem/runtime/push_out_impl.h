// SPDX-License-Identifier: Apache-2.0
// Vertices out of the body, for one instruction set: see vectors.h; the mathematics is at
// BodyHeader in format.h. Points are posed once a wearer, 16 at a time, a panel, and boxes put
// around them. Vertices go through in tiles of 16 neighbours: the panels whose boxes meet the
// tile's, then of these the points within the tile's box, and only then as many vertices at a time
// as a register holds, against one point after another.
#include "hem/runtime/kernels_impl.h"

namespace hem::runtime::HEM_SET {

// sum_j w_j M_j of the lanes from `lane` on.
HEM_INLINE void blendMatrices(const Garment& g, const PushJob& job, size_t panel, size_t lane,
                              Floats (&m)[12]) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) m[i] = Floats{};
    for (uint32_t j = g.first_influence[panel]; j < g.first_influence[panel + 1]; ++j) {
        const Floats weight = load(g.influence_weights + 16 * size_t(j) + lane);
        const float* matrix = job.matrices + 12 * size_t(g.influence_joints[j]);
#pragma GCC unroll 12
        for (int i = 0; i < 12; ++i) m[i] = mulAdd(weight, splat(matrix[i]), m[i]);
    }
}

HEM_INLINE Floats dot3(const Floats (&a)[3], const Floats (&b)[3], Floats sum) {
    return mulAdd(a[2], b[2], mulAdd(a[1], b[1], mulAdd(a[0], b[0], sum)));
}

// Boxes around the posed points of the panels, in the units of posed points.
struct Boxes {
    alignas(64) float low[3][format::kMaxBodyPanels], high[3][format::kMaxBodyPanels];
};

void posePanel(const Garment& g, const PushJob& job, size_t panel, Boxes& boxes) {
    const float per_square = 1 / (g.body->reach * g.body->reach);
    Floats low[3], high[3];
    for (size_t lane = 0; lane < 16; lane += kWidth) {
        const float* rest = g.body_points + 7 * 16 * panel + lane;
        float* posed = job.posed + kPosedPanel * panel + lane;
        Floats m[12], centre[3], normal[3];
        blendMatrices(g, job, panel, lane, m);
        const Floats c[3] = {load(rest), load(rest + 16), load(rest + 32)};
        const Floats n[3] = {load(rest + 48), load(rest + 64), load(rest + 80)};
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) {
            const Floats row[3] = {m[4 * i], m[4 * i + 1], m[4 * i + 2]};
            centre[i] = dot3(row, c, m[4 * i + 3]);
            normal[i] = dot3(row, n, Floats{});
            const Floats scaled = centre[i] * (-2 * per_square);
            low[i] = lane ? least(low[i], scaled) : scaled;
            high[i] = lane ? most(high[i], scaled) : scaled;
            store(posed + 16 * i, scaled);
            store(posed + 16 * (4 + i), normal[i]);
        }
        store(posed + 48, dot3(centre, centre, Floats{}) * per_square);
        store(posed + 112, -dot3(normal, centre, load(rest + 96)));
    }
    for (int i = 0; i < 3; ++i) {
        boxes.low[i][panel] = leastLane(low[i])[0];
        boxes.high[i][panel] = mostLane(high[i])[0];
    }
}

// --- Tiles of vertices ---------------------------------------------------------------------------

constexpr size_t kTile = format::kTileVertices;

// What a tile looks at.
struct Skins {
    const format::BodyHeader& body;
    const Boxes& boxes;
    const float* posed;
    uint32_t nobody;   // a point in `posed` that is out of everyone's reach
    float per_square;  // 1 / reach^2
    uint32_t panels;
};
// Bits for the lanes of a panel that are points, not repetitions.
HEM_INLINE uint32_t lanesOf(const format::BodyHeader& body, uint32_t panel) {
    const uint32_t common = format::panelsOf(body.points);
    const uint32_t points =
        panel < common ? body.points - 16 * panel : body.worn_points - 16 * (panel - common);
    return points < 16 ? (1u << points) - 1 : 0xffff;
}

// Where points have to be to have a say at a tile's vertices, in the units of posed points.
struct Zone {
    Floats low[3], high[3];
};
HEM_INLINE Zone zoneAround(const Skins& skins, const Floats (*x)[3], int count) {
    // a little farther than the reach, for rounding: points out there have no weight
    const float far = 1.0001f * skins.body.reach, unit = -2 * skins.per_square;
    Zone zone;
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
        Floats low = x[0][c], high = low;
        for (int i = 1; i < count; ++i) low = least(low, x[i][c]), high = most(high, x[i][c]);
        zone.low[c] = (mostLane(high) + far) * unit;
        zone.high[c] = (leastLane(low) - far) * unit;
    }
    return zone;
}

// The lanes of `bits` that may be within: those with low <= zone.high and high >= zone.low.
HEM_INLINE uint32_t within(const Zone& zone, const Floats (&low)[3], const Floats (&high)[3],
                           uint32_t bits) {
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c)
        bits = whereAtMost(zone.low[c], high[c], whereAtMost(low[c], zone.high[c], bits));
    return bits;
}

// Points of a zone: where their numbers start in `posed`.
constexpr size_t kMostNear = 16 * format::kMaxBodyPanels + 16;
struct Near {
    uint32_t points[kMostNear];
    size_t count;
};

// Adds from + i for every bit i.
HEM_INLINE void addNear(uint32_t from, uint32_t bits, Near& near) {
#if HEM_X86 && HEM_WIDTH == 16
    const __m512i numbers =
        _mm512_add_epi32(_mm512_set1_epi32(int(from)),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    _mm512_storeu_si512(near.points + near.count,
                        _mm512_maskz_compress_epi32(__mmask16(bits), numbers));
    near.count += size_t(__builtin_popcount(bits));
#else
    for (; bits; bits &= bits - 1) near.points[near.count++] = from + uint32_t(__builtin_ctz(bits));
#endif
}

// The panels of a zone, from number 64 * `word` on, as bits. All at once, for a loop over bits ends
// where no processor can guess it.
HEM_INLINE uint64_t panelsNear(const Skins& skins, const Zone& zone, uint32_t word) {
    constexpr uint32_t kAll = (1u << kWidth) - 1;
    uint64_t panels = 0;
    for (uint32_t first = 64 * word; first < skins.panels && first < 64 * word + 64;
         first += kWidth) {
        Floats low[3], high[3];
        for (int c = 0; c < 3; ++c)
            low[c] = load(skins.boxes.low[c] + first), high[c] = load(skins.boxes.high[c] + first);
        const uint32_t left = skins.panels - first;
        const uint32_t bits =
            within(zone, low, high, left < uint32_t(kWidth) ? (1u << left) - 1 : kAll);
        panels |= uint64_t(bits) << (first - 64 * word);
    }
    return panels;
}

// The points that have a say at any of count * kWidth vertices; up to a multiple of 4 with nobody.
__attribute__((noinline)) void findNear(const Skins& skins, const Floats (*x)[3], int count,
                                        Near& near) {
    constexpr uint32_t kAll = (1u << kWidth) - 1;
    const Zone zone = zoneAround(skins, x, count);
    near.count = 0;
    for (uint32_t word = 0; 64 * word < skins.panels; ++word)
        for (uint64_t left = panelsNear(skins, zone, word); left; left &= left - 1) {
            const uint32_t panel = 64 * word + uint32_t(__builtin_ctzll(left));
            const uint32_t lanes = lanesOf(skins.body, panel);
            for (uint32_t lane = 0; lane < 16; lane += kWidth) {
                const uint32_t at = uint32_t(kPosedPanel) * panel + lane;
                const float* p = skins.posed + at;
                const Floats centre[3] = {load(p), load(p + 16), load(p + 32)};
                addNear(at, within(zone, centre, centre, lanes >> lane & kAll), near);
            }
        }
    for (int i = 0; i < 3; ++i) near.points[near.count + size_t(i)] = skins.nobody;
    near.count = (near.count + 3) / 4 * 4;
}

// |x - c|^2 / reach^2 - 1: below nought within reach.
HEM_INLINE Floats beyondReach(const float* p, Floats base, const Floats (&x)[3]) {
    Floats t = base + p[48];
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) t = mulAdd(splat(p[16 * c]), x[c], t);
    return t;
}

// The sums over the near points: of g, of g times distance, of g n.
struct Skin {
    Floats weight, distance, normal[3];
};
// First those are kept that are within reach of any of these lanes, one in three as a rule: without
// branches, which would be guessed wrong. The others have no weight, so that the sums have the bits
// of sums over all.
HEM_INLINE Skin lookAtSkin(const Skins& skins, const Near& near, const Floats (&x)[3]) {
    const Floats base = dot3(x, x, Floats{}) * skins.per_square - 1.0f;
    uint32_t within_reach[kMostNear];
    size_t count = 0;
    for (size_t i = 0; i < near.count; i += 4)
#pragma GCC unroll 4
        for (size_t k = i; k < i + 4; ++k) {
            within_reach[count] = near.points[k];
            count += signMask(beyondReach(skins.posed + near.points[k], base, x)) != 0;
        }
    Skin skin{};
    for (size_t i = 0; i < count; ++i) {
        const float* p = skins.posed + within_reach[i];
        Floats t = least(beyondReach(p, base, x), Floats{});
        t = most(t, splat(-1.0f));  // below -1 by rounding alone, far out
        t = t * t;
        const Floats weight = t * t, n[3] = {splat(p[64]), splat(p[80]), splat(p[96])};
        skin.weight = skin.weight + weight;
        skin.distance = mulAdd(weight, dot3(n, x, splat(p[112])), skin.distance);
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c) skin.normal[c] = mulAdd(weight, n[c], skin.normal[c]);
    }
    return skin;
}

HEM_INLINE Ints hasToMove(const format::BodyHeader& body, const Skin& skin) {
    return (skin.weight > 1e-12f) & (skin.distance < skin.weight * body.distance);
}

// Moves x of those lanes that `may` and can. Gives those that went far.
HEM_INLINE Ints moveOut(const format::BodyHeader& body, const Skin& skin, Ints may,
                        Floats (&x)[3]) {
    const Floats one = splat(1.0f);
    const Floats square = dot3(skin.normal, skin.normal, Floats{});
    // normals that cancel each other tell no direction
    const Ints moves = may & (square > 0.04f * (skin.weight * skin.weight));
    const Floats missing = body.distance - skin.distance / (moves ? skin.weight : one);
    const Floats way = least(missing, splat(body.most));
    const Floats scale = way / squareRoots(moves ? square : one);
    for (int c = 0; c < 3; ++c) x[c] = moves ? mulAdd(scale, skin.normal[c], x[c]) : x[c];
    return moves & (way > 4 * body.distance);
}

// Tiles go through in bands: their vertices are fetched first, which leaves the processor the time
// that stores take to be seen by wider loads.
struct Band {
    static constexpr size_t kTiles = 32;
    alignas(64) float at[kTiles][3][kTile];
};

#if HEM_X86 && HEM_WIDTH == 16
// Register i takes vertices i, 4 + i, 8 + i and 12 + i, x y z and nothing; then x, y and z change
// places with them four by four.
HEM_INLINE void fetchTile(const float* positions, size_t stride, const uint32_t* vertices,
                          float (*to)[kTile]) {
    constexpr __mmask16 kAll = 0xffff;
    __m512 four[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        const auto at = [&](int k) {
            return _mm_maskz_loadu_ps(7, positions + vertices[4 * k + i] * stride);
        };
        const __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(at(0)), at(1), 1),
                     high = _mm256_insertf128_ps(_mm256_castps128_ps256(at(2)), at(3), 1);
        four[i] = _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
    }
    const __m512 xy01 = _mm512_maskz_unpacklo_ps(kAll, four[0], four[1]),
                 xy23 = _mm512_maskz_unpacklo_ps(kAll, four[2], four[3]),
                 z01 = _mm512_maskz_unpackhi_ps(kAll, four[0], four[1]),
                 z23 = _mm512_maskz_unpackhi_ps(kAll, four[2], four[3]);
    _mm512_store_ps(to[0], _mm512_maskz_shuffle_ps(kAll, xy01, xy23, 0x44));
    _mm512_store_ps(to[1], _mm512_maskz_shuffle_ps(kAll, xy01, xy23, 0xee));
    _mm512_store_ps(to[2], _mm512_maskz_shuffle_ps(kAll, z01, z23, 0x44));
}
#else
HEM_INLINE void fetchTile(const float* positions, size_t stride, const uint32_t* vertices,
                          float (*to)[kTile]) {
    for (size_t i = 0; i < kTile; ++i) {
        const float* from = positions + vertices[i] * stride;
        for (size_t c = 0; c < 3; ++c) to[c][i] = from[c];
    }
}
#endif

// Of as many vertices as a register holds: those inside move, and again from where they came to
// where that was far. Gives those that have moved.
HEM_INLINE uint32_t moveLanes(const Skins& skins, const Near& near, Floats (&x)[3]) {
    constexpr int kRounds = 3;
    Near nearer;
    const Near* points = &near;
    Ints may = ~Ints{};
    uint32_t moved = 0;
    for (int round = 1;; ++round) {
        const Skin skin = lookAtSkin(skins, *points, x);
        may &= hasToMove(skins.body, skin);
        if (round == 1) moved = bitMask(may);
        if (!any(may)) return moved;
        may = moveOut(skins.body, skin, may, x);
        if (round == kRounds || !any(may)) return moved;
        findNear(skins, &x, 1, nearer);
        points = &nearer;
    }
}

__attribute__((noinline)) void pushLanes(const PushJob& job, const Skins& skins, const Near& near,
                                         const uint32_t* vertices, const float* at,
                                         const Floats (&x)[3]) {
    Floats to[3] = {x[0], x[1], x[2]};
    uint32_t moved = moveLanes(skins, near, to);
    if (!moved) return;
    float ends[3][kWidth];
    for (int c = 0; c < 3; ++c) store(ends[c], load(at + kTile * size_t(c)) + (to[c] - x[c]));
    for (; moved; moved &= moved - 1) {
        const auto i = size_t(__builtin_ctz(moved));
        float* end = job.positions + vertices[i] * job.vertex_stride;
        for (size_t c = 0; c < 3; ++c) end[c] = ends[c][i];
    }
}

HEM_INLINE void pushTile(const PushJob& job, const Skins& skins, const uint32_t* vertices,
                         const float* at) {
    Floats x[kParts][3];
    for (int part = 0; part < kParts; ++part)
        for (int c = 0; c < 3; ++c)
            x[part][c] = load(at + kTile * size_t(c) + part * kWidth) - job.origin[c];
    Near near;
    findNear(skins, x, kParts, near);
    if (!near.count) return;
    for (int part = 0; part < kParts; ++part)
        pushLanes(job, skins, near, vertices + part * kWidth, at + part * kWidth, x[part]);
}

void pushOut(const Garment& g, const PushJob& job) {
    const format::BodyHeader& body = *g.body;
    const uint32_t panels = format::panelsOf(body), common = format::panelsOf(body.points);
    Boxes boxes;
    for (uint32_t panel = 0; panel < panels; ++panel) posePanel(g, job, panel, boxes);
    const auto nobody = uint32_t(kPosedPanel) * panels;
    for (size_t i = 0; i < 8; ++i) job.posed[nobody + 16 * i] = i == 3 ? 1e30f : 0.0f;
    Band band;
    Skins skins{body, boxes, job.posed, nobody, 1 / (body.reach * body.reach), 0};
    for (size_t first = 0; first < body.tiles; first += Band::kTiles) {
        const size_t left = body.tiles - first, count = left < Band::kTiles ? left : Band::kTiles;
        for (size_t t = 0; t < count; ++t)
            fetchTile(job.positions, job.vertex_stride, g.tile_vertices + kTile * (first + t),
                      band.at[t]);
        for (size_t t = 0; t < count; ++t) {
            const size_t tile = first + t;
            skins.panels = tile < body.worn_tiles ? panels : common;
            pushTile(job, skins, g.tile_vertices + kTile * tile, band.at[t][0]);
        }
    }
}

}  // namespace hem::runtime::HEM_SET
