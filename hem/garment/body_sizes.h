// SPDX-License-Identifier: Apache-2.0
// BodySizes: what a tailor's tape finds on a humanoid body in its rest pose.
//
// Limbs are told from the trunk by the skin's weights. Lengths in metres; heights are world y. Only
// the left side is kept: garments are cut alike for both sides, about the plane x = middle.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "hem/character/character.h"
#include "hem/character/humanoid.h"

namespace hem {

enum class BodyPart : uint8_t { kTrunk, kNeck, kHead, kArm, kLeg };

struct BodySizes {
    Mesh skin;                    // the body, split vertices merged
    std::vector<BodyPart> parts;  // per vertex of it: whose weights are largest

    float middle = 0;  // x of the plane of symmetry
    float floor = 0;   // lowest point
    float height = 0;  // of the whole body
    // Heights above y = 0, from the top.
    float crown = 0;     // the highest point
    float neck = 0;      // where the neck is thinnest
    float shoulder = 0;  // top of the shoulder, over its joint
    float armpit = 0, bust = 0, waist = 0, hips = 0;
    float crotch = 0, knee = 0, ankle = 0;
    // The left arm's and leg's joints.
    Vec3 shoulder_joint, elbow, wrist, hip_joint, knee_joint, ankle_joint;
    Vec3 neck_centre;                                          // at height `neck`
    float neck_half_width = 0, neck_front = 0, neck_back = 0;  // from neck_centre
    // Tape around trunk and limbs.
    float bust_girth = 0, waist_girth = 0, hip_girth = 0, neck_girth = 0, thigh_girth = 0;
    // The middle of the left arm from shoulder over elbow to wrist, and how far the skin is from it
    // there at most.
    std::array<Vec3, 3> sleeve_line;
    float upper_arm_radius = 0, elbow_radius = 0, wrist_radius = 0;

    bool partIs(uint32_t triangle, BodyPart part) const;  // of two corners at least
    bool isAboveNeck(uint32_t triangle) const;            // and of the head or the neck
    // 1 for a body of 1.70 m.
    float scale() const { return height / 1.7f; }
};

// Fails on a body that is not a recognisable humanoid or has no skin, with the reason.
Result<BodySizes> measureSizes(const Character& character);

// The height of the skin's top at `x` (from the middle) over the shoulder; -1e9: there is none.
float topOfShoulder(const BodySizes& body, float x);

}  // namespace hem
