// SPDX-License-Identifier: Apache-2.0
// The one place that calls assimp.
#pragma once

#include "hem/character/formats/raw_scene.h"

namespace hem {

// Reads FBX, ASCII or binary. Assimp may crash, hang or exhaust memory on a hostile file: call it
// in a child process only, as readScene() does. Errors do not name the file: the caller does.
Result<RawScene> readFbx(const std::string& path);

}  // namespace hem
