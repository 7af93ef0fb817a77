// SPDX-License-Identifier: Apache-2.0
// A ClothScene as the files of a recording set, and back.
#pragma once

#include <string>
#include <vector>

#include "hem/cloth/simulator.h"

namespace hem {

struct SetFilePart {
    std::string name;  // "body/positions.npy", by the set's folder
    std::vector<std::byte> bytes;
};

inline constexpr int kRecordingVersion = 1;
inline constexpr const char* kSetFormat = "hemline recordings";

// set.json, with the checksums of the others, is the last: a folder that has it has them all.
std::vector<SetFilePart> filesOf(const ClothScene& scene);

// Reads what filesOf() wrote. Files are untrusted: sizes are checked against each other, checksums
// against set.json, and the scene that comes out is valid.
Result<ClothScene> loadSceneFiles(const std::string& folder);

// What makes the scene in `folder` another than the one in `files`, in words ("garment/garment.json
// says garments/0/fabric/density is 0.15, now it is 0.2"); empty where nothing does.
Result<std::string> sceneDifference(const std::string& folder,
                                    const std::vector<SetFilePart>& files);

}  // namespace hem
