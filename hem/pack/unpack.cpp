// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/unpack.h"

#include <cstring>

#include "hem/core/check.h"
#include "hem/pack/half.h"
#include "hem/runtime/garment.h"

namespace hem {
namespace {

using Eigen::Index;
constexpr Index kLanes = format::kLanes;

template <class T>
T numberAt(const unsigned char* bytes, Index index) {
    T value;
    std::memcpy(&value, bytes + size_t(index) * sizeof value, sizeof value);
    return value;
}

// A number of a panel of kMixed, before its scale.
float mixedNumber(const unsigned char* panel, Index wide, Index mode, Index axis, Index lane) {
    const Index first = mode < wide ? 0 : wide;
    const Index in_pairs =
        ((mode - first) / 2 * 3 + axis) * 2 * kLanes + 2 * lane + (mode - first) % 2;
    if (mode < wide) return numberAt<int16_t>(panel, in_pairs);
    return numberAt<int8_t>(panel + size_t(wide * 3 * kLanes) * sizeof(int16_t), in_pairs);
}

// The number of a stored vertex.
float basisNumber(const runtime::Basis& basis, Index vertex, Index axis, Index mode) {
    const Index lane = vertex % kLanes, at = (mode * 3 + axis) * kLanes + lane;
    const unsigned char* panel = basis.data + uint64_t(vertex / kLanes) * basis.panel_bytes;
    if (basis.header->encoding == format::kFloat32) return numberAt<float>(panel, at);
    if (basis.header->encoding == format::kFloat16)
        return floatFromHalf(numberAt<uint16_t>(panel, at));
    return mixedNumber(panel, Index(basis.header->wide_modes), mode, axis, lane) *
           basis.scale[mode];
}

float meanNumber(const runtime::Basis& basis, Index vertex, Index axis) {
    return basis.mean[(vertex / kLanes * 3 + axis) * kLanes + vertex % kLanes];
}

// The vertices of a half and those opposite.
Subspace mirroredSubspace(const runtime::Garment& g) {
    Subspace s;
    s.mean.resize(3 * Index(g.header->vertices));
    s.basis.resize(s.mean.size(), Index(g.header->modes));
    s.variance = VectorD::Zero(s.basis.cols());
    for (Index v = 0; v < Index(g.mirror->half); ++v)
        for (Index axis = 0; axis < 3; ++axis) {
            const float side = axis == 0 ? -1 : 1;
            const Index left = 3 * Index(g.left[v]) + axis, right = 3 * Index(g.right[v]) + axis;
            s.mean[right] = side * meanNumber(g.bases[0], v, axis);
            s.mean[left] = meanNumber(g.bases[0], v, axis);
            Index counts[2] = {};
            for (Index m = 0; m < s.basis.cols(); ++m) {
                const bool is_odd = g.is_odd[m];
                const float x = basisNumber(g.bases[is_odd], v, axis, counts[is_odd]++);
                s.basis(right, m) = is_odd ? -side * x : side * x;
                s.basis(left, m) = x;
            }
        }
    return s;
}

VectorF vectorOf(const float* numbers, uint32_t size) {
    return Eigen::Map<const VectorF>(numbers, Index(size));
}

// Panels of 16 rows, column by column.
MatrixF matrixOf(const runtime::Matrix& packed) {
    MatrixF m(Index(packed.out), Index(packed.in));
    for (Index row = 0; row < m.rows(); ++row)
        for (Index column = 0; column < m.cols(); ++column)
            m(row, column) =
                packed.panels[(row / kLanes * m.cols() + column) * kLanes + row % kLanes];
    return m;
}

Layer layerOf(const runtime::Matrix& packed) {
    return {matrixOf(packed), vectorOf(packed.bias, packed.out)};
}

LinearDynamics linearOf(const runtime::Garment& g) {
    return {.order = int(g.linear->order),
            .uses_root = g.linear->uses_root != 0,
            .warm_up = int(g.linear->warm_up),
            .weights = matrixOf(g.dynamics),
            .bias = vectorOf(g.dynamics.bias, g.dynamics.out),
            .static_weights = matrixOf(g.statics),
            .static_bias = vectorOf(g.statics.bias, g.statics.out)};
}

ModalDynamics modalOf(const runtime::Garment& g) {
    return {.log_decay = vectorOf(g.log_decay, g.modal->states),
            .angle = vectorOf(g.angle, g.modal->states),
            .input = layerOf(g.input),
            .input_residual = layerOf(g.input_residual),
            .drive = layerOf(g.drive),
            .outer = layerOf(g.outer),
            .outer_residual = layerOf(g.outer_residual),
            .output = layerOf(g.output)};
}

}  // namespace

bool isNeural(const hem_Garment* garment) { return runtime::garmentOf(garment).network != nullptr; }

CarriedGarment carriedOf(const hem_Garment* garment) {
    const runtime::Garment g = runtime::garmentOf(garment);
    CHECK(g.network);
    const size_t vertices = g.header->vertices, lanes = size_t(kLanes);
    CarriedGarment carried;
    std::vector<std::vector<Influence>> influences(vertices);
    for (size_t v = 0; v < vertices; ++v) {
        const size_t panel = v / lanes;
        Vec3 weighted;
        float sum = 0;
        for (uint32_t i = g.first_carrier[panel]; i < g.first_carrier[panel + 1]; ++i) {
            const float* numbers = g.carried + 4 * lanes * i + v % lanes;
            const float weight = numbers[3 * lanes];
            if (weight == 0) continue;
            influences[v].push_back({int(g.joints[g.carriers[i]]), weight});
            weighted += Vec3{numbers[0], numbers[lanes], numbers[2 * lanes]};
            sum += weight;
        }
        carried.rest.push_back(sum != 0 ? weighted / sum : Vec3{});
    }
    carried.skin = makeSkin(influences, {}, Skin::kMaxInfluences);
    return carried;
}

StableSpace modelOf(const hem_Garment* garment) {
    const runtime::Garment g = runtime::garmentOf(garment);
    CHECK(!g.network);
    StableSpace model;
    model.pose = {
        {g.joints, g.joints + g.joints_read}, matrixOf(g.pose), vectorOf(g.pose.bias, g.features)};
    model.range = {vectorOf(g.offset, g.inputs), vectorOf(g.scale, g.inputs),
                   vectorOf(g.low, g.inputs), vectorOf(g.high, g.inputs)};
    model.output_limit = vectorOf(g.limit, g.header->modes);
    model.proof = {g.stability->lambda, g.stability->k_max, g.stability->energy_bound};
    if (g.modal) {
        model.kind = "S";
        model.dynamics = modalOf(g);
    } else {
        model.kind = g.linear->uses_root ? "C" : g.linear->order ? "B" : "A";
        model.dynamics = linearOf(g);
    }
    return model;
}

Subspace subspaceOf(const hem_Garment* garment) {
    const runtime::Garment g = runtime::garmentOf(garment);
    if (g.mirror) return mirroredSubspace(g);
    Subspace s;
    s.mean.resize(3 * Index(g.header->vertices));
    s.basis.resize(s.mean.size(), Index(g.header->modes));
    s.variance = VectorD::Zero(s.basis.cols());
    for (Index v = 0; v < Index(g.header->vertices); ++v)
        for (Index axis = 0; axis < 3; ++axis) {
            s.mean[3 * v + axis] = meanNumber(g.bases[0], v, axis);
            for (Index m = 0; m < s.basis.cols(); ++m)
                s.basis(3 * v + axis, m) = basisNumber(g.bases[0], v, axis, m);
        }
    return s;
}

VectorF outputLimitOf(const hem_Garment* garment) {
    const runtime::Garment g = runtime::garmentOf(garment);
    return Eigen::Map<const VectorF>(g.limit, Index(g.header->modes));
}

}  // namespace hem
