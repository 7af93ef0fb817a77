// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/play.h"

#include "hem/core/check.h"

namespace hem {

Wearer::Wearer(const hem_Garment* garment, unsigned flags)
    : garment_(garment),
      flags_(flags),
      state_(hem_stateSize(garment)),
      positions_(hem_vertexCount(garment)) {}

hem_Batch Wearer::batch(std::span<const Affine> joints) {
    static_assert(sizeof(Affine) == 12 * sizeof(float) && sizeof(Vec3) == 3 * sizeof(float));
    CHECK_EQ(joints.size(), hem_jointCount(garment_));
    hem_Batch batch{};
    batch.count = 1;
    batch.states = state_.data();
    batch.joints = &joints[0].m[0][0];
    batch.positions = &positions_[0].x;
    batch.confidence = &confidence_;
    batch.flags = flags_;
    batch.dial = dial_;
    return batch;
}

void Wearer::reset(std::span<const Affine> joints, const float* root_motion) {
    hem_Batch one = batch(joints);
    one.root_motion = root_motion;
    hem_reset(garment_, one);
}

void Wearer::step(std::span<const Affine> joints, float seconds) {
    hem_step(garment_, batch(joints), seconds);
}

RootMotion rootMotion(const Root& first, const Root& second, double rate) {
    const Vec3 v = (second.position - first.position) * float(rate);
    return {{v.x, v.y, v.z, (second.heading - first.heading) * float(rate)}};
}

}  // namespace hem
