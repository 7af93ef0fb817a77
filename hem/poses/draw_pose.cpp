// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/draw_pose.h"

#include <algorithm>
#include <cmath>

#include "hem/core/portable_math.h"
#include "hem/core/random.h"

namespace hem {
namespace {

constexpr Bone kVarying[] = {Bone::kHips,         Bone::kLowerBack,     Bone::kSpine,
                             Bone::kChest,        Bone::kLeftShoulder,  Bone::kLeftArm,
                             Bone::kLeftForeArm,  Bone::kRightShoulder, Bone::kRightArm,
                             Bone::kRightForeArm, Bone::kLeftUpLeg,     Bone::kLeftLeg,
                             Bone::kRightUpLeg,   Bone::kRightLeg};
constexpr size_t kTrunkJoints = 3;
constexpr Bone kTrunk[kTrunkJoints] = {Bone::kLowerBack, Bone::kSpine, Bone::kChest};
constexpr JointAngles kTrunkLow{-25, -35, -45}, kTrunkHigh{80, 35, 45};
constexpr float kShareVaries = 0.3f;
constexpr float kTiltBack = -10, kTiltForward = 20, kTiltSide = 10;  // degrees
constexpr float kKneeTwist = 0.25f;                                  // of its range
constexpr float kSteepest = 0.866f;  // cosine of 30 degrees from straight up
constexpr float kWay[] = {0.2f, 0.4f, 0.6f, 0.8f};

// Of triangular density, likeliest at 0, which lies between the two.
float between(Random& random, float low, float high, float reach) {
    const float u = random.uniform(), width = high - low;
    if (width <= 0) return 0;
    const float below = -low / width;  // share of draws
    const float angle =
        u < below ? low + std::sqrt(u * width * -low) : high - std::sqrt((1 - u) * width * high);
    return angle * reach;
}

JointAngles between(Random& random, JointAngles low, JointAngles high, float reach) {
    JointAngles a;
    a.flexion = between(random, low.flexion, high.flexion, reach);
    a.side = between(random, low.side, high.side, reach);
    a.twist = between(random, low.twist, high.twist, reach);
    return a;
}

bool isUpperArm(Bone bone) { return bone == Bone::kLeftArm || bone == Bone::kRightArm; }
bool isElbow(Bone bone) { return bone == Bone::kLeftForeArm || bone == Bone::kRightForeArm; }
bool isKnee(Bone bone) { return bone == Bone::kLeftLeg || bone == Bone::kRightLeg; }

// How far up an arm with these angles points in its parent: -1 hangs, 1 is straight up.
double upwards(JointAngles a) {
    return -portable::cos(double(degreesToRadians(a.side))) *
           portable::cos(double(degreesToRadians(a.flexion)));
}

JointAngles drawLimb(Random& random, Bone bone, float reach) {
    const JointRange& range = humanJointRange(bone);
    JointAngles low = range.low, high = range.high;
    if (isElbow(bone) || isKnee(bone)) {
        low.flexion = 0;
        low.side = high.side = 0;
    }
    if (isKnee(bone)) low.twist *= kKneeTwist, high.twist *= kKneeTwist;
    JointAngles a = between(random, low, high, reach);
    while (isUpperArm(bone) && upwards(a) > double(kSteepest))
        a = between(random, low, high, reach);
    return a;
}

Quat drawTilt(Random& random, float reach) {
    const float forward = between(random, kTiltBack, kTiltForward, reach);
    const float side = between(random, -kTiltSide, kTiltSide, reach);
    // forwards first: the hip line then stays in the plane z = 0, so the heading is 0
    return portable::fromAxisAngle({0, 0, 1}, double(degreesToRadians(side))) *
           portable::fromAxisAngle({1, 0, 0}, double(degreesToRadians(forward)));
}

void drawTrunk(Random& random, float reach, JointAngles out[kTrunkJoints]) {
    const JointAngles whole = between(random, kTrunkLow, kTrunkHigh, reach);
    float shares[kTrunkJoints], sum = 0;
    for (float& share : shares) sum += share = random.uniform(1 - kShareVaries, 1 + kShareVaries);
    for (size_t i = 0; i < kTrunkJoints; ++i) {
        const float share = std::min(shares[i] / sum, (1 + kShareVaries) / kTrunkJoints);
        out[i] = {whole.flexion * share, whole.side * share, whole.twist * share};
    }
}

}  // namespace

Pose onTheWay(const Skeleton& skeleton, const Pose& pose, float t) {
    const Pose rest = restPose(skeleton);
    Pose result = pose;
    if (t >= 1) return result;
    result.root_position = lerp(rest.root_position, pose.root_position, t);
    for (size_t j = 0; j < pose.rotations.size(); ++j) {
        // turned at the same speed all the way, as slerp() does
        const Quat turn = nearest(conjugate(rest.rotations[j]) * pose.rotations[j], Quat{});
        const double angle = 2 * portable::acos(double(turn.w));
        const Vec3 axis = normalized(Vec3{turn.x, turn.y, turn.z}, {1, 0, 0});
        result.rotations[j] =
            normalized(rest.rotations[j] * portable::fromAxisAngle(axis, angle * double(t)));
    }
    return result;
}

Result<std::vector<int>> posedJoints(const Character& character) {
    const auto humanoid = recognise(character.skeleton);
    if (!humanoid) return humanoid.error();
    std::vector<int> joints;
    for (Bone bone : kVarying) {
        if (!humanoid->has(bone))
            return errorf("%s: has no %s, which poses are drawn for", character.name.c_str(),
                          nameOf(bone));
        joints.push_back((*humanoid)[bone]);
    }
    std::sort(joints.begin(), joints.end());
    return joints;
}

PoseDrawer::PoseDrawer(const Character& character, const Humanoid& humanoid,
                       std::vector<int> joints, float reach)
    : character_(&character),
      humanoid_(humanoid),
      reach_(reach),
      anatomy_(character.skeleton, humanoid),
      overlap_(character, humanoid),
      joints_(std::move(joints)) {}

Result<PoseDrawer> PoseDrawer::make(const Character& character, float reach) {
    auto joints = posedJoints(character);
    if (!joints) return joints.error();
    return PoseDrawer(character, *recognise(character.skeleton), std::move(*joints), reach);
}

Pose PoseDrawer::drawOnce(Random& random) const {
    Pose pose = restPose(character_->skeleton);
    const size_t hips = size_t(humanoid_[Bone::kHips]);
    pose.rotations[hips] = normalized(drawTilt(random, reach_) * pose.rotations[hips]);
    JointAngles trunk[kTrunkJoints];
    drawTrunk(random, reach_, trunk);
    for (Bone bone : kVarying) {
        if (bone == Bone::kHips) continue;
        const auto* at = std::find(std::begin(kTrunk), std::end(kTrunk), bone);
        const JointAngles angles =
            at == std::end(kTrunk) ? drawLimb(random, bone, reach_) : trunk[at - kTrunk];
        pose.rotations[size_t(humanoid_[bone])] = anatomy_.rotationFor(bone, angles);
    }
    for (Quat& q : pose.rotations) q = nearest(q, Quat{});
    return pose;
}

bool PoseDrawer::isClear(const Pose& pose) const {
    const Skeleton& skeleton = character_->skeleton;
    std::vector<Affine> matrices(skeleton.size());
    auto closer = [&](float least, const Pose& at) {
        skinningMatrices(skeleton, at, character_->skin.joint_from_rest.data(), matrices.data());
        return overlap_.closerThan(least, matrices);
    };
    if (closer(kClearance, pose)) return false;
    for (float t : kWay)
        if (closer(kThroughOnWay, onTheWay(skeleton, pose, t))) return false;
    return true;
}

Result<DrawnPose> PoseDrawer::draw(uint64_t seed, uint64_t number) const {
    Random random(hashBytes(&seed, sizeof seed), number);
    for (uint32_t rejected = 0; rejected < kMostDraws; ++rejected) {
        Pose pose = drawOnce(random);
        if (isClear(pose)) return DrawnPose{std::move(pose), rejected};
    }
    return errorf("%s: in %u random poses the body always runs into itself",
                  character_->name.c_str(), kMostDraws);
}

}  // namespace hem
