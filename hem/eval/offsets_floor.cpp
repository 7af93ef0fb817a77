// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/offsets_floor.h"

#include "hem/pack/unpack.h"
#include "hem/runtime/state.h"
#include "hem/subspace/canonical.h"

namespace hem {

OffsetsFloor::OffsetsFloor(const hem_Garment* garment)
    : garment_(garment), subspace_(subspaceOf(garment)) {}

VectorF OffsetsFloor::besidePlayed(std::span<const Affine> joints, std::span<const Vec3> cloth,
                                   float* weights) const {
    std::vector<std::byte> state(hem_stateSize(garment_));
    VectorF played(subspace_.mean.size()), placed(subspace_.mean.size());
    hem_Batch batch{};
    batch.count = 1;
    batch.states = state.data();
    batch.joints = &joints[0].m[0][0];
    batch.positions = played.data();
    batch.weights = weights;
    batch.flags = HEM_CANONICAL;
    hem_reset(garment_, batch);
    const runtime::Root& root = reinterpret_cast<runtime::StateHeader*>(state.data())->root;
    const Root frame{{root.position[0], root.position[1], root.position[2]}, root.heading};
    canonicalPositions(cloth, frame, placed.data());
    placed -= played;
    return placed;
}

// The player itself tells where the weights it gives put the vertices: what is left beside them and
// at right angles to the modes does not depend on the weights.
VectorF OffsetsFloor::leftOf(std::span<const Affine> joints, std::span<const Vec3> cloth) const {
    VectorF left = besidePlayed(joints, cloth, nullptr);
    left -= subspace_.basis * (subspace_.basis.transpose() * left).eval();
    return left;
}

VectorF OffsetsFloor::offsetsOf(std::span<const Affine> joints, std::span<const Vec3> cloth) const {
    VectorF weights(subspace_.basis.cols());
    VectorF offsets = besidePlayed(joints, cloth, weights.data());
    offsets += subspace_.basis * weights;
    return offsets;
}

double OffsetsFloor::lengthOf(std::span<const Affine> joints, std::span<const Vec3> cloth) const {
    const VectorF left = leftOf(joints, cloth);
    double sum = 0;
    for (Eigen::Index v = 0; v < left.size(); v += 3) sum += double(left.segment(v, 3).norm());
    return sum;
}

}  // namespace hem
