// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for a garment of the user's own, an OBJ on a body of one box. What is not fuzzed
// here comes out of a release build:
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. \
//         tests/fuzz/garment_fuzz.cpp hem/garment/own_garment.cpp build/release/hem/libhem_offline.a \
//         build/release/hem/libhem_runtime.a -ltbb -lassimp -lz -o garment_fuzz
//     ./garment_fuzz -max_total_time=60 corpus/
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/garment/own_garment.h"
#include "tests/recording/toy_scene.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace hem;
    static const std::string path =
        (std::filesystem::temp_directory_path() / format("garment_fuzz_%d.obj", int(::getpid())))
            .string();
    static const Character body = toyBody();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    CHECK(writeFile(path, text).has_value());
    PinRules pins;
    if (size % 2 == 0) pins.groups = {"waist"};
    pins.by_color = size % 3 == 0;
    const auto garment = loadGarment(path, body, Fabric{}, pins);
    if (garment) CHECK(validate(*garment).has_value());
    return 0;
}
