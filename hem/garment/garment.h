// SPDX-License-Identifier: Apache-2.0
// Garment: a single layer of cloth as it is put on a character in its rest pose.
//
// The mesh stands in the world around Character::mesh, outside the skin; its triangles, as they
// are, are the cloth's undeformed shape. Triangles face away from the body.
#pragma once

#include <string>
#include <vector>

#include "hem/core/mesh.h"
#include "hem/garment/fabric.h"

namespace hem {

struct Garment {
    std::string name;
    Mesh mesh;  // metres; manifold with boundary; colors unused
    // Texture coordinates per corner, three per triangle (a tube has a seam, so per vertex will not
    // do), in metres of cloth: u along the weft, v along the warp. Empty: the grain is taken to
    // hang vertically.
    std::vector<Vec2> corner_uvs;
    // Per vertex, 0 to 1: how firmly the body holds it. 0 hangs free; 1 is carried by the skin
    // under it exactly; between, it is drawn there by a spring (a waistband, a shoulder seam).
    std::vector<float> pins;
    Fabric fabric;
};

// Sizes agree, indices exist, numbers are finite, the mesh is a manifold without degenerate or
// unused parts, pins lie in 0 to 1, the fabric is valid. The message names the garment and the
// first vertex or triangle at fault.
Status validate(const Garment& garment);

// OBJ with the seams of corner_uvs.
std::string garmentObjText(const Garment& garment);
Status saveGarmentObj(const std::string& path, const Garment& garment);

}  // namespace hem
