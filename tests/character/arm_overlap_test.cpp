// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/arm_overlap.h"

#include <gtest/gtest.h>

#include "hem/character/joint_ranges.h"
#include "hem/character/mannequin/mannequin.h"

namespace hem {
namespace {

// The mannequin at the anatomical zero with the left arm turned by these angles.
ArmOverlap withLeftArm(JointAngles upper, JointAngles fore) {
    static const Character body = mannequin(Sex::kFemale);
    const Humanoid humanoid = recognise(body.skeleton).value();
    const AnatomicalFrame anatomy(body.skeleton, humanoid);
    Pose pose = anatomy.zeroPose();
    const auto set = [&](Bone bone, JointAngles angles) {
        pose.rotations[size_t(humanoid[bone])] = anatomy.rotationFor(bone, angles);
    };
    set(Bone::kLeftArm, upper);
    set(Bone::kLeftForeArm, fore);
    set(Bone::kRightArm, {.side = 30});
    return measureArmOverlap({"pose", body.skeleton, 30, {pose}}, humanoid, body, 1);
}

TEST(ArmOverlap, ArmsThatAreSpreadAreClear) {
    EXPECT_EQ(withLeftArm({.side = 30}, {}).depth, 0);
    EXPECT_EQ(withLeftArm({.side = 80}, {}).depth, 0);
}

TEST(ArmOverlap, AForearmDrivenIntoTheThighIsFoundWithItsDepthAndPlace) {
    const ArmOverlap in = withLeftArm({.side = 2}, {});
    EXPECT_GT(in.depth, 0.01f);
    EXPECT_EQ(in.frames, 1u);
    EXPECT_GT(in.arm_joint, 0);
    // two degrees at the forearm, 0.44 m from the shoulder, are 1.5 cm
    const float deeper = withLeftArm({.side = 0}, {}).depth - in.depth;
    EXPECT_NEAR(deeper, 0.015f, 0.004f);
}

TEST(ArmOverlap, AForearmThroughTheBellyIsFound) {
    EXPECT_GT(withLeftArm({.side = 8, .twist = 70}, {.flexion = 80}).depth, 0.03f);
}

}  // namespace
}  // namespace hem
