// SPDX-License-Identifier: Apache-2.0
// Motion and cloth made by a known model: what a fit must find again.
#pragma once

#include <cmath>

#include "hem/character/root.h"
#include "hem/core/random.h"
#include "hem/models/stable_space/model.h"
#include "hem/subspace/body_subspace.h"

namespace hem {

inline constexpr int kMadeFeatures = 6;

// Two joints; the features are six numbers of their matrices.
inline BodySubspace madeBody() {
    BodySubspace body;
    body.from_joints.setZero(kMadeFeatures, 24);
    for (int f = 0; f < kMadeFeatures; ++f) body.from_joints(f, 3 * f + 1) = 1;
    body.offset.setZero(kMadeFeatures);
    body.variance.setOnes(kMadeFeatures);
    body.total_variance = kMadeFeatures;
    return body;
}

// A body that sways, walks and turns, smoothly and differently for every seed; no cloth yet.
inline LatentClip madeMotion(const std::string& name, int frames, uint64_t seed) {
    Random random(seed, "motion");
    LatentClip clip{.name = name};
    clip.joints.setZero(24, frames);
    clip.residual.setZero(frames);
    std::vector<float> pace, phase;
    for (int i = 0; i < 30; ++i) {
        pace.push_back(random.uniform(0.05f, 0.6f));
        phase.push_back(random.uniform(0, 6.28f));
    }
    Root root{{random.uniform(-9, 9), 1, random.uniform(-9, 9)}, random.uniform(-3, 3)};
    for (int t = 0; t < frames; ++t) {
        for (int k = 0; k < 24; ++k)
            clip.joints(k, t) = std::sin(pace[size_t(k)] * float(t) + phase[size_t(k)]);
        clip.roots.push_back(root);
        auto wave = [&](size_t i) { return std::sin(pace[i] * float(t) + phase[i]); };
        root.heading += 0.12f * wave(24);
        const Affine world = worldFromCanonical({{}, root.heading});
        root.position +=
            transformVector(world, {0.02f * wave(25), 0.01f * wave(26), 0.04f + 0.03f * wave(27)});
    }
    return clip;
}

// z_{t,j} by the frames of character/root.h.
inline void appendRootWay(const Root& at, const Root& from, std::vector<double>& out) {
    const Vec3 way = transformPoint(canonicalFromWorld(from), at.position);
    const double turn = double(at.heading) - double(from.heading);
    for (double v : {double(way.x), double(way.y), double(way.z), std::sin(turn), std::cos(turn)})
        out.push_back(v);
}

// A random model, whose past shrinks the state in every frame by `decay`.
inline LinearDynamics madeDynamics(int order, bool uses_root, int modes, double decay,
                                   uint64_t seed) {
    Random random(seed, "model");
    LinearDynamics truth{.order = order, .uses_root = uses_root};
    const int inputs = kMadeFeatures + (uses_root ? 5 * order : 0);
    truth.weights.resize(modes, inputs + order * modes);
    for (float& w : truth.weights.reshaped()) w = 0.3f * random.normal();
    // a rotation of pairs of modes in the first block alone, a little mixed
    for (int k = 0; k < order; ++k) {
        auto block = truth.weights.middleCols(inputs + k * modes, modes);
        block *= 0.02f;
        if (k > 0) continue;
        for (int m = 0; m + 1 < modes; m += 2) {
            const float a = 0.2f + 0.1f * float(m), d = float(decay);
            block(m, m) = block(m + 1, m + 1) = d * std::cos(a);
            block(m, m + 1) = -d * std::sin(a);
            block(m + 1, m) = d * std::sin(a);
        }
    }
    truth.bias.setZero(modes);
    return truth;
}

// y by the model's equation, one number after another; before frame 0 the body stood in its first
// pose for `settle` frames, moving as it does between frames 0 and 1 (straight on: such motions
// should not turn there).
inline void letMoveBy(const LinearDynamics& truth, LatentClip& clip, const BodySubspace& body,
                      int settle = 400) {
    const int modes = int(truth.weights.rows()), n = truth.order, frames = int(clip.joints.cols());
    clip.cloth.setZero(modes, frames);
    const std::vector<double> nothing(static_cast<size_t>(modes));
    std::vector past(static_cast<size_t>(n), nothing);
    const Vec3 step = clip.roots[1].position - clip.roots[0].position;
    auto rootAt = [&](int t) {
        if (t >= 0) return clip.roots[size_t(t)];
        return Root{clip.roots[0].position + step * float(t), clip.roots[0].heading};
    };
    for (int t = -settle; t < frames; ++t) {
        std::vector<double> r;
        const int pose = std::max(t, 0);
        for (int f = 0; f < kMadeFeatures; ++f) {
            double sum = double(body.offset[f]);
            for (int k = 0; k < 24; ++k)
                sum += double(body.from_joints(f, k)) * double(clip.joints(k, pose));
            r.push_back(sum);
        }
        // far in the past the way is that of frame 0
        const int at = std::max(t, 0);
        for (int k = 0; truth.uses_root && k < n; ++k)
            appendRootWay(rootAt(at - k), rootAt(at - n), r);
        for (const auto& y : past) r.insert(r.end(), y.begin(), y.end());
        std::vector<double> y(static_cast<size_t>(modes));
        for (int m = 0; m < modes; ++m) {
            y[size_t(m)] = double(truth.bias[m]);
            for (size_t i = 0; i < r.size(); ++i)
                y[size_t(m)] += double(truth.weights(m, Eigen::Index(i))) * r[i];
            if (t >= 0) clip.cloth(m, t) = float(y[size_t(m)]);
        }
        if (n == 0) continue;
        past.pop_back();
        past.insert(past.begin(), y);
    }
}

// Clips that do not turn between their first two frames.
inline std::vector<LatentClip> madeClips(const LinearDynamics& truth, int count, int frames,
                                         uint64_t seed) {
    std::vector<LatentClip> clips;
    for (int i = 0; i < count; ++i) {
        clips.push_back(madeMotion("clip" + std::to_string(i), frames, seed * 100 + uint64_t(i)));
        clips.back().roots[0].heading = clips.back().roots[1].heading;
        letMoveBy(truth, clips.back(), madeBody());
    }
    return clips;
}

}  // namespace hem
