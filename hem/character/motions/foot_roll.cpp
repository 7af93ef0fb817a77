// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/foot_roll.h"

#include <algorithm>

namespace hem {

using namespace precise;

namespace {

// From nought with no slope or curvature to 1 with slope 2 and no curvature: where the swing takes
// over.
double rollCurve(double u) { return u * u * u * (2 - u); }

double heelCorrection(const Stance& stance, double frame) {
    if (stance.heel.empty()) return 0;
    const double at = std::clamp(frame - stance.heel_begin, 0.0, double(stance.heel.size() - 1));
    const size_t k = std::min(size_t(at), stance.heel.size() - 2);
    return mix(stance.heel[k], stance.heel[k + 1], at - double(k));
}

}  // namespace

double rollPitch(const Stance& stance, double frame) {
    double pitch = 0;
    const double to_flat = 1 - (frame - stance.begin) / stance.strike_frames;
    if (to_flat > 0 && stance.strike != 0) pitch += stance.strike * rollCurve(to_flat);
    const double rising = (frame - (stance.end - stance.lift_frames)) / stance.lift_frames;
    if (rising > 0) pitch += stance.lift * rollCurve(rising);
    return pitch + heelCorrection(stance, frame);
}

SolePoints solePoints(const LegMeasures& leg) {
    const Vec ball = leg.ankle_to_ball;
    // the heel reaches behind the ankle by about 0.4, the toes beyond the ball by 0.5 of the
    // distance from ankle to ball: in all the foot's length where that distance is 0.53 of it
    const Vec heel{0, -leg.ankle_height, -0.4 * ball.z};
    const Vec tip{1.35 * ball.x, -leg.ankle_height, 1.5 * ball.z};
    return {heel, {ball.x, -leg.ankle_height, ball.z}, tip};
}

FootPose plantedFoot(const LegMeasures& leg, const Stance& stance, double frame) {
    FootPose pose{{stance.x, leg.ankle_height, stance.z}, stance.yaw, rollPitch(stance, frame)};
    const Vec pivot = pose.pitch < 0 ? solePoints(leg).heel : leg.ankle_to_ball;
    const Vec rolled = pivot - rotate(aboutX(pose.pitch), pivot);
    pose.ankle = pose.ankle + rotate(aboutY(stance.yaw), rolled);
    return pose;
}

}  // namespace hem
