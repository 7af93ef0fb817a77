// SPDX-License-Identifier: Apache-2.0
// What a network is told, made alike in size and kept within what it was trained on.
#pragma once

#include <vector>

#include "hem/core/matrix.h"

namespace hem {

// u = clamp((i - offset) * scale, low, high), per input.
struct InputRange {
    VectorF offset, scale, low, high;
};

// Standardises, and clamps at the given share of training's values on either side. `inputs`: one or
// more matrices of as many rows, a column a moment.
InputRange fitInputRange(const std::vector<const MatrixF*>& inputs, double clamped_share = 2e-4);

// In place.
void applyRange(const InputRange& range, MatrixF& inputs);

}  // namespace hem
