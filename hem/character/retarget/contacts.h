// SPDX-License-Identifier: Apache-2.0
// Contacts: when each foot of a moving humanoid stands on the floor, by heel and by ball.
//
// Two points are followed on each foot: the ankle joint, which hardly moves while the heel is down,
// and the ball (the toe joint), which hardly moves from the foot's landing until it pushes off. A
// point is in contact while it is low and slow:
//   begins   within 2.5 cm (ankle) or 4 cm (ball) of its standing height and slower than 0.3 m/s,
//   ends     3 cm or 6 cm above it, or faster than 0.6 m/s, or 6 cm from where the contact began.
// Distances and speeds are for a leg of 0.8 m and scale with the leg. Speeds are central
// differences over 1/60 s each way (one frame each way below 60 Hz), so that 30 Hz and 120 Hz
// agree. Contacts of a single frame at 30 Hz (below 0.05 s) are dropped and gaps of that length are
// closed.
//
// The standing height is the clip's own, per foot and point: captured floors lie a few centimetres
// off y = 0, and each marker set has another ankle. It is the lower quartile of the heights at
// which the point is slow; where it hardly ever is (runs, leaps), a low percentile of all heights.
#pragma once

#include <array>
#include <cstdint>

#include "hem/character/motion.h"
#include "hem/character/retarget/standing.h"

namespace hem {

struct ContactOptions {
    // Metres above the standing height, of the ankle and of the ball.
    float ankle_height_on = 0.025f, ankle_height_off = 0.03f;
    float ball_height_on = 0.04f, ball_height_off = 0.06f;
    float speed_on = 0.3f, speed_off = 0.6f;  // metres a second
    float drift_off = 0.06f;                  // metres from where the contact began
    float shortest = 0.05f;                   // seconds, of contacts kept and of gaps closed
};

// Frames begin..end-1.
struct Span {
    size_t begin = 0, end = 0;
    size_t length() const { return end - begin; }
};

struct FootContacts {
    std::vector<uint8_t> heel, ball;            // per frame, 1 in contact
    std::vector<Vec3> ankle_track, ball_track;  // per frame, world positions of the two points
    float ankle_height = 0, ball_height = 0;    // world heights of the two points when standing

    // In contact by either point.
    std::vector<uint8_t> stance() const;
};

struct Contacts {
    std::array<FootContacts, 2> feet;  // by FootSide
    // World height of the floor: where the standing soles are, by the standing heights of all four
    // points and the skeleton's own (standing.h).
    float floor = 0;
    // 1 in frames with neither foot in contact that end in a landing within a second: jumps, leaps,
    // the flights of a run.
    std::vector<uint8_t> flight;
};

Contacts detectContacts(const Motion& motion, const Humanoid& humanoid,
                        const ContactOptions& options = {});

// The runs of ones.
std::vector<Span> spansOf(const std::vector<uint8_t>& flags);

}  // namespace hem
