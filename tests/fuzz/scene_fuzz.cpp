// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for scene files. What is not fuzzed here comes out of a release build:
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz/scene_fuzz.cpp \
//         hem/recording/{scene_file,scene_clips,toml_table}.cpp \
//         build/release/hem/libhem_offline.a build/release/hem/libhem_runtime.a -ltbb \
//         -lassimp -lz -o scene_fuzz
//     ./scene_fuzz -max_total_time=60 corpus/
#include <cstddef>
#include <cstdint>

#include "hem/recording/scene_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto scene = hem::parseScene(text, "nowhere/fuzz.toml");
    if (scene) CHECK(!scene->scene.garments.empty());
    return 0;
}
