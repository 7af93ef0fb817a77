// SPDX-License-Identifier: Apache-2.0
// pack(): a learned garment as the bytes of a .hem file (hem/runtime/format.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/core/mesh.h"
#include "hem/models/stable_space/model.h"
#include "hem/pack/body_proxy.h"
#include "hem/subspace/subspace.h"

namespace hem {

enum class BasisEncoding { kFloat32, kFloat16, kMixed };

struct PackOptions {
    BasisEncoding encoding = BasisEncoding::kMixed;
    // kMixed: the largest error of any vertex that the encoding may add over `frames`, micrometres
    // (the 2013 paper's 300).
    float tolerance_um = 300;
    double rate = 30;                  // of the recordings
    std::string info_json;             // an object: what was trained on what
    const BodyProxy* body = nullptr;   // for HEM_PUSH_OUT; null: the file has none
    std::span<const Vec2> corner_uvs;  // three a triangle (Garment::corner_uvs); empty: none
    // Of a garment whose mean and modes are mirror images of themselves, keep one half: half the size
    // and nearly half the time (hem/pack/mirror.h).
    bool mirror = true;
    // A byte a triangle of the character's mesh, 1 where the garment always hides it; empty: the
    // file does not say.
    std::vector<uint8_t> hidden;
};

// `garment`: the triangles, and as many vertices as the subspace. `frames`: latent
// states of training, modes by any number, that bound the encoding's error. Fails where sizes do
// not agree, a number is not finite, a limit of format.h is passed or the hips are not found.
Result<std::vector<std::byte>> pack(const Character& character, const Mesh& garment,
                                    const Subspace& subspace, const StableSpace& model,
                                    const MatrixF& frames, const PackOptions& options = {});

}  // namespace hem
