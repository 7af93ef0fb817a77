// SPDX-License-Identifier: Apache-2.0
// A garment that is its own mirror image, of which a file keeps one half of the vertices
// (hem/runtime/format.h, kMirror): what subspaces made by symmetric() are (hem/subspace/mirror.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hem/core/mesh.h"
#include "hem/subspace/subspace.h"

namespace hem {

struct Mirror {
    std::vector<uint32_t> left;   // the vertices that are kept, in their order
    std::vector<uint32_t> right;  // opposite each; a vertex in the middle is its own
    std::vector<uint8_t> is_odd;  // of every mode: 1 where its mirror image is its opposite
};

// None where a vertex has no partner opposite, where the mean is more than 0.01 mm from its mirror
// image, where a mode is neither its own mirror image nor the opposite of it, to a ten-thousandth of
// its length, or where all are of one sort.
std::optional<Mirror> mirrorOf(const Mesh& garment, const Subspace& subspace);

// Mean and modes made what they nearly are.
Subspace mirrored(const Subspace& subspace, const Mirror& mirror);

}  // namespace hem
