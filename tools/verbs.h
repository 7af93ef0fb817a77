// SPDX-License-Identifier: Apache-2.0
// The verbs of the `hemline` command: one function and one source file each.
//
// A verb's function adds its options, its help and its examples to the command line, and a callback
// that does the work and sets `common.exit_code`: 0 for success, 1 for failure, 2 for bad use.
#pragma once

#include <CLI/CLI.hpp>

#include "hem/core/result.h"

namespace hem::tools {

struct Common {
    bool json = false;   // print one JSON document on stdout and nothing else there
    bool quiet = false;  // no progress, no remarks; results and errors only
    int exit_code = 0;
};

inline constexpr int kFailure = 1, kBadUse = 2;

// Adds a verb with --json and --quiet, and `examples` at the foot of its help.
CLI::App* addVerb(CLI::App& app, Common& common, const char* name, const char* summary,
                  const char* examples);

// The message on stderr, in red on a terminal; returns the exit code to hand on.
int fail(const Error& error, int exit_code = kFailure);

void addCharacterVerb(CLI::App& app, Common& common);
void addEvaluateVerb(CLI::App& app, Common& common);
void addExportVerb(CLI::App& app, Common& common);
void addImportVerb(CLI::App& app, Common& common);
void addInfoVerb(CLI::App& app, Common& common);
void addInspectVerb(CLI::App& app, Common& common);
void addGarmentVerb(CLI::App& app, Common& common);
void addMotionsVerb(CLI::App& app, Common& common);
void addPictureVerb(CLI::App& app, Common& common);
void addPlayVerb(CLI::App& app, Common& common);
void addPosesVerb(CLI::App& app, Common& common);
void addRetargetVerb(CLI::App& app, Common& common);
void addSimulateVerb(CLI::App& app, Common& common);
void addTablesVerb(CLI::App& app, Common& common);
void addTrainVerb(CLI::App& app, Common& common);
void addViewVerb(CLI::App& app, Common& common);

}  // namespace hem::tools
