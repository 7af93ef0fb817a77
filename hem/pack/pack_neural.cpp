// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/pack_neural.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "hem/pack/body_section.h"
#include "hem/pack/sections.h"

namespace hem {
namespace {

using namespace format;
using Eigen::Index;

// To their numbers among those that are read.
using JointNumbers = std::map<int, uint16_t>;

JointNumbers jointsRead(const NeuralModel& model, const Skin& skin) {
    std::set<int> joints;
    for (const JointRotation& r : model.rotations) {
        joints.insert(r.joint);
        if (r.parent != kNoParent) joints.insert(r.parent);
    }
    for (size_t i = 0; i < skin.joints.size(); ++i)
        if (skin.weights[i] > 0) joints.insert(skin.joints[i]);
    JointNumbers numbers;
    for (const int joint : joints) numbers.emplace(joint, uint16_t(numbers.size()));
    return numbers;
}

Status checkSizes(const Mesh& garment, const Skin& skin, const NeuralModel& model,
                  const MatrixF& frames) {
    const Index vertices = Index(model.subspace.vertices()), modes = Index(model.subspace.modes());
    const Index inputs = int(model.numbers) * Index(model.rotations.size());
    if (model.layers.empty() || model.layers.size() > kMaxLayers)
        return errorf("cannot pack: %zu layers, where 1 to %u are played", model.layers.size(),
                      kMaxLayers);
    const struct {
        const char* what;
        Index is, should_be;
    } sizes[] = {{"number of the garment's vertices", Index(garment.positions.size()), vertices},
                 {"number of the skin's vertices", Index(skin.vertexCount()), vertices},
                 {"rows of the basis", model.subspace.basis.rows(), 3 * vertices},
                 {"rows of the frames", frames.rows(), modes},
                 {"offset of the inputs", model.range.offset.size(), inputs},
                 {"scale of the inputs", model.range.scale.size(), inputs},
                 {"low of the inputs", model.range.low.size(), inputs},
                 {"high of the inputs", model.range.high.size(), inputs},
                 {"number of outputs", model.layers.back().bias.size(), modes},
                 {"output limit", model.output_limit.size(), modes}};
    for (const auto& size : sizes)
        if (const Status status = checkSize(size.what, size.is, size.should_be); !status)
            return status;
    Index in = inputs;
    for (const Layer& layer : model.layers) {
        if (const Status status =
                checkMatrix("a layer", layer.weights, layer.bias, layer.bias.size(), in);
            !status)
            return status;
        in = layer.bias.size();
    }
    return Done{};
}

template <class T>
void addPart(FileWriter& file, const std::vector<T>& values) {
    file.align();
    file.addArray(std::span<const T>(values));
}

void addNetwork(FileWriter& file, const NeuralModel& model, const JointNumbers& numbers,
                bool in_pairs) {
    NetworkHeader header{};
    header.joints_read = uint32_t(numbers.size());
    header.rotations = uint32_t(model.rotations.size());
    header.numbers = uint32_t(model.numbers);
    header.activation = model.activation == NeuralActivation::kRelu ? kRelu : kSiluActivation;
    header.layers = uint32_t(model.layers.size());
    for (size_t i = 0; i < model.layers.size(); ++i)
        header.widths[i] = uint32_t(model.layers[i].bias.size());
    header.weights = in_pairs ? kInt16Weights : kFloatWeights;
    std::vector<uint16_t> joints, of, parent;
    std::vector<float> turns;
    for (const auto& [joint, number] : numbers) joints.push_back(uint16_t(joint));
    for (const JointRotation& r : model.rotations) {
        of.push_back(numbers.at(r.joint));
        parent.push_back(r.parent == kNoParent ? kNoJoint : numbers.at(r.parent));
        for (const Quat& q : {r.left, r.right}) turns.insert(turns.end(), {q.w, q.x, q.y, q.z});
    }
    file.startSection(kNetwork);
    file.add(header);
    addPart(file, joints);
    addPart(file, of);
    addPart(file, parent);
    addPart(file, turns);
    for (const Layer& layer : model.layers)
        in_pairs ? file.addPairs(layer.weights, layer.bias)
                 : file.addMatrix(layer.weights, layer.bias);
}

// Of influence_pairs: as fine as their sums allow. `root`: kFrame's.
float pairStep(const Mesh& garment, Vec3 root) {
    float largest = 1;
    for (const Vec3& p : garment.positions) {
        const Vec3 d = p - root;
        largest = std::max(largest, std::abs(d.x) + std::abs(d.y) + std::abs(d.z) + 1);
    }
    return largest / float(kMaxPairs - 4 * Skin::kMaxInfluences);  // halves are rounded up
}

// [2][16][2] from [4][16].
void addPairs(const std::array<float, 4 * kLanes>& rest, Vec3 root, float step,
              std::vector<int16_t>& to) {
    for (size_t half = 0; half < 2; ++half)
        for (size_t lane = 0; lane < kLanes; ++lane)
            for (size_t c = 2 * half; c < 2 * half + 2; ++c) {
                const float from = c < 3 ? rest[3 * kLanes + lane] * root[int(c)] : 0;
                to.push_back(int16_t(std::lround((rest[c * kLanes + lane] - from) / step)));
            }
}

// Influences by panels of 16 vertices.
void addSkin(FileWriter& file, const Character& character, const Mesh& garment, const Skin& skin,
             const JointNumbers& numbers) {
    const Vec3 root = inverse(character.skin.joint_from_rest[0]).translation();
    const float step = pairStep(garment, root);
    std::vector<int16_t> pairs;
    std::vector<uint32_t> first = {0};
    std::vector<uint16_t> joints;
    std::vector<float> rest;
    const size_t vertices = garment.positions.size(), each = size_t(skin.influences);
    for (size_t begin = 0; begin < vertices; begin += kLanes) {
        std::map<uint16_t, std::array<float, 4 * kLanes>> panel;
        for (size_t v = begin; v < std::min(begin + kLanes, vertices); ++v)
            for (size_t i = v * each; i < (v + 1) * each; ++i) {
                const float w = skin.weights[i];
                if (!(w > 0)) continue;
                const Vec3 p = garment.positions[v];
                const float values[4] = {w * p.x, w * p.y, w * p.z, w};
                auto& lanes = panel[numbers.at(skin.joints[i])];
                for (size_t c = 0; c < 4; ++c) lanes[c * kLanes + v - begin] += values[c];
            }
        for (const auto& [joint, lanes] : panel) {
            joints.push_back(joint);
            rest.insert(rest.end(), lanes.begin(), lanes.end());
            addPairs(lanes, root, step, pairs);
        }
        first.push_back(uint32_t(joints.size()));
    }
    file.startSection(kSkin);
    file.add(SkinHeader{uint32_t(joints.size()), step, {}});
    addPart(file, first);
    addPart(file, joints);
    addPart(file, rest);
    addPart(file, pairs);
}

}  // namespace

Result<std::vector<std::byte>> pack(const Character& character, const Mesh& garment,
                                    const Skin& skin, const NeuralModel& model,
                                    const MatrixF& frames, const PackOptions& options) {
    if (const Status status = checkSizes(garment, skin, model, frames); !status)
        return status.error();
    if (const Status status = checkOptional(character, garment, options); !status)
        return status.error();
    const JointNumbers numbers = jointsRead(model, skin);
    if (numbers.size() > kMaxReadJoints)
        return errorf("cannot pack: %zu joints carry the garment or bend it, where %u can be read",
                      numbers.size(), kMaxReadJoints);
    const auto hips = findHipJoints(character.skeleton);
    if (!hips) return hips.error();
    const auto bases = encodedBases(model.subspace, frames, options);
    if (!bases) return bases.error();

    FileWriter file;
    file.startSection(kInfo);
    file.addText(options.info_json.empty() ? "{}" : options.info_json);
    addMesh(file, character, garment, *hips);
    addRange(file, model.range);
    addNetwork(file, model, numbers, options.encoding == BasisEncoding::kMixed);
    addSkin(file, character, garment, skin, numbers);
    file.startSection(kOutput);
    file.addPadded(model.output_limit);
    addBases(file, model.subspace.mean, *bases, options.tolerance_um);
    addStability(file, {}, largestOutput(model.subspace.basis, model.output_limit));
    addOptional(file, options);

    FileHeader header{};
    header.kind = kNeuralKind;
    header.vertices = uint32_t(garment.positions.size());
    header.triangles = uint32_t(garment.triangles.size());
    header.joints = uint32_t(character.skeleton.size());
    header.modes = uint32_t(model.subspace.modes());
    header.rate = float(options.rate);
    return proved(file.finish(header));
}

}  // namespace hem
