// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/leg_ik.h"

namespace hem {

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

}  // namespace hem
