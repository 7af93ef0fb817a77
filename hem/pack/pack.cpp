// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/pack.h"

#include <algorithm>
#include <cmath>

#include "hem/character/root.h"
#include "hem/pack/basis_encoding.h"
#include "hem/pack/body_section.h"
#include "hem/pack/file_writer.h"
#include "hem/runtime/hem.h"

namespace hem {
namespace {

using namespace format;
using Eigen::Index;

struct Sizes {
    Index joints, vertices, modes, features, inputs;
};

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

Status checkDynamics(const Sizes& s, const LinearDynamics& d) {
    if (d.order < 0 || d.order > int(kMaxOrder) || d.warm_up < 0 || d.warm_up > int(kMaxWarmUp))
        return errorf("cannot pack: an order of %d or a warm-up of %d ticks", d.order, d.warm_up);
    Status status =
        checkSize("number of inputs", s.inputs, s.features + (d.uses_root ? 5 * d.order : 0));
    if (status)
        status =
            checkMatrix("the dynamics", d.weights, d.bias, s.modes, s.inputs + d.order * s.modes);
    if (status)
        status = checkMatrix("the 0th-order model", d.static_weights, d.static_bias, s.modes,
                             s.features);
    return status;
}
Status checkDynamics(const Sizes& s, const ModalDynamics& d) {
    const Index states = d.log_decay.size(), hidden = d.input.weights.rows(),
                outer = d.outer.weights.rows();
    Status status = checkSize("number of inputs", s.inputs, 2 * (s.features + 4) + 7);
    if (status) status = checkSize("number of angles", d.angle.size(), states);
    if (status)
        status = checkMatrix("the input layer", d.input.weights, d.input.bias, hidden, s.inputs);
    if (status)
        status = checkMatrix("the drive", d.drive.weights, d.drive.bias, 2 * states, hidden);
    if (status)
        status = checkMatrix("the outer layer", d.outer.weights, d.outer.bias, outer,
                             hidden + 2 * states);
    if (status)
        status = checkMatrix("the output layer", d.output.weights, d.output.bias, s.modes,
                             s.inputs + hidden + 2 * states + outer);
    return status;
}

Status checkSizes(const Sizes& s, const Mesh& garment, const Subspace& subspace,
                  const StableSpace& model, const MatrixF& frames) {
    const InputRange& r = model.range;
    const struct {
        const char* what;
        Index is, should_be;
    } sizes[] = {{"number of the garment's vertices", Index(garment.positions.size()), s.vertices},
                 {"rows of the basis", subspace.basis.rows(), 3 * s.vertices},
                 {"rows of the frames", frames.rows(), s.modes},
                 {"columns of the pose features", model.pose.from_joints.cols(),
                  12 * Index(model.pose.joints.size())},
                 {"offset of the pose features", model.pose.offset.size(), s.features},
                 {"scale of the inputs", r.scale.size(), s.inputs},
                 {"low of the inputs", r.low.size(), s.inputs},
                 {"high of the inputs", r.high.size(), s.inputs},
                 {"output limit", model.output_limit.size(), s.modes}};
    for (const auto& size : sizes)
        if (const Status status = checkSize(size.what, size.is, size.should_be); !status)
            return status;
    return std::visit([&](const auto& d) { return checkDynamics(s, d); }, model.dynamics);
}

Frame frameOf(const Character& character, const HipJoints& hips) {
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

void addInputs(FileWriter& file, const StableSpace& model) {
    const PoseFeatures& pose = model.pose;
    file.startSection(kPose);
    file.add(PoseHeader{uint32_t(pose.joints.size()), uint32_t(pose.offset.size()), {}});
    file.addArray(std::span<const uint16_t>(pose.joints));
    file.addMatrix(pose.from_joints, pose.offset);

    const InputRange& range = model.range;
    file.startSection(kInputs);
    const uint32_t count[16] = {uint32_t(range.offset.size())};
    file.add(count);
    for (const VectorF* part : {&range.offset, &range.scale, &range.low, &range.high})
        file.addPadded(*part);
}

void addDynamics(FileWriter& file, const LinearDynamics& d) {
    file.startSection(kLinear);
    file.add(LinearHeader{uint32_t(d.order), d.uses_root && d.order > 0, uint32_t(d.warm_up), {}});
    file.addMatrix(d.weights, d.bias);
    file.startSection(kStatic);
    file.add(LinearHeader{});
    file.addMatrix(d.static_weights, d.static_bias);
}
void addDynamics(FileWriter& file, const ModalDynamics& d) {
    file.startSection(kModal);
    file.add(ModalHeader{uint32_t(d.input.bias.size()),
                         uint32_t(d.log_decay.size()),
                         uint32_t(d.outer.bias.size()),
                         {}});
    file.addPadded(d.log_decay);
    file.addPadded(d.angle);
    for (const Layer* layer : {&d.input, &d.drive, &d.outer, &d.output})
        file.addMatrix(layer->weights, layer->bias);
}

void addBasis(FileWriter& file, const VectorF& mean, const EncodedBasis& basis,
              float tolerance_um) {
    const bool is_exact = basis.encoding == BasisEncoding::kFloat32;
    const Encoding codes[] = {kFloat32, kFloat16, kMixed};
    file.startSection(kBasis);
    file.add(BasisHeader{codes[int(basis.encoding)],
                         uint32_t(basis.wide_modes),
                         is_exact ? 0 : tolerance_um,
                         basis.largest_error_um,
                         {}});
    const Index vertices = mean.size() / 3;
    for (Index first = 0; first < vertices; first += kLanes)
        for (Index axis = 0; axis < 3; ++axis)
            for (Index v = first; v < first + Index(kLanes); ++v)
                file.add(v < vertices ? mean[3 * v + axis] : 0.0f);
    file.addPadded(basis.scale);
    file.addArray(std::span<const std::byte>(basis.data));
}

// Of |vertex - mean|, metres, for weights within the limits. Summed in order, in double: the same
// bytes on every machine.
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

void addHidden(FileWriter& file, const std::vector<uint8_t>& hidden) {
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

// What hem_open() says of the result: it has every limit and every check of a value.
Result<std::vector<std::byte>> proved(std::vector<std::byte> file) {
    hem_Error error = HEM_OK;
    if (hem_open(file.data(), file.size(), &error)) return file;
    return errorf("cannot pack: the player refuses the garment: %s", hem_errorText(error));
}

}  // namespace

Result<std::vector<std::byte>> pack(const Character& character, const Mesh& garment,
                                    const Subspace& subspace, const StableSpace& model,
                                    const MatrixF& frames, const PackOptions& options) {
    const Sizes sizes{Index(character.skeleton.size()), Index(subspace.vertices()),
                      Index(subspace.modes()), model.pose.from_joints.rows(),
                      model.range.offset.size()};
    if (const Status status = checkSizes(sizes, garment, subspace, model, frames); !status)
        return status.error();
    const size_t corners = 3 * garment.triangles.size();
    if (!options.corner_uvs.empty() && options.corner_uvs.size() != corners)
        return errorf("cannot pack: %zu texture coordinates for %zu corners of triangles",
                      options.corner_uvs.size(), corners);
    if (!options.hidden.empty() && options.hidden.size() != character.mesh.triangles.size())
        return errorf("cannot pack: %zu triangles hidden or not, of a body of %zu",
                      options.hidden.size(), character.mesh.triangles.size());
    const auto hips = findHipJoints(character.skeleton);
    if (!hips) return hips.error();
    const bool is_exact = options.encoding == BasisEncoding::kFloat32;
    if (!is_exact && (frames.cols() == 0 || !frames.allFinite() || !subspace.basis.allFinite()))
        return errorf("cannot pack: no frames, or numbers that are not finite");
    const auto basis = encodeBasis(subspace.basis, frames, options.encoding, options.tolerance_um);
    if (!basis) return inContext("cannot pack the basis", basis.error());

    FileWriter file;
    file.startSection(kInfo);
    file.addText(options.info_json.empty() ? "{}" : options.info_json);
    addMesh(file, character, garment, *hips);
    addInputs(file, model);
    std::visit([&](const auto& d) { addDynamics(file, d); }, model.dynamics);
    file.startSection(kOutput);
    file.addPadded(model.output_limit);
    addBasis(file, subspace.mean, *basis, options.tolerance_um);
    file.startSection(kStability);
    file.add(Stability{model.proof.lambda,
                       model.proof.k_max,
                       model.proof.energy_bound,
                       largestOutput(subspace.basis, model.output_limit),
                       {}});
    if (options.body) addBody(file, *options.body);
    if (!options.corner_uvs.empty()) {
        file.startSection(kCornerTextureCoords);
        file.addArray(options.corner_uvs);
    }
    if (!options.hidden.empty()) addHidden(file, options.hidden);

    FileHeader header{};
    const bool is_linear = std::holds_alternative<LinearDynamics>(model.dynamics);
    header.kind = is_linear ? kLinearKind : kModalKind;
    header.vertices = uint32_t(sizes.vertices);
    header.triangles = uint32_t(garment.triangles.size());
    header.joints = uint32_t(sizes.joints);
    header.modes = uint32_t(sizes.modes);
    header.rate = float(options.rate);
    return proved(file.finish(header));
}

}  // namespace hem
