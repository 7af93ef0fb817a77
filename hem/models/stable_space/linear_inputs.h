// SPDX-License-Identifier: Apache-2.0
// The inputs of models A, B and C: the body's latent x and, for C, the root's way z (the 2010
// paper, equation 6, with our vertical axis, y):
//
//     z_{t,j} = [R_y(-r_j) (p_t - p_j); sin(r_t - r_j); cos(r_t - r_j)]
//     i_t     = [x_t; z_{t,t-N}; z_{t-1,t-N}; ...; z_{t-N+1,t-N}]      order N
//
// All of them in the heading of frame t-N. The cosine is the one input that does not vanish when
// nothing moves: Model C's bias. A and B have none.
#pragma once

#include <span>
#include <vector>

#include "hem/models/stable_space/model.h"

namespace hem {

inline constexpr int kRootInputs = 5;  // of a z

inline int linearInputCount(size_t features, int order, bool uses_root) {
    return int(features) + (uses_root ? kRootInputs * order : 0);
}

// How a root moves in one frame: `step` metres in its own heading's frame, `turn` radians.
struct RootMotion {
    Vec3 step;
    float turn = 0;
};
// Between the first two frames, as seen from the first; nought for a clip of one.
RootMotion initialMotion(std::span<const Root> roots);
// Where a root was in the `count` frames before `first` if it has always moved so; oldest first.
std::vector<Root> rootsBefore(const Root& first, const RootMotion& motion, int count);

// f of every frame, features by frames.
MatrixF poseFeatures(const PoseFeatures& pose, const MatrixF& joints);

// i of every frame, inputs by frames, before the clamp. `roots` has `order` more at its front.
MatrixF linearInputs(const MatrixF& features, std::span<const Root> roots, int order,
                     bool uses_root);

// u = clamp((i - offset) * scale, low, high).
void clampInputs(const InputRange& range, MatrixF& inputs);

// y of every frame: y_t = clamp(W [u_t; y_{t-1}; ...; y_{t-N}] + w, -limit, limit), going on from
// `history` (modes by N: y_{-1}, y_{-2}, ...).
MatrixF runLinear(const LinearDynamics& dynamics, const VectorF& limit, const MatrixF& inputs,
                  MatrixF history);

// The same from a reset at frame 0, as rollout() does it: warm-up, or the first N frames by the
// 0th-order model.
MatrixF runLinearFromReset(const LinearDynamics& dynamics, const VectorF& limit,
                           const MatrixF& features, const MatrixF& inputs);

}  // namespace hem
