// SPDX-License-Identifier: Apache-2.0
#include "hem/runtime/push_out.h"

#include "hem/runtime/pose.h"

namespace hem::runtime {

bool goodBodyJoints(const Garment& g, const float* joints) {
    return goodMatrices(joints, g.body_joints, g.body->joints);
}

__attribute__((noinline)) void pushOut(const Context& context, const float* joints,
                                       const Root& root, bool canonical, float* positions,
                                       size_t vertex_stride) {
    const Garment& g = context.garment;
    alignas(64) float posed[kPosedFloats];
    float matrices[12 * format::kMaxBodyJoints];
    // in the world, too, distances are taken from the root: far from the origin floats are coarse
    Root frame = root;
    if (!canonical) frame.sin = 0, frame.cos = 1;
    readCanonicalMatrices(joints, g.body_joints, g.body->joints, frame, matrices);
    PushJob job{matrices, {0, 0, 0}, positions, vertex_stride, posed};
    for (int i = 0; i < 3 && !canonical; ++i) job.origin[i] = root.position[i];
    context.kernels->pushOut(g, job);
}

}  // namespace hem::runtime
