// SPDX-License-Identifier: Apache-2.0
// PointCache: the positions of a mesh over time, in the files that 3D packages exchange.
//
// Both formats hold positions alone, 32-bit floats, in whatever unit and axes the program that
// wrote them has. Readers take files from anywhere: a header that does not agree with the file's
// size, or numbers that are not finite, is an error that names the place.
//
//     PC2 (3ds Max, Blender, Maya, Houdini), little-endian:
//       char[12] "POINTCACHE2\0", i32 version 1, i32 vertices, f32 start (frames),
//       f32 sampling (frames per sample), i32 samples, f32[3] per vertex per sample
//     MDD (LightWave, Blender, Modo, Houdini), big-endian:
//       i32 samples, i32 vertices, f32 time per sample (seconds), f32[3] per vertex per sample
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hem/core/result.h"
#include "hem/core/vec.h"

namespace hem {

struct PointCache {
    double rate = 30;  // samples a second
    double start = 0;  // of the first sample: frames for PC2, seconds for MDD
    size_t vertices = 0;
    std::vector<Vec3> positions;  // samples by vertices

    size_t samples() const { return vertices ? positions.size() / vertices : 0; }
};

// PC2 stores no rate but frames per sample: `frames_per_second` makes it one.
Result<PointCache> loadPc2(const std::string& path, double frames_per_second = 30);
// One sample a frame; the rate is lost, as the format has no place for it.
Status savePc2(const std::string& path, const PointCache& cache);

// MDD stores the time of every sample; they must be evenly spaced. A rate within 0.01 % of a whole
// number is that number: times are floats. A single sample has no rate: it stays 30.
Result<PointCache> loadMdd(const std::string& path);
Status saveMdd(const std::string& path, const PointCache& cache);

// The same from and to bytes; `name` stands in messages. Writers need at least one vertex and one
// sample, and counts below 2^31.
Result<PointCache> parsePc2(std::span<const std::byte> bytes, const std::string& name,
                            double frames_per_second = 30);
Result<PointCache> parseMdd(std::span<const std::byte> bytes, const std::string& name);
std::vector<std::byte> pc2Bytes(const PointCache& cache);
std::vector<std::byte> mddBytes(const PointCache& cache);

}  // namespace hem
