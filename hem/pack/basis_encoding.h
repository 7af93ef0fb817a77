// SPDX-License-Identifier: Apache-2.0
// The basis as kBasis stores it (hem/runtime/format.h), and what the encoding costs.
//
// kMixed is the 2013 paper's mix: the modes that move the cloth most in 16 bits, the others in 8.
// As few wide modes are chosen as keep the largest error of any vertex over the given frames within
// the tolerance.
#pragma once

#include <vector>

#include "hem/core/matrix.h"
#include "hem/core/result.h"
#include "hem/pack/mirror.h"
#include "hem/pack/pack.h"

namespace hem {

// One section's: all modes, or the even or the odd ones of a mirror.
struct EncodedBasis {
    BasisEncoding encoding = BasisEncoding::kFloat32;
    int wide_modes = 0;
    VectorF scale;                // modes
    float largest_error_um = 0;   // of any vertex over the frames, all modes together
    std::vector<std::byte> data;  // panel after panel
};

// `basis`: 3 * vertices by modes. `frames`: modes by any number.
Result<EncodedBasis> encodeBasis(const MatrixF& basis, const MatrixF& frames,
                                 BasisEncoding encoding, float tolerance_um);
// The same of a basis that is mirrored() exactly, as its even and its odd modes, for the left
// vertices alone; where `mirror` is null, the basis as it is.
Result<std::vector<EncodedBasis>> encodeBases(const MatrixF& basis, const MatrixF& frames,
                                              BasisEncoding encoding, float tolerance_um,
                                              const Mirror* mirror);

}  // namespace hem
