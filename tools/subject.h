// SPDX-License-Identifier: Apache-2.0
// What the command's verbs take as a body: a file, or the name of something built in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hem/character/by_name.h"
#include "hem/character/character.h"
#include "hem/picture/render.h"
#include "hem/recording/recording.h"

namespace hem::tools {

struct Subject {
    Character character;     // a plain mesh has no joints and no skin
    float floor_height = 0;  // what it stands on
    // Of a recorded clip: its cloth, and what it is worn as. The character's only motion is the
    // clip's, its frames those of the recording.
    std::optional<Recording> recording;
    std::vector<Garment> garments;

    bool isMesh() const { return character.skeleton.size() == 0; }
};

// The garments as they were recorded at that frame, each in a colour of its own; or, all together,
// in the colours given (one per vertex of the recording).
std::vector<SceneObject> recordedCloth(const Subject& subject, size_t frame,
                                       const std::vector<Vec3>& colors, bool wire);

// "female" or "male", the built-in mannequin; an OBJ mesh; a GLB, glTF, VRM or FBX character; a BVH
// motion as a stick figure; the folder of a recorded clip. A character file without a skin comes as
// a stick figure too.
Result<Subject> loadSubject(const std::string& input);

// The joint of that name. The message names the nearest ones.
Result<int> findJoint(const Skeleton& skeleton, const std::string& name);

}  // namespace hem::tools
