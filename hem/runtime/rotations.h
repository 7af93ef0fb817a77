// SPDX-License-Identifier: Apache-2.0
// The inputs of the neural kind (format.h). One arithmetic for the player and for training: the same
// bits from the same matrices, on every machine.
#pragma once

#include "hem/runtime/garment.h"

namespace hem::runtime {

// i from K (12 numbers for each of the joints read): network->numbers for each rotation. K is finite
// and its linear parts are within 1e9; so is i then, and within 1.
void readRotations(const Garment& garment, const float* k, float* inputs);

// One rotation: of `joint` in `parent` (null: in the frame of K), both K of a joint; `turns` as
// kNetwork has them. Writes 4 numbers, or 6.
void readRotation(const float* joint, const float* parent, const float* turns, uint32_t numbers,
                  float* to);

}  // namespace hem::runtime
