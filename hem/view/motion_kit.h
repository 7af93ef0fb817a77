// SPDX-License-Identifier: Apache-2.0
// The motion kit: what the page needs to let somebody drive a character with keys. Loops to stand,
// walk, run and turn, and a duck and a jump, made in code on the mannequin (hem/character/motions)
// and carried over to other characters (hem/character/retarget).
//
// Travel is taken out: the character stays near the origin, facing +Z, and whoever plays the clip
// moves it along an arc at `speed` and `turn`, which puts the feet back where they stood:
//
//     heading += turn * dt;  position += speed * dt * (sin heading, 0, cos heading)
//
// Loops are one stride long and seamless: the frame after the last is the first. Gaits begin with
// the landing of the left foot, so that two of them can be blended at the same share of a stride.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hem/character/character.h"

namespace hem {

struct KitClip {
    std::string name;  // "idle", "walk", "walk_left", ...
    bool loop = false;
    double rate = 60;  // frames a second; of a loop, frames / rate is its period
    double speed = 0;  // metres a second, forwards
    double turn = 0;   // radians a second, to the left
    std::vector<Pose> frames;
    // Of a duck: the frames that are down, to be played slowly or stopped in while a key is held.
    struct Hold {
        size_t first = 0, last = 0;
    };
    std::optional<Hold> hold;
};

// idle, walk, walk_left, walk_right, run, run_left, run_right, turn_left, turn_right, duck, jump.
// Fails where the character is no humanoid that motion can be carried over to (humanoid.h). About a
// second; on the mannequin a third of one.
Result<std::vector<KitClip>> makeMotionKit(const Character& character);

// The clip played `times` over with its travel put back, from the origin on: for those who look at
// it or measure it.
Motion withTravel(const KitClip& clip, const Skeleton& skeleton, int times);

}  // namespace hem
