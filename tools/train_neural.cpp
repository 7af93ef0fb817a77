// SPDX-License-Identifier: Apache-2.0
#include "tools/train_neural.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "hem/cloth/skin_attachment.h"
#include "hem/core/files.h"
#include "hem/core/progress.h"
#include "hem/eval/body_frames.h"
#include "hem/eval/hidden_body.h"
#include "hem/eval/play.h"
#include "hem/models/neural/pose_examples.h"
#include "hem/pack/pack_neural.h"
#include "hem/poses/draw_pose.h"
#include "hem/recording/exchange.h"
#include "tools/interrupt.h"
#include "tools/train.h"

namespace hem::tools {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The bar, and a line now and then, also where there is no terminal: how the losses fall.
class Losses {
public:
    Losses(int epochs, bool lines)
        : epochs_(epochs), lines_(lines), bar_("training", size_t(epochs)) {}

    void tell(int done, double training, double validation) {
        bar_.advance(size_t(done - told_));
        told_ = done;
        if (!lines_ || done == 0 || Clock::now() < next_) return;
        next_ = Clock::now() + std::chrono::seconds(5);
        std::fprintf(stderr, "%sepoch %d of %d: cost %.4e in training, %.4e in validation\n",
                     takesColor(2) ? "\r\x1b[K" : "", done, epochs_, training, validation);
    }

private:
    int epochs_, told_ = 0;
    bool lines_;
    Progress bar_;
    Clock::time_point next_ = Clock::now();
};

// Standard deviations of the latent weights over training's poses: modes by poses.
std::vector<float> sigmasOf(const MatrixF& weights) {
    std::vector<float> sigmas;
    for (const auto row : weights.rowwise()) {
        const double mean = row.cast<double>().mean();
        const double square = (row.cast<double>().array() - mean).square().mean();
        sigmas.push_back(float(std::sqrt(square)));
    }
    return sigmas;
}

// Some hundred of training's poses, evenly: the body's proxy needs no more.
Result<std::vector<BodyFrame>> bodyFramesOf(const PoseSet& set,
                                            const std::vector<std::byte>& bytes) {
    constexpr size_t kFrames = 300;
    hem_Error reason = HEM_OK;
    const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), &reason);
    if (!garment) return errorf("not a garment that can be played: %s", hem_errorText(reason));
    const std::vector<uint32_t> poses = set.members(PoseSplit::kTraining);
    const size_t step = std::max<size_t>(1, poses.size() / kFrames);
    std::vector<BodyFrame> frames;
    Wearer wearer(garment);
    for (size_t i = 0; i < poses.size(); i += step) {
        const auto joints = set.matrices(poses[i]);
        const auto cloth = set.restCloth(poses[i]);
        wearer.reset(joints);
        frames.push_back({{joints.begin(), joints.end()},
                          {cloth.begin(), cloth.end()},
                          {wearer.positions().begin(), wearer.positions().end()}});
    }
    return frames;
}

Json infoOf(const NeuralTrainOptions& o, const NeuralData& data, const NeuralFit& fit) {
    Json garments = Json::array(), joints = Json::array();
    for (const Garment& g : data.scene.garments)
        garments.push_back({{"name", g.name}, {"fabric", g.fabric.name}});
    for (const int joint : data.worn.joints)
        joints.push_back(data.scene.character.skeleton.joints[size_t(joint)].name);
    Json info{{"model", "N"},
              {"character", data.scene.character.name},
              {"garments", garments},
              {"modes", fit.model.subspace.modes()},
              {"direct", o.network.modes == 0},
              {"hidden", o.network.hidden},
              {"joints", joints}};
    info.update(data.about);
    info.update({{"examples", data.training.inputs.cols()},
                 {"seed", o.network.seed},
                 {"epochs", fit.epochs.size()},
                 {"best_epoch", fit.best_epoch},
                 {"training_cost", fit.training_cost},
                 {"validation_cost", fit.validation_cost},
                 {"report", fit.model.report}});
    return info;
}

bool sameWearing(const NeuralData& a, const NeuralData& b) {
    const Skin &s = a.worn.skin, &t = b.worn.skin;
    return a.worn.rest == b.worn.rest && a.worn.joints == b.worn.joints && s.joints == t.joints &&
           s.weights == t.weights && a.numbers == b.numbers &&
           joinedMesh(a.scene.garments).triangles == joinedMesh(b.scene.garments).triangles;
}

MatrixF sideBySide(const MatrixF& a, const MatrixF& b) {
    MatrixF both(a.rows(), a.cols() + b.cols());
    both << a, b;
    return both;
}

}  // namespace

Status writeGarment(const std::string& file, const std::vector<std::byte>& bytes) {
    if (const Status written = writeFile(file, bytes); !written) return written;
    std::error_code ignored;
    std::filesystem::remove(file + ".checkpoint", ignored);
    return Done{};
}

BasisEncoding encodingOf(const std::string& name) {
    return name == "float32"   ? BasisEncoding::kFloat32
           : name == "float16" ? BasisEncoding::kFloat16
                               : BasisEncoding::kMixed;
}

Result<NeuralData> readNeuralData(const PoseSet& set, RotationNumbers numbers, bool mirror) {
    const auto partners = mirror ? partnersOf(set.scene()) : std::nullopt;
    auto training =
        readExamples(set, PoseSplit::kTraining, numbers, partners ? &*partners : nullptr);
    if (!training) return training.error();
    auto validation = readExamples(set, PoseSplit::kValidation, numbers);
    if (!validation) return validation.error();
    const Eigen::Index unmirrored = partners ? training->inputs.cols() / 2 : 0;
    return NeuralData{
        .scene = set.scene(),
        .worn = {set.garmentRest(), set.garmentSkin(), set.inputJoints()},
        .numbers = numbers,
        .training = std::move(*training),
        .unmirrored = unmirrored,
        .validation = std::move(*validation),
        .about = {{"poses", set.meta().training}, {"mirrored", partners.has_value()}},
        .body_frames = [set](const std::vector<std::byte>& b) { return bodyFramesOf(set, b); }};
}

Result<NeuralData> readNeuralData(const RecordingSet& set, const std::vector<std::string>& clips,
                                  MovingOptions options, bool mirror) {
    const auto split = leaveMotionsOut(clips);
    if (!split) return inContext(set.folder(), split.error());
    const Character& character = set.scene().character;
    auto joints = posedJoints(character);
    if (!joints) return joints.error();
    const std::vector<Vec3> rest = joinedMesh(set.scene().garments).positions;
    NeuralData data{.scene = set.scene(),
                    .worn = {rest, attachToSkin(character, rest), std::move(*joints)},
                    .numbers = options.numbers};
    const auto partners = mirror ? partnersOf(set.scene()) : std::nullopt;
    if (partners) options.partners = &*partners;
    auto training = readExamples(set, split->training, data.worn, options);
    if (!training) return training.error();
    auto validation = readExamples(set, split->validation, data.worn, options);
    if (!validation) return validation.error();
    data.training = std::move(*training);
    data.validation = std::move(*validation);
    data.about = {{"trained_on", split->training},
                  {"validated_on", split->validation},
                  {"stop_frames", options.stop_frames},
                  {"mirrored", partners.has_value()}};
    data.body_frames = [set, names = split->training](const std::vector<std::byte>& garment) {
        return bodyFrames(set, names, garment);
    };
    return data;
}

Result<NeuralData> joined(NeuralData poses, const NeuralData& moving) {
    if (!sameWearing(poses, moving))
        return errorf(
            "the poses and the recordings are not of one garment on one character: make them with "
            "the same character, garment and vertices");
    for (auto [to, from] :
         {std::pair{&poses.training, &moving.training}, {&poses.validation, &moving.validation}}) {
        to->inputs = sideBySide(to->inputs, from->inputs);
        to->offsets = sideBySide(to->offsets, from->offsets);
    }
    poses.unmirrored = 0;
    const bool mirrored = poses.about["mirrored"] && moving.about["mirrored"];
    poses.about.update(moving.about);
    poses.about["mirrored"] = mirrored;
    poses.body_frames = moving.body_frames;
    poses.scene.arms_pass = moving.scene.arms_pass;
    return poses;
}

Result<TrainedNeural> trainNeuralGarment(const NeuralData& data,
                                         const NeuralTrainOptions& options) {
    const auto start = Clock::now();
    NeuralOptions network = options.network;
    network.cancel = &catchInterrupts();
    Losses losses(network.epochs, options.losses);
    network.progress = [&](int epochs, double of_training, double of_validation) {
        losses.tell(epochs, of_training, of_validation);
    };
    auto fit = trainNeural(data.training, data.validation, network);
    if (!fit) return fit.error();
    if (data.unmirrored)  // what is told is of the poses as they are
        fit->training_cost = costOf(fit->model, {data.training.inputs.leftCols(data.unmirrored),
                                                 data.training.offsets.leftCols(data.unmirrored)});
    const Character& character = data.scene.character;
    fit->model.rotations = jointRotations(character, data.worn.joints);
    fit->model.numbers = data.numbers;

    const MatrixF frames = latentOffsets(fit->model, data.training.inputs);
    Json info = infoOf(options, data, *fit);
    info["mode_sigma"] = sigmasOf(frames);
    PackOptions packing{.encoding = encodingOf(options.encoding),
                        .tolerance_um = options.tolerance_um,
                        .rate = data.scene.rate,
                        .info_json = info.dump()};
    const Garment whole = joinedGarment(data.scene.garments, {});
    Mesh garment = whole.mesh;
    garment.positions = data.worn.rest;
    packing.corner_uvs = whole.corner_uvs;
    const auto packed = [&] {
        return pack(character, garment, data.worn.skin, fit->model, frames, packing);
    };
    auto bytes = packed();
    if (!bytes) return bytes.error();
    const auto go_on = [&](const char* what) -> Status {
        if (*network.cancel)
            return errorf("interrupted after the last epoch; run the same command again to go on");
        if (options.losses) std::fprintf(stderr, "%s\n", what);
        return Done{};
    };
    if (options.body || options.hidden) {
        const auto body_frames = data.body_frames(*bytes);
        if (!body_frames) return body_frames.error();
        BodyProxy body;
        if (options.body) {
            if (const Status good = go_on("fitting points to the body"); !good) return good.error();
            body = fitBodyProxy(character, *body_frames, bodyOptionsOf(data.scene));
            packing.body = &body;
            info["body_points"] = body.points.size();
        }
        if (options.hidden) {
            if (const Status good = go_on("looking for what of the body is always hidden"); !good)
                return good.error();
            packing.hidden = hiddenTriangles(character, garment.triangles, *body_frames);
            info["body_triangles"] = packing.hidden.size();
            info["hidden_triangles"] =
                std::count(packing.hidden.begin(), packing.hidden.end(), uint8_t(1));
        }
        if (const Status good = go_on("packing"); !good) return good.error();
        bytes = packed();
        if (!bytes) return bytes.error();
    }
    info["seconds"] = secondsSince(start);
    return TrainedNeural{std::move(*fit), std::move(*bytes), std::move(info)};
}

Result<TrainedNeural> trainNeuralGarment(const PoseSet& set, const NeuralTrainOptions& options) {
    const auto data = readNeuralData(set, options.numbers, options.mirror);
    if (!data) return data.error();
    return trainNeuralGarment(*data, options);
}

}  // namespace hem::tools
