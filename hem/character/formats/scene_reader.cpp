// SPDX-License-Identifier: Apache-2.0
#include "hem/character/formats/scene_reader.h"

#include "hem/character/formats/assimp_reader.h"
#include "hem/character/formats/gltf_reader.h"
#include "hem/core/child_process.h"
#include "hem/core/files.h"

namespace hem {

Result<RawScene> readScene(const std::string& path) {
    const auto bytes = runInChild([&]() -> Result<std::vector<std::byte>> {
        const auto scene = extensionOf(path) == "fbx" ? readFbx(path) : readGltf(path);
        if (!scene) return scene.error();
        return pack(*scene);
    });
    if (!bytes) return bytes.error();
    auto scene = unpack(*bytes);
    if (!scene) return scene.error();
    if (Status s = validate(*scene); !s) return s.error();
    return scene;
}

}  // namespace hem
