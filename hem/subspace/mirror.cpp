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

// Directions and variances, above `least`, of columns whose outer products add up to a covariance.
struct Principal {
    MatrixD basis;
    VectorD variance;  // from the largest down
};
static Principal principalOf(const MatrixD& w, double least) {
    const Eigen::SelfAdjointEigenSolver<MatrixD> pca(w.transpose() * w);
    Principal p{{}, pca.eigenvalues().reverse()};
    const Eigen::Index kept = (p.variance.array() > least).count();
    p.variance.conservativeResize(kept);
    p.basis = w * pca.eigenvectors().rowwise().reverse().leftCols(kept) *
              p.variance.cwiseSqrt().cwiseInverse().asDiagonal();
    return p;
}

// The `modes` of both that vary most.
static void merge(const Principal& even, const Principal& odd, Eigen::Index modes, Subspace& both) {
    const Eigen::Index kept = std::min(modes, even.variance.size() + odd.variance.size());
    both.basis.resize(even.basis.rows(), kept);
    both.variance.resize(kept);
    for (Eigen::Index m = 0, e = 0, o = 0; m < kept; ++m) {
        const bool is_odd = e == even.variance.size() ||
                            (o < odd.variance.size() && odd.variance[o] > even.variance[e]);
        const Principal& from = is_odd ? odd : even;
        Eigen::Index& at = is_odd ? o : e;
        both.basis.col(m) = from.basis.col(at).cast<float>();
        both.variance[m] = from.variance[at++];
    }
}

// Of what varies, b b^T, and its mirror image the mean is e e^T + o o^T, where b = e + o, e its own
// image and o the opposite of its own: two problems of half the size, and no mode is in between.
Subspace symmetric(const Subspace& subspace, const MirrorPartners& partners, int modes) {
    const Eigen::Index n = subspace.basis.cols();
    Subspace both;
    both.mean = 0.5f * (subspace.mean + mirroredCloth(subspace.mean, partners));
    const VectorF off = subspace.mean - both.mean;  // the mirrored recordings' mean is off by -off
    const MatrixF b = subspace.basis * subspace.variance.cwiseSqrt().cast<float>().asDiagonal(),
                  image = mirroredCloth(b, partners);
    const MatrixD even = 0.5 * (b + image).cast<double>();
    MatrixD odd(b.rows(), n + 1);
    odd << 0.5 * (b - image).cast<double>(), off.cast<double>();
    const double least = 1e-9 * subspace.variance[0];
    merge(principalOf(even, least), principalOf(odd, least), modes, both);
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
