// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "hem/character/formats/import_rig.h"
#include "hem/core/text.h"

namespace hem {
namespace {

constexpr size_t kMaxPoseNumbers = 100'000'000;  // joints times frames of one motion

struct Trs {
    Vec3 translation, scale;
    Quat rotation;
};

Trs takeApart(const Affine& a) {
    const Mat3 m = a.linear();
    Vec3 scale{length(m.column(0)), length(m.column(1)), length(m.column(2))};
    if (determinant(m) < 0) scale.z = -scale.z;
    return {a.translation(), scale, toQuat(m)};
}

Affine putTogether(const Trs& t) {
    const Mat3 r = toMatrix(t.rotation);
    return Affine::from(Mat3::fromColumns(r.column(0) * t.scale.x, r.column(1) * t.scale.y,
                                          r.column(2) * t.scale.z),
                        t.translation);
}

Vec3 blend(Vec3 a, Vec3 b, float t) { return lerp(a, b, t); }
Quat blend(Quat a, Quat b, float t) { return slerp(normalized(a), normalized(b), t); }

// Held before the first key and after the last.
template <class T>
T valueAt(const std::vector<RawKey<T>>& keys, double seconds) {
    const auto after =
        std::upper_bound(keys.begin(), keys.end(), seconds,
                         [](double s, const RawKey<T>& key) { return s < key.seconds; });
    if (after == keys.begin()) return keys.front().value;
    const auto& before = *(after - 1);
    if (after == keys.end() || after->seconds <= before.seconds) return before.value;
    return blend(before.value, after->value,
                 float((seconds - before.seconds) / (after->seconds - before.seconds)));
}

Affine localAt(const RawChannel& channel, const Affine& at_rest, double seconds) {
    Trs trs = takeApart(at_rest);
    if (!channel.positions.empty()) trs.translation = valueAt(channel.positions, seconds);
    if (!channel.scales.empty()) trs.scale = valueAt(channel.scales, seconds);
    if (!channel.rotations.empty()) trs.rotation = normalized(valueAt(channel.rotations, seconds));
    return putTogether(trs);
}

struct Span {
    double start = 1e30, end = -1e30;

    template <class T>
    void include(const std::vector<RawKey<T>>& keys) {
        if (keys.empty()) return;
        start = std::min(start, keys.front().seconds);
        end = std::max(end, keys.back().seconds);
    }
};

Span spanOf(const RawAnimation& animation) {
    Span span;
    for (const RawChannel& channel : animation.channels) {
        span.include(channel.positions);
        span.include(channel.rotations);
        span.include(channel.scales);
    }
    return span;
}

// True where the animation moves a joint or something above it.
bool movesTheRig(const RawAnimation& animation, const Rig& rig, const RawScene& scene) {
    std::vector<bool> above(scene.nodes.size(), false);
    for (int n : rig.node_of_joint)
        for (; n >= 0 && !above[size_t(n)]; n = scene.nodes[size_t(n)].parent)
            above[size_t(n)] = true;
    return std::any_of(animation.channels.begin(), animation.channels.end(),
                       [&](const RawChannel& c) { return above[size_t(c.node)]; });
}

// The largest distance between where the file puts a joint and where unstretched bones do.
struct Stretch {
    float metres = 0;  // in file units until the note is written
    size_t joint = 0;
};

Pose poseOf(const Rig& rig, const std::vector<Affine>& world, Stretch& stretch) {
    Pose pose;
    std::vector<Transform> joints;
    for (int node : rig.node_of_joint) joints.push_back(toTransform(world[size_t(node)]));
    pose.root_position = joints[0].translation;
    for (size_t j = 0; j < joints.size(); ++j) {
        const Joint& joint = rig.skeleton.joints[j];
        if (joint.parent < 0) {
            pose.rotations.push_back(joints[j].rotation);
            continue;
        }
        const Transform& parent = joints[size_t(joint.parent)];
        pose.rotations.push_back(normalized(conjugate(parent.rotation) * joints[j].rotation));
        const Vec3 offset =
            rotate(conjugate(parent.rotation), joints[j].translation - parent.translation);
        const float off = distance(offset, joint.parent_from_rest.translation);
        if (off > stretch.metres) stretch = {off, j};
    }
    return pose;
}

Result<Motion> bake(const RawAnimation& animation, const RawScene& scene, const Rig& rig,
                    double rate, Stretch& stretch) {
    const Span span = spanOf(animation);
    const double frames =
        std::floor((span.end - span.start) * rate + 1e-3) + 1;  // times are floats in the file
    if (!(frames * double(rig.skeleton.size()) < double(kMaxPoseNumbers)))
        return errorf("animation %s lasts %.0f s, too long to sample at %g frames a second",
                      quoteForMessage(animation.name).c_str(), span.end - span.start, rate);
    Motion motion;
    motion.skeleton = rig.skeleton;
    motion.rate = rate;
    std::vector<Affine> local;
    for (const RawNode& node : scene.nodes) local.push_back(node.parent_from_node);
    for (size_t f = 0; f < size_t(frames); ++f) {
        const double seconds = span.start + double(f) / rate;
        for (const RawChannel& channel : animation.channels)
            local[size_t(channel.node)] =
                localAt(channel, scene.nodes[size_t(channel.node)].parent_from_node, seconds);
        Pose pose = poseOf(rig, worldFromNodes(scene, local), stretch);
        if (!isFinite(pose.root_position))
            return errorf("animation %s: joint %s ends up in a place that is not finite",
                          quoteForMessage(animation.name).c_str(),
                          quoteForMessage(rig.skeleton.joints[0].name).c_str());
        if (!motion.frames.empty())
            for (size_t j = 0; j < pose.rotations.size(); ++j)
                pose.rotations[j] = nearest(pose.rotations[j], motion.frames.back().rotations[j]);
        motion.frames.push_back(std::move(pose));
    }
    return motion;
}

}  // namespace

Result<std::vector<Motion>> bakeMotions(const RawScene& scene, const Rig& rig, double rate,
                                        const std::string& name, std::vector<std::string>& notes) {
    std::vector<Motion> motions;
    std::unordered_set<std::string> names;
    for (const RawAnimation& animation : scene.animations) {
        if (animation.channels.empty() || spanOf(animation).end < spanOf(animation).start ||
            !movesTheRig(animation, rig, scene)) {
            notes.push_back(format("Animation %s was left out: it moves no joint.",
                                   quoteForMessage(animation.name).c_str()));
            continue;
        }
        Stretch stretch;
        auto motion = bake(animation, scene, rig, rate, stretch);
        if (!motion) return motion.error();
        const std::string base = animation.name.empty() ? name : animation.name;
        motion->name = base;
        for (int copy = 2; !names.insert(motion->name).second; ++copy)
            motion->name = base + "_" + std::to_string(copy);
        float size = 0;
        for (const Joint& joint : rig.skeleton.joints)
            size = std::max(size, length(joint.parent_from_rest.translation));
        if (stretch.metres > 0.02f * size)
            motion->notes.push_back(
                format("Bones do not stretch here: animated offsets were left out, the largest "
                       "at joint %s, %.0f%% of the longest bone.",
                       quoteForMessage(rig.skeleton.joints[stretch.joint].name).c_str(),
                       double(stretch.metres / size) * 100));
        motions.push_back(std::move(*motion));
    }
    return motions;
}

}  // namespace hem
