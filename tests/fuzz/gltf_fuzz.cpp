// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the glTF reader and the steps after it, in one process:
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz/gltf_fuzz.cpp \
//         hem/character/{character,humanoid,humanoid_mapping,joint_names,mirror}.cpp \
//         hem/character/{motion,skeleton,skin}.cpp \
//         hem/character/formats/{gltf_file,gltf_reader,import_motions,import_place}.cpp \
//         hem/character/formats/{import_rig,raw_scene}.cpp \
//         hem/core/{check,files,mesh,random,result,text,transform}.cpp -o gltf_fuzz
//     ./gltf_fuzz -max_total_time=60 corpus/
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "hem/character/formats/gltf_reader.h"
#include "hem/character/formats/import_rig.h"
#include "hem/core/files.h"
#include "hem/core/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace hem;
    static const std::string path =
        (std::filesystem::temp_directory_path() / format("gltf_fuzz_%d.glb", int(::getpid())))
            .string();
    std::FILE* file = std::fopen(path.c_str(), "wb");
    CHECK(file && std::fwrite(data, 1, size, file) == size);
    std::fclose(file);
    auto scene = readGltf(path);
    if (!scene || !validate(*scene)) return 0;
    Character c;
    bindAsItStands(*scene, c.notes);
    const auto rig = buildRig(*scene, c.notes);
    if (!rig) return 0;
    c.skeleton = rig->skeleton;
    if (auto motions = bakeMotions(*scene, *rig, 30, "fuzz", c.notes))
        c.motions = std::move(*motions);
    place(c, *scene, 0, false);
    return 0;
}
