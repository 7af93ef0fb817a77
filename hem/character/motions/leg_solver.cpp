// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/leg_solver.h"

#include <algorithm>

namespace hem {
namespace {

using namespace precise;

constexpr double kLongest = 0.9995;          // of the leg's length
constexpr double kTightest = 155 * kDegree;  // knee flexion

}  // namespace

double legLength(const LegMeasures& leg, double knee_flexion) {
    const double a = length(leg.hip_to_knee), b = length(leg.knee_to_ankle);
    return std::sqrt(a * a + b * b + 2 * a * b * portable::cos(knee_flexion));
}

double kneeFlexion(const LegMeasures& leg, double distance) {
    const double a = length(leg.hip_to_knee), b = length(leg.knee_to_ankle);
    return portable::acos((distance * distance - a * a - b * b) / (2 * a * b));
}

LegSolution solveLeg(const LegMeasures& leg, Vec hip, Vec ankle, Vec pole) {
    const double a = length(leg.hip_to_knee), b = length(leg.knee_to_ankle);
    const Vec wanted = ankle - hip;
    const double distance =
        std::clamp(length(wanted), legLength(leg, kTightest), kLongest * (a + b));
    const Vec down = normalized(wanted);
    const Vec forward = normalized(pole - down * dot(pole, down));
    const double along = (a * a - b * b + distance * distance) / (2 * distance);
    const double out = std::sqrt(std::max(0.0, a * a - along * along));

    LegSolution solution;
    solution.knee = hip + down * along + forward * out;
    solution.ankle = hip + down * distance;
    // left is +X at rest: the axis that the knee bends about points left in both legs
    const Vec hinge = cross(forward, down);
    const Vec thigh = (solution.knee - hip) * (1 / a),
              shank = (solution.ankle - solution.knee) * (1 / b);
    solution.thigh = frameToFrame(normalized(leg.hip_to_knee), kX, thigh, hinge);
    solution.shank = frameToFrame(normalized(leg.knee_to_ankle), kX, shank, hinge);
    return solution;
}

}  // namespace hem
