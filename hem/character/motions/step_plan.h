// SPDX-License-Identifier: Apache-2.0
// StepPlan: when each foot stands on the floor, where, and how it rolls; from the root's path.
//
// A foot that lands at time t is placed beside the point of the path where the body will be a
// little later, when the hip passes over the ankle. That one rule makes steps lengthen with speed,
// arc in turns, pivot on the spot, and brake in a stop. Rates and shares come from gait_figures.h.
#pragma once

#include "hem/character/motions/gait_figures.h"
#include "hem/character/motions/root_path.h"

namespace hem {

// One contact of one foot with the floor.
struct Stance {
    enum class Arrival { kStart, kWalk, kRun, kLeap, kJump, kKick };

    Arrival arrival = Arrival::kStart;  // the swing that led here
    int begin = 0, end = 0;  // frames of contact and of lift-off; end is past the path for the last
    double x = 0, z = 0;     // of the ankle while the foot is flat
    double yaw = 0;          // of the toes, radians
    double strike = 0,
           lift = 0;  // foot pitch at contact and at lift-off, radians, heel up positive
    int strike_frames = 1, lift_frames = 1;
    double loading = 0;  // added knee flexion after contact, radians
    double stride = 1;   // seconds
    double tuck = 0;     // height of the swing that led here, metres
    double kick = 0;     // kKick: height, leg lengths
    // Added to the pitch, radians, from frame `heel_begin` on; held beyond its ends.
    Channel heel;
    int heel_begin = 0;
};

// What keeps joints within their ranges (range_keeper.h), per frame, radians; empty is nought.
struct Corrections {
    Channel tilt;                        // of the pelvis, forwards
    std::array<Channel, 2> heel;         // of the planted feet; the stances have copies
    std::array<Channel, 2> swing_pitch;  // of swinging feet, heel up
    std::array<Channel, 2> knee_yaw;     // of where the knee points, to the left
    static double at(const Channel& channel, int frame) {
        return channel.empty() ? 0 : channel[size_t(frame)];
    }
};

struct StepPlan {
    std::array<std::vector<Stance>, 2> feet;  // by BodySide, in order of time
    // Landings of either foot in order, for the phase of arms and trunk.
    struct Landing {
        int frame;
        BodySide side;
        bool running;
    };
    std::vector<Landing> landings;
    Channel activity;  // 0 standing, 1 stepping; smooth
    Channel running;   // 0 walking, 1 running; smooth
    Corrections corrections;
};

StepPlan planSteps(const MotionScript& script, const RootPath& path, const BodyMeasures& body);

// The stance that holds `frame`, or the swing between two stances.
struct FootMoment {
    const Stance* stance = nullptr;               // null while the foot swings
    const Stance *from = nullptr, *to = nullptr;  // the stances around a swing
};
FootMoment momentOf(const std::vector<Stance>& stances, int frame);

}  // namespace hem
