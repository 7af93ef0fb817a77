// SPDX-License-Identifier: Apache-2.0
// The measures of the mannequin's flesh: where each outline runs, in metres. Not for users of the
// library.
#pragma once

#include <vector>

#include "hem/character/mannequin/mannequin.h"
#include "hem/character/mannequin/mannequin_shapes.h"

namespace hem::mannequin_parts {

struct SoftEllipsoid {
    Ellipsoid shape;
    double fillet;  // of the smooth union with the rest
};

// Only the left side is given: what lies off the middle is mirrored. Upright lofts (trunk, neck,
// head, leg) have s = the height above the floor, u = x and v = z.
struct BodyTable {
    std::vector<Station> trunk;  // fork to shoulders
    double trunk_cap_low, trunk_cap_high;
    // The shoulder girdle, along +x from the middle to the shoulder; u = y, v = z.
    std::vector<Station> yoke;
    double yoke_cap;
    std::vector<Station> neck;
    std::vector<Station> head;  // chin to where the crown begins, which is the upper cap
    double head_cap_low, head_cap_high;
    std::vector<Station> leg;   // relative to the line through hip, knee and ankle
    std::vector<Station> foot;  // s from the ankle towards the toes; u to the outside, v = height
    // s from the shoulder towards the wrist; u up and outwards, v forwards, relative to the line
    // through shoulder, elbow and wrist.
    std::vector<Station> arm;
    SoftEllipsoid deltoid;  // half axes across the arm, forwards, along the arm
    std::vector<Station>
        hand;  // s from the wrist towards the fingertips; u to the back of the hand
    std::vector<Station> thumb;  // s from the thumb's joint towards its tip
    std::vector<SoftEllipsoid> singles;
    std::vector<Bump> bumps;
};

const BodyTable& femaleTable();  // mannequin_female.cpp
const BodyTable& maleTable();    // mannequin_male.cpp

}  // namespace hem::mannequin_parts
