// SPDX-License-Identifier: Apache-2.0
// The made motions against the world: floor, gravity, speed, human joints, real clips.
#include <gtest/gtest.h>

#include "hem/character/formats/bvh.h"
#include "hem/character/joint_ranges.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/body_measures.h"
#include "hem/character/motions/curves.h"
#include "hem/character/motions/motion_sets.h"
#include "hem/character/retarget/arm_overlap.h"
#include "hem/character/retarget/motion_quality.h"
#include "tests/shared_data.h"

namespace hem {
namespace {

Motion made(const std::string& name, Sex sex = Sex::kFemale) {
    return makeMotion(name, mannequinSkeleton(sex)).value();
}

std::vector<std::string> allNames() {
    std::vector<std::string> names;
    for (const std::string& set : motionSetNames()) {
        const auto clips = motionSet(set).value();
        for (const ClipInfo& clip : clips) names.push_back(clip.name);
    }
    for (const ClipInfo& clip : extraClips(20)) names.push_back(clip.name);
    return names;
}

MotionQuality qualityOf(const Motion& motion) {
    return measureQuality(motion, recognise(motion.skeleton).value());
}

// Metres a second along the floor, from first frame to last.
double meanSpeed(const Motion& motion) {
    const Vec3 way = motion.frames.back().root_position - motion.frames.front().root_position;
    return double(length(Vec3{way.x, 0, way.z})) / motion.duration();
}

TEST(MadeMotions, PlantedFeetStayWhereTheyAre) {
    for (const char* name :
         {"train_02_walk_normal", "train_05_run_normal", "train_13_turn_360_left_walk"}) {
        const Distribution slides = distributionOf(qualityOf(made(name)).slides);
        EXPECT_GT(slides.count, 10u);
        EXPECT_LT(slides.median, 0.003f) << name;
        EXPECT_LT(slides.p95, 0.015f) << name;
    }
}

TEST(MadeMotions, SpeedScalesWithTheRootOfTheLeg) {
    for (const char* name : {"train_01_walk_slow", "train_04_run_slow"}) {
        const double female = meanSpeed(made(name, Sex::kFemale)),
                     male = meanSpeed(made(name, Sex::kMale));
        const double legs = measureBody(mannequinSkeleton(Sex::kMale)).value().leg /
                            measureBody(mannequinSkeleton(Sex::kFemale)).value().leg;
        EXPECT_NEAR(male / female, std::sqrt(legs), 0.01) << name;
    }
}

TEST(MadeMotions, AJumpFallsFreelyInFlight) {
    const Motion motion = made("train_27_jump_up");
    size_t top = 0;
    for (size_t f = 0; f < motion.frames.size(); ++f)
        if (motion.frames[f].root_position.y > motion.frames[top].root_position.y) top = f;
    for (size_t f = top - 12; f <= top + 12; f += 6) {
        auto y = [&](size_t frame) { return double(motion.frames[frame].root_position.y); };
        const double acceleration = (y(f + 3) - 2 * y(f) + y(f - 3)) * 120 * 120 / 9;
        EXPECT_NEAR(acceleration, -9.81, 0.4);
    }
}

TEST(MadeMotions, RunsFlyAndWalksDoNot) {
    auto airborne = [](const Motion& motion) {
        const Contacts contacts = detectContacts(motion, recognise(motion.skeleton).value());
        size_t count = 0;
        for (uint8_t flight : contacts.flight) count += flight;
        return double(count) / double(motion.frames.size());
    };
    EXPECT_LT(airborne(made("train_02_walk_normal")), 0.02);
    EXPECT_GT(airborne(made("train_05_run_normal")), 0.1);
}

TEST(MadeMotions, TurnsEndWhereTheySay) {
    const Motion motion = made("train_19_turn_360_right_spot");
    const auto& first = motion.frames.front();
    const auto& last = motion.frames.back();
    EXPECT_LT(radiansToDegrees(angleBetween(first.rotations[0], last.rotations[0])), 6);
    EXPECT_LT(distance(first.root_position, last.root_position), 0.05f);
    float farthest = 0;
    for (const Pose& pose : motion.frames)
        farthest = std::max(farthest, angleBetween(first.rotations[0], pose.rotations[0]));
    EXPECT_GT(radiansToDegrees(farthest), 150);
}

// The median size of a joint's angular acceleration at 30 Hz, radians a second squared. (The mean
// of a captured clip is its glitches.)
float restlessness(const Motion& motion, const char* joint) {
    const Motion at_30 = resampled(motion, 30);
    const size_t j = size_t(at_30.skeleton.find(joint));
    auto rate = [&](size_t frame) {
        const Quat before = at_30.frames[frame - 1].rotations[j];
        return logarithm(conjugate(before) * at_30.frames[frame].rotations[j]) * 30.0f;
    };
    std::vector<float> sizes;
    for (size_t f = 2; f < at_30.frames.size(); ++f)
        sizes.push_back(length((rate(f) - rate(f - 1)) * 30.0f));
    return distributionOf(sizes).median;
}

TEST(MadeMotions, JointsAccelerateAsInARealWalk) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    const Motion real = loadBvh(sharedData() + "/mocap/train/16_11.bvh").value();
    const Motion ours = makeMotion("train_01_walk_slow", mannequinSkeleton(Sex::kMale)).value();
    for (const char* joint :
         {"LeftUpLeg", "LeftLeg", "RightUpLeg", "RightLeg", "LeftFoot", "LeftArm"}) {
        const float ratio = restlessness(ours, joint) / restlessness(real, joint);
        EXPECT_LT(ratio, 1.5) << joint;
        EXPECT_GT(ratio, 0.1) << joint;
    }
    // the trunk of a captured clip has the noise of its markers on top
    for (const char* joint : {"Hips", "LowerBack"})
        EXPECT_LT(restlessness(ours, joint), restlessness(real, joint)) << joint;
}

TEST(MadeMotions, SlowAllKeepToTheFloorAndToHumanRanges) {
    for (Sex sex : {Sex::kFemale, Sex::kMale}) {
        const Skeleton skeleton = mannequinSkeleton(sex);
        const Humanoid humanoid = recognise(skeleton).value();
        const Character body = mannequin(sex);
        MotionQuality all;
        for (const std::string& name : allNames()) {
            const Motion motion = resampled(makeMotion(name, skeleton).value(), 60);
            const MotionQuality q = measureQuality(motion, humanoid, {.character = &body});
            EXPECT_LT(q.penetration, 0.005f) << name;
            EXPECT_LT(q.landing_penetration, 0.005f) << name;
            all.add(q);
            for (const RangeViolation& v : rangeViolations(motion, humanoid))
                ADD_FAILURE() << nameOf(sex) << " " << name << ": " << describe(v);
        }
        EXPECT_LT(distributionOf(all.slides).median, 0.003f);
    }
}

TEST(MadeMotions, SlowArmsStayOutOfTheBody) {
    for (Sex sex : {Sex::kFemale, Sex::kMale}) {
        const Character body = mannequin(sex);
        const Humanoid humanoid = recognise(body.skeleton).value();
        for (const std::string& name : allNames()) {
            const Motion motion = makeMotion(name, body.skeleton).value();
            const ArmOverlap overlap = measureArmOverlap(motion, humanoid, body, 8);
            EXPECT_LT(overlap.depth, 0.005f)
                << nameOf(sex) << " " << name << " at frame " << overlap.frame;
        }
    }
}

}  // namespace
}  // namespace hem
