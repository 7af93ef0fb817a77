// SPDX-License-Identifier: Apache-2.0
// Bodies of few triangles and pieces of cloth that tests of cloth know by hand.
#pragma once

#include <utility>

#include "hem/character/character.h"
#include "hem/cloth/simulator.h"
#include "hem/core/isosurface.h"

namespace hem {

// A character of one joint, at the origin, that carries the whole mesh.
inline Character rigidCharacter(Mesh mesh) {
    Character body;
    body.name = "rigid";
    body.skeleton.joints.push_back({"Hips", kNoParent, {}});
    body.skin = makeSkin(std::vector<std::vector<Influence>>(mesh.positions.size(), {{0, 1.0f}}),
                         {Affine{}}, 1);
    body.mesh = std::move(mesh);
    return body;
}

inline Mesh sphereMesh(Vec3 centre, float radius, int cells_across = 24) {
    const float cell = 2.4f * radius / float(cells_across);
    const Grid grid{
        centre - Vec3{1, 1, 1} * (radius * 1.2f), cell, {cells_across, cells_across, cells_across}};
    Mesh mesh =
        isosurface([&](Vec3 p) { return double(distance(p, centre) - radius); }, grid, centre);
    for (Vec3& p : mesh.positions) p = centre + normalized(p - centre) * radius;
    return mesh;
}

inline Mesh joined(Mesh a, const Mesh& b) {
    const auto first = uint32_t(a.positions.size());
    a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
    for (const auto& [i, j, k] : b.triangles)
        a.triangles.push_back({first + i, first + j, first + k});
    return a;
}

// A level sheet of `columns` by `rows` squares with sides `side`, each cut in two; its first corner
// at `corner`, going along +x and +z, facing up.
inline Garment sheet(Vec3 corner, float side, int columns, int rows) {
    Garment garment;
    garment.name = "sheet";
    garment.fabric.name = "cloth";
    for (int z = 0; z <= rows; ++z) {
        for (int x = 0; x <= columns; ++x) {
            garment.mesh.positions.push_back(corner + Vec3{float(x) * side, 0, float(z) * side});
        }
    }
    const auto at = [&](int x, int z) { return uint32_t(z * (columns + 1) + x); };
    for (int z = 0; z < rows; ++z) {
        for (int x = 0; x < columns; ++x) {
            garment.mesh.triangles.push_back({at(x, z), at(x, z + 1), at(x + 1, z + 1)});
            garment.mesh.triangles.push_back({at(x, z), at(x + 1, z + 1), at(x + 1, z)});
        }
    }
    garment.pins.assign(garment.mesh.positions.size(), 0.0f);
    return garment;
}

}  // namespace hem
