// SPDX-License-Identifier: Apache-2.0
// A packed garment, played, as a GLB that any engine shows without a plug-in: the mean is the mesh,
// the modes are its morph targets, and the player's latent weights are the animation.
//
//     vertex in the world = node (mean + sum_m weight_m mode_m)
//
// The node is the canonical frame: the root's position and heading. So at every key of the
// animation the vertices are the player's, to float rounding; between keys they are interpolated.
// HEM_PUSH_OUT moves vertices one by one, outside the modes: the file is without it.
//
// Model N's offsets come after the joints have carried the garment, and glTF's morph targets before
// its skins: no target can be one of its modes. Its targets are modes of the played motion itself
// (baked_shapes.h), so many that no vertex at any key is further from the player's than a
// tolerance.
//
// Normals. A morph target's normals add up linearly, which those of cloth do not. Targets hold what
// comes nearest over the played frames, by least squares; GarmentGlb tells how near that is.
#pragma once

#include <string>
#include <vector>

#include "hem/character/formats/glb_export.h"
#include "hem/character/root.h"
#include "hem/core/matrix.h"
#include "hem/runtime/hem.h"

namespace hem {

struct GarmentGlbOptions {
    std::string name = "garment";
    int modes = 0;  // the first so many of the garment's; 0: all. Of Model N: at most so many
    double tolerance = 5e-4;  // metres, of Model N
    float dial = 0;           // of hem_Batch
    bool body = true;         // the character, skinned and moving, beside the garment
    // The body's triangles too that the garment always hides, by what the file says of them. With
    // them skin shows through where the played cloth is a little inside the body.
    bool hidden = false;
    std::string extras_json;
};

struct GarmentGlb {
    MorphMesh mesh;
    // Degrees between the file's normals and those of the played vertices, over all frames.
    double normal_error_mean = 0, normal_error_p95 = 0;
    // Metres from the player's vertices at the keys, at most. Of Model N; of others that is rounding,
    // and 0 here.
    double largest_error = 0;
};

// Plays `motion` (on the character's skeleton, which is the one that the garment was trained on) at
// its own rate.
GarmentGlb playAsMorphMesh(const hem_Garment* garment, const Character& character,
                           const Motion& motion, const HipJoints& hips,
                           const GarmentGlbOptions& options = {});

// Plays and writes. The result is what was written.
Result<GarmentGlb> saveGarmentGlb(const std::string& path, const hem_Garment* garment,
                                  const Character& character, const Motion& motion,
                                  const GarmentGlbOptions& options = {});

// A mesh for drawing: a vertex for every pair of the garment's vertices and texture coordinates
// that occurs, in order of the garment's vertices. Without texture coordinates, the garment's own.
struct DrawnMesh {
    std::vector<uint32_t> player_vertices;
    std::vector<Vec2> uvs;  // empty, or one a vertex
    std::vector<Triangle> triangles;
};
DrawnMesh drawnMeshOf(const hem_Garment* garment);

}  // namespace hem
