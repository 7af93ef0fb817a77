// SPDX-License-Identifier: Apache-2.0
// Motion: poses of one skeleton at a steady rate.
#pragma once

#include <string>
#include <vector>

#include "hem/character/skeleton.h"

namespace hem {

struct Motion {
    std::string name;
    Skeleton skeleton;
    double rate = 30;  // frames a second
    std::vector<Pose> frames;
    // What a reader assumed or left out (units, animated offsets), a sentence each. Derived motions
    // (resampled, sliced) start without.
    std::vector<std::string> notes;

    // From the first frame to the last; 0 for a single frame.
    double duration() const { return frames.empty() ? 0 : double(frames.size() - 1) / rate; }
};

// The pose at `seconds` from the start; held at both ends. Rotations by slerp, never by Euler
// channels.
Pose sampleAt(const Motion& motion, double seconds);
// The same motion at another rate. The first frame is kept, and the last where the duration is a
// whole number of new frames.
Motion resampled(const Motion& motion, double rate);
// Frames first..first+count-1.
Motion slice(const Motion& motion, size_t first, size_t count);

// Left and right exchanged: every joint stands where its partner's reflection in the plane x = 0
// does. Partners are found by name (humanoid.h, mirrorPartners()); a joint without one is its own.
// Where the rest pose is symmetric (each offset within 1 mm of its partner's reflection, whatever
// the local axes), the result keeps the skeleton and that holds to the rest pose's own asymmetry;
// where it is not, the result carries the mirrored skeleton (each joint with its partner's
// reflected offset, the names unchanged) and it holds to rounding. Mirroring twice gives the motion
// back. The name gains
// "_mirrored", or loses it.
Motion mirrored(const Motion& motion);

}  // namespace hem
