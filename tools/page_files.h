// SPDX-License-Identifier: Apache-2.0
// The files of the viewer's page, embedded in the command at build time (tools/CMakeLists.txt).
#pragma once

#include <cstddef>
#include <span>

namespace hem::tools {

struct PageFile {
    const char* path;  // "/viewer.js"
    std::span<const std::byte> bytes;
};

// Empty where what it takes to make the page was not there when the command was built.
std::span<const PageFile> pageFiles();

}  // namespace hem::tools
