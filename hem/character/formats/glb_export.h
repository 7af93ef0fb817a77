// SPDX-License-Identifier: Apache-2.0
// Characters, motions and learned garments written as GLB: binary glTF 2.0, for engines, Blender
// and viewers.
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

// A mesh that moves by morph targets: a vertex is at mesh.positions[v] plus the sum over the
// targets of weight * offsets[v], and its node carries it from there into the world. A PCA garment
// is exactly that: the mean, the modes, and the canonical frame.
struct MorphMesh {
    struct Target {
        std::string name;
        std::vector<Vec3> offsets;         // of positions, one a vertex
        std::vector<Vec3> normal_offsets;  // the same of normals
    };
    std::string name;
    Mesh mesh;                  // of positions, triangles and uvs
    std::vector<Vec3> normals;  // unit
    std::vector<Target> targets;
    // Written as the attribute _VERTEX, one a vertex: which vertex it is to the garment's player.
    // Vertices on seams of the texture are doubled, so there may be more here than there.
    std::vector<uint32_t> player_vertices;
    Vec3 base_color{0.10f, 0.16f, 0.30f};  // linear; the material is two-sided

    Transform rest;  // of the node where no animation plays
    // Of the animation, a frame each of the motion that is written with it.
    std::vector<Transform> world_from_mesh;
    std::vector<float> weights;  // frames by targets
};

// One animation of a garment and, where there is one, the character that wears it: as saveGlb()
// above, with the garment's node and weights in the same animation. `motion` gives the rate even
// where `character` is null. `extras_json`: an object, written as asset.extras; or empty.
struct WornGlb {
    const Character* character = nullptr;
    const Motion* motion = nullptr;
    const MorphMesh* garment = nullptr;
    std::string extras_json;
};
Status saveGlb(const std::string& path, const WornGlb& worn);

}  // namespace hem
