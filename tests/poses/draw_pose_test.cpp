// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/draw_pose.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "hem/character/root.h"

namespace hem {
namespace {

const Character& body() {
    static const Character character = mannequin(Sex::kFemale);
    return character;
}
const Humanoid& humanoid() {
    static const Humanoid result = recognise(body().skeleton).value();
    return result;
}

std::vector<Pose> drawSome(float reach, size_t count, uint64_t seed = 1) {
    const PoseDrawer drawer = PoseDrawer::make(body(), reach).value();
    std::vector<Pose> poses;
    for (size_t i = 0; i < count; ++i) poses.push_back(drawer.draw(seed, i).value().pose);
    return poses;
}

std::vector<Affine> matricesOf(const Pose& pose) {
    std::vector<Affine> matrices(body().skeleton.size());
    skinningMatrices(body().skeleton, pose, body().skin.joint_from_rest.data(), matrices.data());
    return matrices;
}

// The rest pose with one bone at these angles.
Pose with(Bone bone, JointAngles angles, Pose pose = restPose(body().skeleton)) {
    const AnatomicalFrame anatomy(body().skeleton, humanoid());
    pose.rotations[size_t(humanoid()[bone])] = anatomy.rotationFor(bone, angles);
    return pose;
}

TEST(DrawPose, AnglesStayWithinHumanRanges) {
    const Motion motion{.name = "drawn",
                        .skeleton = body().skeleton,
                        .rate = 30,
                        .frames = drawSome(1, 60),
                        .notes = {}};
    for (const RangeViolation& violation : rangeViolations(motion, humanoid(), 0.1f))
        ADD_FAILURE() << describe(violation);
}

TEST(DrawPose, AnglesReachOverMostOfTheirRanges) {
    const AnatomicalFrame anatomy(body().skeleton, humanoid());
    float low = 180, high = -180;
    for (const Pose& pose : drawSome(1, 200)) {
        const auto world = worldTransforms(body().skeleton, pose);
        const float flexion = anatomy.anglesOf(Bone::kLeftUpLeg, world).flexion;
        low = std::min(low, flexion), high = std::max(high, flexion);
    }
    const JointRange& range = humanJointRange(Bone::kLeftUpLeg);
    EXPECT_LT(low, 0.6f * range.low.flexion);
    EXPECT_GT(high, 0.8f * range.high.flexion);
}

TEST(DrawPose, AShorterReachDrawsAnglesIn) {
    const AnatomicalFrame anatomy(body().skeleton, humanoid());
    for (const Pose& pose : drawSome(0.5f, 60)) {
        const auto world = worldTransforms(body().skeleton, pose);
        EXPECT_LE(anatomy.anglesOf(Bone::kRightUpLeg, world).flexion, 60.1f);
        EXPECT_LE(anatomy.anglesOf(Bone::kRightLeg, world).flexion, 77.6f);
    }
}

TEST(DrawPose, FourteenJointsVaryAndTheRestStaysAtRest) {
    const PoseDrawer drawer = PoseDrawer::make(body(), 1).value();
    const std::vector<int>& joints = drawer.joints();
    ASSERT_EQ(joints.size(), 14u);
    EXPECT_TRUE(std::is_sorted(joints.begin(), joints.end()));
    const Pose rest = restPose(body().skeleton);
    for (const Pose& pose : drawSome(1, 5))
        for (size_t j = 0; j < pose.rotations.size(); ++j) {
            const bool varies = std::binary_search(joints.begin(), joints.end(), int(j));
            EXPECT_EQ(pose.rotations[j] != rest.rotations[j], varies)
                << body().skeleton.joints[j].name;
            EXPECT_GE(pose.rotations[j].w, 0);
        }
}

TEST(DrawPose, TheHeadingIsNought) {
    const HipJoints hips = findHipJoints(body().skeleton).value();
    for (const Pose& pose : drawSome(1, 30)) {
        const Motion still{
            .name = "", .skeleton = body().skeleton, .rate = 30, .frames = {pose}, .notes = {}};
        EXPECT_NEAR(rootsOf(still, hips)[0].heading, 0, 1e-6);
    }
}

TEST(DrawPose, APoseIsAFunctionOfSeedAndNumber) {
    const PoseDrawer drawer = PoseDrawer::make(body(), 0.7f).value();
    auto turns = [&](uint64_t seed, uint64_t number) {
        return drawer.draw(seed, number).value().pose.rotations;
    };
    EXPECT_EQ(turns(1, 7), turns(1, 7));
    EXPECT_NE(turns(1, 7), turns(1, 8));
    EXPECT_NE(turns(1, 7), turns(2, 7));
}

TEST(DrawPose, BitsArePinned) {
    uint64_t hash = hashBytes(nullptr, 0);
    for (const Pose& pose : drawSome(0.7f, 20))
        hash = hashBytes(pose.rotations.data(), pose.rotations.size() * sizeof(Quat), hash);
    EXPECT_EQ(hash, 0xb4edee9696305a36u) << std::hex << hash;
}

TEST(DrawPose, BodiesThatRunIntoThemselvesAreRefused) {
    const PoseDrawer drawer = PoseDrawer::make(body(), 1).value();
    EXPECT_TRUE(drawer.isClear(restPose(body().skeleton)));
    EXPECT_TRUE(drawer.isClear(with(Bone::kLeftArm, {.flexion = 0, .side = 85, .twist = 0})));
    EXPECT_FALSE(drawer.isClear(with(Bone::kLeftArm, {.flexion = 0, .side = -40, .twist = 0})))
        << "an arm through the trunk";
    const Pose crossed = with(Bone::kLeftUpLeg, {.flexion = 0, .side = -25, .twist = 0},
                              with(Bone::kRightUpLeg, {.flexion = 0, .side = -25, .twist = 0}));
    EXPECT_FALSE(drawer.isClear(crossed)) << "a leg through the other";
    const Pose to_face = with(Bone::kRightArm, {.flexion = 90, .side = 0, .twist = 60},
                              with(Bone::kRightForeArm, {.flexion = 145, .side = 0, .twist = 0}));
    const Pose arms_forward = with(Bone::kLeftArm, {.flexion = 80, .side = 10, .twist = 0});
    EXPECT_TRUE(drawer.isClear(arms_forward));
    EXPECT_NE(drawer.isClear(to_face), drawer.isClear(arms_forward));
}

// An arm raised before the face and turned outwards: nothing is near it, but the straight way there
// leads the forearm through the chest.
TEST(DrawPose, APoseThatIsReachedThroughTheBodyIsRefused) {
    const PoseDrawer drawer = PoseDrawer::make(body(), 1).value();
    const BodyOverlap overlap(body(), humanoid());
    const Pose raised = with(Bone::kLeftForeArm, {.flexion = 97, .side = 0, .twist = 0},
                             with(Bone::kLeftArm, {.flexion = 107, .side = -22, .twist = -81}));
    EXPECT_FALSE(overlap.closerThan(PoseDrawer::kClearance, matricesOf(raised)));
    EXPECT_FALSE(drawer.isClear(raised));
}

TEST(BodyOverlap, ClearanceShrinksAsAnArmIsTurnedIn) {
    const BodyOverlap overlap(body(), humanoid());
    float last = 0.06f;
    for (float side : {15.0f, 5.0f, 0.0f, -10.0f, -20.0f}) {
        const float clearance = overlap.clearance(
            matricesOf(with(Bone::kLeftArm, {.flexion = 0, .side = side, .twist = 0})), 0.05f);
        EXPECT_LE(clearance, last) << side;
        last = clearance - 0.005f;
    }
    EXPECT_LT(last, -0.02f);
}

// Points just under the skin of limbs lie once inside the posed surface; twice would be in another
// part as well. An exact sum of solid angles, which knows nothing of segments.
TEST(BodyOverlap, LimbsOfDrawnPosesAreInsideNothingElse) {
    const PoseDrawer drawer = PoseDrawer::make(body(), 1).value();
    const auto rest = worldTransforms(body().skeleton, restPose(body().skeleton));
    size_t looked = 0, twice = 0;
    for (uint64_t number = 0; number < 12; ++number) {
        const Mesh posed = posedMesh(body(), drawer.draw(3, number).value().pose);
        const SurfaceTree tree(posed);
        for (uint32_t v = 0; v < posed.positions.size(); v += 10) {
            const auto joint = body().skin.joints[size_t(v) * size_t(body().skin.influences)];
            if (body().skin.weights[size_t(v) * size_t(body().skin.influences)] < 0.98f) continue;
            bool limb = false;
            for (Bone bone :
                 {Bone::kLeftForeArm, Bone::kRightForeArm, Bone::kLeftLeg, Bone::kRightLeg})
                limb |= humanoid()[bone] == int(joint);
            if (!limb) continue;
            // the outer half: next to a bent elbow or knee skin meets skin
            const Vec3 from = rest[joint].translation, to = rest[joint + 1u].translation;
            if (dot(body().mesh.positions[v] - from, to - from) < 0.5f * lengthSquared(to - from))
                continue;
            const SurfacePoint at = tree.nearest(posed.positions[v]);
            ++looked;
            twice += tree.windingNumber(posed.positions[v] - tree.normalAt(at) * 0.005f) > 1.5;
        }
    }
    EXPECT_GT(looked, 200u);
    EXPECT_EQ(twice, 0u);
}

}  // namespace
}  // namespace hem
