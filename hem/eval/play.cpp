// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/play.h"

#include <algorithm>

#include "hem/core/check.h"

namespace hem {

Wearer::Wearer(const hem_Garment* garment, unsigned flags)
    : garment_(garment),
      flags_(flags),
      state_(hem_stateSize(garment)),
      positions_(hem_vertexCount(garment)),
      weights_(hem_modeCount(garment)) {}

hem_Batch Wearer::batch(std::span<const Affine> joints) {
    static_assert(sizeof(Affine) == 12 * sizeof(float) && sizeof(Vec3) == 3 * sizeof(float));
    CHECK_EQ(joints.size(), hem_jointCount(garment_));
    hem_Batch batch{};
    batch.count = 1;
    batch.states = state_.data();
    batch.joints = &joints[0].m[0][0];
    batch.positions = &positions_[0].x;
    batch.weights = weights_.data();
    batch.confidence = &confidence_;
    batch.modes = modes_;
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

void startOrStep(Wearer& wearer, const Recording& clip, size_t t) {
    const double rate = clip.meta().rate;
    if (t) return wearer.step(clip.jointMatrices(t), float(1 / rate));
    const size_t next = std::min<size_t>(1, clip.frames() - 1);
    wearer.reset(clip.jointMatrices(0), rootMotion(clip.root(0), clip.root(next), rate).values);
}

void playMotion(Wearer& wearer, const Character& character, const Motion& motion,
                const HipJoints& hips, const std::function<void(size_t frame)>& each) {
    const std::vector<Root> roots = rootsOf(motion, hips);
    std::vector<Affine> matrices(character.skeleton.size());
    for (size_t t = 0; t < motion.frames.size(); ++t) {
        skinningMatrices(character.skeleton, motion.frames[t],
                         character.skin.joint_from_rest.data(), matrices.data());
        if (t) {
            wearer.step(matrices, float(1 / motion.rate));
        } else {
            const size_t next = std::min<size_t>(1, roots.size() - 1);
            wearer.reset(matrices, rootMotion(roots[0], roots[next], motion.rate).values);
        }
        each(t);
    }
}

}  // namespace hem
