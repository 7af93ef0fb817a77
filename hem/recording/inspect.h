// SPDX-License-Identifier: Apache-2.0
// inspect(): judges a set of recordings, and the simulator that made it where that can be run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hem/cloth/judge.h"
#include "hem/recording/recording.h"

namespace hem {

struct InspectOptions {
    std::vector<std::string> clips;  // empty: all
    // Clips, evenly spread over the set, to simulate again for what frames alone do not tell: the
    // chaos floor, the cost, and how cloth settles where the set has no stops. 0: none.
    int resimulate = 3;
    double resimulate_seconds = 20;  // of each, at most
    int starts = 1;                  // slightly different ones of each, for the chaos floor
};

struct ClipInspection {
    std::string name;
    bool is_stop = false;
    Verdict verdict;
    std::optional<double> settle_energy;   // of a stop, J/kg, kSettleSeconds after it
    std::optional<double> settle_time;     // seconds until it stays below kSettledEnergy
    std::optional<double> chaos_floor_cm;  // of a clip that was simulated again
};

struct Inspection {
    std::vector<ClipInspection> clips;
    Verdict all;  // of all clips and stops together
    // The largest over the stops. From recorded stops; or, in a set without, from stops simulated
    // for the purpose. Empty where neither can be had.
    std::optional<double> settle_energy_j_per_kg;
    // Mean distance of vertices, over all frames from kChaosFrom on, between a recording and the
    // same clip simulated again with every vertex kicked in a random direction at the first frame:
    // what no model can get below. The mean over the starts; and that of each start.
    std::optional<double> chaos_floor_cm;
    std::vector<double> chaos_of_starts_cm;
    std::optional<double> cpu_ms_per_frame;  // of one core
    // Whether the first second of a clip, simulated again from its first frame, has the same bits.
    std::optional<bool> reproduces;
    std::vector<std::string> notes;  // why something is missing, a sentence each
};

inline constexpr double kSettleSeconds = 3;     // after a stop, cloth should be at rest
inline constexpr double kSettledEnergy = 1e-4;  // J/kg: at rest
inline constexpr float kChaosKick = 0.3f;       // metres a second
inline constexpr double kChaosFrom = 1;         // seconds, for the kick itself to die out

// What good cloth keeps to.
inline constexpr double kMostStretchP99 = 0.05;
inline constexpr double kMostPenetrationRate = 0.001;
inline constexpr double kDeepestPenetrationMm = 15;
inline constexpr double kMostSkinShows = 0.001;
inline constexpr double kMostSelfPenetration = 0.02;

// Why this is not good cloth, a sentence each, with the worst clip; empty where it is.
std::vector<std::string> faultsOf(const Inspection& inspection);

// Every file is read and held against its checksum first. Clips in parallel. Cost: about 2 ms of
// CPU a frame at 766 vertices, and the simulations.
Result<Inspection> inspect(const RecordingSet& set, const InspectOptions& options = {});

// What simulating again tells, as in Inspection, without judging frames; empty where the simulator
// is not to be had.
struct Resimulation {
    std::optional<double> chaos_floor_cm, cpu_ms_per_frame;
};
Result<Resimulation> resimulate(const RecordingSet& set, const InspectOptions& options);

}  // namespace hem
