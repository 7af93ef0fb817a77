// SPDX-License-Identifier: Apache-2.0
// Vertices out of the body, for one instruction set: see vectors.h; the mathematics is at
// BodyHeader in format.h. Points are posed once a wearer, 16 at a time, a panel, and boxes put
// around them. Vertices go through in tiles of 16 neighbours: the panels whose boxes meet the
// tile's, then of these the points within the tile's box, and only then as many vertices at a time
// as a register holds, against one point after another.
//
// Each of these steps is done for all tiles before the next is begun. How often a loop runs is then
// known long before it ends: a processor that has guessed it wrong finds out at once, while it is
// still busy with the tiles before.
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

// --- Boxes around rows of numbers ----------------------------------------------------------------

// The least of 16 numbers, or the most, in as many parts as a register has lanes.
template <bool kMost>
HEM_INLINE Floats farther(Floats a, Floats b) {
    return kMost ? most(a, b) : least(a, b);
}
// Of registers that hold rows by lanes: lanes of the second where the lane's number has kStep.
template <int kStep, int... kLane>
HEM_INLINE Floats straight(Floats a, Floats b, Lanes<kLane...>) {
    return __builtin_shufflevector(a, b, (kLane & kStep ? kWidth + kLane : kLane)...);
}
template <int kStep, int... kLane>
HEM_INLINE Floats crossed(Floats a, Floats b, Lanes<kLane...>) {
    return __builtin_shufflevector(a, b,
                                   (kLane & kStep ? kWidth + (kLane ^ kStep) : kLane ^ kStep)...);
}
// Lane i has the least, or the most, of the 16 numbers of rows[i]; kStep halves as rows join.
template <bool kMost, int kFirst = 0, int kStep = 1>
HEM_INLINE Floats endsOf(const float* const (&rows)[kWidth]) {
    if constexpr (kStep == kWidth) {
        Floats end = load(rows[kFirst]);
        for (int i = kWidth; i < 16; i += kWidth) end = farther<kMost>(end, load(rows[kFirst] + i));
        return end;
    } else {
        const Floats a = endsOf<kMost, kFirst, 2 * kStep>(rows),
                     b = endsOf<kMost, kFirst + kStep, 2 * kStep>(rows);
        return farther<kMost>(straight<kStep>(a, b, AllLanes()), crossed<kStep>(a, b, AllLanes()));
    }
}

// Boxes by their numbers; room for whole registers.
template <size_t kCount>
struct Boxes {
    alignas(64) float low[3][kCount], high[3][kCount];
};
// Around `count` times 16 places; x, y and z of those of number i are 16 floats each from at(i) on.
template <size_t kCount, class At>
HEM_INLINE void putBoxes(size_t count, At at, Boxes<kCount>& boxes) {
    for (size_t first = 0; first < count; first += kWidth) {
        const float* rows[kWidth];
        for (size_t i = 0; i < kWidth; ++i) rows[i] = at(first + i < count ? first + i : count - 1);
        for (int c = 0; c < 3; ++c) {
            store(boxes.low[c] + first, endsOf<false>(rows));
            store(boxes.high[c] + first, endsOf<true>(rows));
            for (const float*& row : rows) row += 16;
        }
    }
}

// --- Points --------------------------------------------------------------------------------------

HEM_INLINE void posePanel(const Garment& g, const PushJob& job, size_t panel) {
    const float per_square = 1 / (g.body->reach * g.body->reach);
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
            store(posed + 16 * i, centre[i] * (-2 * per_square));
            store(posed + 16 * (4 + i), normal[i]);
        }
        store(posed + 48, dot3(centre, centre, Floats{}) * per_square);
        store(posed + 112, -dot3(normal, centre, load(rest + 96)) - g.body->distance);
    }
}

// Points in the units of posed points, and boxes around them.
using PanelBoxes = Boxes<format::kMaxBodyPanels>;

// Repeated points are in nobody's zone.
void leaveOutRepeated(float* posed, uint32_t points) {
    if (points % 16 == 0) return;
    float* panel = posed + kPosedPanel * (points / 16);
    for (uint32_t lane = points % 16; lane < 16; ++lane) panel[lane] = 1e30f;
}

void posePoints(const Garment& g, const PushJob& job, PanelBoxes& boxes) {
    const format::BodyHeader& body = *g.body;
    const size_t panels = format::panelsOf(body);
    for (size_t panel = 0; panel < panels; ++panel) posePanel(g, job, panel);
    putBoxes(
        panels, [&](size_t panel) { return job.posed + kPosedPanel * panel; }, boxes);
    leaveOutRepeated(job.posed, body.points);
    leaveOutRepeated(job.posed + kPosedPanel * format::panelsOf(body.points), body.worn_points);
}

// --- Tiles of vertices ---------------------------------------------------------------------------

constexpr size_t kTile = format::kTileVertices;
constexpr size_t kBand = 64;  // tiles that go through together
constexpr size_t kMostNear = 16 * format::kMaxBodyPanels + 16, kRoom = 4096;
// Metres from the root where cloth is not looked at any more: finite numbers stay finite.
constexpr float kFar = 100;

// Some of a band's tiles by their numbers in it, and a bit for each of the vertices that may move.
struct Some {
    uint32_t count = 0;
    uint32_t tiles[kBand], vertices[kBand];

    // Counts only where there are vertices; without a branch, which would be guessed wrong.
    HEM_INLINE void add(uint32_t tile, uint32_t bits) {
        tiles[count] = tile;
        vertices[count] = bits;
        count += bits != 0;
    }
};

// The sums at a tile's vertices: of g; of g times what they lack to the distance from the skin; of g n.
struct SkinSums {
    alignas(64) float weight[kTile], missing[kTile], normal[3][kTile];
    int32_t inside[kTile];  // -1 where the vertex is to move
};

// Tiles that go through together. The lists are of the tiles at work, in their order.
struct Band {
    alignas(64) float x[kBand][3][kTile];  // from the root
    int32_t may[kBand][kTile];             // -1 where the vertex may move
    Boxes<kBand> zones;         // where points have to be to have a say, in units of posed points
    uint64_t panels[kBand][2];  // a bit a panel that meets the zone
    uint32_t near[kRoom];       // where points of the zones start in `posed`
    uint32_t ends[kBand];       // of a tile's in `near`
    SkinSums sums[kBand];
};

// What tiles look at.
struct Skins {
    const format::BodyHeader& body;
    PanelBoxes boxes;
    const float* posed;
    float per_square;  // 1 / reach^2
    uint32_t panels, common_panels;
    size_t first_tile;  // of the band
};

// Bits for those with low < zone.high and high > zone.low. By differences, for masks that depend on
// masks take processors longer.
HEM_INLINE uint32_t within(const Floats (&zone_low)[3], const Floats (&zone_high)[3],
                           const Floats (&low)[3], const Floats (&high)[3]) {
    Floats beyond = most(low[0] - zone_high[0], zone_low[0] - high[0]);
#pragma GCC unroll 2
    for (int c = 1; c < 3; ++c)
        beyond = most(beyond, most(low[c] - zone_high[c], zone_low[c] - high[c]));
    return signMask(beyond);
}
template <size_t kCount>
HEM_INLINE void readBox(const Boxes<kCount>& boxes, size_t number, Floats (&low)[3],
                        Floats (&high)[3]) {
    for (int c = 0; c < 3; ++c)
        low[c] = splat(boxes.low[c][number]), high[c] = splat(boxes.high[c][number]);
}

void findZones(const Skins& skins, const Some& work, Band& band) {
    putBoxes(
        work.count, [&](size_t i) { return band.x[work.tiles[i]][0]; }, band.zones);
    // a little farther than the reach, for rounding: points out there have no weight
    const float far = 1.0001f * skins.body.reach, unit = -2 * skins.per_square;
    for (int c = 0; c < 3; ++c)
        for (size_t i = 0; i < work.count; i += kWidth) {
            float *low = band.zones.low[c] + i, *high = band.zones.high[c] + i;
            const Floats least = load(low), most = load(high);
            store(low, (most + far) * unit);
            store(high, (least - far) * unit);
        }
}

// As many panels as a register holds, for one tile after another.
void findPanels(const Skins& skins, const Some& work, Band& band) {
    for (size_t i = 0; i < work.count; ++i) band.panels[i][0] = band.panels[i][1] = 0;
    for (uint32_t first = 0; first < skins.panels; first += kWidth) {
        Floats low[3], high[3];
        for (int c = 0; c < 3; ++c)
            low[c] = load(skins.boxes.low[c] + first), high[c] = load(skins.boxes.high[c] + first);
        for (size_t i = 0; i < work.count; ++i) {
            Floats zone_low[3], zone_high[3];
            readBox(band.zones, i, zone_low, zone_high);
            const uint64_t bits = within(zone_low, zone_high, low, high);
            band.panels[i][first / 64] |= bits << first % 64;
        }
    }
    const auto keep = [&](size_t i, uint32_t count) {
        for (uint32_t word = 0, left = count; word < 2; ++word, left -= left < 64 ? left : 64)
            if (left < 64) band.panels[i][word] &= (uint64_t(1) << left) - 1;
    };
    for (size_t i = 0; i < work.count; ++i) {
        const bool worn = skins.first_tile + work.tiles[i] < skins.body.worn_tiles;
        keep(i, worn ? skins.panels : skins.common_panels);
    }
}

#if HEM_WIDTH == 8 || HEM_WIDTH == 4
// Of every set of bits, their numbers and how many they are.
struct Numbers {
    uint8_t of[1 << kWidth][kWidth] = {}, count[1 << kWidth] = {};
    constexpr Numbers() {
        for (int bits = 0; bits < 1 << kWidth; ++bits)
            for (int i = 0; i < kWidth; ++i)
                if (bits >> i & 1) of[bits][count[bits]++] = uint8_t(i);
    }
};
constexpr Numbers kNumbers;
#endif

// Adds from + i for every bit i, without branches, which would be guessed wrong; has room for whole
// registers.
HEM_INLINE uint32_t* addBits(uint32_t from, uint32_t bits, uint32_t* to) {
#if HEM_X86 && HEM_WIDTH == 16
    const __m512i numbers =
        _mm512_add_epi32(_mm512_set1_epi32(int(from)),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(__mmask16(bits), numbers));
    return to + __builtin_popcount(bits);
#elif HEM_WIDTH == 8 || HEM_WIDTH == 4
    typedef uint8_t Bytes __attribute__((vector_size(kWidth)));
    Bytes bytes;
    __builtin_memcpy(&bytes, kNumbers.of[bits], sizeof bytes);
    const Words numbers = __builtin_convertvector(bytes, Words) + from;
    __builtin_memcpy(to, &numbers, sizeof numbers);
    return to + kNumbers.count[bits];
#else
    *to = from;
    return to + bits;
#endif
}

HEM_INLINE uint32_t* addPanel(const Skins& skins, uint32_t panel, const Floats (&zone_low)[3],
                              const Floats (&zone_high)[3], uint32_t* to) {
    for (uint32_t lane = 0; lane < 16; lane += kWidth) {
        const uint32_t at = uint32_t(kPosedPanel) * panel + lane;
        const float* p = skins.posed + at;
        const Floats centre[3] = {load(p), load(p + 16), load(p + 32)};
        to = addBits(at, within(zone_low, zone_high, centre, centre), to);
    }
    return to;
}

// Lists the points in the zones of the tiles from number `from` on; gives the number of the first
// for which there was no room.
size_t findPoints(const Skins& skins, const Some& work, size_t from, Band& band) {
    uint32_t *to = band.near, *const full = band.near + kRoom - kMostNear;
    size_t i = from;
    for (; i < work.count && to <= full; ++i) {
        Floats zone_low[3], zone_high[3];
        readBox(band.zones, i, zone_low, zone_high);
        for (uint32_t word = 0; word < 2; ++word)
            for (uint64_t left = band.panels[i][word]; left; left &= left - 1) {
                const uint32_t panel = 64 * word + uint32_t(__builtin_ctzll(left));
                to = addPanel(skins, panel, zone_low, zone_high, to);
            }
        band.ends[i] = uint32_t(to - band.near);
    }
    return i;
}

// |x - c|^2 / reach^2 - 1: below nought within reach.
HEM_INLINE Floats beyondReach(const float* p, Floats base, const Floats (&x)[3]) {
    Floats t = base + p[48];
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) t = mulAdd(splat(p[16 * c]), x[c], t);
    return t;
}

// Narrow registers look first which points are within reach of any of theirs, one in three as a
// rule: without branches, which would be guessed wrong. The others have no weight, so that sums
// have the bits of sums over all.
constexpr bool kLooksFirst = kWidth < 8;
HEM_INLINE uint32_t* withinReach(const Skins& skins, const uint32_t* near, const uint32_t* end,
                                 Floats base, const Floats (&x)[3], uint32_t* to) {
    for (; near != end; ++near) {
        *to = *near;
        to += signMask(beyondReach(skins.posed + *near, base, x)) != 0;
    }
    return to;
}

// At as many vertices as a register holds. Gives those that are inside, or too near.
HEM_INLINE uint32_t addUp(const Skins& skins, const uint32_t* near, const uint32_t* end,
                          const float* vertices, const int32_t* may, int lane, SkinSums& sums) {
    Floats x[3], weight{}, height{}, normal[3]{};
    for (int c = 0; c < 3; ++c)
        x[c] = most(least(load(vertices + kTile * size_t(c) + lane), splat(kFar)), splat(-kFar));
    const Floats base = dot3(x, x, Floats{}) * skins.per_square - 1.0f;
    uint32_t fewer[kLooksFirst ? kMostNear : 1];
    if (kLooksFirst) end = withinReach(skins, near, end, base, x, fewer), near = fewer;
    for (; near != end; ++near) {
        const float* p = skins.posed + *near;
        Floats t = least(beyondReach(p, base, x), Floats{});
        t = t * t;
        t = t * t;
        weight = weight + t;
        height = mulAdd(t, splat(p[112]), height);
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c) normal[c] = mulAdd(t, splat(p[64 + 16 * c]), normal[c]);
    }
    const Floats missing = -dot3(normal, x, height);
    const Ints inside = load(may + lane) & (weight > 1e-12f) & (missing > 0.0f);
    store(sums.weight + lane, weight);
    store(sums.missing + lane, missing);
    for (int c = 0; c < 3; ++c) store(sums.normal[c] + lane, normal[c]);
    store(sums.inside + lane, inside);
    return bitMask(inside) << lane;
}

// SkinSums of the tiles from number `from` to `to`; those with vertices inside are kept.
void addUpTiles(const Skins& skins, const Some& work, size_t from, size_t to, Band& band,
                Some& inside) {
    const uint32_t* near = band.near;
    for (size_t i = from; i < to; ++i) {
        const uint32_t tile = work.tiles[i], *end = band.near + band.ends[i];
        uint32_t bits = 0;
        for (int lane = 0; lane < int(kTile); lane += kWidth)
            bits |= addUp(skins, near, end, band.x[tile][0], band.may[tile], lane,
                          band.sums[inside.count]);
        inside.add(tile, bits);
        near = end;
    }
}

// Moves as many vertices as a register holds. Gives those that went far.
HEM_INLINE uint32_t moveOut(const format::BodyHeader& body, const SkinSums& sums, int lane,
                            float* x, int32_t* may) {
    Floats normal[3];
    for (int c = 0; c < 3; ++c) normal[c] = load(sums.normal[c] + lane);
    const Floats weight = load(sums.weight + lane), square = dot3(normal, normal, Floats{});
    // normals that cancel each other tell no direction
    const Ints moves = load(sums.inside + lane) & (square > 0.04f * (weight * weight));
    const Floats way = least(load(sums.missing + lane), body.most * weight);
    const Floats scale = way / (moves ? weight * squareRoots(square) : splat(1.0f));
    for (int c = 0; c < 3; ++c) {
        float* to = x + kTile * size_t(c) + lane;
        const Floats from = load(to);
        store(to, moves ? mulAdd(scale, normal[c], from) : from);
    }
    const Ints far = moves & (way > 4 * body.distance * weight);
    store(may + lane, far);
    return bitMask(far) << lane;
}

// Of the tiles inside; those that went far are kept.
void moveTiles(const Skins& skins, const Some& inside, Band& band, Some& far) {
    for (size_t i = 0; i < inside.count; ++i) {
        const uint32_t tile = inside.tiles[i];
        uint32_t bits = 0;
        for (int lane = 0; lane < int(kTile); lane += kWidth)
            bits |= moveOut(skins.body, band.sums[i], lane, band.x[tile][0], band.may[tile]);
        far.add(tile, bits);
    }
}

// One round of all that are at work: those inside, and those of them that went far.
void moveAll(const Skins& skins, const Some& work, Band& band, Some& inside, Some& far) {
    findZones(skins, work, band);
    findPanels(skins, work, band);
    for (size_t from = 0; from < work.count;) {
        const size_t to = findPoints(skins, work, from, band);
        addUpTiles(skins, work, from, to, band, inside);
        from = to;
    }
    moveTiles(skins, inside, band, far);
}

// --- From positions and back to them -------------------------------------------------------------

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

// All tiles first: the processor has time to make stores visible to wider loads.
void fetchBand(const PushJob& job, const uint32_t* vertices, size_t count, Band& band) {
    for (size_t t = 0; t < count; ++t) {
        float(*x)[kTile] = band.x[t];
        fetchTile(job.positions, job.vertex_stride, vertices + kTile * t, x);
        for (int c = 0; c < 3; ++c)
            for (int lane = 0; lane < int(kTile); lane += kWidth)
                store(x[c] + lane, load(x[c] + lane) - job.origin[c]);
        for (int lane = 0; lane < int(kTile); lane += kWidth) store(band.may[t] + lane, splat(-1));
    }
}

// Positions take what vertices have moved by. These are listed first, in `near`.
void writeMoved(const PushJob& job, const uint32_t* vertices, const Some& moved, Band& band) {
    uint32_t* end = band.near;
    for (size_t i = 0; i < moved.count; ++i)
        for (uint32_t lane = 0; lane < kTile; lane += kWidth)
            end = addBits(uint32_t(kTile) * moved.tiles[i] + lane,
                          moved.vertices[i] >> lane & ((1u << kWidth) - 1), end);
    for (const uint32_t* at = band.near; at != end; ++at) {
        const float* x = band.x[*at / kTile][0] + *at % kTile;
        float* p = job.positions + vertices[*at] * job.vertex_stride;
        for (size_t c = 0; c < 3; ++c) p[c] += x[kTile * c] - (p[c] - job.origin[c]);
    }
}

void pushBand(const PushJob& job, const Skins& skins, const uint32_t* vertices, size_t count,
              Band& band) {
    constexpr int kRounds = 3;
    fetchBand(job, vertices, count, band);
    Some work, moved;
    for (uint32_t t = 0; t < count; ++t) work.add(t, 1);
    for (int round = 0; round < kRounds && work.count; ++round) {
        Some inside, far;
        moveAll(skins, work, band, inside, far);
        if (round == 0) moved = inside;
        work = far;
    }
    writeMoved(job, vertices, moved, band);
}

void pushOut(const Garment& g, const PushJob& job) {
    const format::BodyHeader& body = *g.body;
    Skins skins{body,
                {},
                job.posed,
                1 / (body.reach * body.reach),
                format::panelsOf(body),
                format::panelsOf(body.points),
                0};
    posePoints(g, job, skins.boxes);
    Band band;
    for (size_t& first = skins.first_tile; first < body.tiles; first += kBand) {
        const size_t left = body.tiles - first;
        pushBand(job, skins, g.tile_vertices + kTile * first, left < kBand ? left : kBand, band);
    }
}

}  // namespace hem::runtime::HEM_SET
