// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hem/core/matrix.h"

namespace hem {

// weights x + bias
struct Layer {
    MatrixF weights;  // out by in
    VectorF bias;     // out
};

}  // namespace hem
