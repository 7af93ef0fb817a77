// SPDX-License-Identifier: Apache-2.0
// Runs the built `hemline` as a user does.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "hem/core/files.h"

namespace hem {

struct Outcome {
    int exit_code = -1;
    std::string out, err;

    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// `hemline ARGUMENTS`, through a shell; @ stands for the folder, which also takes what is printed.
inline Outcome runCommand(const std::filesystem::path& folder, std::string arguments) {
    for (size_t at; (at = arguments.find('@')) != arguments.npos;)
        arguments.replace(at, 1, (folder / "").string());
    const std::string out = folder / "out", err = folder / "err";
    const std::string command =
        std::string(HEM_COMMAND) + " " + arguments + " >" + out + " 2>" + err;
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << "crashed: " << command;
    return {WEXITSTATUS(status), *readTextFile(out), *readTextFile(err)};
}

}  // namespace hem
