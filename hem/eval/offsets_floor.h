// SPDX-License-Identifier: Apache-2.0
// What a garment's subspace cannot express of a shape: the floor that no weights go below. Of the
// neural kind the subspace moves the garment as its joints carry it, of the others a fixed mean.
#pragma once

#include <span>
#include <vector>

#include "hem/core/transform.h"
#include "hem/runtime/hem.h"
#include "hem/subspace/subspace.h"

namespace hem {

class OffsetsFloor {
public:
    // The garment's bytes must outlive it.
    explicit OffsetsFloor(const hem_Garment* garment);

    // What is left of the cloth in the world, 3 numbers a vertex, canonical axes, metres. May run on
    // several threads at a time. `joints`: the skinning matrices.
    VectorF leftOf(std::span<const Affine> joints, std::span<const Vec3> cloth) const;
    // Squared lengths, summed over the vertices.
    double squareOf(std::span<const Affine> joints, std::span<const Vec3> cloth) const {
        return double(leftOf(joints, cloth).squaredNorm());
    }
    // Lengths, summed over the vertices.
    double lengthOf(std::span<const Affine> joints, std::span<const Vec3> cloth) const;

    // The cloth less what weights of nought give: what the modes are to express, in the same axes.
    VectorF offsetsOf(std::span<const Affine> joints, std::span<const Vec3> cloth) const;
    const Subspace& subspace() const { return subspace_; }

private:
    // The cloth less what the player gives; `weights`: null, or where to write the player's.
    VectorF besidePlayed(std::span<const Affine> joints, std::span<const Vec3> cloth,
                         float* weights) const;

    const hem_Garment* garment_;
    Subspace subspace_;
};

}  // namespace hem
