// SPDX-License-Identifier: Apache-2.0
// What a .hem file holds, back as the offline side's types: for evaluation to know what the subspace
// can reach, and for the viewer to rebuild cloth in a shader.
#pragma once

#include "hem/character/skin.h"
#include "hem/models/stable_space/model.h"
#include "hem/runtime/hem.h"
#include "hem/subspace/subspace.h"

namespace hem {

// Of Model N, whose mean and modes are offsets from the garment as the joints carry it.
bool isNeural(const hem_Garment* garment);

// How the joints carry such a garment; not of the other kinds. A vertex in the world is
//
//     skinLinear(skin, rest, matrices) + R_y(heading) (mean + sum_m y_m basis_m)
//
// with mean and basis of subspaceOf(). `skin` has at most Skin::kMaxInfluences a vertex, the largest,
// which of files made by pack() are all; joints are the skeleton's; it has no inverse bind matrices.
struct CarriedGarment {
    std::vector<Vec3> rest;
    Skin skin;
};
CarriedGarment carriedOf(const hem_Garment* garment);

// Mean and basis as the player has them, through the encoding. Variances are not in the file: 0.
Subspace subspaceOf(const hem_Garment* garment);
// What the player clamps each latent weight to, either way.
VectorF outputLimitOf(const hem_Garment* garment);

// The dynamics and everything they read, number for number as they were packed. The file's kind is
// that of its dynamics: `kind` is A, B or C after what the linear ones read, and S for the modal. Not
// of the neural kind.
StableSpace modelOf(const hem_Garment* garment);

}  // namespace hem
