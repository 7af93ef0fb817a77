// SPDX-License-Identifier: Apache-2.0
// Soles: the points of each foot, and of the rest of a body, that may touch the floor.
#pragma once

#include "hem/character/character.h"
#include "hem/character/retarget/standing.h"

namespace hem {

// Per joint: 1 for `root` and all below it; none where `root` is -1.
std::vector<uint8_t> subtree(const Skeleton& skeleton, int root);

// A point that goes along rigidly with a joint.
struct SolePoint {
    int joint;
    Vec3 in_joint;
};

struct Sole {
    std::vector<SolePoint> points;
    float rest_height = 0;  // world height of the lowest point in the standing pose
};

// From the skeleton alone: heel, ball and tip of the toes on the floor of the standing pose, by the
// proportions of a foot (the heel 35 % of the distance from ankle to ball behind the ankle, the tip
// 50 % ahead of the ball, 15 % to either side).
std::array<Sole, 2> solesOf(const Skeleton& skeleton, const Humanoid& humanoid);
// From the mesh: of the vertices that follow the foot, those that are lowest when it is tilted (up
// to 90 degrees, any way), each taken to follow the foot or the toe joint alone, whichever carries
// it more.
std::array<Sole, 2> solesOf(const Character& character, const Humanoid& humanoid);

// The lowest point's height; `world` has one transform per joint.
float lowestHeight(const Sole& sole, const std::vector<Transform>& world);

// The points of the rest of the body that may touch the floor: of the vertices that follow a joint
// most, those that are furthest out in some direction. From the skeleton alone: the joints, as
// balls of 3 cm, and the tips of the hands.
std::vector<SolePoint> bodyPointsOf(const Character& character, const Humanoid& humanoid);
std::vector<SolePoint> bodyPointsOf(const Skeleton& skeleton, const Humanoid& humanoid);
float lowestHeight(const std::vector<SolePoint>& points, const std::vector<Transform>& world);

// The vertices of each foot with their own skin, to be skinned exactly.
struct FootMesh {
    std::vector<Vec3> rest;
    Skin skin;
};
std::array<FootMesh, 2> footMeshesOf(const Character& character, const Humanoid& humanoid);
float lowestHeight(const FootMesh& foot, const Affine* skinning_matrices);

}  // namespace hem
