// SPDX-License-Identifier: Apache-2.0
// Simulator: the black box that dresses a moving body. Everything downstream sees only this.
//
// A simulator keeps nothing between calls: a state goes in, states come out, so any moment of a
// recording can be taken up again, and does so bit for bit.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/garment/garment.h"

namespace hem {

// All garments' vertices, in their order.
struct ClothState {
    std::vector<Vec3> positions;   // metres, world
    std::vector<Vec3> velocities;  // metres a second
    double time = 0;  // seconds since the clip's first frame; gusts of wind depend on it

    friend bool operator==(const ClothState&, const ClothState&) = default;
};

struct Wind {
    Vec3 velocity;      // mean, metres a second
    float gusts = 0;    // share of the mean by which it rises and falls, 0 to 1
    uint64_t seed = 1;  // of the gusts
};

// What is worn, by whom, and in what weather.
struct ClothScene {
    Character character;
    std::vector<Garment> garments;  // the innermost first
    double rate = 30;               // frames a second
    int substeps = 0;               // a frame; 0: the simulator's own choice
    Vec3 gravity{0, -9.81f, 0};
    Wind wind;
    // Arms and hands pass through cloth that is not worn on them: skirts are then not dragged along
    // by hands that swing past, which is hard to learn and often not wanted.
    bool arms_pass = false;
};
Status validate(const ClothScene& scene);

// The number of vertices of all garments, and one mesh of all of them.
size_t vertexCount(const std::vector<Garment>& garments);
Mesh joinedMesh(const std::vector<Garment>& garments);

// Called once per new frame, in order. Returning false ends the call early, with success.
using FrameSink = std::function<bool(const ClothState& state)>;

class Simulator {
public:
    virtual ~Simulator() = default;

    // "hemline" or "blender 3.4.1": stored with recordings.
    virtual std::string name() const = 0;

    // The garments put on and come to rest on the body in `pose`; time is 0.
    virtual Result<ClothState> drape(const Pose& pose) = 0;

    // From `state`, with the body in poses[0], on to poses[1], poses[2], ..., one frame each.
    // Many at once because a foreign simulator may take a second to start; for the built-in one,
    // two poses at a time cost the same.
    virtual Status advance(const ClothState& state, std::span<const Pose> poses,
                           const FrameSink& sink) = 0;
};

// The built-in simulator (docs/simulate.md). The scene is copied. Not thread-safe: one per thread;
// the result does not depend on threads.
Result<std::unique_ptr<Simulator>> makeBuiltInSimulator(const ClothScene& scene);

// Blender's cloth, run as a child process. The message says how to get Blender where there is none.
// `work_folder` gets a folder of its own for each call, removed afterwards.
Result<std::unique_ptr<Simulator>> makeBlenderSimulator(const ClothScene& scene,
                                                        const std::string& work_folder);

// Either of them by name, as scene files and recordings give it: "hemline", "blender",
// "blender 3.4.1". The message lists the names. canSimulate() is false for other names, as of
// imported recordings.
bool canSimulate(const std::string& name);
Result<std::unique_ptr<Simulator>> makeSimulator(const ClothScene& scene, const std::string& name,
                                                 const std::string& work_folder);

}  // namespace hem
