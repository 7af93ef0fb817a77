// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/arm_keeper.h"

#include <algorithm>

#include "hem/character/motions/curves.h"

namespace hem {

using namespace precise;

namespace {

// Metres at the reference leg (motion_script.h).
struct Section {
    double height;             // above the joint
    double wide, front, back;  // from the joint
};
constexpr Section kPelvis[] = {{-0.20, 0.160, 0.085, 0.100},
                               {-0.13, 0.172, 0.100, 0.120},
                               {-0.03, 0.166, 0.112, 0.105},
                               {0.02, 0.158, 0.116, 0.085},
                               {0.10, 0.148, 0.120, 0.070}};
constexpr Section kChest[] = {{-0.12, 0.145, 0.125, 0.070},
                              {-0.04, 0.152, 0.150, 0.090},
                              {0.02, 0.162, 0.145, 0.105},
                              {0.10, 0.150, 0.100, 0.105}};
constexpr double kThighTop = 0.090, kThighEnd = 0.065;

// How far a ball at `p`, in the axes of the part, must go to the side `sign` to leave it.
template <size_t N>
double besideSections(const Section (&s)[N], double scale, Vec p, double radius, double sign) {
    const double y = p.y / scale;
    if (y < s[0].height || y > s[N - 1].height) return 0;
    size_t k = 0;
    while (k + 2 < N && y > s[k + 1].height) ++k;
    const double t = (y - s[k].height) / (s[k + 1].height - s[k].height);
    const double wide = mix(s[k].wide, s[k + 1].wide, t) * scale + radius;
    const double deep =
        (p.z > 0 ? mix(s[k].front, s[k + 1].front, t) : mix(s[k].back, s[k + 1].back, t)) * scale +
        radius;
    const double r = p.z / deep;
    return r * r < 1 ? std::max(0.0, wide * std::sqrt(1 - r * r) - sign * p.x) : 0;
}

}  // namespace

ArmKeeper::ArmKeeper(const Skeleton& skeleton, const BodyMeasures& body)
    : body_(body), rest_(worldTransforms(skeleton, restPose(skeleton))) {}

Vec ArmKeeper::at(Bone bone, const std::vector<Transform>& world) const {
    return toPrecise(world[size_t(body_.bones[bone])].translation);
}

Rotation ArmKeeper::turnOf(Bone bone, const std::vector<Transform>& world) const {
    const size_t joint = size_t(body_.bones[bone]);
    return toPrecise(world[joint].rotation) * inverse(toPrecise(rest_[joint].rotation));
}

std::array<ArmKeeper::Ball, 4> ArmKeeper::ballsOf(BodySide side,
                                                  const std::vector<Transform>& world) const {
    const double scale = body_.lengthScale();
    const Vec elbow = at(side == kLeft ? Bone::kLeftForeArm : Bone::kRightForeArm, world),
              wrist = at(side == kLeft ? Bone::kLeftHand : Bone::kRightHand, world);
    const Vec along = normalized(wrist - elbow);
    return {{{elbow + (wrist - elbow) * 0.5, 0.040 * scale},
             {wrist, 0.036 * scale},
             {wrist + along * (0.08 * scale), 0.052 * scale},
             {wrist + along * (0.15 * scale), 0.032 * scale}}};
}

double ArmKeeper::besideTrunk(BodySide side, const Ball& ball,
                              const std::vector<Transform>& world) const {
    const double scale = body_.lengthScale(), sign = kSideSign[side];
    const Vec low =
        rotate(inverse(turnOf(Bone::kHips, world)), ball.centre - at(Bone::kHips, world));
    double missing = besideSections(kPelvis, scale, low, ball.radius, sign);
    if (body_.bones[Bone::kChest] < 0) return missing;
    const Vec high =
        rotate(inverse(turnOf(Bone::kChest, world)), ball.centre - at(Bone::kChest, world));
    return std::max(missing, besideSections(kChest, scale, high, ball.radius, sign));
}

double ArmKeeper::besideThigh(BodySide side, Bone thigh, const Ball& ball,
                              const std::vector<Transform>& world) const {
    const Vec hip = at(thigh, world), axis = at(Bone(int(thigh) + 1), world) - hip;
    const double t = std::clamp(dot(ball.centre - hip, axis) / dot(axis, axis), 0.0, 1.0);
    const Vec off = ball.centre - (hip + axis * t);
    const double reach = mix(kThighTop, kThighEnd, t) * body_.lengthScale() + ball.radius;
    const Vec left = rotate(turnOf(Bone::kHips, world), kX);
    const double aside = dot(off, left), room = reach * reach - (dot(off, off) - aside * aside);
    return room > 0 ? std::max(0.0, std::sqrt(room) - kSideSign[side] * aside) : 0;
}

double ArmKeeper::missing(BodySide side, const std::vector<Transform>& world) const {
    const Bone hand = side == kLeft ? Bone::kLeftHand : Bone::kRightHand;
    if (body_.bones[hand] < 0) return 0;
    const Vec shoulder = at(side == kLeft ? Bone::kLeftArm : Bone::kRightArm, world);
    double most = 0;
    for (const Ball& ball : ballsOf(side, world)) {
        double aside = besideTrunk(side, ball, world);
        for (Bone thigh : {Bone::kLeftUpLeg, Bone::kRightUpLeg})
            aside = std::max(aside, besideThigh(side, thigh, ball, world));
        const double lever = std::max(0.3 * body_.lengthScale(), length(ball.centre - shoulder));
        most = std::max(most, aside / lever);
    }
    return std::min(most, 0.5);
}

}  // namespace hem
