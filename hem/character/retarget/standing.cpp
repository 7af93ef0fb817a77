// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/standing.h"

namespace hem {
namespace {

constexpr Vec3 kDown{0, -1, 0};
const float kSplayLimit = std::cos(degreesToRadians(12));

Vec3 horizontal(Vec3 v, Vec3 fallback) { return normalized(Vec3{v.x, 0, v.z}, fallback); }

// Turns a joint by `turn` in the world's axes; what hangs below goes along.
void turnInWorld(const Skeleton& skeleton, Pose& pose, int joint, Quat turn) {
    const std::vector<Transform> world = worldTransforms(skeleton, pose);
    const int parent = skeleton.joints[size_t(joint)].parent;
    const Quat above = parent < 0 ? Quat{} : world[size_t(parent)].rotation;
    pose.rotations[size_t(joint)] =
        normalized(conjugate(above) * turn * world[size_t(joint)].rotation);
}

Vec3 legDirection(const std::vector<Transform>& world, const LegJoints& leg) {
    return normalized(world[size_t(leg.ankle)].translation - world[size_t(leg.hip)].translation,
                      kDown);
}

bool splays(Vec3 leg_direction) { return dot(leg_direction, kDown) < kSplayLimit; }

// The calibration pose of the CMU database, on top of a zero pose.
void calibrateCmu(const Humanoid& h, Pose& pose) {
    const auto turn = [&](Bone bone, Vec3 axis, float degrees) {
        if (!h.has(bone)) return;
        Quat& q = pose.rotations[size_t(h[bone])];
        q = q * fromAxisAngle(axis, degreesToRadians(degrees));
    };
    const Vec3 x{1, 0, 0}, z{0, 0, 1};
    turn(Bone::kLeftArm, z, -8);
    turn(Bone::kRightArm, z, 8);
    turn(Bone::kNeck, x, -16);
    turn(Bone::kNeck1, x, 21);
    turn(Bone::kHead, x, 11);
}

// The CMU zero pose: identity rotations, both legs splayed, arms straight out.
bool isCmuZeroPose(const Skeleton& skeleton, const Humanoid& h,
                   const std::vector<Transform>& world) {
    if (h.convention != "CMU") return false;
    for (const Joint& joint : skeleton.joints)
        if (!(joint.parent_from_rest.rotation == Quat{})) return false;
    const Vec3 arm = normalized(world[size_t(h[Bone::kLeftForeArm])].translation -
                                world[size_t(h[Bone::kLeftArm])].translation);
    return std::abs(arm.y) < 0.05f && splays(legDirection(world, legOf(h, FootSide::kLeft)));
}

float floorUnder(const Standing& s, const Humanoid& h) {
    float lowest = 1e9f;
    for (FootSide side : kBothFeet) {
        const LegJoints leg = legOf(h, side);
        lowest = std::min(lowest, s.world[size_t(leg.ankle)].translation.y);
        if (leg.toe >= 0) lowest = std::min(lowest, s.world[size_t(leg.toe)].translation.y);
    }
    const bool above_ground = lowest >= 0 && lowest < 0.15f * s.leg_length;
    return above_ground ? 0 : lowest - 0.03f * s.leg_length;
}

// Where the ball of the foot is in the world.
Vec3 ballOf(const Standing& s, const LegJoints& leg) {
    if (leg.toe >= 0) return s.world[size_t(leg.toe)].translation;
    const Vec3 ankle = s.world[size_t(leg.ankle)].translation;
    const Vec3 ahead = ankle + s.facing * (0.16f * s.leg_length);
    return {ahead.x, s.floor + 0.3f * (ankle.y - s.floor), ahead.z};
}

}  // namespace

LegJoints legOf(const Humanoid& h, FootSide side) {
    if (side == FootSide::kLeft)
        return {h[Bone::kLeftUpLeg], h[Bone::kLeftLeg], h[Bone::kLeftFoot], h[Bone::kLeftToe]};
    return {h[Bone::kRightUpLeg], h[Bone::kRightLeg], h[Bone::kRightFoot], h[Bone::kRightToe]};
}

Standing standingOf(const Skeleton& skeleton, const Humanoid& h) {
    Standing s{restPose(skeleton), {}};
    s.world = worldTransforms(skeleton, s.pose);
    if (isCmuZeroPose(skeleton, h, s.world)) calibrateCmu(h, s.pose);
    for (FootSide side : kBothFeet) {
        const LegJoints leg = legOf(h, side);
        const Vec3 direction = legDirection(s.world, leg);
        if (splays(direction))
            turnInWorld(skeleton, s.pose, leg.hip, rotationBetween(direction, kDown));
    }
    s.world = worldTransforms(skeleton, s.pose);
    const auto at = [&](int joint) { return s.world[size_t(joint)].translation; };
    const LegJoints left = legOf(h, FootSide::kLeft), right = legOf(h, FootSide::kRight);
    s.left = horizontal(at(left.hip) - at(right.hip), {1, 0, 0});
    s.facing = cross(s.left, Vec3{0, 1, 0});
    for (const LegJoints& leg : {left, right})
        s.leg_length +=
            (distance(at(leg.hip), at(leg.knee)) + distance(at(leg.knee), at(leg.ankle))) / 2;
    s.floor = floorUnder(s, h);
    for (FootSide side : kBothFeet) {
        const LegJoints leg = legOf(h, side);
        const Transform& ankle = s.world[size_t(leg.ankle)];
        const Vec3 ball = ballOf(s, leg);
        s.foot_ahead[size_t(side)] = horizontal(ball - ankle.translation, s.facing);
        s.ball_in_ankle[size_t(side)] = transformPoint(inverse(ankle), ball);
    }
    return s;
}

}  // namespace hem
