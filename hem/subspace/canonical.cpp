// SPDX-License-Identifier: Apache-2.0
#include "hem/subspace/canonical.h"

#include <algorithm>
#include <atomic>

#include "hem/core/parallel.h"

namespace hem {

namespace {

Mat3 headingRemoved(const Root& root) { return toMatrix(fromAxisAngle({0, 1, 0}, -root.heading)); }

}  // namespace

void canonicalPositions(std::span<const Vec3> world, const Root& root, float* out) {
    const Mat3 turn = headingRemoved(root);
    for (const Vec3& p : world) {
        const Vec3 x = turn * (p - root.position);
        *out++ = x.x;
        *out++ = x.y;
        *out++ = x.z;
    }
}

void canonicalJoints(std::span<const Affine> world_from_rest, const Root& root, float* out) {
    const Mat3 turn = headingRemoved(root);
    for (const Affine& m : world_from_rest) {
        const Affine k = Affine::from(turn * m.linear(), turn * (m.translation() - root.position));
        out = std::copy(&k.m[0][0], &k.m[0][0] + 12, out);
    }
}

Status readCanonical(const Recording& recording, size_t first, Eigen::Ref<MatrixF> block) {
    CHECK_EQ(size_t(block.rows()), 3 * recording.vertices());
    std::atomic<bool> finite = true;
    parallelFor(size_t(block.cols()), 16, [&](size_t begin, size_t count) {
        for (size_t i = begin; i < begin + count; ++i) {
            auto column = block.col(Eigen::Index(i));
            canonicalPositions(recording.positions(first + i), recording.root(first + i),
                               column.data());
            if (!column.allFinite()) finite = false;
        }
    });
    if (finite) return Done{};
    Eigen::Index bad = 0;
    while (block.col(bad).allFinite()) ++bad;
    return errorf(
        "clip %s: frame %zu has a position that is not finite; remove the clip's folder and record "
        "it again",
        recording.meta().name.c_str(), first + size_t(bad));
}

Status forEachBlock(const RecordingSet& set, const std::vector<std::string>& clips,
                    size_t block_mib, const std::function<void(Eigen::Ref<MatrixF> block)>& use) {
    MatrixF block;
    Eigen::Index filled = 0;
    for (const std::string& name : clips) {
        const auto recording = set.clip(name);
        if (!recording) return recording.error();
        if (block.size() == 0) {
            const size_t frame_bytes = 12 * recording->vertices();
            block.resize(Eigen::Index(3 * recording->vertices()),
                         Eigen::Index(std::max<size_t>(1, (block_mib << 20) / frame_bytes)));
        }
        for (size_t first = 0; first < recording->frames();) {
            const auto count =
                std::min(block.cols() - filled, Eigen::Index(recording->frames() - first));
            const Status read = readCanonical(*recording, first, block.middleCols(filled, count));
            if (!read) return read;
            first += size_t(count);
            filled += count;
            if (filled < block.cols()) continue;
            use(block);
            filled = 0;
        }
    }
    if (filled) use(block.leftCols(filled));
    return Done{};
}

}  // namespace hem
