// SPDX-License-Identifier: Apache-2.0
#include "hem/character/joint_ranges.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/random.h"

namespace hem {
namespace {

struct Body {
    Skeleton skeleton = mannequinSkeleton(Sex::kFemale);
    Humanoid humanoid = recognise(skeleton).value();
    AnatomicalFrame anatomy{skeleton, humanoid};

    JointAngles measured(Bone bone, const Pose& pose) const {
        return anatomy.anglesOf(bone, worldTransforms(skeleton, pose));
    }
};

TEST(JointRanges, ArmsHangStraightDownAtTheAnatomicalZero) {
    const Body body;
    const auto world = worldTransforms(body.skeleton, body.anatomy.zeroPose());
    auto at = [&](Bone bone) { return world[size_t(body.humanoid[bone])].translation; };
    const Vec3 upper = normalized(at(Bone::kLeftForeArm) - at(Bone::kLeftArm));
    const Vec3 fore = normalized(at(Bone::kRightHand) - at(Bone::kRightForeArm));
    EXPECT_NEAR(upper.y, -1, 1e-5);
    EXPECT_NEAR(fore.y, -1, 1e-5);
}

TEST(JointRanges, AnglesThatAreSetAreMeasured) {
    const Body body;
    Random random(3);
    for (int k = 0; k < 300; ++k) {
        Pose pose = body.anatomy.zeroPose();
        std::vector<JointAngles> wanted;
        for (const JointRange& r : humanJointRanges()) {
            JointAngles a;
            a.flexion = random.uniform(r.low.flexion, r.high.flexion);
            a.side = random.uniform(std::max(r.low.side, -70.0f), std::min(r.high.side, 70.0f));
            a.twist = random.uniform(r.low.twist, r.high.twist);
            wanted.push_back(a);
            pose.rotations[size_t(body.humanoid[r.bone])] = body.anatomy.rotationFor(r.bone, a);
        }
        for (size_t i = 0; i < wanted.size(); ++i) {
            const Bone bone = humanJointRanges()[i].bone;
            const JointAngles a = body.measured(bone, pose);
            EXPECT_NEAR(a.flexion, wanted[i].flexion, 0.05) << nameOf(bone);
            EXPECT_NEAR(a.side, wanted[i].side, 0.05) << nameOf(bone);
            EXPECT_NEAR(a.twist, wanted[i].twist, 0.05) << nameOf(bone);
        }
    }
}

TEST(JointRanges, ABentKneeAndARaisedArmMeasureAsOneWouldRead) {
    const Body body;
    Pose pose = body.anatomy.zeroPose();
    // about +X (left): the shank goes back, and an arm turned by -X comes forward
    const int knee = body.humanoid[Bone::kRightLeg], arm = body.humanoid[Bone::kLeftArm];
    pose.rotations[size_t(knee)] =
        fromAxisAngle({1, 0, 0}, degreesToRadians(60)) * pose.rotations[size_t(knee)];
    pose.rotations[size_t(arm)] =
        fromAxisAngle({1, 0, 0}, degreesToRadians(-80)) * pose.rotations[size_t(arm)];
    EXPECT_NEAR(body.measured(Bone::kRightLeg, pose).flexion, 60, 0.1);
    EXPECT_NEAR(body.measured(Bone::kLeftArm, pose).flexion, 80, 0.1);
}

TEST(JointRanges, LeftAndRightReadAlike) {
    const Body body;
    for (auto [left, right] : {std::pair{Bone::kLeftArm, Bone::kRightArm},
                               std::pair{Bone::kLeftUpLeg, Bone::kRightUpLeg},
                               std::pair{Bone::kLeftShoulder, Bone::kRightShoulder}}) {
        const JointAngles angles{10, 20, 15};
        const Quat l = body.anatomy.rotationFor(left, angles),
                   r = body.anatomy.rotationFor(right, angles);
        // reflected in x = 0
        EXPECT_NEAR(l.w, r.w, 1e-5);
        EXPECT_NEAR(l.x, r.x, 1e-5);
        EXPECT_NEAR(l.y, -r.y, 1e-5);
        EXPECT_NEAR(l.z, -r.z, 1e-5);
    }
}

TEST(JointRanges, AKneeBentTheWrongWayIsReported) {
    const Body body;
    Motion motion{.name = "broken",
                  .skeleton = body.skeleton,
                  .rate = 30,
                  .frames = {body.anatomy.zeroPose()}};
    EXPECT_TRUE(rangeViolations(motion, body.humanoid).empty());
    motion.frames.push_back(motion.frames[0]);
    motion.frames[1].rotations[size_t(body.humanoid[Bone::kLeftLeg])] =
        body.anatomy.rotationFor(Bone::kLeftLeg, {.flexion = -25});
    const auto found = rangeViolations(motion, body.humanoid);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].bone, Bone::kLeftLeg);
    EXPECT_EQ(found[0].frame, 1u);
    EXPECT_NEAR(found[0].excess(), 22, 0.1);
}

}  // namespace
}  // namespace hem
