// SPDX-License-Identifier: Apache-2.0
// The measures of the mannequin's flesh: where each outline runs, in metres. Not for users of the library.
#pragma once

#include <vector>

#include "hem/character/mannequin.h"
#include "hem/character/mannequin_shapes.h"

namespace hem::mannequin_parts {

struct SoftEllipsoid {
    Ellipsoid shape;
    double fillet;  // of the smooth union with the rest
};

// Lofts along y have u = x, v = z and s = the height above the floor. Only the left side is given: what
// lies off the middle is mirrored.
struct BodyTable {
    std::vector<Station> trunk;  // crotch to shoulders
    double trunk_cap_low, trunk_cap_high;
    std::vector<Station> yoke;  // along +x from the middle to the shoulder; u = y, v = z; even in x
    double yoke_cap;
    std::vector<Station> neck;
    std::vector<Station> head;
    double head_cap_low, head_cap_high;
    std::vector<Station> leg;   // u = x relative to the line through hip, knee and ankle
    std::vector<Station> foot;  // s from the ankle towards the toes, u to the outside, v = height
    std::vector<Station>
        arm;  // s from the shoulder towards the wrist; u up and outwards, v forwards,
              // relative to the line through shoulder, elbow and wrist
    std::vector<Station> hand;           // s from the wrist to the fingertips
    std::vector<Station> thumb;          // s from the thumb's root to its tip
    std::vector<SoftEllipsoid> singles;  // on the middle, or evaluated for both sides
    std::vector<Bump> bumps;
};

const BodyTable& femaleTable();  // mannequin_female.cpp
const BodyTable& maleTable();    // mannequin_male.cpp

}  // namespace hem::mannequin_parts
