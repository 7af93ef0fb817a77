// SPDX-License-Identifier: Apache-2.0
// Stick figures: a body for a skeleton that has none, to look at a motion before there is a
// character.
#pragma once

#include "hem/character/character.h"

namespace hem {

// A rigid skin of tapered bones from each joint to its children, with balls at the joints. Bones to
// the left are bluish, to the right reddish (by their names), so that a mirrored motion shows.
Character stickFigure(const Skeleton& skeleton, std::string name);

}  // namespace hem
