// SPDX-License-Identifier: Apache-2.0
#include "hem/character/character.h"

namespace hem {

Status validate(const Character& character) {
    if (Status s = validate(character.skeleton); !s) return s;
    const size_t vertices = character.mesh.positions.size();
    if (Status s = validate(character.skin, vertices, character.skeleton.size()); !s) return s;
    for (size_t v = 0; v < vertices; ++v)
        if (!isFinite(character.mesh.positions[v])) return errorf("vertex %zu is not finite", v);
    for (const Triangle& t : character.mesh.triangles)
        for (uint32_t v : t)
            if (v >= vertices) return errorf("a triangle names vertex %u of %zu", v, vertices);
    return Done{};
}

std::vector<Vec3> posedVertices(const Character& character, const Pose& pose) {
    std::vector<Affine> matrices(character.skeleton.size());
    skinningMatrices(character.skeleton, pose, character.skin.joint_from_rest.data(),
                     matrices.data());
    std::vector<Vec3> positions(character.mesh.positions.size());
    skinLinear(character.skin, character.mesh.positions.data(), matrices.data(), positions.data());
    return positions;
}

Mesh posedMesh(const Character& character, const Pose& pose) {
    Mesh mesh = character.mesh;
    mesh.positions = posedVertices(character, pose);
    return mesh;
}

}  // namespace hem
