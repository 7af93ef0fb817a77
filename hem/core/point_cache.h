// SPDX-License-Identifier: Apache-2.0
// PointCache: the positions of a mesh over time, in the files that 3D packages exchange.
//
// PC2 (3ds Max, Blender, Maya, Houdini), little-endian; MDD (LightWave, Blender, Modo, Houdini),
// big-endian. Both hold positions alone. Readers take files from anywhere: a header that promises
// more than the file holds, or numbers that are not finite, is an error that names the place.
#pragma once

#include <string>
#include <vector>

#include "hem/core/result.h"
#include "hem/core/vec.h"

namespace hem {

struct PointCache {
    double rate = 30;   // samples a second
    double start = 0;   // of the first sample: frames for PC2, seconds for MDD
    size_t vertices = 0;
    std::vector<Vec3> positions;  // samples by vertices

    size_t samples() const { return vertices ? positions.size() / vertices : 0; }
};

// PC2 does not store a rate but samples per frame: `frames_per_second` makes it one.
Result<PointCache> loadPc2(const std::string& path, double frames_per_second = 30);
Status savePc2(const std::string& path, const PointCache& cache);
// MDD stores the time of every sample; they must be evenly spaced.
Result<PointCache> loadMdd(const std::string& path);
Status saveMdd(const std::string& path, const PointCache& cache);

}  // namespace hem
