// SPDX-License-Identifier: Apache-2.0
#include "hem/subspace/subspace.h"

#include <algorithm>

#include "hem/core/random.h"
#include "hem/subspace/canonical.h"

namespace hem {

namespace {

// What one pass over the frames adds up, about a fixed shape `shift` near their mean, which keeps
// single precision from cancelling: X holds x - shift, a frame a column.
struct Sums {
    VectorD frames;     // X 1
    MatrixD product;    // X X^T Q
    MatrixD gram;       // Q^T X X^T Q
    VectorD projected;  // Q^T X 1
    double square = 0;  // |X|^2
    size_t count = 0;
};

class Passes {
public:
    Passes(const FrameBlocks& blocks, const SubspaceOptions& options, size_t total)
        : blocks_(blocks), options_(options), total_(total) {}

    // `with_product`: the sums that a power step needs; otherwise those of the last pass.
    Result<Sums> run(const MatrixF& directions, bool with_product) {
        Sums sums;
        if (with_product) sums.product.setZero(directions.rows(), directions.cols());
        sums.frames.setZero(directions.rows());
        sums.gram.setZero(directions.cols(), directions.cols());
        sums.projected.setZero(directions.cols());
        const Status done = blocks_([&](Eigen::Ref<MatrixF> block) {
            if (shift.size() == 0) shift = block.col(0);
            block.colwise() -= shift;
            add(block, directions, with_product, sums);
            frames_done_ += size_t(block.cols());
            if (options_.progress)
                options_.progress(double(frames_done_) / (double(total_) * options_.passes));
        });
        if (!done) return done.error();
        return sums;
    }

    VectorF shift;

private:
    static void add(const Eigen::Ref<MatrixF>& block, const MatrixF& directions, bool with_product,
                    Sums& sums) {
        const MatrixF weights = directions.transpose() * block;
        if (with_product) sums.product += (block * weights.transpose()).cast<double>();
        const MatrixD exact = weights.cast<double>();
        sums.gram += exact * exact.transpose();
        sums.projected += exact.rowwise().sum();
        sums.frames += block.cast<double>().rowwise().sum();
        sums.square += block.cast<double>().squaredNorm();
        sums.count += size_t(block.cols());
    }

    const FrameBlocks& blocks_;
    const SubspaceOptions& options_;
    size_t total_;
    size_t frames_done_ = 0;
};

MatrixF orthonormal(const MatrixD& columns) {
    const Eigen::HouseholderQR<MatrixD> qr(columns);
    return (qr.householderQ() * MatrixD::Identity(columns.rows(), columns.cols())).cast<float>();
}

MatrixF randomDirections(Eigen::Index rows, Eigen::Index columns, uint64_t seed) {
    Random random(seed, "subspace");
    MatrixF directions(rows, columns);
    for (float& value : directions.reshaped()) value = random.normal();
    return directions;
}

// Rayleigh-Ritz: the principal directions within the span of `directions`.
Subspace principal(const MatrixF& directions, const Sums& sums, const VectorF& shift, int modes) {
    const double count = double(sums.count);
    const VectorD offset = sums.frames / count, inside = sums.projected / count;
    const MatrixD covariance = sums.gram / count - inside * inside.transpose();
    const Eigen::SelfAdjointEigenSolver<MatrixD> eigen(covariance);
    Subspace subspace;
    subspace.mean = (shift.cast<double>() + offset).cast<float>();
    subspace.variance = eigen.eigenvalues().reverse().head(modes).cwiseMax(0);
    subspace.total_variance = std::max(0.0, sums.square / count - offset.squaredNorm());
    const MatrixF turn = eigen.eigenvectors().rowwise().reverse().leftCols(modes).cast<float>();
    subspace.basis = directions * turn;
    for (auto column : subspace.basis.colwise()) {
        Eigen::Index largest;
        column.cwiseAbs().maxCoeff(&largest);
        if (column[largest] < 0) column = -column;
    }
    return subspace;
}

struct Counts {
    size_t frames = 0, vertices = 0;
};

Result<Counts> countFrames(const RecordingSet& set, const std::vector<std::string>& clips) {
    Counts counts;
    for (const std::string& name : clips) {
        const auto recording = set.clip(name);
        if (!recording) return recording.error();
        counts.frames += recording->frames();
        counts.vertices = recording->vertices();
    }
    return counts;
}

}  // namespace

Result<Subspace> fitSubspace(const FrameBlocks& blocks, size_t count, size_t vertices,
                             const SubspaceOptions& options) {
    CHECK_GT(options.modes, 0);
    CHECK_GE(options.passes, 2);
    const size_t rows = 3 * vertices;
    if (std::min(count, rows) < size_t(options.modes))
        return errorf(
            "%zu examples of %zu vertices do not span %d modes; ask for fewer modes (--modes), or "
            "learn from more",
            count, vertices, options.modes);
    const auto columns = Eigen::Index(std::min(size_t(options.modes + options.oversampling), rows));
    Passes passes(blocks, options, count);
    MatrixF directions = randomDirections(Eigen::Index(rows), columns, options.seed);
    for (int pass = 1; pass < options.passes; ++pass) {
        auto sums = passes.run(directions, true);
        if (!sums) return sums.error();
        // X X^T Q less the part that the mean makes up is count times covariance times Q
        sums->product -= sums->frames / double(sums->count) * sums->projected.transpose();
        directions = orthonormal(sums->product);
    }
    const auto sums = passes.run(directions, false);
    if (!sums) return sums.error();
    return principal(directions, *sums, passes.shift, options.modes);
}

Result<Subspace> fitSubspace(const RecordingSet& set, const std::vector<std::string>& clips,
                             const SubspaceOptions& options) {
    const auto counts = countFrames(set, clips);
    if (!counts) return counts.error();
    if (std::min(counts->frames, 3 * counts->vertices) < size_t(options.modes))
        return errorf(
            "%s: %zu frames of %zu vertices in the %zu clips to learn from do not span "
            "%d modes; record more, or ask for fewer modes",
            set.folder().c_str(), counts->frames, counts->vertices, clips.size(), options.modes);
    return fitSubspace(
        [&](const auto& each) { return forEachBlock(set, clips, options.block_mib, each); },
        counts->frames, counts->vertices, options);
}

Subspace truncated(const Subspace& subspace, int modes) {
    CHECK(modes > 0 && size_t(modes) <= subspace.modes());
    return {subspace.mean, subspace.basis.leftCols(modes), subspace.variance.head(modes),
            subspace.total_variance};
}

}  // namespace hem
