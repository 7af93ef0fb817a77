// SPDX-License-Identifier: Apache-2.0
// meta.json of a clip, and the names and shapes of its arrays.
#pragma once

#include <array>
#include <map>
#include <string>

#include "hem/core/npy.h"
#include "hem/recording/recording.h"

namespace hem {

// The arrays of a clip in the order in which they are kept.
enum class ClipArray { kPositions, kVelocities, kJoints, kRoot, kRotations, kTimes };
inline constexpr std::array kClipArrayNames = {"positions.npy", "velocities.npy", "joints.npy",
                                               "root.npy",      "rotations.npy",  "times.npy"};
inline constexpr size_t kClipArrays = kClipArrayNames.size();

struct ClipShape {
    size_t frames = 0, vertices = 0, joints = 0;
};
NpyHeader headerOf(ClipArray array, const ClipShape& shape);

struct ClipMetaFile {
    RecordingMeta meta;
    ClipShape shape;
    std::array<std::string, kClipArrays> checksums;
};
std::string metaText(const ClipMetaFile& file);
// `name` stands for the file in messages. Safe on untrusted text.
Result<ClipMetaFile> parseMeta(std::string_view text, const std::string& name);

}  // namespace hem
