// SPDX-License-Identifier: Apache-2.0
// Where a garment is played worst, and the frames there.
#pragma once

#include <vector>

#include "hem/eval/report/report.h"

namespace hem {

struct WorstFrame {
    size_t clip = 0, frame = 0;  // `clip`: index into Score::clips
    double mean_cm = 0;
};

// The frames of largest mean error, the worst first, at least `apart` frames from each other.
std::vector<WorstFrame> worstFrames(const Score& score, size_t count, size_t apart = 30);
// The clip of largest mean error.
size_t worstClip(const Score& score);
// The frame of largest mean error in it.
size_t worstFrameOf(const ClipScore& clip);

// Frames first to first + count of the clip, played from its start; `flags` of hem_Batch.
std::vector<std::vector<Vec3>> playedFrames(const Entrant& entrant, const ClothScene& scene,
                                            const Recording& clip, size_t first, size_t count,
                                            unsigned flags);

// Distance of every vertex, centimetres.
std::vector<double> vertexErrors(std::span<const Vec3> played, std::span<const Vec3> recorded);

}  // namespace hem
