// SPDX-License-Identifier: Apache-2.0
// The constraints' inner loops, once for each width of registers, chosen when the program runs.
//
// What they compute is told where the constraints are made: membrane.h, bending.h, hierarchy.h,
// air.h. A batch is eight constraints that share no particle; narrow sets take it four
// lanes at a time, wide ones all at once: every operation rounds exactly and is never
// fused, so the bits are the same.
#pragma once

#include <span>

#include "hem/cloth/built_in/batches.h"

namespace hem::built_in {

struct alignas(32) Row {
    float of[kLanes];
};
inline Row rowOf(float value) {
    Row row;
    for (float& lane : row.of) lane = value;
    return row;
}

struct MembraneBatch {
    BatchIndices<3> index;
    Row u1, u2, v1, v2;  // gradients of corners 1 and 2; corner 0 has minus their sum
    Row compliance_u, compliance_v, compliance_shear;
    Row pressed_u, pressed_v;  // compliances against compression
    Row damping;               // seconds
};

struct BendingBatch {
    BatchIndices<4> index;
    Row c0, c1, c2, c3;
    Row rest;  // |h| at rest
    Row compliance;
    Row damping;  // seconds
};

struct LinkBatch {  // largest distances
    BatchIndices<2> index;
    Row length;
};

struct AirBatch {
    BatchIndices<3> index;
    Row drag, density;  // coefficient, kilograms per square metre
};

// Particles are given by the first; `before` are positions at the start of the substep.
struct Constraints {
    const char* name;
    void (*solveMembrane)(const MembraneBatch* batches, size_t count, Float4* x, float dt);
    void (*dampMembrane)(const MembraneBatch* batches, size_t count, const Float4* x, Float4* v,
                         float dt);
    void (*solveBending)(const BendingBatch* batches, size_t count, Float4* x, const Float4* before,
                         float dt);
    void (*sweepLinks)(const LinkBatch* batches, size_t count, Float4* x);
    void (*applyAir)(const AirBatch* batches, size_t count, const Float4* x, Float4* v, Vec3 wind,
                     float dt);
};

// The widest that this processor has.
const Constraints& constraints();

// Those that it has, the widest first. For tests.
std::span<const Constraints* const> allConstraints();
// From now on `set`, or the widest again where it is null. For tests: no simulation may be under way.
void forceConstraints(const Constraints* set);

}  // namespace hem::built_in
