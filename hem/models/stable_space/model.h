// SPDX-License-Identifier: Apache-2.0
// StableSpace: a learned garment's motion in its subspace, ready to be packed. The paper's models
// A, B and C, and ours, S, differ in their dynamics alone. The equations are in
// hem/runtime/format.h, whose sections these members are; hem/pack writes them, the player plays
// them.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "hem/core/matrix.h"
#include "hem/models/training/input_range.h"
#include "hem/models/training/layer.h"
#include "hem/subspace/latent_clip.h"

namespace hem {

// f = from_joints K' + offset, where K' holds the canonical matrices of the joints read (12 each).
struct PoseFeatures {
    std::vector<uint16_t> joints;  // that are read
    MatrixF from_joints;           // features by 12 * joints.size()
    VectorF offset;                // features
};

// A point that a joint carries, given by where it is in the rest pose, metres.
struct BodyPoint {
    uint16_t joint;
    Vec3 rest;
};

// y_t = W [u; y_{t-1}; ...; y_{t-N}] + w
struct LinearDynamics {
    int order = 2;
    bool uses_root = true;  // Model C; A and B do not
    int warm_up = 60;       // ticks at reset; 0: the paper's start by the 0th-order model
    MatrixF weights;        // modes by inputs + order * modes
    VectorF bias;           // modes; the paper's models have none: nought
    // The 0th-order model, y_t = W u + w, of the features among u alone.
    MatrixF static_weights;  // modes by features
    VectorF static_bias;
};

// Ours; see docs/stable_space.md.
struct ModalDynamics {
    VectorF log_decay, angle;  // states: lambda = exp(-exp(log_decay) + i angle)
    Layer input;               // a' = silu(input(u))
    Layer input_residual;      // a = a' + silu(input_residual(a'))
    Layer drive;               // h = lambda h + drive(a); out = 2 * states, real parts first
    Layer outer;               // e' = silu(outer([a; h]))
    Layer outer_residual;      // e = e' + silu(outer_residual(e'))
    Layer output;              // y = output([u; h; e])
};

// Section 6.1 (see Stability in format.h).
struct StabilityProof {
    double lambda = 0, k_max = 0, energy_bound = 0;
};

struct StableSpace {
    std::string kind;  // "A", "B", "C" or "S"
    PoseFeatures pose;
    InputRange range;
    std::variant<LinearDynamics, ModalDynamics> dynamics;
    VectorF output_limit;  // modes: |y| stays within
    StabilityProof proof;
    std::string report;  // what was done on the way, for people, a sentence a line
};

// The player's arithmetic, offline, for training and for tests of the player: y of every frame of
// the clip, free-running from a reset at frame 0 in the clip's first pose. `root_motion`: the reset
// knows the clip's initial velocity and rate of heading (hem_Batch::root_motion).
MatrixF rollout(const StableSpace& model, const LatentClip& clip, double rate,
                bool root_motion = true);

// Mean over the frames and vertices of |basis (y - cloth)| plus what the subspace leaves out is
// hem/eval's business; this is the root-mean-square over vertices, averaged over frames, metres.
double latentError(const MatrixF& y, const LatentClip& clip, size_t vertices);

}  // namespace hem
