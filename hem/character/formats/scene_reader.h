// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hem/character/formats/raw_scene.h"

namespace hem {

// Reads a .glb, .gltf or .fbx file in a child process under limits (child_process.h) and validates
// what it sends back. Errors do not name the file: the caller does.
Result<RawScene> readScene(const std::string& path);

}  // namespace hem
