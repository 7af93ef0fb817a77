// SPDX-License-Identifier: Apache-2.0
// hemline train: learns a garment from recordings and packs it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "hem/models/stable_space/joints_that_matter.h"
#include "hem/models/stable_space/linear_fit.h"
#include "hem/models/stable_space/modal_training.h"
#include "hem/pack/pack.h"
#include "hem/subspace/mirror.h"
#include "tools/clip_choice.h"
#include "tools/interrupt.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline train recordings/dress -o dress.hem                    # Model S, the default\n"
    "  hemline train recordings/dress -o dress_c.hem --model C        # the 2010 paper's\n"
    "  hemline train recordings/dress -o d.hem --clips 'train_0*' --modes 32\n"
    "  hemline train recordings/dress -o d.hem --encoding float32\n"
    "\n"
    "Clips whose names start with test_ are never trained on unless --clips names them; the stops\n"
    "of a clip go with it. An interrupted training of Model S goes on where it was when the same\n"
    "command is run again (FILE.checkpoint). hemline evaluate then plays the file against the test "
    "clips.";

struct Arguments {
    std::string folder, output, model = "S", encoding = "mixed";
    std::vector<std::string> clips;
    int modes = 64, order = 2;
    bool stops = true, mirror = true;
    float tolerance_um = 300;
    ModalOptions modal;
};

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

BasisEncoding encodingOf(const std::string& name) {
    return name == "float32"   ? BasisEncoding::kFloat32
           : name == "float16" ? BasisEncoding::kFloat16
                               : BasisEncoding::kMixed;
}

size_t framesOf(const RecordingSet& set, const std::vector<std::string>& names) {
    size_t frames = 0;
    for (const std::string& name : names)
        if (const auto clip = set.clip(name)) frames += clip->frames();
    return frames;
}

// Where the scene has no left and right of its own.
std::optional<MirrorPartners> partnersOf(const ClothScene& scene, const Mesh& garment) {
    if (scene.wind.velocity.x != 0 || scene.gravity.x != 0) return std::nullopt;
    return mirrorPartners(scene.character.skeleton, garment);
}

Result<StableSpace> fit(const Arguments& a, const RecordingSet& set, const Mesh& garment,
                        const Subspace& subspace, const std::vector<LatentClip>& clips) {
    const Character& character = set.scene().character;
    if (a.model == "S") {
        ModalOptions options = a.modal;
        options.joints = jointsThatMatter(character, garment);
        options.recording_rate = set.scene().rate;
        options.checkpoint = a.output + ".checkpoint";
        options.cancel = &catchInterrupts();
        if (!options.iterations) options.iterations = modalSteps(clips);
        Progress progress("training", size_t(options.iterations));
        options.progress = [&, before = 0](int steps, double) mutable {
            progress.advance(size_t(steps - before));
            before = steps;
        };
        return trainModal(clips, subspace.basis, options);
    }
    LinearFitOptions options;
    options.kind = a.model[0];
    options.order = a.order;
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

Json infoOf(const Arguments& a, const RecordingSet& set, const std::vector<std::string>& names,
            const StableSpace& model, bool mirrored, Eigen::Index frames) {
    Json garments = Json::array();
    for (const Garment& g : set.scene().garments)
        garments.push_back({{"name", g.name}, {"fabric", g.fabric.name}});
    return {{"model", model.kind},
            {"character", set.scene().character.name},
            {"garments", garments},
            {"modes", a.modes},
            {"trained_on", names},
            {"with_stops", a.stops},
            {"mirrored", mirrored},
            {"frames", frames},
            {"lambda", model.proof.lambda},
            {"k_max", model.proof.k_max},
            {"energy_bound", model.proof.energy_bound},
            {"report", model.report}};
}

int run(const Arguments& a, const Common& common) {
    const auto start = Clock::now();
    const auto set = RecordingSet::open(a.folder);
    if (!set) return fail(set.error());
    const auto names = chooseClips(*set, a.clips, Purpose::kTraining);
    if (!names) return fail(names.error());
    SubspaceOptions options;
    options.modes = a.modes;
    const Mesh garment = joinedMesh(set->scene().garments);
    const auto partners =
        a.model == "S" && a.mirror ? partnersOf(set->scene(), garment) : std::nullopt;
    if (partners) options.modes = int(std::min(size_t(2 * a.modes), framesOf(*set, *names)));
    auto subspace = fitSubspace(*set, *names, options);
    if (!subspace) return fail(subspace.error());
    if (partners) subspace = symmetric(*subspace, *partners, a.modes);
    auto clips = projectClips(*set, *subspace, a.stops ? withStops(*set, *names) : *names);
    if (!clips) return fail(clips.error());
    if (partners) {
        const auto twins = mirroredClips(*clips, *subspace, *partners);
        clips->insert(clips->end(), twins.begin(), twins.end());
    }
    const double subspace_seconds = secondsSince(start);
    const auto model = fit(a, *set, garment, *subspace, *clips);
    if (!model) return fail(model.error());
    const MatrixF frames = allFrames(*clips);
    Json info = infoOf(a, *set, *names, *model, partners.has_value(), frames.cols());
    const auto bytes = pack(set->scene().character, garment, *subspace, *model, frames,
                            {.encoding = encodingOf(a.encoding),
                             .tolerance_um = a.tolerance_um,
                             .rate = set->scene().rate,
                             .info_json = info.dump()});
    if (!bytes) return fail(bytes.error());
    if (const Status written = writeFile(a.output, *bytes); !written) return fail(written.error());

    info["bytes"] = bytes->size();
    info["captured_variance"] = subspace->variance.sum() / subspace->total_variance;
    info["subspace_seconds"] = subspace_seconds;
    info["seconds"] = secondsSince(start);
    if (common.json) {
        std::printf("%s\n", info.dump(2).c_str());
    } else {
        std::printf("%s: model %s, %d modes, %zu bytes, from %zu clips (%lld frames) in %.1f s\n",
                    a.output.c_str(), model->kind.c_str(), a.modes, bytes->size(), names->size(),
                    static_cast<long long>(frames.cols()), secondsSince(start));
        std::printf("  stable: lambda %.4f, energy bound %.3g\n", model->proof.lambda,
                    model->proof.energy_bound);
        if (!model->report.empty()) std::printf("  %s\n", model->report.c_str());
    }
    return 0;
}

}  // namespace

void addTrainVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb = addVerb(app, common, "train",
                             "Learn a garment from recordings, into a .hem file", kExamples);
    verb->add_option("recordings", a->folder, "A set of recordings (hemline simulate, import)")
        ->required();
    verb->add_option("-o,--output", a->output, "The .hem file to write")->required();
    verb->add_option("--model", a->model, "S (ours), or the 2010 paper's A, B or C")
        ->check(CLI::IsMember({"A", "B", "C", "S"}))
        ->capture_default_str();
    verb->add_option("--clips", a->clips, "Clips to train on, by shell pattern");
    verb->add_option("--modes", a->modes, "Dimensions of the subspace")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    verb->add_option("--order", a->order, "Order of B and C")
        ->check(CLI::Range(0, 5))
        ->capture_default_str();
    verb->add_flag("!--no-stops", a->stops, "Leave the stops out");
    verb->add_flag(
        "!--no-mirror", a->mirror,
        "Do not train Model S on mirror images of the recordings as well, as is done where\n"
        "garment and character are symmetric");
    verb->add_option("--encoding", a->encoding, "Numbers of the basis")
        ->check(CLI::IsMember({"float32", "float16", "mixed"}))
        ->capture_default_str();
    verb->add_option("--tolerance", a->tolerance_um,
                     "Largest error of the mixed encoding, micrometres")
        ->check(CLI::Range(1.0f, 1e5f))
        ->capture_default_str();
    verb->add_option("--iterations", a->modal.iterations,
                     "Steps of training Model S (default: by the amount of motion)")
        ->check(CLI::Range(1, 1000000));
    verb->add_option("--seed", a->modal.seed, "Of Model S's start and windows")
        ->capture_default_str();
    verb->add_option("--hidden", a->modal.hidden, "Width of Model S's input network")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    verb->add_option("--states", a->modal.states, "Complex modes of Model S's state")
        ->check(CLI::Range(1, 128))
        ->capture_default_str();
    verb->add_option("--outer", a->modal.outer, "Width of Model S's output network")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    verb->add_option("--weight-decay", a->modal.weight_decay,
                     "Of Model S's matrices (default: by the amount of motion)")
        ->check(CLI::Range(0.0f, 100.0f));
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
