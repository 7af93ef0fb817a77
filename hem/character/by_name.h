// SPDX-License-Identifier: Apache-2.0
// Characters and motions by what a user calls them: a file, or the name of something built in.
#pragma once

#include <string>
#include <vector>

#include "hem/character/character.h"

namespace hem {

// GLB, glTF, VRM or FBX, by the extension.
bool isCharacterFile(const std::string& path);

// "female" or "male", the built-in mannequin; or a character file.
Result<Character> characterByName(const std::string& name);

// A motion as it is made or read, on its own skeleton: a built-in one (motion_sets.h), of a BVH
// file, or the first of a character file. A calibration pose in a BVH's first frame (bvh.h) is left
// out. `character` tells which mannequin built-in motions are made on: its own joints where it is
// one.
Result<Motion> sourceMotion(const Character& character, const std::string& motion);

// The same, or the name of a motion that came with the character, on the character's skeleton.
Result<Motion> motionFor(const Character& character, const std::string& motion);

// Of all sets.
std::vector<std::string> builtInClipNames();

// `; did you mean 'a', 'b'?` with up to three of the names, nearest first; empty where none is
// near.
std::string suggestionFor(const std::string& wanted, const std::vector<std::string>& names);

}  // namespace hem
