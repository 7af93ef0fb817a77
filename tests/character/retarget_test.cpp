// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/retarget.h"

#include <gtest/gtest.h>

#include "hem/character/formats/bvh.h"
#include "hem/character/formats/character_import.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/character/retarget/leg_ik.h"
#include "hem/character/retarget/motion_quality.h"
#include "hem/character/retarget/smooth_path.h"
#include "hem/core/random.h"
#include "tests/character/synthetic_walk.h"
#include "tests/shared_data.h"

namespace hem {
namespace {

Motion randomMotion(const Skeleton& skeleton, float amount, size_t frames = 4) {
    Random random(11);
    Motion motion{.name = "random", .skeleton = skeleton, .rate = 30};
    for (size_t f = 0; f < frames; ++f) {
        Pose pose = restPose(skeleton);
        const auto number = [&] { return random.uniform(-amount, amount); };
        pose.root_position += Vec3{number(), number(), number()};
        for (Quat& q : pose.rotations)
            q = normalized(q * exponential(Vec3{number(), number(), number()}));
        motion.frames.push_back(pose);
    }
    return motion;
}

void expectSamePoses(const Motion& a, const Motion& b, float metres, float radians) {
    ASSERT_EQ(a.frames.size(), b.frames.size());
    for (size_t f = 0; f < a.frames.size(); ++f) {
        EXPECT_LT(distance(a.frames[f].root_position, b.frames[f].root_position), metres) << f;
        for (size_t j = 0; j < a.skeleton.size(); ++j)
            EXPECT_LT(angleBetween(a.frames[f].rotations[j], b.frames[f].rotations[j]), radians)
                << f << " " << a.skeleton.joints[j].name;
    }
}

// The mannequin's skeleton with every offset times `factor`.
Skeleton scaled(Skeleton skeleton, float factor) {
    for (Joint& joint : skeleton.joints) joint.parent_from_rest.translation *= factor;
    return skeleton;
}

// The same body with the arms at rest turned up by `degrees` about the facing axis: a T pose from
// an A pose. Offsets below the shoulder turn along; rest rotations stay as they are.
Skeleton withArmsRaised(Skeleton skeleton, float degrees) {
    for (size_t j = 0; j < skeleton.size(); ++j) {
        const std::string& name = skeleton.joints[j].name;
        const bool left = name.find("Left") == 0 || name == "LThumb";
        const bool in_arm = name.find("ForeArm") != name.npos || name.find("Hand") != name.npos ||
                            name.find("Thumb") != name.npos;
        if (!in_arm) continue;
        const Quat up = fromAxisAngle({0, 0, 1}, degreesToRadians(left ? degrees : -degrees));
        Vec3& offset = skeleton.joints[j].parent_from_rest.translation;
        offset = rotate(up, offset);
    }
    return skeleton;
}

Vec3 boneDirection(const Skeleton& skeleton, const Pose& pose, const char* from, const char* to) {
    const std::vector<Transform> world = worldTransforms(skeleton, pose);
    return normalized(world[size_t(skeleton.find(to))].translation -
                      world[size_t(skeleton.find(from))].translation);
}

TEST(Retarget, ToTheSameSkeletonGivesTheMotionBack) {
    const Motion motion = randomMotion(mannequinSkeleton(Sex::kFemale), 0.6f);
    expectSamePoses(motion, *retarget(motion, motion.skeleton), 1e-6f, 1e-6f);
}

TEST(Retarget, ToTheSameBodyOfOtherNamesIsExact) {
    const Motion motion = randomMotion(mannequinSkeleton(Sex::kFemale), 0.6f);
    Skeleton renamed = motion.skeleton;
    for (Joint& joint : renamed.joints) joint.name = "mixamorig:" + joint.name;
    const auto result = retarget(motion, renamed);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->skeleton == renamed);
    expectSamePoses(motion, *result, 1e-6f, 1e-6f);
}

TEST(Retarget, CarriesPosesOverExactlyBetweenEqualBodiesWithOtherAxes) {
    // the same joints at rest, but each with its own local axes
    const Motion motion = randomMotion(mannequinSkeleton(Sex::kFemale), 0.4f);
    Random random(3);
    Skeleton turned = motion.skeleton;
    const auto rest = worldTransforms(turned, restPose(turned));
    std::vector<Quat> axes;
    for (size_t j = 0; j < turned.size(); ++j) {
        axes.push_back(
            exponential(Vec3{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)}));
        const int parent = turned.joints[j].parent;
        const Quat above = parent < 0 ? Quat{} : axes[size_t(parent)];
        const Vec3 offset = turned.joints[j].parent_from_rest.translation;
        turned.joints[j].parent_from_rest = {conjugate(above) * axes[j],
                                             rotate(conjugate(above), offset)};
    }
    RetargetOptions options{.ground = false, .toes_from_source = true};
    const Motion result = *retarget(motion, turned, options);
    for (size_t f = 0; f < motion.frames.size(); ++f) {
        const auto a = worldTransforms(motion.skeleton, motion.frames[f]);
        const auto b = worldTransforms(turned, result.frames[f]);
        for (const char* name : {"Head", "LeftHand", "RightForeArm", "LeftFoot", "RightToeBase"}) {
            const size_t j = size_t(turned.find(name));
            EXPECT_LT(distance(a[j].translation, b[j].translation), 2e-5f) << name;
        }
    }
}

TEST(Retarget, FromATPoseToAnAPoseKeepsTheArmsWhereTheyAre) {
    const Skeleton a_pose = mannequinSkeleton(Sex::kFemale);
    const Skeleton t_pose = withArmsRaised(a_pose, 50);
    EXPECT_NEAR(boneDirection(t_pose, restPose(t_pose), "LeftArm", "LeftForeArm").y, 0, 0.01f);
    Motion motion{.name = "t", .skeleton = t_pose, .rate = 30};
    Pose pose = restPose(t_pose);
    motion.frames.push_back(pose);  // arms straight out
    // left arm forwards, its elbow bent upwards by a right angle
    pose.rotations[size_t(t_pose.find("LeftArm"))] = fromAxisAngle({0, 1, 0}, -kPi / 2);
    pose.rotations[size_t(t_pose.find("LeftForeArm"))] = fromAxisAngle({0, 0, 1}, kPi / 2);
    motion.frames.push_back(pose);
    const Motion result = *retarget(motion, a_pose, {.ground = false});
    for (size_t f = 0; f < 2; ++f)
        for (auto [from, to] : {std::pair{"LeftArm", "LeftForeArm"},
                                {"LeftForeArm", "LeftHand"},
                                {"RightArm", "RightForeArm"},
                                {"RightForeArm", "RightHand"}}) {
            const Vec3 source = boneDirection(t_pose, motion.frames[f], from, to);
            const Vec3 target = boneDirection(a_pose, result.frames[f], from, to);
            EXPECT_LT(distance(source, target), 1e-4f) << f << " " << from;
        }
    const Vec3 forearm = boneDirection(a_pose, result.frames[1], "LeftForeArm", "LeftHand");
    EXPECT_GT(forearm.y, 0.97f);
    // straight out in a T pose, an A-pose body has turned its arm by the 50 degrees between them,
    // and not twisted it
    const Quat arm = result.frames[0].rotations[size_t(a_pose.find("LeftArm"))];
    EXPECT_LT(angleBetween(arm, fromAxisAngle({0, 0, 1}, degreesToRadians(50))), 0.01f);
}

TEST(Retarget, ToAScaledBodyScalesTheRootPath) {
    const Skeleton skeleton = mannequinSkeleton(Sex::kMale);
    const Motion walk = syntheticWalk(skeleton, 30, 3).motion;
    const Motion result = *retarget(walk, scaled(skeleton, 1.25f), {.ground = false});
    for (size_t f = 0; f < walk.frames.size(); ++f)
        EXPECT_LT(distance(result.frames[f].root_position, 1.25f * walk.frames[f].root_position),
                  1e-4f);
    // grounding has nothing to correct on it either
    const Motion grounded = *retarget(walk, scaled(skeleton, 1.25f));
    for (size_t f = 0; f < walk.frames.size(); ++f)
        EXPECT_LT(distance(grounded.frames[f].root_position, result.frames[f].root_position),
                  0.01f);
}

// A body of quite other proportions: longer shanks, wider hips, longer feet, an ankle of other
// height.
Skeleton otherProportions() {
    Skeleton skeleton = mannequinSkeleton(Sex::kMale);
    for (const char* side : {"Left", "Right"}) {
        const auto offset = [&](const char* bone) -> Vec3& {
            return skeleton.joints[size_t(skeleton.find(std::string(side) + bone))]
                .parent_from_rest.translation;
        };
        offset("UpLeg").x *= 1.3f;
        offset("Foot").y *= 1.15f;
        offset("ToeBase").z *= 1.2f;
    }
    // stand on the floor again
    const auto world = worldTransforms(skeleton, restPose(skeleton));
    const float ball = world[size_t(skeleton.find("LeftToeBase"))].translation.y;
    skeleton.joints[0].parent_from_rest.translation.y += 0.025f - ball;
    return skeleton;
}

TEST(Retarget, KeepsTheFeetOfAWalkWhereTheyStand) {
    const SyntheticWalk walk = syntheticWalk(mannequinSkeleton(Sex::kFemale), 60, 5, 0.04f);
    const Skeleton target = otherProportions();
    const auto retargeter = Retargeter::make(walk.motion.skeleton, target);
    ASSERT_TRUE(retargeter);
    Retargeter::Details details;
    const Motion result = retargeter->retarget(walk.motion, &details);
    const MotionQuality quality =
        measureQuality(result, retargeter->targetHumanoid(),
                       {.contacts = &details.contacts,
                        .source = &walk.motion,
                        .source_humanoid = &retargeter->sourceHumanoid()});
    EXPECT_GT(quality.slides.size(), 10u);
    EXPECT_LT(distributionOf(quality.slides).max, 0.002f);
    EXPECT_LT(quality.penetration, 0.001f);
    EXPECT_LT(distributionOf(quality.floating).max, 0.002f);
    EXPECT_LT(distributionOf(quality.leg_errors).max, 5);
    EXPECT_LT(distributionOf(quality.arm_errors).max, 0.1f);

    // without grounding the same feet slide and float: the test can fail
    const Motion raw = *retarget(walk.motion, target, {.ground = false});
    const MotionQuality bad =
        measureQuality(raw, retargeter->targetHumanoid(), {.contacts = &details.contacts});
    EXPECT_GT(distributionOf(bad.slides).max, 0.01f);
}

TEST(Retarget, KeepsLimbDirectionsOnABodyOfLongShanksAndFeet) {
    const SyntheticWalk walk = syntheticWalk(mannequinSkeleton(Sex::kFemale), 30, 5, 0.04f);
    Skeleton target = mannequinSkeleton(Sex::kMale);
    for (const char* side : {"Left", "Right"}) {
        const auto scale = [&](const char* bone, float factor) {
            target.joints[size_t(target.find(std::string(side) + bone))]
                .parent_from_rest.translation *= factor;
        };
        scale("Foot", 1.35f);
        scale("ToeBase", 1.6f);
    }
    const auto retargeter = Retargeter::make(walk.motion.skeleton, target);
    ASSERT_TRUE(retargeter);
    Retargeter::Details details;
    const Motion result = retargeter->retarget(walk.motion, &details);
    const MotionQuality quality =
        measureQuality(result, retargeter->targetHumanoid(),
                       {.contacts = &details.contacts,
                        .source = &walk.motion,
                        .source_humanoid = &retargeter->sourceHumanoid()});
    EXPECT_LT(distributionOf(quality.leg_errors).max, 4.95f);
    EXPECT_GT(distributionOf(quality.leg_errors).max, 3.5f);  // the bound is felt
    EXPECT_LT(distributionOf(quality.slides).median, 0.01f);
    EXPECT_LT(quality.penetration, 0.01f);
}

TEST(Retarget, StandsASinglePoseOnTheFloor) {
    Motion pose{.name = "pose", .skeleton = mannequinSkeleton(Sex::kFemale), .rate = 30};
    pose.frames.push_back(restPose(pose.skeleton));
    pose.frames[0].root_position.y += 0.3f;
    const Skeleton target = otherProportions();
    const Motion result = *retarget(pose, target);
    const MotionQuality quality = measureQuality(result, *recognise(target));
    EXPECT_LT(quality.penetration, 1e-3f);
    ASSERT_EQ(quality.floating.size(), 2u);
    EXPECT_LT(distributionOf(quality.floating).max, 1e-3f);
    pose.frames.clear();
    EXPECT_TRUE(retarget(pose, target)->frames.empty());
}

TEST(Retarget, KeepsTheHeightOfAJumpTimesTheScale) {
    Motion jump{.name = "jump", .skeleton = mannequinSkeleton(Sex::kFemale), .rate = 60};
    for (int f = 0; f < 120; ++f) {
        Pose pose = restPose(jump.skeleton);
        const double time = (f - 45) / 60.0;
        if (time > 0 && time < 0.5) pose.root_position.y += float(4.905 * time * (0.5 - time));
        jump.frames.push_back(pose);
    }
    const auto retargeter = Retargeter::make(jump.skeleton, mannequinSkeleton(Sex::kMale));
    const Motion result = retargeter->retarget(jump);
    const auto rise = [](const Motion& motion) {
        return motion.frames[60].root_position.y - motion.frames[0].root_position.y;
    };
    EXPECT_NEAR(rise(result), retargeter->scale() * rise(jump), 0.01f);
}

TEST(Retarget, KeepsHandsThatReachTheFloorAboveIt) {
    // bends down until its hands are on the floor; the other body has longer arms
    Motion bow{.name = "bow", .skeleton = mannequinSkeleton(Sex::kFemale), .rate = 30};
    for (int f = 0; f < 45; ++f) {
        Pose pose = restPose(bow.skeleton);
        const float bend = 0.75f * std::min(1.0f, float(f) / 30);
        for (const char* name : {"LowerBack", "Spine", "Spine1"})
            pose.rotations[size_t(bow.skeleton.find(name))] = fromAxisAngle({1, 0, 0}, bend);
        for (const char* name : {"LeftArm", "RightArm"})
            pose.rotations[size_t(bow.skeleton.find(name))] = fromAxisAngle({1, 0, 0}, -3 * bend);
        bow.frames.push_back(pose);
    }
    Skeleton target = mannequinSkeleton(Sex::kFemale);
    for (const char* name : {"LeftForeArm", "RightForeArm", "LeftHand", "RightHand"})
        target.joints[size_t(target.find(name))].parent_from_rest.translation *= 2.5f;
    const Humanoid humanoid = *recognise(target);
    const Motion raw = *retarget(bow, target, {.ground = false});
    EXPECT_GT(measureQuality(raw, humanoid).body_penetration, 0.05f);
    const Motion result = *retarget(bow, target);
    EXPECT_LT(measureQuality(result, humanoid).body_penetration, 0.012f);
    EXPECT_LT(measureQuality(result, humanoid).penetration, 0.004f);
    // arms keep their directions; hands bend back
    const Humanoid from = *recognise(bow.skeleton);
    const MotionQuality against =
        measureQuality(result, humanoid, {.source = &bow, .source_humanoid = &from});
    EXPECT_LT(distributionOf(against.arm_errors).max, 0.1f);
    EXPECT_LT(distributionOf(against.leg_errors).max, 5);
    const size_t hand = size_t(target.find("LeftHand"));
    EXPECT_GT(angleBetween(result.frames.back().rotations[hand], raw.frames.back().rotations[hand]),
              0.3f);
    EXPECT_LT(angleBetween(result.frames[0].rotations[hand], raw.frames[0].rotations[hand]), 1e-3f);
}

TEST(Retarget, DistributesASpineOverAnotherNumberOfJoints) {
    // a body with one spine joint fewer and no Neck1
    Skeleton target;
    const Skeleton source = mannequinSkeleton(Sex::kFemale);
    std::vector<int> index(source.size(), -1);
    const auto rest = worldTransforms(source, restPose(source));
    for (size_t j = 0; j < source.size(); ++j) {
        const Joint& joint = source.joints[j];
        if (joint.name == "LowerBack" || joint.name == "Neck1") continue;
        int parent = joint.parent;
        while (parent >= 0 && index[size_t(parent)] < 0)
            parent = source.joints[size_t(parent)].parent;
        const Vec3 above = parent < 0 ? Vec3{} : rest[size_t(parent)].translation;
        index[j] = int(target.size());
        target.joints.push_back({joint.name,
                                 parent < 0 ? -1 : index[size_t(parent)],
                                 {Quat{}, rest[j].translation - above}});
    }
    Motion motion{.name = "bow", .skeleton = source, .rate = 30};
    Pose pose = restPose(source);
    for (const char* name : {"LowerBack", "Spine", "Spine1", "Neck", "Neck1", "Head"})
        pose.rotations[size_t(source.find(name))] = fromAxisAngle({1, 0, 0}, 0.2f);
    motion.frames.push_back(pose);
    const auto result = retarget(motion, target, {.ground = false});
    ASSERT_TRUE(result) << result.error().message;
    const auto world = worldTransforms(target, result->frames[0]);
    const auto turned = [&](const char* name) {
        return angleBetween(world[size_t(target.find(name))].rotation, {});
    };
    EXPECT_NEAR(turned("Spine1"), 0.6f, 1e-3f);
    EXPECT_NEAR(turned("Spine"), 0.3f, 1e-3f);  // halfway between pelvis and chest
    EXPECT_NEAR(turned("Head"), 1.2f, 1e-3f);
    EXPECT_NEAR(turned("Neck"), 0.9f, 1e-3f);
}

TEST(Retarget, LeavesExtraJointsAtRest) {
    const Motion motion = randomMotion(mannequinSkeleton(Sex::kFemale), 0.5f);
    Skeleton target = mannequinSkeleton(Sex::kMale);
    target.joints.push_back({"Tail", 0, {exponential(Vec3{0.3f, 0, 0}), {0, 0, -0.1f}}});
    const Motion result = *retarget(motion, target);
    for (const Pose& pose : result.frames)
        EXPECT_LT(
            angleBetween(pose.rotations.back(), target.joints.back().parent_from_rest.rotation),
            1e-3f);
}

TEST(Retarget, BendsAllToesOfARigWithFive) {
    Motion motion = randomMotion(mannequinSkeleton(Sex::kFemale), 0.05f);
    for (Pose& pose : motion.frames)
        pose.rotations[size_t(motion.skeleton.find("LeftToeBase"))] =
            fromAxisAngle({1, 0, 0}, -0.4f);
    Skeleton target = mannequinSkeleton(Sex::kMale);
    const int foot = target.find("LeftFoot"), toe = target.find("LeftToeBase");
    const Vec3 offset = target.joints[size_t(toe)].parent_from_rest.translation;
    target.joints.push_back({"LeftToe2", foot, {Quat{}, offset + Vec3{0.02f, 0, 0}}});
    const Motion result = *retarget(motion, target, {.toes_from_source = true});
    for (const Pose& pose : result.frames) {
        EXPECT_GT(angleBetween(pose.rotations[size_t(toe)], {}), 0.2f);
        EXPECT_LT(angleBetween(pose.rotations[size_t(toe)], pose.rotations.back()), 1e-3f);
    }
}

TEST(Retarget, SaysWhichSkeletonItDoesNotKnow) {
    const Motion motion = randomMotion(mannequinSkeleton(Sex::kFemale), 0.1f);
    Skeleton worm;
    worm.joints = {{"a", -1, {}}, {"b", 0, {}}};
    const auto result = retarget(motion, worm);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message.find("the target: "), 0u) << result.error().message;
}

TEST(Retarget, DoesNotChangeWithTheRate) {
    const SyntheticWalk walk = syntheticWalk(mannequinSkeleton(Sex::kFemale), 120, 4);
    const Skeleton target = otherProportions();
    const Motion fine = *retarget(walk.motion, target);
    const Motion coarse = *retarget(resampled(walk.motion, 30), target);
    for (size_t f = 0; f < coarse.frames.size(); ++f)
        EXPECT_LT(distance(coarse.frames[f].root_position, fine.frames[4 * f].root_position),
                  0.015f)
            << f;
}

// --- Parts -------------------------------------------------------------------------------------

TEST(LegReach, PutsTheAnkleWhereItIsWanted) {
    const Leg leg{{0, 1, 0}, {0, 0.55f, 0.05f}, {0, 0.1f, 0}};
    const Vec3 wanted{0.1f, 0.2f, 0.15f};
    const LegTurn turn = reachFor(leg, wanted, {0, 0, 1});
    EXPECT_LT(distance(turn.ankle, wanted), 1e-5f);
    EXPECT_NEAR(distance(turn.knee, leg.hip), leg.thigh(), 1e-5f);
    EXPECT_NEAR(distance(turn.knee, turn.ankle), leg.shank(), 1e-5f);
    const Vec3 thigh = rotate(turn.thigh, leg.knee - leg.hip);
    EXPECT_LT(distance(leg.hip + thigh, turn.knee), 1e-5f);
    const Vec3 shank = rotate(turn.shank, leg.ankle - leg.knee);
    EXPECT_LT(distance(turn.knee + shank, turn.ankle), 1e-5f);
    EXPECT_GT(turn.knee.z, wanted.z / 2);  // bends forwards still
}

TEST(LegReach, BendsAStraightLegTheWayItIsTold) {
    const Leg leg{{0, 1, 0}, {0, 0.5f, 0}, {0, 0, 0}};
    const LegTurn turn = reachFor(leg, {0, 0.1f, 0}, {0, 0, 1});
    EXPECT_GT(turn.knee.z, 0.1f);
    EXPECT_NEAR(turn.knee.x, 0, 1e-5f);
}

TEST(LegReach, DoesNotStretch) {
    const Leg leg{{0, 1, 0}, {0, 0.5f, 0.01f}, {0, 0, 0}};
    const LegTurn turn = reachFor(leg, {0, -1, 0}, {0, 0, 1}, 0.999f);
    EXPECT_NEAR(distance(turn.ankle, leg.hip), 0.999f * (leg.thigh() + leg.shank()), 1e-4f);
}

// A leg in some pose, and a place for its ankle up to 10 cm away.
struct Errand {
    Leg leg;
    Vec3 wanted;
};
Errand randomErrand(Random& random) {
    const auto direction = [&](float spread) {
        return normalized(
            Vec3{random.uniform(-spread, spread), -1, random.uniform(-spread, spread)});
    };
    const Vec3 hip{0, 1, 0}, knee = hip + 0.45f * direction(0.8f);
    const Vec3 ankle = knee + 0.42f * direction(0.8f);
    const auto offset = [&] { return random.uniform(-0.06f, 0.06f); };
    return {{hip, knee, ankle}, ankle + Vec3{offset(), offset(), offset()}};
}

TEST(LegReachWithin, TurnsNoBoneFurtherThanItsBound) {
    Random random(5);
    const float most = degreesToRadians(5);
    for (int i = 0; i < 500; ++i) {
        const auto [leg, wanted] = randomErrand(random);
        const LegTurn turn = reachWithin(leg, wanted, {0, 0, 1}, 0.9995f, most);
        EXPECT_LT(angleBetween(turn.thigh, {}), most + 1e-4f) << i;
        EXPECT_LT(angleBetween(turn.shank, {}), most + 1e-4f) << i;
        EXPECT_LT(distance(leg.hip + rotate(turn.thigh, leg.knee - leg.hip), turn.knee), 1e-5f);
        EXPECT_LT(distance(turn.knee + rotate(turn.shank, leg.ankle - leg.knee), turn.ankle),
                  1e-5f);
    }
}

TEST(LegReachWithin, GetsThereWhereItCanAndElseAsNearAsAnyTurnWithinThreeQuarters) {
    Random random(6);
    const float most = degreesToRadians(5);
    int got_there = 0;
    for (int i = 0; i < 200; ++i) {
        const auto [leg, wanted] = randomErrand(random);
        const float missed =
            distance(reachWithin(leg, wanted, {0, 0, 1}, 0.9995f, most).ankle, wanted);
        got_there += missed < 1e-4f;
        const auto turned = [&](Vec3 bone) {
            const auto number = [&] { return random.uniform(-1, 1); };
            const Vec3 axis = normalized(cross(bone, Vec3{number(), number(), number()}));
            return rotate(fromAxisAngle(axis, 0.75f * most * random.uniform(0, 1)), bone);
        };
        for (int k = 0; k < 300; ++k) {
            const Vec3 other = leg.hip + turned(leg.knee - leg.hip) + turned(leg.ankle - leg.knee);
            EXPECT_LT(missed, distance(other, wanted) + 0.0001f) << i;
        }
    }
    EXPECT_GT(got_there, 20);
}

TEST(LegReachWithin, FollowsAMovingTargetWithoutJumps) {
    Random random(7);
    const float most = degreesToRadians(5);
    for (int i = 0; i < 50; ++i) {
        const auto [leg, wanted] = randomErrand(random);
        Vec3 last = leg.ankle;
        for (int step = 0; step <= 100; ++step) {
            const Vec3 target = lerp(leg.ankle, wanted, float(step) / 50);  // twice as far
            const Vec3 ankle = reachWithin(leg, target, {0, 0, 1}, 0.9995f, most).ankle;
            EXPECT_LT(distance(ankle, last), 0.006f) << i << " " << step;
            last = ankle;
        }
    }
}

TEST(SmoothPath, EnvelopesAreSmoothAndNowhereBelow) {
    std::vector<float> need(60, 0.0f);
    need[30] = 1;
    need[33] = 0.5f;
    const std::vector<float> curve = envelope(need, 5);
    for (size_t f = 0; f < 60; ++f) EXPECT_GE(curve[f], need[f] - 1e-6f);
    for (size_t f = 1; f < 60; ++f) EXPECT_LT(std::abs(curve[f] - curve[f - 1]), 0.1f);
    EXPECT_EQ(curve[10], 0);
    EXPECT_EQ(curve[50], 0);
}

TEST(SmoothPath, GoesThroughStrongWishesAndStraightBetweenThem) {
    Mat3 strong;
    for (int i = 0; i < 3; ++i) strong.m[i][i] = 1e6f;
    const std::vector<Wish> wishes = {
        {0, {0, 0, 0}, strong}, {30, {3, 0, 0}, strong}, {60, {6, 0, 0}, strong}};
    const std::vector<Vec3> path = smoothPath(61, 30, wishes, {.bending = 1e-3});
    for (size_t f = 0; f < 61; ++f) EXPECT_NEAR(path[f].x, 0.1f * float(f), 1e-3f);
}

TEST(SmoothPath, UnderTensionDoesNotSwingOutWhereNothingIsWished) {
    Mat3 strong;
    for (int i = 0; i < 3; ++i) strong.m[i][i] = 1e4f;
    std::vector<Wish> wishes;  // falls by 1 m/s for ten frames, then nothing, then stays
    for (size_t f = 0; f < 10; ++f) wishes.push_back({f, {0, -float(f) / 60, 0}, strong});
    for (size_t f = 50; f < 60; ++f) wishes.push_back({f, {0, -0.15f, 0}, strong});
    const auto lowest = [&](double tension) {
        float low = 0;
        for (const Vec3& p :
             smoothPath(60, 60, wishes, {.bending = 1e-5, .tension = tension, .pull = 0.01}))
            low = std::min(low, p.y);
        return low;
    };
    EXPECT_LT(lowest(0), -0.19f);
    EXPECT_GT(lowest(0.01), -0.18f);
}

TEST(SmoothPath, HeedsTheDirectionOfAWish) {
    Mat3 along_y{{{1e-6f, 0, 0}, {0, 1e3f, 0}, {0, 0, 1e-6f}}};
    std::vector<Wish> wishes;
    for (size_t f = 0; f < 20; ++f) wishes.push_back({f, {1, 1, 1}, along_y});
    const std::vector<Vec3> path = smoothPath(20, 30, wishes, {.bending = 1e-6, .pull = 0.01});
    EXPECT_NEAR(path[10].y, 1, 1e-3f);
    EXPECT_LT(std::abs(path[10].x), 1e-3f);
}

// --- Real data ---------------------------------------------------------------------------------

struct Carried {
    MotionQuality quality;
    std::string name;
};

Carried carryOver(const std::string& clip, const Character& target) {
    const Motion motion = *loadBvh(sharedData() + "/mocap/" + clip);
    const Retargeter retargeter = *Retargeter::make(motion.skeleton, target);
    Retargeter::Details details;
    const Motion result = retargeter.retarget(motion, &details);
    return {measureQuality(result, retargeter.targetHumanoid(),
                           {.contacts = &details.contacts,
                            .character = &target,
                            .source = &motion,
                            .source_humanoid = &retargeter.sourceHumanoid()}),
            clip};
}

void expectBars(const Carried& carried) {
    const MotionQuality& quality = carried.quality;
    EXPECT_LT(distributionOf(quality.slides).median, 0.015f) << carried.name;
    EXPECT_LT(quality.penetration, 0.01f) << carried.name;
    EXPECT_LT(distributionOf(quality.limbErrors()).max, 5) << carried.name;
    EXPECT_LT(distributionOf(quality.arm_errors).max, 0.2f) << carried.name;
    EXPECT_LT(distributionOf(quality.floating).p95, 0.01f) << carried.name;
}

const char* const kClips[] = {"train/16_18.bvh", "train/16_36.bvh", "train/143_02.bvh",
                              "atomic/91_36.bvh", "graph/127_25.bvh"};

TEST(Retarget, MeetsItsBarsOnCapturedWalksRunsAndJumps) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    for (const char* clip : kClips) expectBars(carryOver(clip, mannequin(Sex::kFemale)));
}

// Root mean square, m/s^2, of the acceleration of what b's root moves by beyond a's.
double addedAcceleration(const Motion& a, const Motion& b) {
    double sum = 0;
    const size_t n = a.frames.size();
    const auto moved = [&](size_t f) {
        return b.frames[f].root_position - a.frames[f].root_position;
    };
    for (size_t f = 1; f + 1 < n; ++f)
        sum += double(lengthSquared(moved(f + 1) - 2 * moved(f) + moved(f - 1)));
    return std::sqrt(sum / double(n - 2)) * a.rate * a.rate;
}

TEST(Retarget, GroundingMovesThePelvisSmoothly) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    const auto imported =
        loadCharacter(sharedData() + "/characters/male_base_mesh/male_base_mesh.glb");
    ASSERT_TRUE(imported) << imported.error().message;
    const Character female = mannequin(Sex::kFemale);
    for (const char* clip : kClips) {
        const Motion motion = *loadBvh(sharedData() + "/mocap/" + clip);
        const auto added = [&](const Character& target) {
            return addedAcceleration(*retarget(motion, target, {.ground = false}),
                                     *retarget(motion, target));
        };
        EXPECT_LT(added(female), 3) << clip;
        EXPECT_LT(added(*imported), 4.5) << clip;
    }
}

TEST(Retarget, MeetsItsBarsOnImportedCharacters) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    for (const char* file :
         {"makehuman_female/female_cmu_mb.glb", "male_base_mesh/male_base_mesh.glb"}) {
        const auto character = loadCharacter(sharedData() + "/characters/" + file);
        ASSERT_TRUE(character) << character.error().message;
        for (const char* clip : {"train/16_18.bvh", "train/143_02.bvh"}) {
            const Carried carried = carryOver(clip, *character);
            EXPECT_LT(distributionOf(carried.quality.slides).median, 0.015f) << file << clip;
            EXPECT_LT(carried.quality.penetration, 0.01f) << file << clip;
            EXPECT_LT(distributionOf(carried.quality.limbErrors()).max, 5) << file << clip;
        }
    }
}

}  // namespace
}  // namespace hem
