// SPDX-License-Identifier: Apache-2.0
// Sets of poses that are made in a second: a skirt of few vertices, hardly brought to rest.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/files.h"
#include "hem/garment/made_to_measure.h"
#include "hem/poses/make_pose_set.h"

namespace hem {

inline const ClothScene& smallScene() {
    static const ClothScene scene = [] {
        ClothScene made;
        made.character = mannequin(Sex::kFemale);
        made.garments.push_back(makeGarment(made.character, "skirt", {.vertices = 180}).value());
        made.substeps = 4;
        return made;
    }();
    return scene;
}

inline PoseSetOptions quickly(size_t count) {
    PoseSetOptions options;
    options.count = count;
    options.settle = {.way_frames = 2, .least_frames = 1, .most_frames = 2};
    return options;
}

// Every file by its name.
inline std::map<std::string, std::vector<std::byte>> bytesOf(const std::string& folder) {
    std::map<std::string, std::vector<std::byte>> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            files[std::filesystem::relative(entry.path(), folder).string()] =
                readFile(entry.path().string()).value();
    return files;
}

// The names of files that are not the same in both.
inline std::string differences(const std::string& a, const std::string& b) {
    std::string result;
    const auto left = bytesOf(a), right = bytesOf(b);
    for (const auto& [name, bytes] : left)
        if (!right.contains(name) || right.at(name) != bytes) result += name + " ";
    for (const auto& [name, bytes] : right)
        if (!left.contains(name)) result += name + " ";
    return result;
}

}  // namespace hem
