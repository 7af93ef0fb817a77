// SPDX-License-Identifier: Apache-2.0
// Pins: vertices that the body holds.
//
// A pinned vertex has the skin weights of the nearest point of the skin at rest, evened out among
// pinned neighbours, because skin stretches where cloth does not; and it goes where skinning with
// them takes it. A strength s below 1 draws it
// there by a spring of m kStiffest s / (1 - s), m the vertex's mass, and a damper that is critical
// for it: soft pins too do not depend on the mesh.
#pragma once

#include "hem/cloth/built_in/body_search.h"
#include "hem/cloth/built_in/cloth_mesh.h"
#include "hem/cloth/built_in/lanes.h"

namespace hem::built_in {

class Pins {
public:
    Pins(const ClothMesh& mesh, const Body& body);

    // Sets vertices of strength 1 where the joints' matrices take them.
    void place(Particles& x, const std::vector<Affine>& matrices) const;
    // Draws the others there, one implicit step.
    void pull(Particles& x, const Particles& before, const std::vector<Affine>& matrices_before,
              const std::vector<Affine>& matrices, float dt) const;

private:
    struct Pin {
        uint32_t vertex;
        float strength;
        Vec3 rest;
        Body::Carried carried;
    };
    static Vec3 target(const Pin& pin, const std::vector<Affine>& matrices);
    std::vector<Pin> firm_, soft_;
};

}  // namespace hem::built_in
