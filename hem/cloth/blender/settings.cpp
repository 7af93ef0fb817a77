// SPDX-License-Identifier: Apache-2.0
// Fabrics in Blender's units. Blender's cloth is masses and springs: a spring along every edge that
// resists stretch, and one across every edge that resists the angle between its two faces. What
// follows finds the springs that give a mesh of even triangles a fabric's stiffness per width.
#include "hem/cloth/blender/blender.h"

namespace hem::blender {
namespace {

// Blender divides a spring's stiffness by the mean length of all edges.
double meanEdgeLength(const Mesh& mesh) {
    double sum = 0;
    const auto edges = uniqueEdges(mesh.triangles);
    for (const auto& [i, j] : edges) sum += double(distance(mesh.positions[i], mesh.positions[j]));
    return sum / double(edges.size());
}

double areaOf(const Mesh& mesh) {
    double sum = 0;
    for (const auto& [i, j, k] : mesh.triangles) {
        const Vec3 a = mesh.positions[i];
        sum += 0.5 * double(length(cross(mesh.positions[j] - a, mesh.positions[k] - a)));
    }
    return sum;
}

// Beyond this the springs are stiffer than Blender's solver converges for, and the cloth gains
// nothing: a metre of cotton stretches by 0.02 % under its own weight.
constexpr double kStiffestStretch = 3000;  // newtons a metre
constexpr double kAirDensity = 1.2;        // kilograms a cubic metre
constexpr double kTypicalSpeed = 1;        // metres a second: drag is made linear around it

}  // namespace

float groupWeightOf(float pin) { return std::sqrt(std::sqrt(pin)); }

Result<Settings> settingsFor(const ClothScene& scene, const Mesh& garment) {
    if (length(scene.wind.velocity) > 0)
        return errorf(
            "wind is not supported with Blender as the simulator: take it out of the scene, or use "
            "the built-in simulator");
    if (scene.arms_pass)
        return errorf(
            "arms_pass is not supported with Blender as the simulator: take it out of the scene, "
            "or use the built-in simulator");
    const Fabric& fabric = scene.garments[0].fabric;
    for (const Garment& other : scene.garments)
        if (other.fabric != fabric)
            return errorf(
                "%s is of %s and %s of %s: Blender simulates garments that are worn together as "
                "one "
                "piece of cloth; give them the same fabric, or use the built-in simulator",
                scene.garments[0].name.c_str(), fabric.name.c_str(), other.name.c_str(),
                other.fabric.name.c_str());
    const double edge = meanEdgeLength(garment), unit = double(kTimeUnit);
    const double vertex_area = areaOf(garment) / double(garment.positions.size());
    Settings s;
    s.gravity = scene.gravity * float(unit * unit / 0.001);
    s.time_scale = float(1 / (scene.rate * unit));
    if (scene.substeps > 0) s.quality = std::min(scene.substeps, 80);
    s.mass = float(double(fabric.density) * vertex_area);
    // Even triangles with springs k along their edges have the stiffness 2 k / sqrt(3) per width.
    const double stretch = double(fabric.stretch_warp + fabric.stretch_weft) / 2;
    const double spring = std::min(stretch, kStiffestStretch) * 0.866 * unit * unit;
    s.tension_stiffness = float(spring * edge);
    s.tension_damping = float(std::min(spring * double(fabric.stretch_damping) / unit, 50.0));
    s.pin_stiffness = std::min(s.tension_stiffness, 50.0f);
    // Hinges of stiffness 2.31 B on even triangles bend like cloth of stiffness B. Blender's hinge
    // pushes the corner opposite the edge with stiffness * 0.1 * edge / 3, at 0.866 edges'
    // distance.
    const double hinge = 2.31 * double(fabric.bend) * unit * unit;
    s.bending_stiffness = float(hinge * 3 / (0.1 * 0.866 * edge * edge));
    const double push = double(s.bending_stiffness) * 0.1 * edge;
    s.bending_damping = float(push * double(fabric.bend_damping) / unit * 3 / (0.866 * edge));
    // Blender's drag is linear in the speed and does not know the cloth's direction: half of what a
    // piece held across the wind has.
    const double drag = 0.25 * kAirDensity * double(fabric.air_drag) * vertex_area * kTypicalSpeed;
    s.air_damping = float(std::min(100 * drag * unit, 10.0));
    s.self_distance_min = std::max(fabric.thickness, 0.001f);
    s.friction = s.self_friction = std::min(100 * fabric.friction, 80.0f);
    return s;
}

}  // namespace hem::blender
