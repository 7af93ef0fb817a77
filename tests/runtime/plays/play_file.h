// SPDX-License-Identifier: Apache-2.0
// A play: a motion and what the player made of it, to be compared with what the player makes of it
// elsewhere (another processor, a browser). NAME.hem is the garment; NAME.play is a PlayHeader and
// then, for each frame, the step in seconds (the first frame is a reset), the joints, the outputs
// and the states, all of 32 bits, little-endian. Knows nothing but the runtime, so that it compiles
// for any machine. tests/web/player_test.mjs reads the same files.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "hem/runtime/hem.h"

namespace hem {

struct PlayHeader {
    uint32_t wearers, frames;
    uint32_t flags, modes;             // of hem_Batch
    uint32_t joints, outputs, states;  // 32-bit words a frame, of all wearers
};

// Positions, normals, weights and confidence of all wearers, in this order.
struct PlayFrame {
    float seconds;
    std::vector<float> joints, outputs;
    std::vector<uint32_t> states;
};

inline PlayHeader playHeader(const hem_Garment* garment, uint32_t wearers, uint32_t frames) {
    PlayHeader header{};
    header.wearers = wearers;
    header.frames = frames;
    header.joints = uint32_t(wearers * hem_jointCount(garment) * 12);
    header.outputs =
        uint32_t(wearers * (6 * hem_vertexCount(garment) + hem_modeCount(garment) + 1));
    header.states = uint32_t(wearers * hem_stateSize(garment) / 4);
    return header;
}

// Plays one frame on from `frame->states`, by frame->seconds and frame->joints.
inline void playFrame(const hem_Garment* garment, const PlayHeader& header, bool is_first,
                      PlayFrame* frame) {
    const size_t wearers = header.wearers, coordinates = 3 * hem_vertexCount(garment);
    frame->outputs.resize(header.outputs);
    frame->states.resize(header.states);
    hem_Batch batch{};
    batch.count = wearers;
    batch.states = frame->states.data();
    batch.joints = frame->joints.data();
    batch.positions = frame->outputs.data();
    batch.normals = batch.positions + wearers * coordinates;
    batch.weights = batch.normals + wearers * coordinates;
    batch.confidence = batch.weights + wearers * hem_modeCount(garment);
    batch.flags = header.flags;
    batch.modes = header.modes;
    if (is_first)
        hem_reset(garment, batch);
    else
        hem_step(garment, batch, frame->seconds);
}

}  // namespace hem
