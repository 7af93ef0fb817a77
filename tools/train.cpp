// SPDX-License-Identifier: Apache-2.0
// hemline train: learns a garment from recordings and packs it.
#include "tools/train.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "hem/character/arms.h"
#include "hem/core/files.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "hem/eval/body_frames.h"
#include "hem/eval/hidden_body.h"
#include "hem/models/stable_space/joints_that_matter.h"
#include "hem/models/stable_space/linear_fit.h"
#include "hem/pack/pack.h"
#include "hem/recording/exchange.h"
#include "tools/clip_choice.h"
#include "tools/interrupt.h"
#include "tools/train_neural.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline train recordings/dress -o dress.hem                    # Model S, the default\n"
    "  hemline train recordings/dress -o dress_c.hem --model C        # the 2010 paper's\n"
    "  hemline train recordings/dress -o d.hem --clips 'train_0*' --modes 32\n"
    "  hemline train recordings/dress -o d.hem --encoding float32\n"
    "  hemline train recordings/dress -o d.hem --no-body              # nothing to push cloth out "
    "of\n"
    "  hemline train poses/coat -o coat.hem --model N                 # the 2021 paper's, of "
    "poses\n"
    "  hemline train recordings/coat -o coat.hem --model N            # ... of moving recordings\n"
    "  hemline train poses/coat recordings/coat -o coat.hem --model N # ... of both\n"
    "  hemline train poses/coat -o coat.hem --model N --layers 256,256 --modes 64\n"
    "  hemline train poses/coat -o linear.hem --model N --layers none --modes 0  # linear "
    "regression\n"
    "\n"
    "Clips whose names start with test_ are never trained on unless --clips names them; the stops\n"
    "of a clip go with it. An interrupted training of Model S or N goes on where it was when the "
    "same\n"
    "command is run again (FILE.checkpoint). hemline evaluate then plays the file against the test "
    "clips.";

struct Arguments {
    std::vector<std::string> folders;  // recordings; for Model N poses, recordings or both
    std::string output;
    std::vector<std::string> clips;
    bool stops = true, mirror = true;
    TrainOptions options;
    bool modes_given = false, epochs_given = false, rate_given = false, decay_given = false;
    std::string layers = "128,256", activation = "relu", rotations = "quaternions";
    NeuralTrainOptions neural;
    int stop_frames = MovingOptions{}.stop_frames;  // of Model N

    const std::string& folder() const { return folders[0]; }
};

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

size_t framesOf(const RecordingSet& set, const std::vector<std::string>& names) {
    size_t frames = 0;
    for (const std::string& name : names)
        if (const auto clip = set.clip(name)) frames += clip->frames();
    return frames;
}

Result<StableSpace> fit(const TrainOptions& a, const RecordingSet& set, const Mesh& garment,
                        const TrainingData& data) {
    const std::vector<LatentClip>& clips = data.clips;
    const Character& character = set.scene().character;
    if (a.model == "S") {
        ModalOptions options = a.modal;
        options.joints = jointsThatMatter(character, garment);
        options.ends = boneEnds(character, options.joints);
        if (a.arms && !set.scene().arms_pass)
            options.points = brushingPoints(character, options.joints);
        options.recording_rate = set.scene().rate;
        options.checkpoint = a.checkpoint;
        options.cancel = &catchInterrupts();
        if (!options.iterations) options.iterations = modalSteps(clips);
        Progress progress("training", size_t(options.iterations));
        options.progress = [&, before = 0](int steps, double) mutable {
            progress.advance(size_t(steps - before));
            before = steps;
        };
        return trainModal(clips, data.subspace.basis, options);
    }
    LinearFitOptions options;
    options.kind = a.model[0];
    options.order = a.order;
    options.ridge = a.ridge;
    options.stop_weight = a.stop_weight;
    return fitLinear(clips, fitBodySubspace(character, clips, a.modes), options);
}

MatrixF allFrames(const std::vector<LatentClip>& clips) {
    Eigen::Index frames = 0, at = 0;
    for (const LatentClip& clip : clips) frames += clip.cloth.cols();
    MatrixF all(clips[0].cloth.rows(), frames);
    for (const LatentClip& clip : clips) {
        all.middleCols(at, clip.cloth.cols()) = clip.cloth;
        at += clip.cloth.cols();
    }
    return all;
}

// Standard deviations of the latent weights, to four digits.
Json sigmasOf(const Subspace& subspace) {
    Json sigmas = Json::array();
    for (double variance : subspace.variance)
        sigmas.push_back(parseNumber(format("%.4g", std::sqrt(variance))).value_or(0));
    return sigmas;
}

Json infoOf(const TrainOptions& a, const RecordingSet& set, const TrainingData& data,
            const StableSpace& model, Eigen::Index frames) {
    Json garments = Json::array();
    for (const Garment& g : set.scene().garments)
        garments.push_back({{"name", g.name}, {"fabric", g.fabric.name}});
    return {{"model", model.kind},
            {"character", set.scene().character.name},
            {"garments", garments},
            {"modes", a.modes},
            {"trained_on", data.names},
            {"with_stops", data.stops},
            {"mirrored", data.mirrored},
            {"frames", frames},
            {"lambda", model.proof.lambda},
            {"k_max", model.proof.k_max},
            {"energy_bound", model.proof.energy_bound},
            {"mode_sigma", sigmasOf(data.subspace)},
            {"report", model.report}};
}

// "128,256", or "none".
Result<std::vector<int>> layersOf(const std::string& text) {
    std::vector<int> widths;
    if (text == "none") return widths;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        int width = 0;
        const auto read = std::from_chars(text.data() + at, text.data() + end, width);
        if (read.ec != std::errc() || read.ptr != text.data() + end || width < 1 || width > 512)
            return errorf("--layers %s: give widths from 1 to 512, as in 128,256, or the word none",
                          text.c_str());
        widths.push_back(width);
        at = end + 1;
    }
    if (widths.size() > 7) return errorf("--layers %s: seven at most", text.c_str());
    return widths;
}

Result<NeuralTrainOptions> neuralOptionsOf(const Arguments& a, const Common& common) {
    const auto layers = layersOf(a.layers);
    if (!layers) return layers.error();
    NeuralTrainOptions options = a.neural;
    options.network.hidden = *layers;
    options.network.seed = a.options.modal.seed;
    if (a.modes_given) options.network.modes = a.options.modes;
    if (!isPoseSet(a.folders[0]) && a.folders.size() == 1) {
        if (!a.epochs_given) options.network.epochs = kMovingEpochs;
        if (!a.rate_given) options.network.rate = kMovingRate;
        if (!a.decay_given) options.network.weight_decay = kMovingDecay;
    }
    if (options.network.modes == 0 && !layers->empty() && layers->back() > 256)
        return errorf(
            "--layers %s --modes 0: the last layer may have 256 units, so many modes are played",
            a.layers.c_str());
    options.network.activation =
        a.activation == "silu" ? NeuralActivation::kSilu : NeuralActivation::kRelu;
    options.numbers =
        a.rotations == "columns" ? RotationNumbers::kTwoColumns : RotationNumbers::kQuaternion;
    options.network.checkpoint = a.output + ".checkpoint";
    options.encoding = a.options.encoding;
    options.tolerance_um = a.options.tolerance_um;
    options.body = a.options.body;
    options.hidden = a.options.hidden;
    options.mirror = a.mirror;
    options.losses = !common.quiet;
    return options;
}

// One set of poses, or the chosen clips of one set of recordings.
Result<NeuralData> readLessons(const Arguments& a, const std::string& folder,
                               RotationNumbers numbers) {
    if (isPoseSet(folder)) {
        const auto set = PoseSet::open(folder);
        if (!set) return set.error();
        return readNeuralData(*set, numbers, a.mirror);
    }
    if (!std::filesystem::exists(folder + "/set.json"))
        return errorf(
            "%s holds neither poses nor recordings; make some with hemline poses or hemline "
            "simulate",
            folder.c_str());
    const auto set = RecordingSet::open(folder);
    if (!set) return set.error();
    const auto names = chooseClips(*set, a.clips, Purpose::kTraining);
    if (!names) return names.error();
    return readNeuralData(
        *set, *names, {.numbers = numbers, .stop_frames = a.stops ? a.stop_frames : 0}, a.mirror);
}

int runNeural(const Arguments& a, const Common& common) {
    const auto start = Clock::now();
    const auto options = neuralOptionsOf(a, common);
    if (!options) return fail(options.error(), kBadUse);
    auto data = readLessons(a, a.folders[0], options->numbers);
    if (!data) return fail(data.error());
    for (size_t i = 1; i < a.folders.size(); ++i) {
        const auto more = readLessons(a, a.folders[i], options->numbers);
        if (!more) return fail(more.error());
        data = joined(std::move(*data), *more);
        if (!data) return fail(data.error());
    }
    const auto trained = trainNeuralGarment(*data, *options);
    if (!trained) return fail(trained.error());
    if (const Status written = writeGarment(a.output, trained->bytes); !written)
        return fail(written.error());
    Json info = trained->info;
    info["bytes"] = trained->bytes.size();
    info["seconds"] = secondsSince(start);
    if (common.json) {
        info["losses"] = Json::array();
        for (const NeuralFit::Epoch& e : trained->fit.epochs)
            info["losses"].push_back({e.training, e.validation});
        std::printf("%s\n", info.dump(2).c_str());
        return 0;
    }
    std::printf("%s: model N, %zu modes, %zu bytes, from %lld examples%s in %.1f s\n",
                a.output.c_str(), trained->fit.model.subspace.modes(), trained->bytes.size(),
                info["examples"].get<long long>(),
                info["mirrored"] ? ", half of them mirror images," : "", secondsSince(start));
    std::printf("  cost %.4e in training, %.4e in validation\n", trained->fit.training_cost,
                trained->fit.validation_cost);
    std::printf("  %s\n", trained->fit.model.report.c_str());
    return 0;
}

// What the folders may be for which model.
Status checkFolders(const Arguments& a) {
    const bool neural = a.options.model == "N";
    size_t poses = 0;
    for (const std::string& folder : a.folders) poses += isPoseSet(folder);
    if (!neural && poses)
        return errorf("%s holds poses, which only --model N learns from", a.folder().c_str());
    if (a.folders.size() == 1) return Done{};
    if (!neural)
        return errorf(
            "%s: a second folder; only --model N learns from two, of poses and of "
            "recordings",
            a.folders[1].c_str());
    if (a.folders.size() > 2 || poses != 1)
        return errorf(
            "--model N learns from one folder of poses, one of recordings, or one of each");
    return Done{};
}

int run(const Arguments& a, const Common& common) {
    if (a.options.modes == 0 && a.options.model != "N")
        return fail(errorf("--modes 0: only Model N learns without modes"), kBadUse);
    if (const Status good = checkFolders(a); !good) return fail(good.error(), kBadUse);
    if (std::filesystem::is_directory(a.output))
        return fail(errorf("-o %s: is a folder; name a file in it", a.output.c_str()), kBadUse);
    if (a.options.model == "N") return runNeural(a, common);
    const auto start = Clock::now();
    const auto set = RecordingSet::open(a.folder());
    if (!set) return fail(set.error());
    const auto names = chooseClips(*set, a.clips, Purpose::kTraining);
    if (!names) return fail(names.error());
    const auto data = readTrainingData(
        *set, *names,
        {.modes = a.options.modes, .stops = a.stops, .mirror = a.mirror && a.options.model == "S"});
    if (!data) return fail(data.error());
    const double subspace_seconds = secondsSince(start);
    TrainOptions options = a.options;
    options.checkpoint = a.output + ".checkpoint";
    const auto trained = trainGarment(*set, *data, options);
    if (!trained) return fail(trained.error());
    if (const Status written = writeFile(a.output, trained->bytes); !written)
        return fail(written.error());

    Json info = trained->info;
    info["bytes"] = trained->bytes.size();
    info["captured_variance"] = data->subspace.variance.sum() / data->subspace.total_variance;
    info["subspace_seconds"] = subspace_seconds;
    info["seconds"] = secondsSince(start);
    if (common.json) {
        std::printf("%s\n", info.dump(2).c_str());
        return 0;
    }
    const StableSpace& model = trained->model;
    std::printf("%s: model %s, %d modes, %zu bytes, from %zu clips (%lld frames) in %.1f s\n",
                a.output.c_str(), model.kind.c_str(), options.modes, trained->bytes.size(),
                names->size(), info["frames"].get<long long>(), secondsSince(start));
    std::printf("  stable: lambda %.4f, energy bound %.3g\n", model.proof.lambda,
                model.proof.energy_bound);
    if (!model.report.empty()) std::printf("  %s\n", model.report.c_str());
    return 0;
}

// Options that some models alone know: to others they would be given in vain.
struct ModelOption {
    const char *name, *models;
};
constexpr ModelOption kModelOptions[] = {
    {"--order", "BC"},        {"--ridge", "ABC"}, {"--stop-weight", "ABC"}, {"--no-arms", "S"},
    {"--iterations", "S"},    {"--hidden", "S"},  {"--states", "S"},        {"--outer", "S"},
    {"--weight-decay", "S"},  {"--layers", "N"},  {"--stop-frames", "N"},   {"--activation", "N"},
    {"--rotations", "N"},     {"--epochs", "N"},  {"--patience", "N"},      {"--rate", "N"},
    {"--constant-rate", "N"}, {"--batch", "N"},   {"--decay", "N"},         {"--seed", "SN"},
    {"--no-mirror", "SN"},
};

Status checkOptions(const CLI::App& verb, const Arguments& a) {
    for (const auto& [name, models] : kModelOptions)
        if (verb.count(name) && std::string(models).find(a.options.model) == std::string::npos)
            return errorf(
                "%s: is of Model %s, and %s is trained; hemline train --help tells whose "
                "options are whose",
                name, models, a.options.model.c_str());
    const bool poses_alone = a.folders.size() == 1 && isPoseSet(a.folders[0]);
    for (const char* name : {"--clips", "--no-stops", "--stop-frames"})
        if (poses_alone && verb.count(name))
            return errorf("%s: %s holds poses, which have no clips", name, a.folder().c_str());
    return Done{};
}

void addNeuralOptions(CLI::App& verb, Arguments& a) {
    NeuralOptions& network = a.neural.network;
    verb.add_option("--layers", a.layers,
                    "Widths of Model N's hidden layers; none: linear regression")
        ->capture_default_str();
    verb.add_option("--stop-frames", a.stop_frames,
                    "Of each stop, that Model N learns from beside the frames of moving recordings")
        ->check(CLI::Range(0, 30))
        ->capture_default_str();
    verb.add_option("--activation", a.activation, "Of Model N")
        ->check(CLI::IsMember({"relu", "silu"}))
        ->capture_default_str();
    verb.add_option("--rotations", a.rotations,
                    "What Model N is told of a joint: a quaternion, or two columns of its matrix")
        ->check(CLI::IsMember({"quaternions", "columns"}))
        ->capture_default_str();
    verb.add_option("--epochs", network.epochs, "Of Model N, at most (of recordings: 40)")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    verb.add_option("--patience", network.patience,
                    "Epochs without a better validation cost after which Model N is done")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    verb.add_option("--rate", network.rate,
                    "Of Adam, for Model N, at its highest (of recordings: 0.001)")
        ->check(CLI::Range(1e-7f, 1.0f))
        ->capture_default_str();
    verb.add_flag("!--constant-rate", network.cosine,
                  "Keep Model N's rate in place of letting it fall along a cosine");
    verb.add_option("--batch", network.batch, "Examples a step of Model N")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    verb.add_option("--decay", network.weight_decay,
                    "Of Model N's weights, per unit of rate (of recordings: 0.3)")
        ->check(CLI::Range(0.0f, 100.0f))
        ->capture_default_str();
}

}  // namespace

BodyProxyOptions bodyOptionsOf(const ClothScene& scene) {
    BodyProxyOptions options;
    if (!scene.arms_pass) return options;
    options.passing_skin = skinOfArms(scene.character);
    options.worn_on_it = wornOnArms(scene.character, joinedMesh(scene.garments).positions);
    return options;
}

std::optional<MirrorPartners> partnersOf(const ClothScene& scene) {
    if (scene.wind.velocity.x != 0 || scene.gravity.x != 0) return std::nullopt;
    return mirrorPartners(scene.character.skeleton, joinedMesh(scene.garments));
}

Result<TrainingData> readTrainingData(const RecordingSet& set,
                                      const std::vector<std::string>& names,
                                      const ReadOptions& read) {
    const auto partners = read.mirror ? partnersOf(set.scene()) : std::nullopt;
    SubspaceOptions options;
    // of twice as many modes, mirrored and unmirrored motion together has all that matter
    options.modes =
        partners ? int(std::min(size_t(2 * read.modes), framesOf(set, names))) : read.modes;
    auto subspace = fitSubspace(set, names, options);
    if (!subspace) return subspace.error();
    if (partners) subspace = symmetric(*subspace, *partners, read.modes);
    auto clips = projectClips(set, *subspace, read.stops ? withStops(set, names) : names);
    if (!clips) return clips.error();
    if (partners) {
        const auto twins = mirroredClips(*clips, *subspace, *partners);
        clips->insert(clips->end(), twins.begin(), twins.end());
    }
    return TrainingData{names, read.stops, partners.has_value(), std::move(*subspace),
                        std::move(*clips)};
}

TrainingData truncated(const TrainingData& data, int modes) {
    TrainingData less{data.names, data.stops, data.mirrored, truncated(data.subspace, modes), {}};
    for (const LatentClip& clip : data.clips) less.clips.push_back(truncated(clip, modes));
    return less;
}

Result<TrainedGarment> trainGarment(const RecordingSet& set, const TrainingData& data,
                                    const TrainOptions& options) {
    const Character& character = set.scene().character;
    const Garment joined = joinedGarment(set.scene().garments, {});
    const Mesh& garment = joined.mesh;
    auto model = fit(options, set, garment, data);
    if (!model) return model.error();
    const MatrixF frames = allFrames(data.clips);
    Json info = infoOf(options, set, data, *model, frames.cols());
    PackOptions packing{.encoding = encodingOf(options.encoding),
                        .tolerance_um = options.tolerance_um,
                        .rate = set.scene().rate,
                        .info_json = info.dump(),
                        .corner_uvs = joined.corner_uvs};
    auto bytes = pack(character, garment, data.subspace, *model, frames, packing);
    if (!bytes) return bytes.error();
    if (options.body || options.hidden) {
        const auto body_start = Clock::now();
        const auto body_frames = bodyFrames(set, data.names, *bytes);
        if (!body_frames) return body_frames.error();
        BodyProxy body;
        if (options.body) {
            body = fitBodyProxy(character, *body_frames, bodyOptionsOf(set.scene()));
            packing.body = &body;
            info["body_points"] = body.points.size();
        }
        info["body_seconds"] = secondsSince(body_start);
        if (options.hidden) {
            const auto hidden_start = Clock::now();
            packing.hidden = hiddenTriangles(character, garment.triangles, *body_frames);
            info["body_triangles"] = packing.hidden.size();
            info["hidden_triangles"] =
                std::count(packing.hidden.begin(), packing.hidden.end(), uint8_t(1));
            info["hidden_seconds"] = secondsSince(hidden_start);
        }
        bytes = pack(character, garment, data.subspace, *model, frames, packing);
        if (!bytes) return bytes.error();
    }
    return TrainedGarment{std::move(*model), std::move(*bytes), std::move(info)};
}

void addTrainVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb = addVerb(app, common, "train",
                             "Learn a garment from recordings, into a .hem file", kExamples);
    verb->add_option("recordings", a->folders,
                     "A set of recordings (hemline simulate, import); for Model N also one of\n"
                     "poses (hemline poses), or one of each")
        ->required();
    verb->add_option("-o,--output", a->output, "The .hem file to write")->required();
    verb->add_option("--model", a->options.model,
                     "S (ours), the 2010 paper's A, B or C, or the 2021 paper's N, a network from\n"
                     "a pose to a garment")
        ->check(CLI::IsMember({"A", "B", "C", "S", "N"}))
        ->capture_default_str();
    verb->add_option("--clips", a->clips, "Clips to train on, by shell pattern");
    verb->add_option("--modes", a->options.modes,
                     "Dimensions of the subspace (Model N: 128; 0 learns the offsets themselves)")
        ->check(CLI::Range(0, 256))
        ->capture_default_str();
    verb->add_option("--order", a->options.order, "Order of B and C")
        ->check(CLI::Range(0, 5))
        ->capture_default_str();
    verb->add_option("--ridge", a->options.ridge,
                     "Of A, B and C, relative (default: chosen on motions left out)")
        ->check(CLI::Range(0.0, 1e3));
    verb->add_option("--stop-weight", a->options.stop_weight,
                     "Of the stops' rows in A, B and C (default: chosen on motions left out)")
        ->check(CLI::Range(0.0, 1e3));
    verb->add_flag("!--no-stops", a->stops, "Leave the stops out");
    verb->add_flag(
        "!--no-mirror", a->mirror,
        "Do not train Models S and N on mirror images of the recordings or poses as well, as is\n"
        "done where garment and character are symmetric");
    verb->add_flag(
        "!--no-arms", a->options.arms,
        "Do not tell Model S where elbows and wrists are, as is done for garments without\n"
        "sleeves where there is much motion to learn from");
    verb->add_flag("!--no-body", a->options.body, "Leave out the body, which HEM_PUSH_OUT needs");
    verb->add_flag("!--no-hidden", a->options.hidden,
                   "Do not look for the parts of the body that the garment always hides, which a\n"
                   "renderer may leave out");
    verb->add_option("--encoding", a->options.encoding, "Numbers of the basis")
        ->check(CLI::IsMember({"float32", "float16", "mixed"}))
        ->capture_default_str();
    verb->add_option("--tolerance", a->options.tolerance_um,
                     "Largest error of the mixed encoding, micrometres")
        ->check(CLI::Range(1.0f, 1e5f))
        ->capture_default_str();
    verb->add_option("--iterations", a->options.modal.iterations,
                     "Steps of training Model S (default: by the amount of motion)")
        ->check(CLI::Range(1, 1000000));
    verb->add_option("--seed", a->options.modal.seed,
                     "Of Model S's start and windows, N's start and order")
        ->capture_default_str();
    verb->add_option("--hidden", a->options.modal.hidden, "Width of Model S's input network")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    verb->add_option("--states", a->options.modal.states, "Complex modes of Model S's state")
        ->check(CLI::Range(1, 128))
        ->capture_default_str();
    verb->add_option("--outer", a->options.modal.outer, "Width of Model S's output network")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    verb->add_option("--weight-decay", a->options.modal.weight_decay,
                     "Of Model S's matrices (default: by the amount of motion)")
        ->check(CLI::Range(0.0f, 100.0f));
    addNeuralOptions(*verb, *a);
    verb->callback([a, verb, &common] {
        a->modes_given = verb->count("--modes") > 0;
        a->epochs_given = verb->count("--epochs") > 0;
        a->rate_given = verb->count("--rate") > 0;
        a->decay_given = verb->count("--decay") > 0;
        const Status good = checkOptions(*verb, *a);
        common.exit_code = good ? run(*a, common) : fail(good.error(), kBadUse);
    });
}

}  // namespace hem::tools
