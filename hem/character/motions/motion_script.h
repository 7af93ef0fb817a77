// SPDX-License-Identifier: Apache-2.0
// MotionScript: what a made motion does, as a list of actions and gestures, before any skeleton.
//
// Speeds and lengths are those of a body whose hip joints are 0.90 m above the floor. On another
// skeleton speeds scale with the square root of leg length and lengths with leg length, which keeps
// the Froude number v^2 / (g l) and so the character of the gait (Alexander 1989); times of actions
// stay.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hem {

inline constexpr double kReferenceLeg = 0.90;  // metres, hip joint to floor

// Something the legs do. Actions follow one another without a gap.
struct Action {
    enum class Kind { kStand, kWalk, kRun, kJump, kKick };
    Kind kind = Kind::kStand;
    double seconds = 1;
    double speed = 0;  // metres a second
    double turn = 0;   // degrees to the left over the action; while standing: stepping on the spot
    double direction =
        0;  // degrees left of the heading in which the body travels: 90 side steps, 180 back
    double ramp = 0.9;    // seconds from the speed of the action before to this one's
    double height = 0;    // kJump: rise of the pelvis in flight; kKick: of the foot, in leg lengths
    double distance = 0;  // kJump: from take-off to landing
    bool left_foot = false;  // kKick: which
};

// Something that rides on the actions.
struct Gesture {
    enum class Kind { kDuck, kLeap, kLook, kTwist, kArms, kSway };
    Kind kind = Kind::kDuck;
    double begin = 0;    // seconds from the start of the script
    double seconds = 1;  // with the way in and the way out; kLeap: the flight
    double amount = 0;   // kDuck: drop of the pelvis in metres; kLook, kTwist: degrees to the left;
                         // kArms: 0 to 1 of the pose below; kSway: 1 is a lively dance
    double ease = 0.4;   // share of `seconds` for each of the way in and the way out, at most 0.5
    // kArms: the pose, for both arms; degrees
    double arm_forward = 0, arm_out = 0, elbow = 0;
    double beat = 0;  // kArms, kSway: hertz; arms then wave in turn
};

// How a person moves: 1 is everyone's average, angles are degrees added to it.
struct Style {
    double cadence = 1, step_width = 1, bounce = 1, knee_lift = 1;
    double arm_swing = 1, hip_turn = 1, hip_sway = 1, wobble = 1;
    double lean = 0, head_down = 0, arm_out = 0, elbow = 0, toe_out = 0;
    bool left_first = false;  // the foot that starts a straight walk
};
// Drawn around the average by seed: about as different as people are.
Style randomStyle(uint64_t seed);

struct MotionScript {
    std::string name, description;
    uint64_t seed = 1;
    Style style;
    std::vector<Action> actions;
    std::vector<Gesture> gestures;
    double begin = 0;    // seconds cut from the start, so that a clip can begin in full walk
    double seconds = 0;  // length of the clip; 0 is up to the end of the last action
};

// From the start of the first action to the end of the last.
double actionSeconds(const MotionScript& script);
double clipSeconds(const MotionScript& script);

// Writes scripts: walk(1.3, 3).walk(1.3, 1.2, 90).duck(0.2, 1)... Each call adds an action at the
// end; gestures start `after` seconds into the action added last.
class ScriptWriter {
public:
    ScriptWriter(std::string name, std::string description, uint64_t seed);

    ScriptWriter& stand(double seconds, double ramp = 0.9);
    ScriptWriter& walk(double speed, double seconds, double turn = 0, double ramp = 1.1);
    ScriptWriter& run(double speed, double seconds, double turn = 0, double ramp = 1.4);
    ScriptWriter& turn(double degrees, double seconds);  // on the spot
    ScriptWriter& sidle(double speed, double direction, double seconds);
    ScriptWriter& jump(double height, double distance = 0, double turn = 0);
    ScriptWriter& kick(double height, bool left_foot, double seconds = 1.5);

    ScriptWriter& duck(double after, double drop, double seconds);
    ScriptWriter& leap(double after, double flight_seconds);
    ScriptWriter& look(double after, double degrees, double seconds);
    ScriptWriter& twist(double after, double degrees, double seconds);
    ScriptWriter& gesture(double after, Gesture gesture);

    // Keeps `seconds` from `begin` on; for a `seconds` of 0 up to the end.
    MotionScript cut(double begin, double seconds = 0);

    MotionScript script;

private:
    ScriptWriter& add(Action action);
    double last_begin_ = 0, end_ = 0;
};

// The parts of a jump, in seconds: sinking, pushing off, flight, and catching the fall.
struct JumpTimes {
    double sink, push, flight, absorb, rise;
    double total() const { return sink + push + flight + absorb + rise; }
};
JumpTimes jumpTimes(double height);

}  // namespace hem
