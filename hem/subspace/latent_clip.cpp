// SPDX-License-Identifier: Apache-2.0
#include "hem/subspace/latent_clip.h"

#include <algorithm>

#include "hem/subspace/canonical.h"

namespace hem {

namespace {

constexpr size_t kFramesAtATime = 256;

// y and what it leaves out, for a run of frames.
Status projectFrames(const Recording& recording, const Subspace& subspace, size_t first,
                     size_t count, LatentClip& clip) {
    MatrixF canonical(subspace.mean.size(), Eigen::Index(count));
    const Status read = readCanonical(recording, first, canonical);
    if (!read) return read;
    canonical.colwise() -= subspace.mean;
    auto y = clip.cloth.middleCols(Eigen::Index(first), Eigen::Index(count));
    y.noalias() = subspace.basis.transpose() * canonical;
    canonical.noalias() -= subspace.basis * y;
    clip.residual.segment(Eigen::Index(first), Eigen::Index(count)) =
        canonical.colwise().squaredNorm().transpose();
    return Done{};
}

Result<LatentClip> projectClip(const Recording& recording, const Subspace& subspace) {
    const RecordingMeta& meta = recording.meta();
    if (recording.vertices() != subspace.vertices())
        return errorf("clip %s has %zu vertices, the subspace %zu; fit one of this set",
                      meta.name.c_str(), recording.vertices(), subspace.vertices());
    const size_t frames = recording.frames();
    LatentClip clip{.name = meta.name, .is_stop = meta.is_stop};
    if (meta.is_stop) clip.of = meta.stop.of, clip.stop_frame = meta.stop.frame;
    clip.cloth.resize(Eigen::Index(subspace.modes()), Eigen::Index(frames));
    clip.joints.resize(Eigen::Index(12 * recording.joints()), Eigen::Index(frames));
    clip.residual.resize(Eigen::Index(frames));
    for (size_t first = 0; first < frames; first += kFramesAtATime) {
        const Status done = projectFrames(recording, subspace, first,
                                          std::min(kFramesAtATime, frames - first), clip);
        if (!done) return done.error();
    }
    for (size_t f = 0; f < frames; ++f) {
        clip.roots.push_back(recording.root(f));
        canonicalJoints(recording.jointMatrices(f), clip.roots[f],
                        clip.joints.col(Eigen::Index(f)).data());
    }
    if (!clip.joints.allFinite())
        return errorf("clip %s: a joint matrix is not finite; record the clip again",
                      meta.name.c_str());
    return clip;
}

}  // namespace

Result<std::vector<LatentClip>> projectClips(const RecordingSet& set, const Subspace& subspace,
                                             const std::vector<std::string>& clips) {
    std::vector<LatentClip> latent;
    for (const std::string& name : clips) {
        const auto recording = set.clip(name);
        if (!recording) return recording.error();
        auto clip = projectClip(*recording, subspace);
        if (!clip) return clip.error();
        latent.push_back(std::move(*clip));
    }
    return latent;
}

// "walk.stop3" is one of "walk".
static bool isStopOf(const std::string& name, const std::string& clip) {
    const std::string prefix = clip + ".stop";
    return name.size() > prefix.size() && name.starts_with(prefix) &&
           name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

std::vector<std::string> clipsWithoutStops(const RecordingSet& set) {
    std::vector<std::string> names;
    for (const std::string& name : set.clipNames()) {
        const auto recording = set.clip(name);
        // one that does not open stays: whoever uses the list learns why
        if (!recording || !recording->meta().is_stop) names.push_back(name);
    }
    return names;
}

std::vector<std::string> withStops(const RecordingSet& set, const std::vector<std::string>& clips) {
    const std::vector<std::string> all = set.clipNames();
    std::vector<std::string> names;
    for (const std::string& name : clips) {
        names.push_back(name);
        for (const std::string& other : all)
            if (isStopOf(other, name)) names.push_back(other);
    }
    return names;
}

LatentClip truncated(const LatentClip& clip, int modes) {
    CHECK(modes > 0 && modes <= int(clip.cloth.rows()));
    LatentClip shorter = clip;
    shorter.cloth = clip.cloth.topRows(modes);
    shorter.residual +=
        clip.cloth.bottomRows(clip.cloth.rows() - modes).colwise().squaredNorm().transpose();
    return shorter;
}

LatentClip withRunUp(const LatentClip& clip, const LatentClip& stop, size_t run_up) {
    CHECK(stop.is_stop && stop.of == clip.name && stop.stop_frame < clip.frames());
    const size_t before = std::min(run_up, stop.stop_frame), start = stop.stop_frame - before;
    LatentClip joined{.name = stop.name};
    auto chain = [&](const MatrixF& a, const MatrixF& b) {
        MatrixF both(a.rows(), Eigen::Index(before) + b.cols());
        both << a.middleCols(Eigen::Index(start), Eigen::Index(before)), b;
        return both;
    };
    joined.cloth = chain(clip.cloth, stop.cloth);
    joined.joints = chain(clip.joints, stop.joints);
    joined.residual = chain(clip.residual.transpose(), stop.residual.transpose()).transpose();
    joined.roots.assign(clip.roots.begin() + std::ptrdiff_t(start),
                        clip.roots.begin() + std::ptrdiff_t(stop.stop_frame));
    // whole turns made before the stop, which the stop's own heading does not count
    const float turns = clip.roots[stop.stop_frame].heading - stop.roots[0].heading;
    for (const Root& root : stop.roots)
        joined.roots.push_back({root.position, root.heading + turns});
    return joined;
}

}  // namespace hem
