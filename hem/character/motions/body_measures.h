// SPDX-License-Identifier: Apache-2.0
// BodyMeasures: the lengths of a humanoid skeleton that motions are made to.
#pragma once

#include <array>

#include "hem/character/humanoid.h"
#include "hem/character/motions/precise.h"

namespace hem {

enum BodySide { kLeft = 0, kRight = 1 };
inline constexpr double kSideSign[2] = {1, -1};  // of x: left is +X
inline BodySide other(BodySide side) { return side == kLeft ? kRight : kLeft; }

// All vectors in the rest pose's world axes: facing +Z, left along +X, metres.
struct LegMeasures {
    precise::Vec pelvis_to_hip, hip_to_knee, knee_to_ankle;
    precise::Vec ankle_to_ball;        // the toe joint
    double ankle_height, ball_height;  // above the sole
    double reach() const { return length(hip_to_knee) + length(knee_to_ankle); }
};

struct BodyMeasures {
    Humanoid bones;
    double pelvis_height;  // of joint 0
    double leg;            // hip joint to floor
    std::array<LegMeasures, 2> legs;

    double lengthScale() const;  // of the reference body's lengths
    double speedScale() const;   // square root of the above; also of step times
};

// The skeleton must be a humanoid with toe joints, in a rest pose that stands on y = 0 facing +Z;
// the message names what is missing.
Result<BodyMeasures> measureBody(const Skeleton& skeleton);

}  // namespace hem
