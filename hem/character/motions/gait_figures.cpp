// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/gait_figures.h"

#include <algorithm>
#include <cmath>

#include "hem/character/motions/curves.h"

namespace hem {

GaitFigures walkFigures(double speed) {
    const double v = std::clamp(speed, 0.0, 2.4);
    const double vigour = std::min(1.0, v / 1.3);  // short, slow steps roll the foot less
    GaitFigures g{};
    g.step_seconds = 1 / (0.95 + 0.68 * std::max(v, 0.75) + 0.3 * std::max(0.0, v - 1.4));
    g.stance_share = std::clamp(0.68 - 0.06 * v, 0.56, 0.64);
    g.pass_share = 0.268;
    g.strike_degrees = -20 * vigour;
    g.lift_degrees = 18 + 36 * vigour;
    g.strike_seconds = 0.24 * g.step_seconds;
    g.lift_seconds = 0.64 * g.step_seconds;
    g.loading_degrees = 9 * vigour + 4 * std::max(0.0, v - 1);
    g.tuck = 0.012;
    g.half_width = mix(1.05, 0.68, vigour);
    return g;
}

GaitFigures runFigures(double speed) {
    const double v = std::clamp(speed, 1.2, 6.5);
    GaitFigures g{};
    g.step_seconds = 1 / (2.32 + 0.13 * v);
    g.stance_share = std::clamp(0.425 - 0.048 * (v - 2.0), 0.24, 0.46);
    g.pass_share = 0.42 * g.stance_share;
    g.strike_degrees = -8;
    g.lift_degrees = 50 + 2.5 * std::min(v, 4.0);
    g.strike_seconds = 0.16 * g.stance_share * 2 * g.step_seconds;
    g.lift_seconds = 0.62 * g.stance_share * 2 * g.step_seconds;
    g.loading_degrees = 0;
    g.tuck = 0.05 + 0.055 * std::min(v, 5.0);
    g.half_width = 0.55;
    return g;
}

SwingFigures walkSwing(double speed) {
    const double v = std::clamp(speed, 0.0, 2.4);
    const double vigour = std::min(1.0, v / 1.3);
    SwingFigures s{};
    s.pelvis_turn = 1.0 + 3.2 * v / 1.3;
    s.pelvis_list = 1.5 + 2.5 * vigour;
    s.pelvis_nod = 0.9 * vigour;
    s.chest_turn = 1.0 + 2.8 * v / 1.3;
    s.sway = 0.028 - 0.008 * vigour;
    s.arm = 4 + 13 * v / 1.3;
    s.arm_bias = 2 + 2 * vigour;
    s.elbow_mean = 14 + 10 * v / 1.3;
    s.elbow_swing = 2 + 6 * v / 1.3;
    s.lean = 1.5 + 1.5 * vigour;
    return s;
}

SwingFigures runSwing(double speed) {
    const double v = std::clamp(speed, 1.2, 6.5);
    SwingFigures s{};
    s.pelvis_turn = 5 + 0.8 * v;
    s.pelvis_list = 4;
    s.pelvis_nod = 1.5;
    s.chest_turn = 8 + 1.2 * v;
    s.sway = 0.012;
    s.arm = 20 + 3.5 * v;
    s.arm_bias = -8;
    s.elbow_mean = 72 + 4 * v;
    s.elbow_swing = 10;
    s.lean = 5 + 1.1 * v;
    return s;
}

SwingFigures blend(const SwingFigures& a, const SwingFigures& b, double t) {
    auto at = [t](double x, double y) { return mix(x, y, t); };
    return {at(a.pelvis_turn, b.pelvis_turn),
            at(a.pelvis_list, b.pelvis_list),
            at(a.pelvis_nod, b.pelvis_nod),
            at(a.chest_turn, b.chest_turn),
            at(a.sway, b.sway),
            at(a.arm, b.arm),
            at(a.arm_bias, b.arm_bias),
            at(a.elbow_mean, b.elbow_mean),
            at(a.elbow_swing, b.elbow_swing),
            at(a.lean, b.lean)};
}

}  // namespace hem
