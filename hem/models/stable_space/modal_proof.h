// SPDX-License-Identifier: Apache-2.0
// The stability of Model S, by the argument of the 2010 paper's section 6.1.
//
// Inputs are clamped to a box, so the drive k = B a + b of every mode is bounded, and with E = |h|
//
//     E_t <= lambda E_{t-1} + k_max,   lambda = max |lambda_i| < 1,
//
// so E never passes max(E_0, k_max / (1 - lambda)). No assumption on the motion is left: whatever
// comes in is clamped. The output clip turns it into a bound on the vertices.
#pragma once

#include "hem/models/stable_space/model.h"

namespace hem {

// k_max is a true bound over the whole box, by interval arithmetic.
StabilityProof proveModal(const ModalDynamics& dynamics, const InputRange& range);

// Per mode: |h_i| <= drive_i / (1 - |lambda_i|), far tighter than the bound on the norm.
VectorD modalStateBounds(const ModalDynamics& dynamics, const InputRange& range);

}  // namespace hem
