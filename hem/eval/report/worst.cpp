// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/worst.h"

#include <algorithm>

#include "hem/core/check.h"
#include "hem/eval/play.h"
#include "hem/models/stable_space/baselines.h"

namespace hem {

std::vector<WorstFrame> worstFrames(const Score& score, size_t count, size_t apart) {
    std::vector<WorstFrame> all;
    for (size_t c = 0; c < score.clips.size(); ++c)
        for (size_t t = 0; t < score.clips[c].frames.size(); ++t)
            all.push_back({c, t, double(score.clips[c].frames[t].mean_cm)});
    std::stable_sort(all.begin(), all.end(), [](const WorstFrame& a, const WorstFrame& b) {
        return a.mean_cm > b.mean_cm;
    });
    std::vector<WorstFrame> worst;
    for (const WorstFrame& each : all) {
        if (worst.size() >= count) break;
        const bool near = std::any_of(worst.begin(), worst.end(), [&](const WorstFrame& w) {
            return w.clip == each.clip &&
                   std::max(w.frame, each.frame) - std::min(w.frame, each.frame) < apart;
        });
        if (!near) worst.push_back(each);
    }
    return worst;
}

size_t worstClip(const Score& score) {
    const auto less = [](const ClipScore& a, const ClipScore& b) {
        return a.errors.mean_cm < b.errors.mean_cm;
    };
    return size_t(std::max_element(score.clips.begin(), score.clips.end(), less) -
                  score.clips.begin());
}

size_t worstFrameOf(const ClipScore& clip) {
    const auto less = [](const FrameError& a, const FrameError& b) {
        return a.mean_cm < b.mean_cm;
    };
    return size_t(std::max_element(clip.frames.begin(), clip.frames.end(), less) -
                  clip.frames.begin());
}

std::vector<std::vector<Vec3>> playedFrames(const Entrant& entrant, const ClothScene& scene,
                                            const Recording& clip, size_t first, size_t count,
                                            unsigned flags) {
    CHECK(first + count <= clip.frames());
    std::vector<std::vector<Vec3>> frames;
    if (entrant.bytes.empty()) {
        const Mesh garment = joinedMesh(scene.garments);
        const GarmentSkinning skinning(scene.character, garment);
        for (size_t t = first; t < first + count; ++t) {
            frames.emplace_back(garment.positions.size());
            skinning.skin(clip.jointMatrices(t).data(), frames.back().data());
        }
        return frames;
    }
    Wearer wearer(hem_open(entrant.bytes.data(), entrant.bytes.size(), nullptr), flags);
    for (size_t t = 0; t < first + count; ++t) {
        startOrStep(wearer, clip, t);
        if (t >= first) frames.emplace_back(wearer.positions().begin(), wearer.positions().end());
    }
    return frames;
}

std::vector<double> vertexErrors(std::span<const Vec3> played, std::span<const Vec3> recorded) {
    std::vector<double> errors(played.size());
    for (size_t v = 0; v < played.size(); ++v)
        errors[v] = 100 * double(length(played[v] - recorded[v]));
    return errors;
}

}  // namespace hem
