// SPDX-License-Identifier: Apache-2.0
// RootPath: where a script takes the body, frame by frame, before it has feet.
//
// Speed follows the actions by minimum-jerk ramps, heading by eased turns; the integral of both is
// the path. Gait, jumps and kicks are marked on it for the step planner.
#pragma once

#include "hem/character/motions/body_measures.h"
#include "hem/character/motions/curves.h"
#include "hem/character/motions/motion_script.h"

namespace hem {

inline constexpr double kMotionRate = 120;  // hertz; made motions have this rate

struct JumpMark {
    int sink, push, takeoff, landing, settled, end;  // frames
    double depth;                                    // of the crouch before it, metres
};
struct KickMark {
    int begin, end;  // frames
    double height;   // of the foot, in leg lengths
    BodySide side;
};

struct RootPath {
    Channel x, z;               // metres
    Channel heading;            // radians, unwrapped
    Channel forward, left;      // velocity in the heading's frame, metres a second
    Channel turn_rate;          // radians a second
    std::vector<char> running;  // whether the action asks for a run
    std::vector<JumpMark> jumps;
    std::vector<KickMark> kicks;

    int frames() const { return int(x.size()); }
    double speed(int frame) const;  // never negative
    int clamped(int frame) const;   // into the path
};

// Lasts kLeadOut seconds longer than the script, so that whatever is under way at the end of a clip
// has a future to aim at.
inline constexpr double kLeadOut = 2;
RootPath makeRootPath(const MotionScript& script, const BodyMeasures& body);

}  // namespace hem
