// SPDX-License-Identifier: Apache-2.0
// Recorded frames in the canonical space of the 2010 paper, section 4: R_y(-r) (x - p), the world
// about the root with its heading removed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hem/core/matrix.h"
#include "hem/core/result.h"
#include "hem/recording/recording.h"

namespace hem {

// 3 floats a vertex. The root's position is taken off before the turn, so that wandering far from
// the origin costs no more digits than the recording itself.
void canonicalPositions(std::span<const Vec3> world, const Root& root, float* out);
// 12 floats a joint, row by row: K of hem/runtime/format.h.
void canonicalJoints(std::span<const Affine> world_from_rest, const Root& root, float* out);

// Canonical cloth of all the named clips, 3 * vertices by frames, in blocks of at most `block_mib`
// (but of a frame at least): `use` is called with each, in order, and may change it. Memory is one
// block and the mapping of one clip. Fails where a clip does not open or a number is not finite,
// naming it.
Status forEachBlock(const RecordingSet& set, const std::vector<std::string>& clips,
                    size_t block_mib, const std::function<void(Eigen::Ref<MatrixF> block)>& use);

// Frames `first` to `first + block.cols()` of a recording into the columns of `block`. In parallel.
Status readCanonical(const Recording& recording, size_t first, Eigen::Ref<MatrixF> block);

}  // namespace hem
