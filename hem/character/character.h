// SPDX-License-Identifier: Apache-2.0
// Character: a skinned body, ready to be posed and dressed.
#pragma once

#include <string>
#include <vector>

#include "hem/character/motion.h"
#include "hem/character/skin.h"
#include "hem/core/mesh.h"

namespace hem {

// Metres, Y up, facing +Z in the rest pose, left along +X, soles near y = 0: importers see to that.
struct Character {
    std::string name;
    Skeleton skeleton;
    Mesh mesh;  // in the rest pose
    Skin skin;
    std::vector<Motion> motions;     // that came with the file
    std::vector<std::string> notes;  // what the importer changed or found odd, a sentence each
};

Status validate(const Character& character);

// The mesh's vertices in `pose`, by linear blend skinning.
std::vector<Vec3> posedVertices(const Character& character, const Pose& pose);
Mesh posedMesh(const Character& character, const Pose& pose);

}  // namespace hem
