// SPDX-License-Identifier: Apache-2.0
// Solver: one frame of cloth, from one body pose to the next.
#pragma once

#include "hem/cloth/built_in/air.h"
#include "hem/cloth/built_in/bending.h"
#include "hem/cloth/built_in/body_contact.h"
#include "hem/cloth/built_in/hierarchy.h"
#include "hem/cloth/built_in/membrane.h"
#include "hem/cloth/built_in/pins.h"
#include "hem/cloth/built_in/pose_path.h"
#include "hem/cloth/built_in/self_contact.h"
#include "hem/cloth/simulator.h"

namespace hem::built_in {

class Solver {
public:
    explicit Solver(const ClothScene& scene);

    // `state` is moved on by one frame. `more_damping`, per second, is for coming to rest while
    // draping. Fails where cloth blows up, naming garment and vertex.
    Status step(ClothState& state, const Pose& from, const Pose& to, float more_damping = 0);

    const ClothMesh& mesh() const { return mesh_; }
    int substeps() const { return substeps_; }
    // Joules per kilogram.
    double kineticEnergy(const ClothState& state) const;

private:
    void loadState(const ClothState& state);
    void substep(int number, double time, float more_damping);
    Status storeState(ClothState& state) const;

    const ClothScene& scene_;
    ClothMesh mesh_;
    int substeps_;
    float dt_;
    Membrane membrane_;
    Bending bending_;
    Hierarchy hierarchy_;
    Air air_;
    BodyContact contact_;
    SelfContact self_contact_;
    Pins pins_;
    PosePath path_;
    std::vector<Affine> matrices_, matrices_before_;
    Vec3 carried_air_;  // by the body, this frame
    Particles x_, v_, before_;
};

}  // namespace hem::built_in
