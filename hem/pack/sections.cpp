// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/sections.h"

#include <algorithm>
#include <cmath>

#include "hem/pack/body_section.h"
#include "hem/runtime/hem.h"

namespace hem {

using namespace format;
using Eigen::Index;

Status checkSize(const char* what, Index is, Index should_be) {
    if (is == should_be) return Done{};
    return errorf("cannot pack: %s is %ld where %ld is expected; were these trained together?",
                  what, long(is), long(should_be));
}

Status checkMatrix(const std::string& what, const MatrixF& weights, const VectorF& bias, Index rows,
                   Index columns) {
    Status status = checkSize(("rows of " + what).c_str(), weights.rows(), rows);
    if (status) status = checkSize(("columns of " + what).c_str(), weights.cols(), columns);
    if (status) status = checkSize(("bias of " + what).c_str(), bias.size(), rows);
    return status;
}

static Frame frameOf(const Character& character, const HipJoints& hips) {
    Frame frame{};
    const auto put = [&](int joint, float* to) {
        const Vec3 rest = inverse(character.skin.joint_from_rest[size_t(joint)]).translation();
        for (int i = 0; i < 3; ++i) to[i] = rest[i];
    };
    put(0, frame.root);
    put(hips.left, frame.left_hip);
    put(hips.right, frame.right_hip);
    frame.left_hip_joint = uint32_t(hips.left);
    frame.right_hip_joint = uint32_t(hips.right);
    return frame;
}

void addMesh(FileWriter& file, const Character& character, const Mesh& garment,
             const HipJoints& hips) {
    file.startSection(kTriangles);
    file.addArray(std::span<const Triangle>(garment.triangles));
    file.startSection(kJointNames);
    for (const Joint& joint : character.skeleton.joints) file.addText(joint.name);
    file.startSection(kFrame);
    file.add(frameOf(character, hips));
}

void addRange(FileWriter& file, const InputRange& range) {
    file.startSection(kInputs);
    const uint32_t count[16] = {uint32_t(range.offset.size())};
    file.add(count);
    for (const VectorF* part : {&range.offset, &range.scale, &range.low, &range.high})
        file.addPadded(*part);
}

Result<std::vector<EncodedBasis>> encodedBases(const Subspace& subspace, const MatrixF& frames,
                                               const PackOptions& options, const Mirror* mirror) {
    const bool is_exact = options.encoding == BasisEncoding::kFloat32;
    if (!is_exact && (frames.cols() == 0 || !frames.allFinite() || !subspace.basis.allFinite()))
        return errorf("cannot pack: no frames, or numbers that are not finite");
    auto bases =
        encodeBases(subspace.basis, frames, options.encoding, options.tolerance_um, mirror);
    if (!bases) return inContext("cannot pack the basis", bases.error());
    return bases;
}

static void addBasisHeader(FileWriter& file, const EncodedBasis& basis, float tolerance_um) {
    const bool is_exact = basis.encoding == BasisEncoding::kFloat32;
    const Encoding codes[] = {kFloat32, kFloat16, kMixed};
    file.add(BasisHeader{codes[int(basis.encoding)],
                         uint32_t(basis.wide_modes),
                         is_exact ? 0 : tolerance_um,
                         basis.largest_error_um,
                         {}});
}

static void addPanels(FileWriter& file, const VectorF& mean) {
    const Index vertices = mean.size() / 3;
    for (Index first = 0; first < vertices; first += kLanes)
        for (Index axis = 0; axis < 3; ++axis)
            for (Index v = first; v < first + Index(kLanes); ++v)
                file.add(v < vertices ? mean[3 * v + axis] : 0.0f);
}

static void addMirror(FileWriter& file, const Mirror& mirror) {
    const auto odd = std::count(mirror.is_odd.begin(), mirror.is_odd.end(), 1);
    file.startSection(kMirror);
    file.add(MirrorHeader{uint32_t(mirror.left.size()), uint32_t(odd), {}});
    file.addArray(std::span<const uint32_t>(mirror.left));
    file.align();
    file.addArray(std::span<const uint32_t>(mirror.right));
    file.align();
    file.addArray(std::span<const uint8_t>(mirror.is_odd));
}

static VectorF leftOf(const VectorF& cloth, const Mirror& mirror) {
    VectorF left(3 * Index(mirror.left.size()));
    for (Index v = 0; v < left.size() / 3; ++v)
        left.segment<3>(3 * v) = cloth.segment<3>(3 * Index(mirror.left[size_t(v)]));
    return left;
}

void addBases(FileWriter& file, const VectorF& mean, const std::vector<EncodedBasis>& bases,
              float tolerance_um, const Mirror* mirror) {
    if (mirror) addMirror(file, *mirror);
    for (size_t i = 0; i < bases.size(); ++i) {
        file.startSection(i == 0 ? kBasis : kOddBasis);
        addBasisHeader(file, bases[i], tolerance_um);
        if (i == 0) addPanels(file, mirror ? leftOf(mean, *mirror) : mean);
        file.addPadded(bases[i].scale);
        file.addArray(std::span<const std::byte>(bases[i].data));
    }
}

void addStability(FileWriter& file, const StabilityProof& proof, double largest_output) {
    file.startSection(kStability);
    file.add(Stability{proof.lambda, proof.k_max, proof.energy_bound, largest_output, {}});
}

Status checkOptional(const Character& character, const Mesh& garment, const PackOptions& options) {
    const size_t corners = 3 * garment.triangles.size();
    if (!options.corner_uvs.empty() && options.corner_uvs.size() != corners)
        return errorf("cannot pack: %zu texture coordinates for %zu corners of triangles",
                      options.corner_uvs.size(), corners);
    if (!options.hidden.empty() && options.hidden.size() != character.mesh.triangles.size())
        return errorf("cannot pack: %zu triangles hidden or not, of a body of %zu",
                      options.hidden.size(), character.mesh.triangles.size());
    return Done{};
}

static void addHidden(FileWriter& file, const std::vector<uint8_t>& hidden) {
    HiddenHeader header{uint32_t(hidden.size()), 0, {}};
    std::vector<uint8_t> bits((hidden.size() + 7) / 8);
    for (size_t t = 0; t < hidden.size(); ++t) {
        if (!hidden[t]) continue;
        bits[t / 8] = uint8_t(bits[t / 8] | 1u << t % 8);
        ++header.hidden;
    }
    file.startSection(kHidden);
    file.add(header);
    file.addArray(std::span<const uint8_t>(bits));
}

void addOptional(FileWriter& file, const PackOptions& options) {
    if (options.body) addBody(file, *options.body);
    if (!options.corner_uvs.empty()) {
        file.startSection(kCornerTextureCoords);
        file.addArray(options.corner_uvs);
    }
    if (!options.hidden.empty()) addHidden(file, options.hidden);
}

double largestOutput(const MatrixF& basis, const VectorF& limit) {
    double largest = 0;
    for (Index v = 0; v < basis.rows() / 3; ++v) {
        double reach = 0;
        for (Index m = 0; m < basis.cols(); ++m) {
            const double x = basis(3 * v, m), y = basis(3 * v + 1, m), z = basis(3 * v + 2, m);
            reach += std::sqrt(x * x + y * y + z * z) * double(limit[m]);
        }
        largest = std::max(largest, reach);
    }
    return largest;
}

Result<std::vector<std::byte>> proved(std::vector<std::byte> file) {
    hem_Error error = HEM_OK;
    if (hem_open(file.data(), file.size(), &error)) return file;
    return errorf("cannot pack: the player refuses the garment: %s", hem_errorText(error));
}

}  // namespace hem
