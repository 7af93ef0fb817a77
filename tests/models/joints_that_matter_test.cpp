// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/joints_that_matter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hem/character/humanoid.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/garment/made_to_measure.h"

namespace hem {
namespace {

bool reads(const Character& body, const char* garment, Bone bone) {
    const auto made = makeGarment(body, garment);
    EXPECT_TRUE(made) << made.error().message;
    const std::vector<uint16_t> joints = jointsThatMatter(body, made->mesh);
    const int wanted = (*recognise(body.skeleton))[bone];
    return std::find(joints.begin(), joints.end(), uint16_t(wanted)) != joints.end();
}

TEST(JointsThatMatter, ASkirtHangsOnHipsAndThighsAndNotOnArms) {
    const Character body = mannequin(Sex::kFemale);
    for (const Bone bone : {Bone::kHips, Bone::kLeftUpLeg, Bone::kRightUpLeg})
        EXPECT_TRUE(reads(body, "skirt", bone)) << nameOf(bone);
    for (const Bone bone : {Bone::kHead, Bone::kLeftArm, Bone::kRightForeArm, Bone::kLeftFoot})
        EXPECT_FALSE(reads(body, "skirt", bone)) << nameOf(bone);
}

TEST(JointsThatMatter, AShirtMovesWithItsSleeves) {
    const Character body = mannequin(Sex::kMale);
    for (const Bone bone : {Bone::kLeftArm, Bone::kRightForeArm, Bone::kChest})
        EXPECT_TRUE(reads(body, "shirt", bone)) << nameOf(bone);
    EXPECT_FALSE(reads(body, "shirt", Bone::kLeftLeg));
}

TEST(BoneEnds, OfASkirtAreTheKneesAndCarriedByTheThighs) {
    const Character body = mannequin(Sex::kFemale);
    const Humanoid human = *recognise(body.skeleton);
    const auto skirt = makeGarment(body, "skirt");
    const auto rest = worldTransforms(body.skeleton, restPose(body.skeleton));
    const auto ends = boneEnds(body, jointsThatMatter(body, skirt->mesh));
    const auto endsAt = [&](Bone carrier, Bone end) {
        return std::count_if(ends.begin(), ends.end(), [&](const BodyPoint& p) {
            return p.joint == human[carrier] && p.rest == rest[size_t(human[end])].translation;
        });
    };
    EXPECT_EQ(endsAt(Bone::kLeftUpLeg, Bone::kLeftLeg), 1);
    EXPECT_EQ(endsAt(Bone::kRightUpLeg, Bone::kRightLeg), 1);
    EXPECT_EQ(endsAt(Bone::kHips, Bone::kRightUpLeg), 0);
    EXPECT_EQ(endsAt(Bone::kLeftArm, Bone::kLeftForeArm), 0);
}

TEST(BrushingPoints, AreElbowsAndWristsOfWhoWearsNoSleeves) {
    const Character body = mannequin(Sex::kFemale);
    const Humanoid human = *recognise(body.skeleton);
    const auto skirt = makeGarment(body, "skirt");
    const auto points = brushingPoints(body, jointsThatMatter(body, skirt->mesh));
    ASSERT_EQ(points.size(), 4u);
    EXPECT_EQ(points[0].joint, human[Bone::kLeftForeArm]);
    EXPECT_EQ(points[3].joint, human[Bone::kRightHand]);
    const auto rest = worldTransforms(body.skeleton, restPose(body.skeleton));
    EXPECT_EQ(points[1].rest, rest[points[1].joint].translation);
}

TEST(BrushingPoints, OfArmsInSleevesAreNone) {
    const Character body = mannequin(Sex::kMale);
    const Humanoid human = *recognise(body.skeleton);
    const auto shirt = makeGarment(body, "shirt");
    for (const BodyPoint& point : brushingPoints(body, jointsThatMatter(body, shirt->mesh)))
        EXPECT_NE(point.joint, human[Bone::kLeftForeArm]);
}

}  // namespace
}  // namespace hem
