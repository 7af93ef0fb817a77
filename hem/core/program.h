// SPDX-License-Identifier: Apache-2.0
// runProgram: another program, run to its end while its output is followed line by line.
//
//     const auto end = runProgram({.path = "/usr/bin/blender", .arguments = {"--version"}},
//                                 [](std::string_view line) { return true; });
//
// The program never outlives the caller: it is killed with all that it started when `on_line` says
// so, when it falls silent for too long, and by the kernel when the calling thread ends (Ctrl-C,
// kill -9).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hem/core/result.h"

namespace hem {

struct ProgramCall {
    std::string path;                      // of the program; not searched for
    std::vector<std::string> arguments;    // without the program's own name
    std::vector<std::string> environment;  // "NAME=value", on top of the caller's
    std::string log_path;                  // gets stdout and stderr as they come; empty: dropped
    int silence_seconds = 300;             // without a line of output, after which it is killed
};

struct ProgramEnd {
    int exit_code = 0;         // where signal is 0
    int signal = 0;            // that ended it; 0 where it ended by itself
    bool stopped = false;      // on_line returned false
    bool went_silent = false;  // killed after silence_seconds
    double cpu_seconds = 0;    // of the program and what it waited for

    bool succeeded() const { return exit_code == 0 && signal == 0 && !went_silent; }
    // "exit code 3", "killed by SIGSEGV ...", "silent for 300 s"; for messages.
    std::string text;
};

// Lines of stdout and stderr together, without their ends; long ones are cut at 4096 bytes.
// Returning false kills the program. Fails only where the program cannot be started or the log not
// be written; how it ended is in the result. stdin is empty.
Result<ProgramEnd> runProgram(const ProgramCall& call,
                              const std::function<bool(std::string_view line)>& on_line);

// The path of the program `name` by the search path PATH, as a shell finds it; empty where there is
// none. A name with a slash is a path already, and given back where it can be run.
std::string findProgram(const std::string& name);

}  // namespace hem
