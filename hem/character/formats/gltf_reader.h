// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hem/character/formats/raw_scene.h"

namespace hem {

// The nodes, triangles, skins and animations of a .gltf or .glb file. Reads integer and sparse
// accessors, any number of weight sets, triangle strips and fans, LINEAR, STEP and CUBICSPLINE
// keys. Morph targets, materials and everything else is left out. Errors do not name the file: the
// caller does.
Result<RawScene> readGltf(const std::string& path);

}  // namespace hem
