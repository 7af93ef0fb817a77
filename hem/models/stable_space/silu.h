// SPDX-License-Identifier: Apache-2.0
// silu(x) = x / (1 + exp(-x)), of whole matrices, with its slope for back-propagation.
#pragma once

#include "hem/core/matrix.h"

namespace hem {

// out = silu(in + bias), column by column; in becomes silu'(in + bias).
void silu(MatrixF& in, const VectorF& bias, Eigen::Ref<MatrixF> out);

}  // namespace hem
