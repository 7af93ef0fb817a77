// SPDX-License-Identifier: Apache-2.0
// Arm keeper: how much farther out an arm must hang so that it stays out of trunk and thighs.
//
// A made motion knows joints and no surface, so the body is stood in for by round shapes that
// enclose both mannequins, scaled with the leg: elliptical cylinders about pelvis and chest, cones
// about the thighs, and spheres along forearm and hand.
#pragma once

#include "hem/character/motions/body_measures.h"

namespace hem {

class ArmKeeper {
public:
    ArmKeeper(const Skeleton& skeleton, const BodyMeasures& body);

    // Radians of abduction that are missing in a pose; nought where the arm is clear. `world` from
    // worldTransforms(). To first order: call again with what it gave.
    double missing(BodySide side, const std::vector<Transform>& world) const;

private:
    struct Ball {
        precise::Vec centre;
        double radius;
    };
    std::array<Ball, 4> ballsOf(BodySide side, const std::vector<Transform>& world) const;
    precise::Rotation turnOf(Bone bone, const std::vector<Transform>& world) const;
    precise::Vec at(Bone bone, const std::vector<Transform>& world) const;
    double besideTrunk(BodySide side, const Ball& ball, const std::vector<Transform>& world) const;
    double besideThigh(BodySide side, Bone thigh, const Ball& ball,
                       const std::vector<Transform>& world) const;

    const BodyMeasures& body_;
    std::vector<Transform> rest_;
};

}  // namespace hem
