// SPDX-License-Identifier: Apache-2.0
// What can be said of a character before it is dressed: its size, its surface, its bones, and what
// is wrong with it and how to cure that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/character/humanoid.h"

namespace hem {

struct Problem {
    std::string what;  // a sentence
    std::string cure;  // a sentence that starts with a verb
};

struct CharacterReport {
    Vec3 size;                   // of the mesh, or of the joints where there is none; metres
    size_t welded_vertices = 0;  // places that vertices stand in
    Topology topology;           // of the welded mesh
    double volume = 0;           // cubic metres
    size_t most_weights = 0;     // of any vertex, above nought
    std::optional<Humanoid> humanoid;
    std::vector<Bone> missing_bones;  // that motion would be carried over to
    std::optional<float> arm_angle;   // degrees below the horizontal at rest, mean of both
    std::vector<Problem> problems;

    // "T pose", "A pose", "arms hanging", "arms raised"; empty where the arms are not known.
    const char* poseName() const;
};

// Cost: a weld of the mesh. `mapping` from loadMapping() where the names alone do not do.
CharacterReport inspect(const Character& character, const std::optional<Humanoid>& mapping = {});

}  // namespace hem
