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

// Left and right exchanged: reflected in the plane x = 0. The rest pose must be symmetric about
// that plane in its joint offsets and rotations up to `tolerance` metres or radians: where it is
// not, the mirrored motion belongs to the mirrored skeleton, which is what the result carries. Left
// and right partners are found by name (humanoid.h lists the patterns); a joint without one is its
// own.
Motion mirrored(const Motion& motion);

}  // namespace hem
