// SPDX-License-Identifier: Apache-2.0
// The one place that calls assimp, and the process that it is kept in.
#pragma once

#include "hem/character/raw_scene.h"

namespace hem {

// Reads glTF, GLB or FBX. Assimp may crash, hang or exhaust memory on a hostile file, so it runs in
// a child process under limits, and what it sends back is validated with bones resolved. Errors do
// not name the file: the caller does.
Result<RawScene> readRawScene(const std::string& path);

}  // namespace hem
