// SPDX-License-Identifier: Apache-2.0
// SCENE.toml: who wears what, and which motions are recorded. docs/simulate.md is its manual.
//
//     character = "female"               # or a GLB, glTF, VRM or FBX file, by the scene file's folder
//     clips = ["train", "walk.bvh"]      # sets, clips and extra_... that are built in; files, globs
//     rate = 30
//     stops = 5                          # per clip, evenly spread; 0 by default
//     stop_seconds = 3
//     simulator = "hemline"              # or "blender"
//     wind = { velocity = [2, 0, 0], gusts = 0.3 }
//
//     [[garment]]                        # inner first
//     kind = "dress"                     # built in; or file = "cape.obj"
//     vertices = 766
//     fabric = "cotton"                  # or a table of numbers, on top of a named one
//     pins = { groups = ["waist"], near_joints = ["Hips"], near_distance = 0.02, by_color = false }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hem/cloth/simulator.h"

namespace hem {

struct SceneFile {
    ClothScene scene;
    std::vector<Motion> motions;  // on the character's skeleton, at the scene's rate
    int stops = 0;
    double stop_seconds = 3;
    std::string simulator = "hemline";
    std::string text;  // the file's
};

// Errors name the file, the line and the key; unknown keys are errors, with the nearest known one.
Result<SceneFile> loadScene(const std::string& path);
Result<SceneFile> parseScene(std::string_view text, const std::string& path);

}  // namespace hem
