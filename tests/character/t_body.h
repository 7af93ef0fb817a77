// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hem/character/character.h"

namespace hem {

// Both legs, feet, arms and a spine, in a T pose; a box around them all, weighted to the nearest.
inline Character tBody() {
    Character c;
    const auto add = [&](const char* name, const char* parent, Vec3 offset) {
        c.skeleton.joints.push_back(
            {name, parent ? c.skeleton.find(parent) : kNoParent, {Quat{}, offset}});
    };
    add("Hips", nullptr, {0, 1, 0});
    add("Spine", "Hips", {0, 0.2f, 0});
    add("Head", "Spine", {0, 0.4f, 0});
    for (const char* side : {"Left", "Right"}) {
        const float x = side[0] == 'L' ? 1.0f : -1.0f;
        const std::string s = side;
        add((s + "UpLeg").c_str(), "Hips", {0.1f * x, 0, 0});
        add((s + "Leg").c_str(), (s + "UpLeg").c_str(), {0, -0.45f, 0});
        add((s + "Foot").c_str(), (s + "Leg").c_str(), {0, -0.45f, 0});
        add((s + "Arm").c_str(), "Spine", {0.2f * x, 0.2f, 0});
        add((s + "ForeArm").c_str(), (s + "Arm").c_str(), {0.3f * x, 0, 0});
        add((s + "Hand").c_str(), (s + "ForeArm").c_str(), {0.25f * x, 0, 0});
    }
    for (float x : {-0.9f, 0.9f})
        for (float y : {0.0f, 1.8f})
            for (float z : {-0.1f, 0.2f}) c.mesh.positions.push_back({x, y, z});
    c.mesh.triangles = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                        {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    std::vector<std::vector<Influence>> weights;
    for (int v = 0; v < 8; ++v) weights.push_back({{v % 3, 0.5f}, {3, 0.5f}});
    c.skin = makeSkin(weights, inverseRestMatrices(c.skeleton));
    return c;
}

}  // namespace hem
