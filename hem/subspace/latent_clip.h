// SPDX-License-Identifier: Apache-2.0
// What the models learn from: recorded clips as latent cloth, canonical joint matrices and roots.
#pragma once

#include <string>
#include <vector>

#include "hem/character/root.h"
#include "hem/subspace/subspace.h"

namespace hem {

struct LatentClip {
    std::string name;
    bool is_stop = false;
    std::string of;         // where is_stop: the clip that it stops,
    size_t stop_frame = 0;  // and where; frame 0 of the stop is that frame of the clip

    MatrixF cloth;  // modes by frames: y
    MatrixF
        joints;  // 12 * joints by frames: K, the skinning matrices in the canonical frame, row by
                 // row (R_y(-r) (J - p): rotated, and their translations less the root's position)
    std::vector<Root> roots;  // per frame
    // Square metres, per frame: what y leaves out, summed over the vertices.
    VectorF residual;

    size_t frames() const { return size_t(cloth.cols()); }
};

// Projects the named clips. Uses all cores; memory is that of the result and of 256 frames.
Result<std::vector<LatentClip>> projectClips(const RecordingSet& set, const Subspace& subspace,
                                             const std::vector<std::string>& clips);

// Names of the set's clips: without the stops, and all of a list with the stops of its clips after
// each.
std::vector<std::string> clipsWithoutStops(const RecordingSet& set);
std::vector<std::string> withStops(const RecordingSet& set, const std::vector<std::string>& clips);

// The first `modes` rows of y; the others go to the residual.
LatentClip truncated(const LatentClip& clip, int modes);

// A stop as it was lived: the last `run_up` frames of its clip before the stop (or what there are),
// then the stop. Not a stop itself any more; headings go on without a jump.
LatentClip withRunUp(const LatentClip& clip, const LatentClip& stop, size_t run_up = SIZE_MAX);

}  // namespace hem
