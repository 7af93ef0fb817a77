// SPDX-License-Identifier: Apache-2.0
// From the engine's joint matrices to the root and the canonical matrices that the garment reads.
#pragma once

#include "hem/runtime/state.h"

namespace hem::runtime {

// Whether the matrices that the garment reads are finite and of a size that can be meant: within
// 1e3 in their linear parts and 1e6 metres in their translations.
bool goodJoints(const Garment& garment, const float* joints);

// The same of `count` joints alone.
bool goodMatrices(const float* joints, const uint16_t* numbers, uint32_t count);

// The root's position and heading of good joints; moves the header's memory of the heading on.
Root readRoot(const Garment& garment, const float* joints, StateHeader* header, float seconds);

// K of the joints read, 12 numbers each: R_y(-r) (J - p).
void readCanonicalJoints(const Garment& garment, const float* joints, const Root& root, float* k);
void readCanonicalMatrices(const float* joints, const uint16_t* numbers, uint32_t count,
                           const Root& root, float* k);

// In place of the joints of a wearer that never had good ones: all of them at rest.
struct RestJoints {
    float matrices[format::kMaxJoints * 12];
};
void setToRest(const Garment& garment, RestJoints* joints);

}  // namespace hem::runtime
