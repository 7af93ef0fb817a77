// SPDX-License-Identifier: Apache-2.0
// Files: read whole, written whole. A reader never sees half a file: writes go to a temporary name
// in the same folder, are flushed to the disk and renamed over the target.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hem/core/result.h"

namespace hem {

Result<std::vector<std::byte>> readFile(const std::string& path);
Result<std::string> readTextFile(const std::string& path);

// Parent folders must exist. On failure the old file, if any, is untouched and nothing is left
// behind.
Status writeFile(const std::string& path, std::span<const std::byte> bytes);
Status writeFile(const std::string& path, std::string_view text);

// Makes the folder and its parents; succeeds when it is there already.
Status makeFolders(const std::string& path);

// The files of a folder whose names end in `suffix`, sorted by name; not its subfolders'.
Result<std::vector<std::string>> listFiles(const std::string& folder, std::string_view suffix);

// "walk" from "clips/walk.bvh"; "bvh" likewise, in lower case.
std::string stemOf(const std::string& path);
std::string extensionOf(const std::string& path);

}  // namespace hem
