// SPDX-License-Identifier: Apache-2.0
#include "hem/models/neural/moving_examples.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "hem/core/parallel.h"
#include "hem/subspace/canonical.h"
#include "hem/subspace/latent_clip.h"

namespace hem {
namespace {

using Index = Eigen::Index;
constexpr size_t kFold = 6;         // motions, one of which is left out
constexpr size_t kStopSpread = 30;  // frames of a stop that examples are taken from

struct Frame {
    const Recording* clip;
    size_t frame;
    bool mirrored;
};

// Of the first kStopSpread frames of a stop, evenly; its frame 0 is one of the clip's.
std::vector<size_t> framesOfStop(const Recording& stop, size_t count) {
    const size_t spread = std::min(kStopSpread, stop.frames() - 1);
    std::vector<size_t> frames;
    count = std::min(count, spread);
    for (size_t i = 0; i < count; ++i) frames.push_back(1 + (2 * i + 1) * spread / (2 * count));
    return frames;
}

Result<std::vector<Recording>> openAll(const RecordingSet& set,
                                       const std::vector<std::string>& names) {
    std::vector<Recording> clips;
    for (const std::string& name : names) {
        const auto clip = set.clip(name);
        if (!clip) return clip.error();
        clips.push_back(*clip);
    }
    return clips;
}

std::vector<Frame> framesOf(const std::vector<Recording>& clips, const MovingOptions& options) {
    std::set<std::string> names;
    size_t moving = 0;
    for (const Recording& clip : clips) {
        names.insert(clip.meta().name);
        if (!clip.meta().is_stop) moving += clip.frames();
    }
    const size_t every = std::max<size_t>(
        1, (moving + options.most_frames - 1) / std::max<size_t>(1, options.most_frames));
    std::vector<Frame> frames;
    for (const Recording& clip : clips) {
        const RecordingMeta& meta = clip.meta();
        std::vector<size_t> chosen;
        if (meta.is_stop)
            chosen = framesOfStop(clip, size_t(std::max(0, options.stop_frames)));
        else
            for (size_t t = 0; t < clip.frames(); t += every) chosen.push_back(t);
        const bool mirror =
            options.partners && !hasTwin(names, meta.is_stop ? meta.stop.of : meta.name);
        for (const size_t t : chosen) {
            frames.push_back({&clip, t, false});
            if (mirror) frames.push_back({&clip, t, true});
        }
    }
    return frames;
}

// Writes one column of inputs and offsets.
class Reader {
public:
    Reader(const Character& character, const WornSkin& worn, const MovingOptions& options)
        : worn_(worn), options_(options), rotations_(jointRotations(character, worn.joints)) {}

    Index inputs() const { return Index(rotations_.size()) * int(options_.numbers); }

    void read(const Frame& at, float* inputs, float* offsets) const {
        const size_t vertices = worn_.rest.size(), joints = at.clip->joints();
        MatrixF cloth(Index(3 * vertices), 1), matrices(Index(12 * joints), 1);
        const Root root = at.clip->root(at.frame);
        canonicalPositions(at.clip->positions(at.frame), root, cloth.data());
        canonicalJoints(at.clip->jointMatrices(at.frame), root, matrices.data());
        if (at.mirrored) {
            cloth = mirroredCloth(cloth, *options_.partners);
            matrices = mirroredJoints(matrices, *options_.partners);
        }
        std::vector<Affine> canonical(joints);
        std::copy(matrices.data(), matrices.data() + 12 * joints, &canonical[0].m[0][0]);
        readRotations(rotations_, options_.numbers, canonical, inputs);
        std::vector<Vec3> skinned(vertices);
        skinLinear(worn_.skin, worn_.rest.data(), canonical.data(), skinned.data());
        for (size_t v = 0; v < vertices; ++v)
            for (int axis = 0; axis < 3; ++axis) {
                const size_t i = 3 * v + size_t(axis);
                offsets[i] = cloth.data()[i] - skinned[v][axis];
            }
    }

private:
    const WornSkin& worn_;
    const MovingOptions& options_;
    std::vector<JointRotation> rotations_;
};

}  // namespace

Result<PoseExamples> readExamples(const RecordingSet& set, const std::vector<std::string>& clips,
                                  const WornSkin& worn, const MovingOptions& options) {
    const auto opened = openAll(set, options.stop_frames > 0 ? withStops(set, clips) : clips);
    if (!opened) return opened.error();
    const std::vector<Frame> frames = framesOf(*opened, options);
    if (frames.empty())
        return errorf("%s: no clips to learn from; record some with hemline simulate",
                      set.folder().c_str());
    const Reader reader(set.scene().character, worn, options);
    PoseExamples examples{MatrixF(reader.inputs(), Index(frames.size())),
                          MatrixF(Index(3 * worn.rest.size()), Index(frames.size()))};
    parallelFor(frames.size(), 64, [&](size_t begin, size_t count) {
        for (size_t i = begin; i < begin + count; ++i)
            reader.read(frames[i], &examples.inputs(0, Index(i)), &examples.offsets(0, Index(i)));
    });
    if (!examples.inputs.allFinite() || !examples.offsets.allFinite())
        return errorf("%s: a number is not finite; hemline inspect finds the clip",
                      set.folder().c_str());
    return examples;
}

Result<ClipSplit> leaveMotionsOut(const std::vector<std::string>& clips) {
    std::map<std::string, size_t> motions;
    for (const std::string& clip : clips) motions.try_emplace(motionOf(clip), motions.size());
    if (motions.size() < 2)
        return errorf(
            "one motion is not enough to learn from and to tell by when to stop; record another");
    const size_t left_out = std::min(kFold, motions.size()) - 1;
    ClipSplit split;
    for (const std::string& clip : clips) {
        const bool out = motions[motionOf(clip)] % kFold == left_out;
        (out ? split.validation : split.training).push_back(clip);
    }
    return split;
}

}  // namespace hem
