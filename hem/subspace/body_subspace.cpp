// SPDX-License-Identifier: Apache-2.0
#include "hem/subspace/body_subspace.h"

#include <algorithm>

namespace hem {

namespace {

// S is the same for x, y and z: a vertex's coordinate c is s_v . (K_j[c][d]) over joints j and
// columns d, s_v[4 j + d] = w_vj rest_v[d] with rest = (x, y, z, 1). So S^T S is three copies of
// sum_v s_v s_v^T (4 joints squared).
MatrixD gramOfSkin(const Character& character) {
    const Skin& skin = character.skin;
    const auto size = Eigen::Index(4 * character.skeleton.size());
    MatrixD gram = MatrixD::Zero(size, size);
    const auto influences = size_t(skin.influences);
    for (size_t v = 0; v < skin.vertexCount(); ++v) {
        const Vec3 p = character.mesh.positions[v];
        const Eigen::Vector4d rest(p.x, p.y, p.z, 1);
        const Eigen::Matrix4d square = rest * rest.transpose();
        for (size_t a = v * influences; a < (v + 1) * influences; ++a)
            for (size_t b = v * influences; b < (v + 1) * influences; ++b)
                gram.block<4, 4>(4 * skin.joints[a], 4 * skin.joints[b]) +=
                    double(skin.weights[a]) * double(skin.weights[b]) * square;
    }
    return gram;
}

// The symmetric root of S^T S, in the layout of K (12 joints squared).
MatrixD rootOfGram(const Character& character) {
    const Eigen::SelfAdjointEigenSolver<MatrixD> eigen(gramOfSkin(character));
    const MatrixD root = eigen.eigenvectors() *
                         eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
                         eigen.eigenvectors().transpose();
    const auto joints = Eigen::Index(character.skeleton.size());
    MatrixD full = MatrixD::Zero(12 * joints, 12 * joints);
    for (Eigen::Index i = 0; i < joints; ++i)
        for (Eigen::Index j = 0; j < joints; ++j)
            for (Eigen::Index row = 0; row < 3; ++row)
                full.block<4, 4>(12 * i + 4 * row, 12 * j + 4 * row) =
                    root.block<4, 4>(4 * i, 4 * j);
    return full;
}

struct Moments {
    VectorD mean;
    MatrixD covariance;
};

Moments momentsOfJoints(const std::vector<LatentClip>& clips, Eigen::Index rows) {
    Moments m{VectorD::Zero(rows), MatrixD::Zero(rows, rows)};
    double frames = 0;
    for (const LatentClip& clip : clips) {
        CHECK_EQ(clip.joints.rows(), rows);
        m.mean += clip.joints.cast<double>().rowwise().sum();
        frames += double(clip.frames());
    }
    CHECK_GT(frames, 0);
    m.mean /= frames;
    for (const LatentClip& clip : clips) {
        const MatrixD centred = clip.joints.cast<double>().colwise() - m.mean;
        m.covariance += centred * centred.transpose();
    }
    m.covariance /= frames;
    return m;
}

}  // namespace

// With R the root of S^T S and u the eigenvectors of R cov(K) R, the columns of S R^-1 u are the
// body's principal directions: orthonormal, since u^T R^-1 S^T S R^-1 u = 1, and eigenvectors of
// S cov(K) S^T. So basis^T S (K - mean) = u^T R (K - mean), and nothing is ever divided.
BodySubspace fitBodySubspace(const Character& character, const std::vector<LatentClip>& clips,
                             int modes) {
    CHECK_GT(modes, 0);
    const MatrixD root = rootOfGram(character);
    const Moments joints = momentsOfJoints(clips, root.rows());
    const Eigen::SelfAdjointEigenSolver<MatrixD> eigen(root * joints.covariance * root);
    const VectorD variance = eigen.eigenvalues().reverse();
    BodySubspace body;
    body.total_variance = variance.cwiseMax(0).sum();
    // below this there is nothing but the rounding of single precision
    const double nothing = 1e-12 * body.total_variance;
    Eigen::Index kept = 0;
    while (kept < std::min<Eigen::Index>(modes, variance.size()) && variance[kept] > nothing)
        ++kept;
    body.variance = variance.head(kept);
    const MatrixD u = eigen.eigenvectors().rowwise().reverse().leftCols(kept);
    MatrixD from_joints = u.transpose() * root;
    for (auto row : from_joints.rowwise()) {
        Eigen::Index largest;
        row.cwiseAbs().maxCoeff(&largest);
        if (row[largest] < 0) row = -row;
    }
    body.from_joints = from_joints.cast<float>();
    body.offset = (-from_joints * joints.mean).cast<float>();
    return body;
}

}  // namespace hem
