// SPDX-License-Identifier: Apache-2.0
// What the report measures beyond the scores: error by number of modes, eigenvalues, energy, speed.
#pragma once

#include <complex>
#include <vector>

#include "hem/eval/play_clip.h"
#include "hem/eval/player_time.h"
#include "hem/models/stable_space/stability.h"
#include "hem/poses/pose_set.h"

namespace hem {

// --- Level of detail -----------------------------------------------------------------------------

struct ErrorByModes {
    std::vector<unsigned> modes;   // 1, 2, 4, ... and all
    std::vector<double> error_cm;  // mean over the frames looked at and their vertices
    std::vector<double> floor_cm;  // of the nearest shape that so many modes have
};
// Wearers that play side by side with fewer and fewer modes (hem_Batch::wearer_modes); every
// `every`-th frame is looked at.
ErrorByModes errorByModes(const hem_Garment* garment, const std::vector<ClipToPlay>& clips,
                          size_t every = 5);
// The same on poses of a set.
ErrorByModes errorByModes(const hem_Garment* garment, const PoseSet& set,
                          const std::vector<uint32_t>& poses);

// --- Stability -----------------------------------------------------------------------------------

// What decides whether free motion dies out, and how fast: the eigenvalues of the companion matrix
// for A, B and C (none for A), none for N, the modes and their conjugates for S.
std::vector<std::complex<double>> eigenvaluesOf(const hem_Garment* garment);

struct EnergyTrace {
    std::vector<double> energy;  // E of every frame of the clip (stability.h, modal_proof.h)
    double bound = 0;            // k_max / (1 - lambda), from the file
};

// The energy of a player's state. Making one takes a tenth of a second for linear models, whose
// matrix is taken apart.
class EnergyMeter {
public:
    explicit EnergyMeter(const hem_Garment* garment);
    double energyOf(std::span<const std::byte> state) const;  // nought of N, which has no memory
    // Free-running, from the player's own states.
    EnergyTrace trace(const Recording& clip) const;

private:
    const hem_Garment* garment_;
    LinearStability stability_;  // of linear models
};

// --- Speed ---------------------------------------------------------------------------------------

// Microseconds a wearer and step, on one thread.
struct SpeedCurves {
    std::vector<size_t> batch;
    std::vector<double> by_batch_us;
    std::vector<unsigned> modes;
    std::vector<double> by_modes_us;  // of a batch of 64
};
SpeedCurves speedCurves(const hem_Garment* garment, const BodyMotion& motion);

}  // namespace hem
