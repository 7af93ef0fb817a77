// SPDX-License-Identifier: Apache-2.0
// SCENE.toml: who wears what, and which motions are recorded. docs/simulate.md is its manual.
//
//     character = "female"               # or a GLB, glTF, VRM or FBX file
//     clips = ["train", "walk.bvh"]      # built-in sets and clips; files, globs
//     mirror = false                     # every clip also with left and right exchanged
//     variations = 0                     # every clip also changed so many times (vary.h)
//     rate = 30
//     stops = 5                          # per clip, evenly spread; 0 by default
//     stop_seconds = 3
//     simulator = "hemline"              # or "blender"
//     substeps = 0                       # a frame; 0: the simulator's own choice
//     gravity = [0, -9.81, 0]
//     wind = { velocity = [2, 0, 0], gusts = 0.3, seed = 1 }
//
//     [[garment]]                        # inner first
//     kind = "dress"                     # built in; or file = "cape.obj"
//     name = "dress"                     # the kind's or the file's by default
//     vertices = 766                     # of a built-in one
//     fabric = "cotton"                  # or { base = "cotton", density = 0.2, bend = 2e-5, ... }
//     pins = { groups = ["waist"], near_joints = ["Hips"], near_distance = 0.02, by_color = false,
//              openings = ["top"], strength = 1 }            # of a file
//     ease = 0.005                       # metres from the skin that a file is let out to
//
// Paths are by the scene file's folder.
#pragma once

#include <optional>
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
    std::vector<size_t> own_garments;  // which of the scene's came from files
    std::string text;                  // the file's
};

// What the command line says instead of the file.
struct SceneOverrides {
    std::vector<std::string> clips;  // by the current folder; empty: the file's
    std::optional<int> stops;
    std::optional<std::string> simulator;
};

// Makes the garments and the motions, on all cores: seconds for a set. Errors name the file, the
// line and the key; unknown keys are errors, with the nearest known one.
Result<SceneFile> loadScene(const std::string& path, const SceneOverrides& overrides = {});
// `path` stands in messages, and its folder is where files are looked for.
Result<SceneFile> parseScene(std::string_view text, const std::string& path,
                             const SceneOverrides& overrides = {});

}  // namespace hem
