// SPDX-License-Identifier: Apache-2.0
// The clips of a scene: from names, sets, files and globs to motions on the character.
#pragma once

#include <string>
#include <vector>

#include "hem/character/character.h"

namespace hem {

// A motion to be made or read, and what its clip will be called.
struct ClipSource {
    std::string motion;  // for sourceMotion(), or of the character's own
    std::string name;
    bool mirror = false;
    int variation = 0;  // which (vary.h); 0: the motion itself
};

// "train" and the other sets give their clips, globs the files that match, in alphabetical order;
// everything else is itself. Files are looked for in `folder`. A clip is called as its motion, or
// as its file without extension. Fails on names that are not there and on two clips of one name.
Result<std::vector<ClipSource>> resolveClips(const std::vector<std::string>& clips,
                                             const std::string& folder, const Character& character);
// Each source once more, mirrored; ones that are mirrored already are left alone.
std::vector<ClipSource> withMirrored(const std::vector<ClipSource>& sources);
// Each source also in so many variations, as NAME_varied1 and on.
std::vector<ClipSource> withVariations(const std::vector<ClipSource>& sources, int variations);

// On the character's skeleton, at `rate`; on all cores.
Result<std::vector<Motion>> loadClips(const std::vector<ClipSource>& sources,
                                      const Character& character, double rate);

}  // namespace hem
