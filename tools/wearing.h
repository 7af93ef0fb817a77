// SPDX-License-Identifier: Apache-2.0
// A packed garment on a moving character, as `play` and `export` are asked for one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/character/root.h"
#include "hem/runtime/hem.h"
#include "tools/verbs.h"

namespace hem::tools {

struct WearingOptions {
    std::string file, on = "female", motion;
    double rate = 30, dial = 0;

    // --motion, --on, --rate and --dial.
    void addTo(CLI::App* verb);
};

struct Wearing {
    std::vector<std::byte> bytes;  // of the file
    const hem_Garment* garment = nullptr;
    Character character;
    Motion motion;  // on the character's skeleton, at the rate asked for
    HipJoints hips{};
};

// Says on stderr that the character is not the one that the file names, as cloth does not fit another;
// by their names, for a character of one's own may have the same joints.
void remarkOnCharacter(const hem_Garment* garment, const std::string& file,
                       const Character& character, const Common& common);

// Fails where the character is not the one that the garment was trained on, by its joints.
Result<Wearing> loadWearing(const WearingOptions& options);

}  // namespace hem::tools
