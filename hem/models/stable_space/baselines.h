// SPDX-License-Identifier: Apache-2.0
// What the 2010 paper argues against: answers to the same question without dynamics.
#pragma once

#include "hem/core/mesh.h"
#include "hem/subspace/body_subspace.h"

namespace hem {

// Nearest neighbour and kernel regression (section 5.1): y of the training frames whose bodies are
// nearest, by the distance of body latents, which is that of the bodies' vertices. Memory and time
// grow with the training set: they answer by comparing with every frame of it.
class Neighbours {
public:
    // Of all frames of the clips given.
    Neighbours(const BodySubspace& body, const std::vector<LatentClip>& clips);

    // y, modes by frames, of the one nearest frame.
    MatrixF nearest(const LatentClip& clip) const;
    // The mean of the `count` nearest, weighted by exp(-d^2 / (2 d_k^2)): the kernel is as wide as
    // the farthest of them, d_k, is far (Nadaraya and Watson 1964, with a variable kernel).
    MatrixF regressed(const LatentClip& clip, int count = 16) const;

private:
    MatrixF distances(const LatentClip& clip) const;

    BodySubspace body_;
    MatrixF x_, y_;  // by frames
};

// Bone skinning of the garment: each vertex follows the joints of the body point that is nearest to
// it at rest.
class GarmentSkinning {
public:
    // `garment`: at rest, on the body at rest.
    GarmentSkinning(const Character& character, const Mesh& garment);
    // One frame, with the joints' matrices from rest to where they are now.
    void skin(const Affine* matrices, Vec3* positions) const;
    const Skin& skin() const { return skin_; }

private:
    Skin skin_;
    std::vector<Vec3> rest_;
};

// The mean shape is y = 0.

}  // namespace hem
