// SPDX-License-Identifier: Apache-2.0
// What the command's verbs take as a body: a file, or the name of something built in.
#pragma once

#include <string>

#include "hem/character/by_name.h"
#include "hem/character/character.h"

namespace hem::tools {

struct Subject {
    Character character;     // a plain mesh has no joints and no skin
    float floor_height = 0;  // what it stands on

    bool isMesh() const { return character.skeleton.size() == 0; }
};

// "female" or "male", the built-in mannequin; an OBJ mesh; a GLB, glTF, VRM or FBX character; a BVH
// motion as a stick figure. A character file without a skin comes as a stick figure too.
Result<Subject> loadSubject(const std::string& input);

// The joint of that name. The message names the nearest ones.
Result<int> findJoint(const Skeleton& skeleton, const std::string& name);

}  // namespace hem::tools
