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
    std::string html;           // a report to write, or none
    bool push_out = true;       // in its pictures
};
void addPoseOptions(CLI::App& verb, PoseArguments& arguments);

// The exit code.
int evaluateOnPoses(const std::string& file, const std::string& folder,
                    const PoseArguments& arguments, const Common& common);

}  // namespace hem::tools
