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

}  // namespace
}  // namespace hem
