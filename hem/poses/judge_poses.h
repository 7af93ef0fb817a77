// SPDX-License-Identifier: Apache-2.0
// judgePoses(): is a set of poses good cloth, come to rest?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hem/cloth/judge.h"
#include "hem/poses/pose_set.h"

namespace hem {

struct PoseSetJudgement {
    Verdict cloth;  // of the poses that are kept; its frame numbers are poses of the set
    // Of all that did not fail: kinetic energy left, J/kg, and how many were still above what ends
    // the settling when its frames ran out.
    double energy_median = 0, energy_max = 0;
    size_t unsettled = 0;
    double frames_mean = 0;    // simulated a pose
    double rejected_mean = 0;  // draws a pose whose body ran into itself
    // m^2, of the poses that are kept.
    double distance_mean = 0, distance_min = 0, distance_max = 0;
    size_t lowest = 0, highest = 0;  // poses with the last two
    // Of a few poses simulated again, where asked for: PosesAgain.
    std::optional<double> cpu_seconds_per_pose, creep_cm, noise_cm;
    std::optional<bool> reproduces;
};

inline constexpr int kStandOn = 60;
inline constexpr float kNudge = 0.01f;  // degrees

// A few poses simulated again: seconds of one core a pose, all included; whether the bits were the
// same; and, in centimetres, roots of mean squares: how far vertices creep on where the body stands
// for kStandOn frames more, and how far from each other they rest where every joint that varies is
// turned by kNudge, which is what no function of the pose can learn. The latter two are absent
// where all of them failed.
struct PosesAgain {
    double cpu_seconds_per_pose = 0;
    bool reproduces = true;
    std::optional<double> creep_cm, noise_cm;
};
// `count` of the set's poses, evenly spread, three times each; one core. Fails where the set's
// scene cannot be simulated.
Result<PosesAgain> simulateAgain(const PoseSet& set, size_t count);

// Reads and verifies everything. In parallel; about 8 ms of CPU a pose at 2,170 vertices, and the
// simulations. Fails on damaged files, and where no pose is kept.
Result<PoseSetJudgement> judgePoses(const PoseSet& set, int resimulate = 0);

// Why this is not good cloth, a sentence each; empty where it is.
std::vector<std::string> faultsOf(const PoseSet& set, const PoseSetJudgement& judgement);

}  // namespace hem
