// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/body_sizes.h"

#include <gtest/gtest.h>

#include "hem/character/formats/character_import.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/garment/outline.h"
#include "tests/garment/posed_body.h"
#include "tests/shared_data.h"

namespace hem {
namespace {

void expectHumanOrder(const BodySizes& s) {
    EXPECT_LT(s.floor, s.ankle);
    EXPECT_LT(s.ankle, s.knee);
    EXPECT_LT(s.knee, s.crotch);
    EXPECT_LT(s.crotch, s.hips);
    EXPECT_LT(s.hips, s.waist);
    EXPECT_LT(s.waist, s.bust);
    EXPECT_LE(s.bust, s.armpit);
    EXPECT_LT(s.armpit, s.shoulder);
    EXPECT_LT(s.shoulder, s.neck);
    EXPECT_LT(s.neck, s.crown);
    EXPECT_LT(s.waist_girth, s.hip_girth);
    EXPECT_LT(s.neck_girth, s.waist_girth);
    EXPECT_LT(s.wrist_radius, s.upper_arm_radius);
    EXPECT_GT(s.upper_arm_radius, 0.02f * s.height);
    EXPECT_LT(s.upper_arm_radius, 0.06f * s.height);
}

TEST(BodySizes, FindsTheMannequinsTableOfGirths) {
    const auto female = measureSizes(mannequin(Sex::kFemale)),
               male = measureSizes(mannequin(Sex::kMale));
    ASSERT_TRUE(female && male);
    expectHumanOrder(*female);
    expectHumanOrder(*male);
    EXPECT_NEAR(female->waist_girth, 0.67, 0.015);
    EXPECT_NEAR(male->waist_girth, 0.78, 0.015);
    EXPECT_NEAR(female->waist, 1.045, 0.03);
    EXPECT_NEAR(female->middle, 0, 1e-6);
}

TEST(BodySizes, FindsTheTrunkWhereverTheArmsAre) {
    const auto a_pose = measureSizes(mannequin(Sex::kMale));
    ASSERT_TRUE(a_pose);
    for (const float degrees : {-22.0f, 45.0f}) {
        const auto other = measureSizes(withArmsRaised(mannequin(Sex::kMale), degrees));
        ASSERT_TRUE(other) << other.error().message;
        expectHumanOrder(*other);
        EXPECT_NEAR(other->waist_girth, a_pose->waist_girth, 0.01);
        EXPECT_NEAR(other->hip_girth, a_pose->hip_girth, 0.01);
        EXPECT_NEAR(other->armpit, a_pose->armpit, 0.06);
    }
}

TEST(BodySizes, MeasuresRealCharacters) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    for (const char* file : {"/characters/makehuman_female/female_cmu_mb.glb",
                             "/characters/makehuman_male/male_cmu_mb.glb",
                             "/characters/male_base_mesh/male_base_mesh.glb"}) {
        SCOPED_TRACE(file);
        const auto body = loadCharacter(sharedData() + file);
        ASSERT_TRUE(body) << body.error().message;
        const auto sizes = measureSizes(*body);
        ASSERT_TRUE(sizes) << sizes.error().message;
        expectHumanOrder(*sizes);
    }
}

TEST(Outline, SpansHollowsAndHangsStraight) {
    const auto body = measureSizes(mannequin(Sex::kFemale));
    ASSERT_TRUE(body);
    const Outline tight(*body, [&](uint32_t t) { return !body->partIs(t, BodyPart::kArm); });
    Outline cloth = tight;
    cloth.widen([](float) { return 0.02; });
    EXPECT_NEAR(cloth.girth(1.0f), tight.girth(1.0f) + 2 * 3.14159265 * 0.02, 1e-6);
    cloth = tight;
    cloth.span(body->hips, body->bust);
    const float half_way = (body->hips + body->bust) / 2;
    EXPECT_GT(cloth.girth(half_way), tight.girth(half_way) + 0.05);
    EXPECT_NEAR(cloth.girth(body->hips), tight.girth(body->hips), 1e-9);
    cloth = tight;
    cloth.fallStraight(body->bust, body->floor);
    for (float y = body->bust; y > 0.1f; y -= 0.05f)
        EXPECT_GE(cloth.girth(y - 0.05f), cloth.girth(y) - 1e-9);
}

}  // namespace
}  // namespace hem
