// SPDX-License-Identifier: Apache-2.0
// The garment's subspace: PCA of the cloth in the canonical space of the 2010 paper, section 4.
//
//     canonical cloth = basis * y + mean,   y = basis^T (canonical cloth - mean)
//
// The canonical space is the world about the root, its heading removed (character/root.h). Vertices
// are laid out x0 y0 z0 x1 ...: 3 rows each.
//
// Based on: Halko, Martinsson, Tropp, "Finding structure with randomness" (2011). Frames are read
// from the mapped recordings in blocks, several times over, and never held together: memory is that
// of a few blocks and of (modes + oversampling) columns, whatever the length of the recordings.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hem/core/matrix.h"
#include "hem/core/result.h"
#include "hem/recording/recording.h"

namespace hem {

struct Subspace {
    VectorF mean;      // 3 * vertices
    MatrixF basis;     // 3 * vertices by modes; columns orthonormal, largest variance first
    VectorD variance;  // per mode, square metres, summed over the vertices
    double total_variance = 0;

    size_t modes() const { return size_t(basis.cols()); }
    size_t vertices() const { return size_t(mean.size()) / 3; }
};

struct SubspaceOptions {
    int modes = 64;
    int oversampling = 24;
    int passes = 3;         // over the recordings; more come nearer to the exact PCA
    size_t block_mib = 64;  // of frames held at a time
    uint64_t seed = 1;
    std::function<void(double)> progress;  // is told the share done, 0 to 1
};

// PCA of the named clips of a set (the paper takes the clips without their stops). Fails where
// there are no frames, or fewer than modes, or a number is not finite, naming the clip.
Result<Subspace> fitSubspace(const RecordingSet& set, const std::vector<std::string>& clips,
                             const SubspaceOptions& options = {});

// Calls the function it is given with all frames, 3 * vertices by any number at a time, in an order
// that is always the same; the blocks may be written over.
using FrameBlocks = std::function<Status(const std::function<void(Eigen::Ref<MatrixF>)>&)>;
// The same of `count` frames from anywhere, which are asked for once a pass.
Result<Subspace> fitSubspace(const FrameBlocks& blocks, size_t count, size_t vertices,
                             const SubspaceOptions& options = {});

// The first `modes` columns.
Subspace truncated(const Subspace& subspace, int modes);

}  // namespace hem
