// SPDX-License-Identifier: Apache-2.0
// A toy garment and a motion of its character, for files of both.
#pragma once

#include "hem/eval/garment_glb.h"
#include "hem/eval/play.h"
#include "tests/runtime/neural_toy.h"

namespace hem {

template <class AnyToy>
struct Worn {
    AnyToy toy;
    Motion motion;
    HipJoints hips;
};
using WornToy = Worn<Toy>;
using WornNeuralToy = Worn<NeuralToy>;

template <class AnyToy>
Worn<AnyToy> worn(AnyToy toy, size_t frames, double rate) {
    Worn<AnyToy> worn{std::move(toy), {}, {}};
    const Skeleton& skeleton = worn.toy.character.skeleton;
    worn.motion = {"bend", skeleton, rate, {}, {}};
    for (size_t f = 0; f < frames; ++f)
        worn.motion.frames.push_back(toyPose(skeleton, double(f) / rate));
    worn.hips = *findHipJoints(skeleton);
    return worn;
}
inline WornToy wornToy(const ToyOptions& options, size_t frames = 50, double rate = 30) {
    return worn(makeToy(options), frames, rate);
}
inline WornNeuralToy wornNeuralToy(const NeuralToyOptions& options, size_t frames = 50,
                                   double rate = 30) {
    return worn(makeNeuralToy(options), frames, rate);
}

// What the player makes of it: world positions, frame by frame.
template <class AnyToy>
std::vector<std::vector<Vec3>> playedPositions(const Worn<AnyToy>& worn, unsigned modes = 0) {
    std::vector<std::vector<Vec3>> frames;
    Wearer wearer(worn.toy.open());
    wearer.setModes(modes);
    playMotion(wearer, worn.toy.character, worn.motion, worn.hips, [&](size_t) {
        frames.emplace_back(wearer.positions().begin(), wearer.positions().end());
    });
    return frames;
}

}  // namespace hem
