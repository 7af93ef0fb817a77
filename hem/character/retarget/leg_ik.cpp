// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/leg_ik.h"

namespace hem {
namespace {

constexpr float kHard = 0.75f;  // share of a bound below which it is not felt
constexpr int kAlternations = 6;

// The direction of `wanted`, turned back towards the unit vector `from` to within `most` radians.
Vec3 withinCone(Vec3 wanted, Vec3 from, float most) {
    const Vec3 to = normalized(wanted, from);
    const float angle = std::atan2(length(cross(from, to)), dot(from, to));
    const float knee = kHard * most, soft = most - knee;
    if (angle <= knee) return to;
    const float bounded = knee + soft * std::tanh((angle - knee) / soft);
    const Vec3 across = normalized(to - from * dot(from, to), {});
    return from * std::cos(bounded) + across * std::sin(bounded);
}

}  // namespace

LegTurn reachFor(const Leg& leg, Vec3 ankle, Vec3 knee_ahead, float longest) {
    const float a = leg.thigh(), b = leg.shank();
    const Vec3 old_axis = normalized(leg.ankle - leg.hip, {0, -1, 0});
    const Vec3 axis = normalized(ankle - leg.hip, old_axis);
    const float reach =
        std::clamp(distance(ankle, leg.hip), 1.001f * std::abs(a - b) + 1e-4f, longest * (a + b));

    // where the knee points: how far it stands off the line from hip to ankle, carried along
    const Vec3 along = leg.knee - leg.hip;
    const Vec3 off =
        rotate(rotationBetween(old_axis, axis), along - old_axis * dot(along, old_axis));
    const Vec3 hinted = knee_ahead - axis * dot(knee_ahead, axis);
    const float faint = 0.02f * (a + b);  // a knee nearer to the line than this needs the hint
    const float hint = faint * std::max(0.0f, 1 - length(off) / faint);
    const Vec3 pole = normalized(off + hint * normalized(hinted), normalized(hinted));

    const float cosine = std::clamp((a * a + reach * reach - b * b) / (2 * a * reach), -1.0f, 1.0f);
    const float sine = std::sqrt(1 - cosine * cosine);
    LegTurn turn;
    turn.knee = leg.hip + axis * (a * cosine) + pole * (a * sine);
    turn.ankle = leg.hip + axis * reach;
    turn.thigh = rotationBetween(leg.knee - leg.hip, turn.knee - leg.hip);
    turn.shank = rotationBetween(leg.ankle - leg.knee, turn.ankle - turn.knee);
    return turn;
}

// Thigh and shank in turn point the other's remainder at the target: each step is the nearest that
// one bone can do, and what neither exceeds stays as it is.
LegTurn reachWithin(const Leg& leg, Vec3 ankle, Vec3 knee_ahead, float longest, float most) {
    LegTurn turn = reachFor(leg, ankle, knee_ahead, longest);
    const float a = leg.thigh(), b = leg.shank();
    const Vec3 old_thigh = normalized(leg.knee - leg.hip);
    const Vec3 old_shank = normalized(leg.ankle - leg.knee);
    Vec3 thigh = normalized(turn.knee - leg.hip), shank = normalized(turn.ankle - turn.knee);
    const float unfelt = std::cos(kHard * most);
    if (dot(old_thigh, thigh) > unfelt && dot(old_shank, shank) > unfelt) return turn;
    shank = withinCone(shank, old_shank, most);
    for (int i = 0; i < kAlternations; ++i) {
        thigh = withinCone(ankle - b * shank - leg.hip, old_thigh, most);
        shank = withinCone(ankle - a * thigh - leg.hip, old_shank, most);
    }
    turn.knee = leg.hip + a * thigh;
    turn.ankle = turn.knee + b * shank;
    turn.thigh = rotationBetween(old_thigh, thigh);
    turn.shank = rotationBetween(old_shank, shank);
    return turn;
}

}  // namespace hem
