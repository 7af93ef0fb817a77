// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the OBJ reader:
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz/obj_fuzz.cpp \
//         hem/core/{check,files,mesh,obj,result,text}.cpp -o obj_fuzz
//     ./obj_fuzz -max_total_time=60 corpus/
#include <cstddef>
#include <cstdint>

#include "hem/core/mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto mesh = hem::parseObj(text, "fuzz.obj");
    if (!mesh) return 0;
    for (const hem::Triangle& t : mesh->triangles)
        for (const uint32_t v : t) CHECK_LT(size_t(v), mesh->positions.size());
    return 0;
}
