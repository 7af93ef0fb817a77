// SPDX-License-Identifier: Apache-2.0
// Free-running errors on recorded motion as the 2010 paper counts them: the mean distance of the
// vertices, in centimetres.
#pragma once

#include <functional>

#include "hem/subspace/canonical.h"
#include "hem/subspace/latent_clip.h"

namespace hem {

struct Score {
    double sum = 0, after_stop_sum = 0;
    size_t frames = 0, after_stop_frames = 0;

    double mean() const { return 100 * sum / double(frames); }
    double afterStops() const { return 100 * after_stop_sum / double(after_stop_frames); }
};

// Sum over frames first to end of the mean vertex distance, metres.
inline double sumOfDistances(const Recording& recording, size_t recorded, const Subspace& subspace,
                             const MatrixF& y) {
    MatrixF truth(subspace.mean.size(), y.cols());
    if (!readCanonical(recording, recorded, truth)) return 1e9;
    truth -= (subspace.basis * y).colwise() + subspace.mean;
    double sum = 0;
    for (auto frame : truth.colwise())
        sum += double(frame.reshaped(3, frame.size() / 3).colwise().norm().mean());
    return sum;
}

// `play` gives y of every frame of a clip. Stops are played with their run-up and count 30 frames.
inline Score scoreOf(const RecordingSet& set, const Subspace& subspace,
                     const std::vector<LatentClip>& clips,
                     const std::function<MatrixF(const LatentClip&)>& play) {
    Score score;
    const LatentClip* of = nullptr;
    for (const LatentClip& clip : clips) {
        if (!clip.is_stop) {
            of = &clip;
            score.sum += sumOfDistances(*set.clip(clip.name), 0, subspace, play(clip));
            score.frames += clip.frames();
        } else {
            const MatrixF y = play(withRunUp(*of, clip));
            const auto first = Eigen::Index(clip.stop_frame) + 1;
            score.after_stop_sum +=
                sumOfDistances(*set.clip(clip.name), 1, subspace, y.middleCols(first, 30));
            score.after_stop_frames += 30;
        }
    }
    return score;
}

}  // namespace hem
