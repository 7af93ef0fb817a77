// SPDX-License-Identifier: Apache-2.0
// The real mocap, characters and garments that some tests use where they are present. They are not
// part of the project: a test that needs them says that it skips.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace hem {

// The folder from HEM_SHARED_DATA, or ../shared/data beside the checkout (tests run in the source
// root); empty where there is none.
inline std::string sharedData() {
    const char* named = std::getenv("HEM_SHARED_DATA");
    const std::string folder = named ? named : "../shared/data";
    return std::filesystem::is_directory(folder) ? folder : "";
}

}  // namespace hem

#define HEM_SKIP_WITHOUT_SHARED_DATA()                                                          \
    if (hem::sharedData().empty())                                                              \
    GTEST_SKIP() << "needs the real data of ../shared/data (or HEM_SHARED_DATA), which is not " \
                    "here"
