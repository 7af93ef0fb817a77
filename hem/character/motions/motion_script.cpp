// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/motion_script.h"

#include <cmath>

#include "hem/core/check.h"
#include "hem/core/random.h"

namespace hem {

Style randomStyle(uint64_t seed) {
    Random random(seed, "style");
    Style s;
    auto around = [&](double mean, double spread) { return mean + spread * random.normal() / 2; };
    s.cadence = around(1, 0.05);
    s.step_width = around(1, 0.2);
    s.bounce = around(1, 0.15);
    s.knee_lift = around(1, 0.12);
    s.arm_swing = around(1, 0.25);
    s.hip_turn = around(1, 0.25);
    s.hip_sway = around(1, 0.2);
    s.wobble = around(1, 0.2);
    s.lean = around(0, 2);
    s.head_down = around(0, 3);
    s.arm_out = around(0, 1.5);
    s.elbow = around(0, 5);
    s.toe_out = around(0, 3);
    s.left_first = random.chance(0.5f);
    return s;
}

double actionSeconds(const MotionScript& script) {
    double sum = 0;
    for (const Action& action : script.actions) sum += action.seconds;
    return sum;
}

double clipSeconds(const MotionScript& script) {
    return script.seconds > 0 ? script.seconds : actionSeconds(script) - script.begin;
}

ScriptWriter::ScriptWriter(std::string name, std::string description, uint64_t seed) {
    script.name = std::move(name);
    script.description = std::move(description);
    script.seed = seed;
    script.style = randomStyle(seed);
}

ScriptWriter& ScriptWriter::add(Action action) {
    CHECK_GT(action.seconds, 0);
    last_begin_ = end_;
    end_ += action.seconds;
    script.actions.push_back(action);
    return *this;
}

ScriptWriter& ScriptWriter::stand(double seconds, double ramp) {
    return add({.kind = Action::Kind::kStand, .seconds = seconds, .ramp = ramp});
}
ScriptWriter& ScriptWriter::walk(double speed, double seconds, double turn, double ramp) {
    return add({Action::Kind::kWalk, seconds, speed, turn, 0, ramp});
}
ScriptWriter& ScriptWriter::run(double speed, double seconds, double turn, double ramp) {
    return add({Action::Kind::kRun, seconds, speed, turn, 0, ramp});
}
ScriptWriter& ScriptWriter::turn(double degrees, double seconds) {
    return add({Action::Kind::kStand, seconds, 0, degrees});
}
ScriptWriter& ScriptWriter::sidle(double speed, double direction, double seconds) {
    return add({Action::Kind::kWalk, seconds, speed, 0, direction});
}
ScriptWriter& ScriptWriter::jump(double height, double distance, double turn) {
    Action action{.kind = Action::Kind::kJump, .seconds = jumpTimes(height).total(), .turn = turn};
    action.height = height;
    action.distance = distance;
    return add(action);
}
ScriptWriter& ScriptWriter::kick(double height, bool left_foot, double seconds) {
    Action action{.kind = Action::Kind::kKick, .seconds = seconds};
    action.height = height;
    action.left_foot = left_foot;
    return add(action);
}

ScriptWriter& ScriptWriter::duck(double after, double drop, double seconds) {
    return gesture(after, {Gesture::Kind::kDuck, 0, seconds, drop, 0.4});
}
ScriptWriter& ScriptWriter::leap(double after, double flight_seconds) {
    return gesture(after, {Gesture::Kind::kLeap, 0, flight_seconds, 1});
}
ScriptWriter& ScriptWriter::look(double after, double degrees, double seconds) {
    return gesture(after, {Gesture::Kind::kLook, 0, seconds, degrees, 0.35});
}
ScriptWriter& ScriptWriter::twist(double after, double degrees, double seconds) {
    return gesture(after, {Gesture::Kind::kTwist, 0, seconds, degrees, 0.4});
}
ScriptWriter& ScriptWriter::gesture(double after, Gesture gesture) {
    gesture.begin = last_begin_ + after;
    script.gestures.push_back(gesture);
    return *this;
}

MotionScript ScriptWriter::cut(double begin, double seconds) {
    script.begin = begin;
    script.seconds = seconds;
    return script;
}

JumpTimes jumpTimes(double height) {
    // from rest to rest the pelvis rises and falls freely for twice sqrt(2 h / g)
    return {0.45, 0.32, 2 * std::sqrt(2 * height / 9.81), 0.42, 0.4};
}

}  // namespace hem
