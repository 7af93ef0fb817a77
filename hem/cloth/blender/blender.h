// SPDX-License-Identifier: Apache-2.0
// The parts of the Blender simulator. Users of the library want makeBlenderSimulator()
// (hem/cloth/simulator.h); docs/blender.md tells how it works.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hem/cloth/simulator.h"

namespace hem::blender {

// --- Where Blender is --------------------------------------------------------------------------
struct Program {
    std::string path;
    std::string version;  // "3.4.1"
};
// HEM_BLENDER where it is set, else `blender` of the search path. The message says how to get one.
// Asks it for its version, which takes a few tenths of a second.
Result<Program> findBlender();

// --- What Blender is told about the cloth ------------------------------------------------------
// Blender's solver counts time in a unit of its own, in which gravity is 0.001 of the scene's
// figure: a frame lasts `time_scale` units. We choose the unit as 1/32 s, a power of two, so that
// velocities keep their bits both ways, and scale gravity to fit.
inline constexpr float kTimeUnit = 1.0f / 32;  // seconds

// By the names of Blender's Python interface, in its units.
struct Settings {
    Vec3 gravity;
    float time_scale = 1;
    int quality = 24, collision_quality = 4;  // solver steps a frame, contact rounds a step
    float mass = 0.3f;                        // kilograms a vertex
    float tension_stiffness = 15, tension_damping = 5;  // compression has the same
    float bending_stiffness = 0.5f, bending_damping = 0.5f;
    float air_damping = 1;
    float pin_stiffness = 1;
    float distance_min = 0.002f, self_distance_min = 0.002f;
    float thickness_outer = 0.001f;  // of the body; adds to distance_min
    float friction = 30, self_friction = 30;
};
// `garment` is all garments joined. Fails where Blender cannot do what the scene asks for: wind, or
// garments of different fabrics.
Result<Settings> settingsFor(const ClothScene& scene, const Mesh& garment);

// Blender raises the weights of a pin group to the fourth power; this undoes it.
float groupWeightOf(float pin);

// --- Blender's cache of cloth, one file a frame ------------------------------------------------
// Little-endian: "BPHYSICS", u32 2 (cloth), u32 points, u32 0x16 (what follows), then per point
// f32 x[3], v[3], xconst[3]: position, velocity in metres a time unit, and where a pin would be.
std::vector<std::byte> bphysBytes(const ClothState& state, std::span<const Vec3> pinned_positions);
// Fails on anything but `vertices` points with finite numbers. `time` stays 0.
Result<ClothState> parseBphys(std::span<const std::byte> bytes, size_t vertices,
                              const std::string& name);

// --- One run of Blender ------------------------------------------------------------------------
struct Job {
    // Point caches, samples by vertices. Sample 0 is the rest pose, sample 1 the state's pose,
    // which the first new frame starts from.
    std::vector<Vec3> body, pins;
    Mesh body_mesh, garment_mesh;  // triangles, and the vertex counts
    std::vector<float> pin_weights;
    Settings settings;
    ClothState state;  // at sample 1
    double rate = 30;
};
struct RunOptions {
    int silence_seconds = 300;  // without a new frame: Blender hangs
    size_t frames_a_job = 600;  // longer calls are cut; a restart is exact, memory stays small
};
// Gives the frames of samples 2, 3, ... to `sink` as Blender makes them; ClothState::time goes on
// from the state's. Makes a folder under `work_folder` and removes it, unless Blender fails: then
// the message names the log in it.
Status runJob(const Program& program, const Job& job, const std::string& work_folder,
              const RunOptions& options, const FrameSink& sink);

// The Python program that Blender runs.
extern const std::string_view kScript;

Result<std::unique_ptr<Simulator>> makeSimulator(const ClothScene& scene,
                                                 const std::string& work_folder, Program program,
                                                 const RunOptions& options);

}  // namespace hem::blender
