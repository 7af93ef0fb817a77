// SPDX-License-Identifier: Apache-2.0
// The built-in mannequin: a closed, skinned body made in code, in a female and a male variant.
//
// About 5,000 vertices and 27 joints with CMU names; proportions after published body measurements
// (mannequin_skeleton.cpp has the table). The rest pose is an A pose, all joints' rest rotations
// are identity, the mesh is exactly symmetric about x = 0. The same bits on every machine: tests
// pin its hash.
#pragma once

#include "hem/character/character.h"

namespace hem {

enum class Sex { kFemale, kMale };

// "female" or "male".
const char* nameOf(Sex sex);

// Cheap: the joints alone, which is what motions are made on.
Skeleton mannequinSkeleton(Sex sex);
// The whole body. Made on the first call in a process, then copied.
Character mannequin(Sex sex);

}  // namespace hem
