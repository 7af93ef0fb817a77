// SPDX-License-Identifier: Apache-2.0
// Standing: a humanoid skeleton as it stands upright on a floor, which is what two skeletons are
// compared in.
//
// For a character it is the rest pose (T, A or hanging arms). The CMU files' zero pose is not one:
// legs splay by 20 degrees and the neck is not the subject's; their calibration pose (the same
// angles in every file of the database: upper legs 21 degrees, arms 8, neck -16, 21 and 11) is
// taken instead. Of any other skeleton, legs that splay by more than 12 degrees are turned to hang
// straight down, feet and all.
#pragma once

#include <array>

#include "hem/character/humanoid.h"

namespace hem {

enum class FootSide { kLeft, kRight };
inline constexpr std::array<FootSide, 2> kBothFeet = {FootSide::kLeft, FootSide::kRight};

struct LegJoints {
    int hip, knee, ankle;
    int toe;  // -1 where there is none
};
LegJoints legOf(const Humanoid& humanoid, FootSide side);

struct Standing {
    Pose pose;
    std::vector<Transform> world;  // world_from_joint in that pose
    Vec3 left, facing;             // horizontal unit vectors: along the hip line, and ahead
    float leg_length = 0;          // thigh and shank, mean of both sides, metres
    // The height of the floor under the soles in this pose. Joints do not know where the sole is:
    // where the lowest foot joint stands between 0 and 15 % of the leg above y = 0 the floor is
    // taken to be y = 0 (characters), else 3 % of the leg below that joint (BVH).
    float floor = 0;
    // Per foot: where it points, horizontally; and the ball of the foot in the ankle joint's frame:
    // the toe joint, or a guess where there is none.
    std::array<Vec3, 2> foot_ahead;
    std::array<Vec3, 2> ball_in_ankle;
};

Standing standingOf(const Skeleton& skeleton, const Humanoid& humanoid);

}  // namespace hem
