// SPDX-License-Identifier: Apache-2.0
#include "hem/subspace/mirror.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "hem/character/humanoid.h"
#include "hem/core/check.h"

namespace hem {
namespace {

constexpr float kTolerance = 1e-4f;  // metres
constexpr const char* kSuffix = "_mirrored";

Vec3 reflected(Vec3 v) { return {-v.x, v.y, v.z}; }

}  // namespace

std::optional<std::vector<size_t>> mirrorPartners(const Mesh& garment) {
    std::vector<size_t> partners;
    for (const Vec3 p : garment.positions) {
        const auto at =
            std::find_if(garment.positions.begin(), garment.positions.end(),
                         [&](Vec3 q) { return distance(p, reflected(q)) < kTolerance; });
        if (at == garment.positions.end()) return std::nullopt;
        partners.push_back(size_t(at - garment.positions.begin()));
    }
    for (size_t v = 0; v < partners.size(); ++v)
        if (partners[partners[v]] != v) return std::nullopt;  // vertices in one place
    return partners;
}

std::optional<MirrorPartners> mirrorPartners(const Skeleton& skeleton, const Mesh& garment) {
    MirrorPartners found;
    const std::vector<Transform> rest = worldTransforms(skeleton, restPose(skeleton));
    for (const int partner : mirrorPartners(skeleton)) {
        const size_t j = found.joints.size();
        found.joints.push_back(size_t(partner));
        const Vec3 at = rest[size_t(partner)].translation;
        if (distance(rest[j].translation, reflected(at)) > kTolerance) return std::nullopt;
    }
    auto vertices = mirrorPartners(garment);
    if (!vertices) return std::nullopt;
    found.vertices = std::move(*vertices);
    return found;
}

MatrixF mirroredCloth(const MatrixF& cloth, const MirrorPartners& partners) {
    MatrixF out(cloth.rows(), cloth.cols());
    for (size_t v = 0; v < partners.vertices.size(); ++v) {
        const Eigen::Index to = Eigen::Index(3 * v), from = Eigen::Index(3 * partners.vertices[v]);
        out.middleRows(to, 3) = cloth.middleRows(from, 3);
        out.row(to) *= -1;
    }
    return out;
}

// S K S of every partner, S the reflection in x: entries of the first row or column, not of both.
MatrixF mirroredJoints(const MatrixF& joints, const MirrorPartners& partners) {
    MatrixF out(joints.rows(), joints.cols());
    for (size_t j = 0; j < partners.joints.size(); ++j)
        for (int entry = 0; entry < 12; ++entry) {
            const bool flips = (entry / 4 == 0) != (entry % 4 == 0);
            out.row(Eigen::Index(12 * j) + entry) =
                (flips ? -1.0f : 1.0f) * joints.row(Eigen::Index(12 * partners.joints[j]) + entry);
        }
    return out;
}

Subspace symmetric(const Subspace& subspace, const MirrorPartners& partners, int modes) {
    const Eigen::Index n = subspace.basis.cols();
    Subspace both;
    both.mean = 0.5f * (subspace.mean + mirroredCloth(subspace.mean, partners));
    const VectorF off = subspace.mean - both.mean;  // the mirrored recordings' mean is off by -off
    // Half of the recordings' covariance, and half of the mirrored ones': W W^T.
    MatrixF w(subspace.basis.rows(), 2 * n + 1);
    const VectorF size = (0.5 * subspace.variance).cwiseSqrt().cast<float>();
    w.leftCols(n) = subspace.basis * size.asDiagonal();
    w.middleCols(n, n) = mirroredCloth(w.leftCols(n), partners);
    w.col(2 * n) = off;
    const MatrixD wide = w.cast<double>();
    const Eigen::SelfAdjointEigenSolver<MatrixD> pca(wide.transpose() * wide);
    const VectorD variance = pca.eigenvalues().reverse();
    const Eigen::Index kept =
        std::min<Eigen::Index>(modes, (variance.array() > 1e-9 * variance[0]).count());
    both.variance = variance.head(kept);
    both.basis = (wide * pca.eigenvectors().rowwise().reverse().leftCols(kept) *
                  both.variance.cwiseSqrt().cwiseInverse().asDiagonal())
                     .cast<float>();
    both.total_variance = subspace.total_variance + double(off.squaredNorm());
    return both;
}

std::vector<LatentClip> mirroredClips(const std::vector<LatentClip>& clips,
                                      const Subspace& subspace, const MirrorPartners& partners) {
    const MatrixF turned = subspace.basis.transpose() * mirroredCloth(subspace.basis, partners);
    std::set<std::string> names;
    for (const LatentClip& clip : clips) names.insert(clip.name);
    std::vector<LatentClip> mirrored;
    for (const LatentClip& clip : clips) {
        if (hasTwin(names, clip.is_stop ? clip.of : clip.name)) continue;
        LatentClip twin = clip;
        twin.name += kSuffix;
        if (clip.is_stop) twin.of += kSuffix;
        twin.cloth = turned * clip.cloth;
        twin.joints = mirroredJoints(clip.joints, partners);
        for (Root& root : twin.roots) root = {reflected(root.position), -root.heading};
        mirrored.push_back(std::move(twin));
    }
    return mirrored;
}

bool hasTwin(const std::set<std::string>& names, const std::string& name) {
    return name.ends_with(kSuffix) || names.contains(name + kSuffix);
}

std::string motionOf(const std::string& clip) {
    static const std::regex kDerived("(_mirrored|_varied[0-9]+)+$");
    return std::regex_replace(clip, kDerived, "");
}

}  // namespace hem
