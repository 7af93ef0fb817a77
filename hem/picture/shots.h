// SPDX-License-Identifier: Apache-2.0
// Shots: one body at several moments, taken in the same studio.
//
//     const std::vector<Shot> shots = shotsOf(hero, walk, evenTimes(0, walk.duration(), 12));
//     const Image sheet = contactSheet(renderShots(hero.mesh, shots, {.view = {90, 6}}), {});
#pragma once

#include <vector>

#include "hem/character/character.h"
#include "hem/picture/render.h"

namespace hem {

struct Shot {
    std::vector<Vec3> positions;    // of the mesh's vertices
    std::vector<Vec3> colors;       // of this shot, linear; empty: the mesh's own
    Vec3 anchor;                    // what a following camera keeps in its place (x and z of it)
    std::vector<SceneObject> worn;  // what else is there at this moment: the cloth on the body
};

struct ShotOptions {
    View view{35, 10};
    Framing framing;
    RenderOptions render;
    Material material;
    bool wire = false;
    bool follow = false;  // the camera goes along; else one camera sees all shots
    float ground_height = 0, ground_dots = 0;  // of the scene
    Vec3 background = Scene{}.background;
};

// `count` moments from first to last, both included; first alone for a count of one.
std::vector<double> evenTimes(double first, double last, int count);

// `motion` is of the character's own skeleton; moments in seconds, held at the motion's ends.
std::vector<Shot> shotsOf(const Character& character, const Motion& motion,
                          const std::vector<double>& times);
// The rest pose.
Shot restShot(const Character& character);

// One picture per shot. `mesh` gives the triangles and, for shots that have none, the colours.
std::vector<Image> renderShots(const Mesh& mesh, const std::vector<Shot>& shots,
                               const ShotOptions& options = {});

}  // namespace hem
