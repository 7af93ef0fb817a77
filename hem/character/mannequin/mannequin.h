// SPDX-License-Identifier: Apache-2.0
// The built-in mannequin: a closed, skinned body made in code, in a female and a male variant.
//
// About 5,000 vertices and 27 joints with CMU names; proportions after published body measurements
// (docs/mannequin.md has the table and its sources). The rest pose is an A pose with the arms 40
// degrees off the vertical; all joints' rest rotations are identity; the soles are at y = 0. The
// mesh is exactly symmetric about x = 0, and mirrored vertices have mirrored weights, four at most.
// The same bits on every machine: tests pin its hash.
#pragma once

#include "hem/character/character.h"

namespace hem {

enum class Sex { kFemale, kMale };

// "female" or "male".
const char* nameOf(Sex sex);

// Cheap: the joints alone, which is what motions are made on.
Skeleton mannequinSkeleton(Sex sex);
// The whole body. Made on the first call in a process, which takes about a second, then copied.
Character mannequin(Sex sex);

}  // namespace hem
