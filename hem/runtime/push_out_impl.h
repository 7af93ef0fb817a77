// SPDX-License-Identifier: Apache-2.0
// Vertices out of the body, for one instruction set: see vectors.h; the mathematics is at
// BodyHeader in format.h. Points are posed once a wearer, 16 at a time; then as many
// vertices at a time as a register holds look at their candidates one by one, so that nothing is
// gathered from scattered places: first which of them are near at all, then those.
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

void posePanel(const Garment& g, const PushJob& job, size_t panel) {
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
        store(posed + 112, -dot3(normal, centre, load(rest + 96)));
    }
}

// --- Tiles of vertices ---------------------------------------------------------------------------

constexpr size_t kTile = format::kTileVertices;

struct Candidates {
    const float* posed;
    const uint16_t *begin, *end;  // a multiple of 4
    float per_square;             // 1 / reach^2
};

// Those of a tile's candidates that are within reach of any of its lanes: one in seven, as a rule.
struct Near {
    uint16_t points[format::kMaxTileCandidates];
    size_t count;
};

// |x - c|^2 / reach^2 - 1: below nought within reach.
HEM_INLINE Floats beyondReach(const float* p, Floats base, const Floats (&x)[3]) {
    Floats t = base + p[48];
    t = mulAdd(splat(p[0]), x[0], t);
    t = mulAdd(splat(p[16]), x[1], t);
    return mulAdd(splat(p[32]), x[2], t);
}

HEM_INLINE Floats baseOf(const Candidates& candidates, const Floats (&x)[3]) {
    return dot3(x, x, Floats{}) * candidates.per_square - 1.0f;
}

// Without branches, which would be guessed wrong. What is left out has no weight in any lane, so
// that sums over the near ones have the bits of sums over all.
HEM_INLINE void findNear(const Candidates& candidates, const Floats (&x)[3], Near& near) {
    const Floats base = baseOf(candidates, x);
    size_t count = 0;
    for (const uint16_t* i = candidates.begin; i != candidates.end; i += 4) {
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) {
            near.points[count] = i[k];
            count += signMask(beyondReach(candidates.posed + i[k], base, x)) != 0;
        }
    }
    near.count = count;
}

// The sums over the candidates: of g, of g times distance, of g n.
struct Skin {
    Floats weight, distance, normal[3];
};
template <bool kNormals>
HEM_INLINE Skin lookAtSkin(const Candidates& candidates, const Near& near, const Floats (&x)[3]) {
    const Floats base = baseOf(candidates, x);
    Skin skin{};
    for (size_t i = 0; i < near.count; ++i) {
        const float* p = candidates.posed + near.points[i];
        Floats t = least(beyondReach(p, base, x), Floats{});
        t = most(t, splat(-1.0f));  // below -1 by rounding alone, far out
        t = t * t;
        const Floats weight = t * t, n[3] = {splat(p[64]), splat(p[80]), splat(p[96])};
        skin.weight = skin.weight + weight;
        skin.distance = mulAdd(weight, dot3(n, x, splat(p[112])), skin.distance);
        if (!kNormals) continue;
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c) skin.normal[c] = mulAdd(weight, n[c], skin.normal[c]);
    }
    return skin;
}

HEM_INLINE Ints hasToMove(const format::BodyHeader& body, const Skin& skin) {
    return (skin.weight > 1e-12f) & (skin.distance < skin.weight * body.distance);
}

// Moves x of those lanes that `may` and can; which did, and by how much.
HEM_INLINE Ints moveOut(const format::BodyHeader& body, const Skin& skin, Ints may, Floats (&x)[3],
                        Floats* far) {
    const Floats one = splat(1.0f);
    const Floats square = dot3(skin.normal, skin.normal, Floats{});
    // normals that cancel each other tell no direction
    const Ints moves = may & (square > 0.04f * (skin.weight * skin.weight));
    const Floats missing = body.distance - skin.distance / (moves ? skin.weight : one);
    *far = least(missing, splat(body.most));
    const Floats scale = *far / squareRoots(moves ? square : one);
    for (int c = 0; c < 3; ++c) x[c] = moves ? mulAdd(scale, skin.normal[c], x[c]) : x[c];
    return moves;
}

// The lanes of a tile that have to move do, and again from where they came to where that is far.
// `near` of x is written over.
__attribute__((noinline)) void moveLanes(const format::BodyHeader& body,
                                         const Candidates& candidates, Near& near, Floats (&x)[3]) {
    constexpr int kRounds = 3;
    Ints may = ~Ints{};
    for (int round = 1;; ++round) {
        const Skin skin = lookAtSkin<true>(candidates, near, x);
        Floats far;
        may = moveOut(body, skin, may & hasToMove(body, skin), x, &far) & (far > 4 * body.distance);
        if (round == kRounds || !any(may)) return;
        findNear(candidates, x, near);
    }
}

// Tiles go through in bands: their vertices are fetched first, which leaves the processor the time
// that stores take to be seen by wider loads.
struct Band {
    static constexpr size_t kTiles = 32;
    float at[kTiles][3][format::kTileVertices];
};

HEM_INLINE void fetch(const Garment& g, const PushJob& job, size_t first, size_t count,
                      Band& band) {
    const uint32_t* vertices = g.tile_vertices + kTile * first;
    for (size_t t = 0; t < count; ++t)
        for (size_t i = 0; i < kTile; ++i) {
            const float* from = job.positions + *vertices++ * job.vertex_stride;
            for (size_t c = 0; c < 3; ++c) band.at[t][c][i] = from[c];
        }
}

HEM_INLINE void pushTile(const Garment& g, const PushJob& job, const Candidates& candidates,
                         const uint32_t* vertices, const float* at) {
    for (size_t lane = 0; lane < kTile; lane += kWidth, vertices += kWidth, at += kWidth) {
        Floats x[3], to[3];
        for (int c = 0; c < 3; ++c) x[c] = to[c] = load(at + kTile * size_t(c)) - job.origin[c];
        Near near;
        findNear(candidates, x, near);
        const Skin skin = lookAtSkin<false>(candidates, near, x);
        uint32_t moved = bitMask(hasToMove(*g.body, skin));
        if (!moved) continue;
        moveLanes(*g.body, candidates, near, to);
        float ends[3][kWidth];
        for (int c = 0; c < 3; ++c) store(ends[c], load(at + kTile * size_t(c)) + (to[c] - x[c]));
        for (; moved; moved &= moved - 1) {
            const auto i = size_t(__builtin_ctz(moved));
            for (size_t c = 0; c < 3; ++c)
                job.positions[vertices[i] * job.vertex_stride + c] = ends[c][i];
        }
    }
}

void pushOut(const Garment& g, const PushJob& job) {
    const format::BodyHeader& body = *g.body;
    for (size_t panel = 0; panel < body.panels; ++panel) posePanel(g, job, panel);
    float* nobody = job.posed + kPosedPanel * body.panels;
    for (size_t i = 0; i < 8; ++i) nobody[16 * i] = i == 3 ? 1e30f : 0.0f;
    Band band;
    Candidates candidates = {job.posed, nullptr, nullptr, 1 / (body.reach * body.reach)};
    for (size_t first = 0; first < body.tiles; first += Band::kTiles) {
        const size_t left = body.tiles - first, count = left < Band::kTiles ? left : Band::kTiles;
        fetch(g, job, first, count, band);
        for (size_t t = 0; t < count; ++t) {
            candidates.begin = g.candidates + g.first_candidate[first + t];
            candidates.end = g.candidates + g.first_candidate[first + t + 1];
            pushTile(g, job, candidates, g.tile_vertices + kTile * (first + t), band.at[t][0]);
        }
    }
}

}  // namespace hem::runtime::HEM_SET
