// SPDX-License-Identifier: Apache-2.0
// The inputs of the neural kind (format.h). One arithmetic for the player and for training: the same
// bits from the same matrices, on every machine, whichever rotations are read together.
#pragma once

#include "hem/runtime/garment.h"

namespace hem::runtime {

// The rotation of a joint in its parent.
struct RotationToRead {
    const float *joint, *parent;  // K of both, 12 numbers; no parent: null, the frame of K
    const float* turns;           // left, right: 8 numbers, as kNetwork has them
};
// Writes `numbers` (4 or 6) for each, at most kMaxRotations of them. K is finite and within 1e9; what
// is written is within 1.01.
void readRotations(const RotationToRead* rotations, uint32_t count, uint32_t numbers, float* to);

// i from K of the joints read, 12 numbers each.
void readRotations(const Garment& garment, const float* k, float* inputs);

}  // namespace hem::runtime
