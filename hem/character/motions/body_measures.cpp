// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/body_measures.h"

#include "hem/character/motions/motion_script.h"

namespace hem {
namespace {

LegMeasures measureLeg(const std::vector<Transform>& rest, const Humanoid& bones, BodySide side) {
    auto at = [&](Bone left, Bone right) {
        const int joint = bones[side == kLeft ? left : right];
        return precise::toPrecise(rest[size_t(joint)].translation);
    };
    const precise::Vec pelvis = precise::toPrecise(rest[0].translation);
    const precise::Vec hip = at(Bone::kLeftUpLeg, Bone::kRightUpLeg);
    const precise::Vec knee = at(Bone::kLeftLeg, Bone::kRightLeg);
    const precise::Vec ankle = at(Bone::kLeftFoot, Bone::kRightFoot);
    const precise::Vec ball = at(Bone::kLeftToe, Bone::kRightToe);
    return {hip - pelvis, knee - hip, ankle - knee, ball - ankle, ankle.y, ball.y};
}

}  // namespace

double BodyMeasures::lengthScale() const { return leg / kReferenceLeg; }
double BodyMeasures::speedScale() const { return std::sqrt(lengthScale()); }

Result<BodyMeasures> measureBody(const Skeleton& skeleton) {
    const Result<Humanoid> bones = recognise(skeleton);
    if (!bones) return bones.error();
    for (Bone toe : {Bone::kLeftToe, Bone::kRightToe})
        if ((*bones)[toe] < 0)
            return errorf(
                "the skeleton has no %s joint, which made motions roll the foot over; add one",
                nameOf(toe));
    const std::vector<Transform> rest = worldTransforms(skeleton, restPose(skeleton));
    BodyMeasures body{*bones, rest[0].translation.y, 0, {}};
    for (BodySide side : {kLeft, kRight}) body.legs[side] = measureLeg(rest, *bones, side);
    body.leg = body.pelvis_height + body.legs[kLeft].pelvis_to_hip.y;
    if (!(body.leg > 0.1) || !(body.legs[kLeft].ankle_height > 0))
        return errorf(
            "the skeleton does not stand on y = 0 in its rest pose (hips at %.3f m, ankle at "
            "%.3f m); move it so that the soles are at 0",
            body.leg, body.legs[kLeft].ankle_height);
    return body;
}

}  // namespace hem
