// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hem/runtime/garment.h"

namespace hem::runtime {

// Area-weighted unit normals of one wearer's vertices; {0, 1, 0} for a vertex without area around
// it. The stride counts floats from vertex to vertex, of both arrays.
void computeNormals(const Garment& garment, const float* positions, size_t stride, float* normals);

}  // namespace hem::runtime
