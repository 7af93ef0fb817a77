// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/baselines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "hem/core/check.h"
#include "hem/core/parallel.h"
#include "hem/core/surface_tree.h"

namespace hem {

namespace {

MatrixF latentBody(const BodySubspace& body, const LatentClip& clip) {
    return (body.from_joints * clip.joints).colwise() + body.offset;
}

}  // namespace

Neighbours::Neighbours(const BodySubspace& body, const std::vector<LatentClip>& clips)
    : body_(body) {
    Eigen::Index frames = 0;
    for (const LatentClip& clip : clips) frames += Eigen::Index(clip.frames());
    CHECK_GT(frames, 0);
    x_.resize(Eigen::Index(body.modes()), frames);
    y_.resize(clips[0].cloth.rows(), frames);
    frames = 0;
    for (const LatentClip& clip : clips) {
        x_.middleCols(frames, clip.cloth.cols()) = latentBody(body, clip);
        y_.middleCols(frames, clip.cloth.cols()) = clip.cloth;
        frames += clip.cloth.cols();
    }
}

// Squared, of every training frame (rows) to every frame of the clip.
MatrixF Neighbours::distances(const LatentClip& clip) const {
    const MatrixF x = latentBody(body_, clip);
    MatrixF d = -2 * (x_.transpose() * x);
    d.colwise() += VectorF(x_.colwise().squaredNorm());
    d.rowwise() += x.colwise().squaredNorm();
    return d.cwiseMax(0);
}

MatrixF Neighbours::nearest(const LatentClip& clip) const { return regressed(clip, 1); }

MatrixF Neighbours::regressed(const LatentClip& clip, int count) const {
    CHECK_GT(count, 0);
    const MatrixF d = distances(clip);
    MatrixF y = MatrixF::Zero(y_.rows(), d.cols());
    const auto used = std::min<Eigen::Index>(count, d.rows());
    std::vector<Eigen::Index> order(size_t(d.rows()));
    for (Eigen::Index f = 0; f < d.cols(); ++f) {
        std::iota(order.begin(), order.end(), Eigen::Index(0));
        std::partial_sort(order.begin(), order.begin() + used, order.end(),
                          [&](Eigen::Index a, Eigen::Index b) {
                              return std::pair(d(a, f), a) < std::pair(d(b, f), b);
                          });
        const float width = std::max(d(order[size_t(used - 1)], f), 1e-12f);
        float sum = 0;
        for (Eigen::Index k = 0; k < used; ++k) {
            const float weight = std::exp(-d(order[size_t(k)], f) / (2 * width));
            y.col(f) += weight * y_.col(order[size_t(k)]);
            sum += weight;
        }
        y.col(f) /= sum;
    }
    return y;
}

GarmentSkinning::GarmentSkinning(const Character& character, const Mesh& garment)
    : rest_(garment.positions) {
    const SurfaceTree surface(character.mesh);
    const Skin& body = character.skin;
    std::vector<std::vector<Influence>> influences;
    for (const Vec3& p : rest_) {
        const SurfacePoint point = surface.nearest(p);
        const Triangle& corners = character.mesh.triangles[point.triangle];
        const float weights[3] = {point.weights.a, point.weights.b, point.weights.c};
        std::map<int, float> sums;
        for (size_t c = 0; c < 3; ++c)
            for (size_t i = 0; i < size_t(body.influences); ++i) {
                const size_t entry = corners[c] * size_t(body.influences) + i;
                sums[body.joints[entry]] += weights[c] * body.weights[entry];
            }
        std::vector<Influence>& list = influences.emplace_back();
        for (const auto& [joint, weight] : sums)
            if (weight > 0) list.push_back({joint, weight});
    }
    skin_ = makeSkin(influences, body.joint_from_rest, Skin::kMaxInfluences);
}

void GarmentSkinning::skin(const Affine* matrices, Vec3* positions) const {
    skinLinear(skin_, rest_.data(), matrices, positions);
}

}  // namespace hem
