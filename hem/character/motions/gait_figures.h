// SPDX-License-Identifier: Apache-2.0
// Figures of human walking and running: step rate, contact time, foot and joint angles by speed.
//
// Speeds are those of the reference body (motion_script.h). Sources, with what was taken from each:
// - Grieve and Gear 1966; Murray, Drought and Kory 1964: step rate of walking against speed,
//   toe-out.
// - Perry and Burnfield 2010: phases of stance (contact 0-12% of the stride, heel rise from 31%,
//   toe-off at 62%), knee 5 degrees at contact, 15-20 in loading response, foot pitch at contact
//   and toe-off.
// - Winter 1991: pelvis and trunk amplitudes, stance share by speed.
// - Nilsson, Thorstensson and Halbertsma 1985; Cavagna 1988: step rate and contact time of running.
// - Novacheck 1998: knee and foot angles of running, forward lean.
// docs/motions.md says which of them were found again in print, and what differs.
#pragma once

namespace hem {

struct GaitFigures {
    double step_seconds;  // from one foot's contact to the other's
    double
        stance_share;   // of the stride that a foot is on the floor; below one half there is flight
    double pass_share;  // of the stride, from contact until the hip is above the ankle
    double strike_degrees;   // foot pitch at contact, toes up negative
    double lift_degrees;     // foot pitch at toe-off, heel up
    double strike_seconds;   // from contact until the foot is flat
    double lift_seconds;     // from heel rise to toe-off
    double loading_degrees;  // added knee flexion in loading response
    double tuck;             // how much higher than a straight path the ankle swings, metres
    double half_width;       // of the track, in half distances of the hip joints
};
GaitFigures walkFigures(double speed);
GaitFigures runFigures(double speed);

// Amplitudes of the trunk's and arms' swing, degrees unless said otherwise; half of peak to peak.
struct SwingFigures {
    double pelvis_turn, pelvis_list, pelvis_nod, chest_turn;
    double sway;  // of the pelvis to the side, metres
    double arm, arm_bias, elbow_mean, elbow_swing;
    double lean;  // of the trunk, forwards
};
SwingFigures walkSwing(double speed);
SwingFigures runSwing(double speed);
// t = 0 is a, 1 is b.
SwingFigures blend(const SwingFigures& a, const SwingFigures& b, double t);

}  // namespace hem
