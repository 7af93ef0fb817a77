// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/solver.h"

#include <algorithm>

namespace hem::built_in {
namespace {

constexpr double kUnevenSubsteps = 40;  // a thirtieth of a second
constexpr float kFastest = 60;          // metres a second: beyond it cloth has blown up

// A substep's length follows the mesh: finer cloth has stiffer constraints, and what hangs on small
// triangles stretches them by as much as it falls in a substep.
int chooseSubsteps(const ClothScene& scene, const ClothMesh& mesh) {
    if (scene.substeps > 0) return scene.substeps;
    double per_frame = 16;
    for (const GarmentRange& g : mesh.garments) {
        const double even = std::sqrt(std::sqrt(0.04 / double(g.mean_edge)));
        per_frame = std::max(per_frame, std::min(16 * even, 28.0));
        if (g.uneven()) per_frame = std::max(per_frame, kUnevenSubsteps);
    }
    return std::max(1, int(std::lround(per_frame * 30 / scene.rate)));
}

}  // namespace

Solver::Solver(const ClothScene& scene)
    : scene_(scene),
      mesh_(makeClothMesh(scene.garments)),
      substeps_(chooseSubsteps(scene, mesh_)),
      dt_(float(1 / (scene.rate * substeps_))),
      membrane_(mesh_),
      bending_(mesh_),
      hierarchy_(mesh_),
      air_(mesh_, scene.wind),
      contact_(mesh_, scene.character, scene.arms_pass),
      self_contact_(mesh_),
      pins_(mesh_, contact_.body()),
      path_(scene.character) {
    x_.assign(mesh_.size() + kDummies, splat(0));
    v_ = before_ = x_;
}

void Solver::loadState(const ClothState& state) {
    for (uint32_t i = 0; i < mesh_.size(); ++i) {
        const float w = mesh_.pinned(i) ? 0 : 1 / mesh_.masses[i];
        x_[i] = toFloat4(state.positions[i], w);
        v_[i] = toFloat4(state.velocities[i], w);
    }
}

void Solver::substep(int number, double time, float more_damping) {
    matrices_before_.swap(matrices_);
    matrices_ = path_.matricesAt(float(number + 1) / float(substeps_));
    // slow forces, every other substep
    const bool even = number % 2 == 0;
    if (even)
        air_.apply(x_, v_, air_.windAt(time) + carried_air_,
                   float(std::min(2, substeps_ - number)) * dt_);
    const Float4 gravity = toFloat4(scene_.gravity * dt_, 0), dt4 = toFloat4({dt_, dt_, dt_}, 0);
    const float keep = 1 / (1 + more_damping * dt_);
    const Float4 keep4 = toFloat4({keep, keep, keep}, 1);
    for (size_t i = 0; i < mesh_.size(); ++i) {
        before_[i] = x_[i];
        if (x_[i][3] == 0) continue;
        v_[i] = v_[i] * keep4 + gravity;
        x_[i] += v_[i] * dt4;
    }
    pins_.place(x_, matrices_);
    // stretch after bending: what it says goes, and a strong damper of bending does not undo it
    bending_.solve(x_, before_, dt_);
    hierarchy_.solve(x_, contact_.touches());
    membrane_.solve(x_, dt_);
    hierarchy_.solveUneven(x_, contact_.touches());
    pins_.pull(x_, before_, matrices_before_, matrices_, dt_);
    self_contact_.solve(x_, before_);
    contact_.solve(x_, before_, matrices_, number);
    const Float4 rate = splat(1 / dt_);
    for (size_t i = 0; i < mesh_.size(); ++i) {
        const float w = x_[i][3];
        v_[i] = (x_[i] - before_[i]) * rate;
        v_[i][3] = w;
    }
    if (!even || number + 1 == substeps_) membrane_.damp(x_, v_, (even ? 1.0f : 2.0f) * dt_);
    self_contact_.settle(v_);
    contact_.settle(v_, dt_);
}

Status Solver::storeState(ClothState& state) const {
    for (uint32_t i = 0; i < mesh_.size(); ++i) {
        const Vec3 p = toVec3(x_[i]), v = toVec3(v_[i]);
        if (!isFinite(p) || !(length(v) < kFastest)) {
            const uint32_t g = mesh_.garment_of_vertex[i];
            return errorf(
                "%s blows up %.2f s into the motion: its vertex %u is not finite or moves faster "
                "than %.0f m/s. Look for a jump in the motion there, or give more substeps than %d",
                scene_.garments[g].name.c_str(), state.time, i - mesh_.garments[g].first_vertex,
                double(kFastest), substeps_);
        }
        state.positions[i] = p;
        state.velocities[i] = v;
    }
    return Done{};
}

Status Solver::step(ClothState& state, const Pose& from, const Pose& to, float more_damping) {
    loadState(state);
    path_.set(from, to);
    const auto seconds = float(1 / scene_.rate);
    carried_air_ = (to.root_position - from.root_position) * (Air::kCarried / seconds);
    const std::vector<Affine> at_end = path_.matricesAt(1), at_middle = path_.matricesAt(0.5f);
    matrices_ = matrices_before_ = path_.matricesAt(0);
    contact_.begin(x_, v_, matrices_, at_middle, at_end, seconds, substeps_);
    self_contact_.begin(x_, v_, seconds);
    for (int s = 0; s < substeps_; ++s)
        substep(s, state.time + double(s) / (substeps_ * scene_.rate), more_damping);
    state.time += 1 / scene_.rate;
    return storeState(state);
}

double Solver::kineticEnergy(const ClothState& state) const {
    double energy = 0, mass = 0;
    for (size_t i = 0; i < mesh_.size(); ++i) {
        if (mesh_.pinned(uint32_t(i))) continue;
        energy += 0.5 * double(mesh_.masses[i]) * double(lengthSquared(state.velocities[i]));
        mass += double(mesh_.masses[i]);
    }
    return mass > 0 ? energy / mass : 0;
}

}  // namespace hem::built_in
