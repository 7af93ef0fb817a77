// SPDX-License-Identifier: Apache-2.0
// Characters and motions written as GLB: binary glTF 2.0, for engines, Blender and viewers.
#pragma once

#include <string>
#include <vector>

#include "hem/character/character.h"

namespace hem {

// One node a joint in the rest pose; the mesh with normals, texture coordinates and colours where
// it has them, and a skin of one or two sets of four weights; one animation a motion, with the
// root's translation and the rotations of the joints that it moves. A character without a mesh
// gives the joints and animations alone. Motions must be on the character's joints (names and
// parents; retarget() them first): they are written beside character.motions, which are not written
// unless given here. The file passes the Khronos validator without a remark and appears whole or
// not at all; loadCharacter() gives the same back to rounding.
Status saveGlb(const std::string& path, const Character& character,
               const std::vector<Motion>& motions = {});

}  // namespace hem
