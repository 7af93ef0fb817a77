// SPDX-License-Identifier: Apache-2.0
// The body's subspace, folded into the joint matrices.
//
// Under linear blend skinning the canonical body is linear in the canonical joint matrices, m = S
// K, so its PCA latent is too: x = basis^T (S K - mean) = from_joints K + offset, exactly. The
// player never touches the body's mesh, and neither does training: PCA of S K needs only the
// covariance of K (12 joints squared) and the Gram matrix S^T S.
#pragma once

#include "hem/character/character.h"
#include "hem/subspace/latent_clip.h"

namespace hem {

struct BodySubspace {
    MatrixF from_joints;  // modes by 12 * joints
    VectorF offset;       // modes
    VectorD variance;     // per mode, square metres, summed over the body's vertices
    double total_variance = 0;

    size_t modes() const { return size_t(from_joints.rows()); }
};

// Weighs every frame of the clips the same. Gives fewer modes than asked for where the motions have
// no more.
BodySubspace fitBodySubspace(const Character& character, const std::vector<LatentClip>& clips,
                             int modes);

}  // namespace hem
