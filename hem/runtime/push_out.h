// SPDX-License-Identifier: Apache-2.0
// HEM_PUSH_OUT: from a wearer's joints and positions to positions outside the body.
#pragma once

#include "hem/runtime/kinds.h"

namespace hem::runtime {

// Whether the matrices of the body's joints are good, as goodJoints() means it. The garment has a
// body.
bool goodBodyJoints(const Garment& garment, const float* joints);

// `joints` of the wearer, good; `positions` in the world, or in the canonical frame where
// `canonical`. Uses 140 KiB of stack. The state is not touched.
void pushOut(const Context& context, const float* joints, const Root& root, bool canonical,
             float* positions, size_t vertex_stride);

}  // namespace hem::runtime
