// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/play_clip.h"

#include "hem/subspace/latent_clip.h"

namespace hem {

Status checkFits(const hem_Garment* garment, const RecordingSet& set) {
    const size_t vertices = vertexCount(set.scene().garments);
    const size_t joints = set.scene().character.skeleton.size();
    if (hem_vertexCount(garment) == vertices && hem_jointCount(garment) == joints) return Done{};
    return errorf(
        "%s: has %zu vertices and %zu joints, the garment %zu and %zu; give recordings of the "
        "character and garment that it was trained on",
        set.folder().c_str(), vertices, joints, hem_vertexCount(garment), hem_jointCount(garment));
}

Result<std::vector<ClipToPlay>> clipsToPlay(const RecordingSet& set,
                                            const std::vector<std::string>& clips) {
    std::vector<ClipToPlay> jobs;
    for (const std::string& name : clips) {
        const auto clip = set.clip(name);
        if (!clip) return clip.error();
        ClipToPlay job{*clip, {}};
        for (const std::string& each : withStops(set, {name})) {
            if (each == name) continue;
            const auto stop = set.clip(each);
            if (!stop) return stop.error();
            job.stops.push_back(*stop);
        }
        jobs.push_back(std::move(job));
    }
    return jobs;
}

}  // namespace hem
