// SPDX-License-Identifier: Apache-2.0
// A garment of Model N as the bytes of a .hem file, kind kNeuralKind (hem/runtime/format.h).
#pragma once

#include "hem/models/neural/model.h"
#include "hem/pack/pack.h"

namespace hem {

// `garment`: rest positions and triangles. `skin`: how the joints carry it; its
// joint_from_rest are not looked at, the engine's matrices have them. `frames`: latent offsets of
// training, modes by any number, that bound the encoding's error. Fails as pack() does, and where
// more joints carry the garment than format.h allows.
Result<std::vector<std::byte>> pack(const Character& character, const Mesh& garment,
                                    const Skin& skin, const NeuralModel& model,
                                    const MatrixF& frames, const PackOptions& options = {});

}  // namespace hem
