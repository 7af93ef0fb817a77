// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/pack.h"

#include <algorithm>
#include <cmath>

#include "hem/character/root.h"
#include "hem/pack/mirror.h"
#include "hem/pack/sections.h"

namespace hem {
namespace {

using namespace format;
using Eigen::Index;

struct Sizes {
    Index joints, vertices, modes, features, inputs;
};

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
        status = checkMatrix("the input's residual layer", d.input_residual.weights,
                             d.input_residual.bias, hidden, hidden);
    if (status)
        status = checkMatrix("the drive", d.drive.weights, d.drive.bias, 2 * states, hidden);
    if (status)
        status = checkMatrix("the outer layer", d.outer.weights, d.outer.bias, outer,
                             hidden + 2 * states);
    if (status)
        status = checkMatrix("the outer residual layer", d.outer_residual.weights,
                             d.outer_residual.bias, outer, outer);
    if (status)
        status = checkMatrix("the output layer", d.output.weights, d.output.bias, s.modes,
                             s.inputs + 2 * states + outer);
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

void addInputs(FileWriter& file, const StableSpace& model) {
    const PoseFeatures& pose = model.pose;
    file.startSection(kPose);
    file.add(PoseHeader{uint32_t(pose.joints.size()), uint32_t(pose.offset.size()), {}});
    file.addArray(std::span<const uint16_t>(pose.joints));
    file.addMatrix(pose.from_joints, pose.offset);

    addRange(file, model.range);
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
    for (const Layer* layer :
         {&d.input, &d.input_residual, &d.drive, &d.outer, &d.outer_residual, &d.output})
        file.addMatrix(layer->weights, layer->bias);
}

}  // namespace

Result<std::vector<std::byte>> pack(const Character& character, const Mesh& garment,
                                    const Subspace& given, const StableSpace& model,
                                    const MatrixF& frames, const PackOptions& options) {
    const Sizes sizes{Index(character.skeleton.size()), Index(given.vertices()),
                      Index(given.modes()), model.pose.from_joints.rows(),
                      model.range.offset.size()};
    if (const Status status = checkSizes(sizes, garment, given, model, frames); !status)
        return status.error();
    if (const Status status = checkOptional(character, garment, options); !status)
        return status.error();
    const auto hips = findHipJoints(character.skeleton);
    if (!hips) return hips.error();
    const auto found = options.mirror ? mirrorOf(garment, given) : std::nullopt;
    const Mirror* mirror = found ? &*found : nullptr;
    const Subspace subspace = mirror ? mirrored(given, *mirror) : given;
    const auto bases = encodedBases(subspace, frames, options, mirror);
    if (!bases) return bases.error();

    FileWriter file;
    file.startSection(kInfo);
    file.addText(options.info_json.empty() ? "{}" : options.info_json);
    addMesh(file, character, garment, *hips);
    addInputs(file, model);
    std::visit([&](const auto& d) { addDynamics(file, d); }, model.dynamics);
    file.startSection(kOutput);
    file.addPadded(model.output_limit);
    addBases(file, subspace.mean, *bases, options.tolerance_um, mirror);
    addStability(file, model.proof, largestOutput(subspace.basis, model.output_limit));
    addOptional(file, options);

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
