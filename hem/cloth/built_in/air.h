// SPDX-License-Identifier: Apache-2.0
// Air: drag on every triangle, and wind.
//
// A triangle of area A with normal n that the air meets at u = wind - velocity is pushed along its
// normal by rho/2 c A (|u_n| + kEddies) u_n and along its plane by kTangential of the same law. The
// constant beside |u_n| stands for what steady drag leaves out: cloth swings to and fro in the
// eddies that it has just shed itself, and the drag coefficient of a plate that oscillates grows
// as its stroke shrinks (Keulegan and Carpenter 1958), so slow swaying dies out faster than a
// square law would have it. The step is implicit in the velocity, so that the lightest cloth in the
// strongest wind stays stable.
//
// A body that moves takes the air around it along, and what hangs on it is in its lee for the most
// part: the air that the cloth meets has kCarried of the body's own velocity.
//
// Gusts: the wind's strength rises and falls as a sum of sines whose frequencies (0.1 to 1.5 Hz)
// and phases come from the seed: a function of time alone.
#pragma once

#include "hem/cloth/built_in/cloth_mesh.h"
#include "hem/cloth/built_in/constraints.h"
#include "hem/cloth/simulator.h"

namespace hem::built_in {

class Air {
public:
    static constexpr float kDensity = 1.2f;     // kilograms per cubic metre
    static constexpr float kEddies = 2.5f;      // metres a second
    static constexpr float kTangential = 0.1f;  // share of the drag across
    static constexpr float kCarried = 0.6f;     // share of the body's velocity

    Air(const ClothMesh& mesh, const Wind& wind);

    Vec3 windAt(double seconds) const;
    void apply(const Particles& x, Particles& v, Vec3 wind, float dt) const;

private:
    struct Gust {
        double frequency, phase, amplitude;
    };
    Wind wind_;
    std::vector<Gust> gusts_;
    std::vector<AirBatch> batches_;
};

}  // namespace hem::built_in
