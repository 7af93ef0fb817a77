// SPDX-License-Identifier: Apache-2.0
#include "hem/view/motion_kit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hem/character/by_name.h"
#include "hem/character/humanoid.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/character/retarget/motion_quality.h"
#include "tests/shared_data.h"

namespace hem {
namespace {

const Character& female() {
    static const Character character = mannequin(Sex::kFemale);
    return character;
}
const std::vector<KitClip>& kit() {
    static const std::vector<KitClip> clips = orExit(makeMotionKit(female()));
    return clips;
}
const KitClip& clip(const std::string& name) {
    for (const KitClip& c : kit())
        if (c.name == name) return c;
    ADD_FAILURE() << "no " << name;
    return kit()[0];
}

// How much a joint's turning changes from one frame step to the next, radians: at the seam, and at
// most elsewhere.
struct Jerk {
    float seam = 0, inside = 0;
};
Jerk jerkOf(const std::vector<Pose>& frames, size_t joint) {
    Jerk jerk;
    const size_t n = frames.size();
    for (size_t i = 0; i < n; ++i) {
        const auto at = [&](size_t k) { return frames[(i + k) % n].rotations[joint]; };
        const Vec3 before = logarithm(conjugate(at(0)) * at(1));
        const Vec3 after = logarithm(conjugate(at(1)) * at(2));
        float& worst = i + 2 >= n ? jerk.seam : jerk.inside;
        worst = std::max(worst, distance(before, after));
    }
    return jerk;
}
// Whether no joint does at the seam what neither it nor its partner does elsewhere: the left foot
// lands at the seam, the right one in the middle.
bool isSeamless(const std::vector<Pose>& frames, const Skeleton& skeleton) {
    const std::vector<int> partners = mirrorPartners(skeleton);
    for (size_t j = 0; j < skeleton.size(); ++j) {
        const Jerk jerk = jerkOf(frames, j), partner = jerkOf(frames, size_t(partners[j]));
        if (jerk.seam > 2 * std::max(jerk.inside, partner.inside) + 1e-3f) return false;
    }
    return true;
}

TEST(MotionKit, HasWhatItTakesToDrive) {
    for (const char* name : {"idle", "walk", "walk_left", "walk_right", "run", "run_left",
                             "run_right", "turn_left", "turn_right", "duck", "jump"})
        EXPECT_EQ(clip(name).name, name);
    EXPECT_NEAR(clip("walk").speed, 1.35, 0.1);
    EXPECT_GT(clip("run").speed, 2);
    EXPECT_EQ(clip("idle").speed, 0);
    EXPECT_NEAR(clip("walk").turn, 0, 0.01);
    EXPECT_GT(clip("walk_left").turn, 0.8);
    EXPECT_LT(clip("run_right").turn, -0.8);
    EXPECT_GT(clip("turn_left").turn, 0.8);
    EXPECT_EQ(clip("turn_left").speed, 0);
}

TEST(MotionKit, LoopsHaveNoSeam) {
    for (const KitClip& c : kit()) {
        if (!c.loop) continue;
        EXPECT_TRUE(isSeamless(c.frames, female().skeleton)) << c.name;
        EXPECT_LT(distance(c.frames.back().root_position, c.frames[0].root_position), 0.02f)
            << c.name;
        const std::vector<Pose> shorter(c.frames.begin(), c.frames.end() - 2);
        EXPECT_TRUE(c.name == "idle" || !isSeamless(shorter, female().skeleton))
            << c.name << " would not be noticed";
    }
}

TEST(MotionKit, FeetStandStillOnTheFloorWhenTravelIsPutBack) {
    const auto humanoid = recognise(female().skeleton);
    for (const KitClip& c : kit()) {
        const Motion motion = withTravel(c, female().skeleton, c.loop ? 4 : 1);
        const auto quality = measureQuality(motion, *humanoid, {.character = &female()});
        const Distribution slides = distributionOf(quality.slides);
        EXPECT_GT(slides.count, 0u) << c.name;
        EXPECT_LT(slides.median, 0.012f) << c.name;
        EXPECT_LT(slides.max, 0.045f) << c.name;
        EXPECT_LT(quality.penetration, 0.01f) << c.name;
    }
}

TEST(MotionKit, GaitsBeginWithTheLandingOfTheLeftFoot) {
    const auto humanoid = recognise(female().skeleton);
    for (const char* name : {"walk", "walk_left", "walk_right", "run", "run_left", "run_right"}) {
        const KitClip& c = clip(name);
        const Motion motion = withTravel(c, female().skeleton, 3);
        const auto stance = detectContacts(motion, *humanoid).feet[0].stance();
        // in the second of the three: not yet a little before its start, and surely a little after
        const size_t start = c.frames.size();
        EXPECT_FALSE(stance[start - 4]) << name;
        EXPECT_TRUE(stance[start + 3]) << name;
    }
}

TEST(MotionKit, TheCharacterStaysNearTheOriginFacingForwards) {
    for (const KitClip& c : kit()) {
        double mean_facing = 0;
        for (const Pose& pose : c.frames) {
            EXPECT_LT(std::hypot(pose.root_position.x, pose.root_position.z), 0.25f) << c.name;
            mean_facing += double(rotate(pose.rotations[0], {0, 0, 1}).z) / double(c.frames.size());
        }
        EXPECT_GT(mean_facing, 0.9) << c.name;
    }
}

TEST(MotionKit, ADuckGoesDownStaysAndComesUp) {
    const KitClip& duck = clip("duck");
    ASSERT_TRUE(duck.hold);
    const auto height = [&](size_t i) { return duck.frames[i].root_position.y; };
    EXPECT_LT(duck.hold->first, duck.hold->last);
    EXPECT_LT(height(duck.hold->first), height(0) - 0.2f);
    EXPECT_NEAR(height(duck.hold->first), height(duck.hold->last), 0.01f);
    EXPECT_NEAR(height(0), height(duck.frames.size() - 1), 0.02f);
}

TEST(MotionKit, AJumpLeavesTheFloorAndLandsWhereItBegan) {
    const KitClip& jump = clip("jump");
    float highest = 0;
    for (const Pose& pose : jump.frames) highest = std::max(highest, pose.root_position.y);
    EXPECT_GT(highest, jump.frames[0].root_position.y + 0.2f);
    EXPECT_LT(distance(jump.frames[0].root_position, jump.frames.back().root_position), 0.03f);
}

TEST(MotionKit, OtherHumanoidsGetItToo) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    const auto hero = characterByName(sharedData() + "/characters/cesium_man/CesiumMan.glb");
    ASSERT_TRUE(hero) << hero.error().message;
    const auto theirs = makeMotionKit(*hero);
    ASSERT_TRUE(theirs) << theirs.error().message;
    for (const KitClip& c : *theirs)
        EXPECT_TRUE(!c.loop || isSeamless(c.frames, hero->skeleton)) << c.name;
}

}  // namespace
}  // namespace hem
