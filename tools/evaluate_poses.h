// SPDX-License-Identifier: Apache-2.0
// `hemline evaluate` on a pose set.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "hem/eval/evaluate_poses.h"
#include "tools/verbs.h"

namespace hem::tools {

struct PoseArguments {
    std::string part = "test";  // or training, validation
    std::string per_vertex;     // an .npy file to write, or none
};
void addPoseOptions(CLI::App& verb, PoseArguments& arguments);

nlohmann::ordered_json scoreJson(const PoseScore& score);

// The exit code.
int evaluateOnPoses(const std::string& file, const std::string& folder,
                    const PoseArguments& arguments, const Common& common);

}  // namespace hem::tools
