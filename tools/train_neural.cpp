// SPDX-License-Identifier: Apache-2.0
#include "tools/train_neural.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "hem/core/progress.h"
#include "hem/eval/hidden_body.h"
#include "hem/eval/play.h"
#include "hem/models/neural/pose_examples.h"
#include "hem/pack/pack_neural.h"
#include "hem/recording/exchange.h"
#include "tools/interrupt.h"

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
std::vector<BodyFrame> bodyFramesOf(const PoseSet& set, const std::vector<std::byte>& bytes) {
    constexpr size_t kFrames = 300;
    hem_Error reason;
    const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), &reason);
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

Json infoOf(const NeuralTrainOptions& o, const PoseSet& set, const NeuralFit& fit) {
    Json garments = Json::array();
    for (const Garment& g : set.scene().garments)
        garments.push_back({{"name", g.name}, {"fabric", g.fabric.name}});
    return {{"model", "N"},
            {"character", set.character().name},
            {"garments", garments},
            {"modes", fit.model.subspace.modes()},
            {"direct", o.network.modes == 0},
            {"hidden", o.network.hidden},
            {"joints", set.meta().joints},
            {"poses", set.meta().training},
            {"seed", o.network.seed},
            {"epochs", fit.epochs.size()},
            {"best_epoch", fit.best_epoch},
            {"training_cost", fit.training_cost},
            {"validation_cost", fit.validation_cost},
            {"report", fit.model.report}};
}

}  // namespace

BasisEncoding encodingOf(const std::string& name) {
    return name == "float32"   ? BasisEncoding::kFloat32
           : name == "float16" ? BasisEncoding::kFloat16
                               : BasisEncoding::kMixed;
}

Result<TrainedNeural> trainNeuralGarment(const PoseSet& set, const NeuralTrainOptions& options) {
    const auto start = Clock::now();
    const auto training = readExamples(set, PoseSplit::kTraining, options.numbers);
    if (!training) return training.error();
    const auto validation = readExamples(set, PoseSplit::kValidation, options.numbers);
    if (!validation) return validation.error();
    NeuralOptions network = options.network;
    network.cancel = &catchInterrupts();
    Losses losses(network.epochs, options.losses);
    network.progress = [&](int epochs, double of_training, double of_validation) {
        losses.tell(epochs, of_training, of_validation);
    };
    auto fit = trainNeural(*training, *validation, network);
    if (!fit) return fit.error();
    fit->model.rotations = jointRotations(set.character(), set.inputJoints());
    fit->model.numbers = options.numbers;

    const MatrixF frames = latentOffsets(fit->model, training->inputs);
    Json info = infoOf(options, set, *fit);
    info["mode_sigma"] = sigmasOf(frames);
    PackOptions packing{.encoding = encodingOf(options.encoding),
                        .tolerance_um = options.tolerance_um,
                        .rate = set.scene().rate,
                        .info_json = info.dump()};
    const Garment joined = joinedGarment(set.scene().garments, {});
    Mesh garment = joined.mesh;
    garment.positions = set.garmentRest();
    packing.corner_uvs = joined.corner_uvs;
    const auto packed = [&] {
        return pack(set.character(), garment, set.garmentSkin(), fit->model, frames, packing);
    };
    auto bytes = packed();
    if (!bytes) return bytes.error();
    if (options.body || options.hidden) {
        const std::vector<BodyFrame> body_frames = bodyFramesOf(set, *bytes);
        BodyProxy body;
        if (options.body) {
            body = fitBodyProxy(set.character(), body_frames);
            packing.body = &body;
            info["body_points"] = body.points.size();
        }
        if (options.hidden) {
            packing.hidden = hiddenTriangles(set.character(), garment.triangles, body_frames);
            info["body_triangles"] = packing.hidden.size();
            info["hidden_triangles"] =
                std::count(packing.hidden.begin(), packing.hidden.end(), uint8_t(1));
        }
        bytes = packed();
        if (!bytes) return bytes.error();
    }
    info["seconds"] = secondsSince(start);
    return TrainedNeural{std::move(*fit), std::move(*bytes), std::move(info)};
}

}  // namespace hem::tools
