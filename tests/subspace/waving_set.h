// SPDX-License-Identifier: Apache-2.0
// A recording set without a simulator: a tube about a walking, turning body whose shape is a sum of
// waves, each fainter than the one before, and a little noise. Its spectrum falls slowly, as a
// garment's does, so that a PCA has something to get wrong.
#pragma once

#include "hem/core/portable_math.h"
#include "hem/core/random.h"
#include "hem/recording/recording.h"
#include "tests/recording/toy_scene.h"

namespace hem {

inline ClothScene wavingScene(uint32_t around, uint32_t rows) {
    return {.character = toyBody(), .garments = {toyTube("tube", around, rows)}};
}

inline RecordedClip wavingClip(const ClothScene& scene, const std::string& name, size_t frames,
                               int waves = 40, float noise = 2e-4f) {
    RecordedClip clip{.meta = {.name = name, .motion = "made up", .simulator = "waves"},
                      .poses = toyMotion(name, frames).frames};
    const std::vector<Vec3>& rest = scene.garments[0].mesh.positions;
    Random random(1, "waves of the cloth");  // the same for all clips
    std::vector<Vec3> wave_numbers, directions;
    for (int w = 0; w < waves; ++w) {
        wave_numbers.push_back({random.normal() * 9, random.normal() * 9, random.normal() * 9});
        directions.push_back({random.normal(), random.normal(), random.normal()});
    }
    Random jitter(uint64_t(name.size()), name);
    const std::vector<Affine> inverse = inverseRestMatrices(scene.character.skeleton);
    for (size_t f = 0; f < frames; ++f) {
        const Affine carry =
            worldFromJoints(scene.character.skeleton, clip.poses[f])[0] * inverse[0];
        std::vector<float> heights;
        for (int w = 0; w < waves; ++w)
            heights.push_back(0.03f / std::sqrt(float(w + 1)) * jitter.normal());
        ClothState state{.time = double(f) / scene.rate};
        for (Vec3 p : rest) {
            Vec3 at = p + Vec3{jitter.normal(), jitter.normal(), jitter.normal()} * noise;
            for (size_t w = 0; w < size_t(waves); ++w)
                at += directions[w] *
                      (heights[w] * float(portable::sin(double(dot(wave_numbers[w], p)))));
            state.positions.push_back(transformPoint(carry, at));
        }
        state.velocities.resize(rest.size());
        clip.states.push_back(std::move(state));
    }
    return clip;
}

}  // namespace hem
