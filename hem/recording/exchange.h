// SPDX-License-Identifier: Apache-2.0
// Exchange with other programs: point caches and OBJ sequences made into clips, and back.
#pragma once

#include <string>
#include <vector>

#include "hem/core/point_cache.h"
#include "hem/recording/recording.h"

namespace hem {

// What another program means by its numbers. Maya and Marvelous Designer: centimetres, Y up;
// Houdini: metres, Y up; Blender: metres, Z up; 3ds Max: often inches or centimetres, Z up.
struct Units {
    double metres_per_unit = 1;
    bool z_up = false;  // x stays, z is up, y points away from where a body faces

    Vec3 toMetres(Vec3 p) const;
    Vec3 fromMetres(Vec3 p) const;
};

// A .pc2 or .mdd file, or OBJ files in the order of the numbers in their names: a folder of them or
// a glob ("frames/dress_*.obj"). `rate` is that of PC2 and OBJ, which store none; 0 for 30. An MDD
// has its own, and another `rate` is an error. Numbers stay as they are in the files.
Result<PointCache> loadCache(const std::string& path, double rate = 0);

// A garment as another program simulated it: the OBJ's vertices in its order and number, held
// nowhere, of no known fabric; only its positions are of use for re-simulation.
Result<Garment> loadForeignGarment(const std::string& path, const Units& units);

struct ImportOptions {
    std::string name;        // of the clip
    std::string source;      // for RecordingMeta::simulator: "imported from " and this
    size_t start_frame = 0;  // of the motion, that the first sample belongs to
    Units units;
};
// The cache as a clip of `scene`, with the body moving by `motion` (on the scene's skeleton, at the
// scene's rate). Velocities are central differences of the positions, one-sided at both ends.
// Fails, with both numbers and what to try, where the vertices are not as many as the scene's
// garments have, the motion is too short, the rates differ, or the cloth at its first frame is
// nowhere near the body, as with a wrong unit or axis, or not of the garments' size within a
// factor of two.
Result<RecordedClip> importedClip(const ClothScene& scene, const PointCache& cache,
                                  const Motion& motion, const ImportOptions& options);

// The cloth of a recording in the units of another program; starts at frame 0.
PointCache cacheOf(const Recording& recording, const Units& units);
// The skinned body of it, likewise.
PointCache bodyCacheOf(const Recording& recording, const Character& body, const Units& units);

// .pc2 or .mdd by the extension; anything else is a folder that gets frame_0000.obj, ... of `mesh`.
Status saveCache(const std::string& path, const PointCache& cache, const Mesh& mesh);

// All garments as one, for an OBJ that a cache belongs to.
Garment joinedGarment(const std::vector<Garment>& garments, const Units& units);

}  // namespace hem
