// SPDX-License-Identifier: Apache-2.0
// hemline evaluate: plays a packed garment against recordings of unseen motion.
#include "tools/evaluate.h"

#include <cstdio>
#include <memory>

#include "hem/core/files.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "hem/subspace/latent_clip.h"
#include "tools/clip_choice.h"
#include "tools/evaluate_poses.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline evaluate dress.hem recordings/dress\n"
    "  hemline evaluate dress.hem recordings/dress --per-clip\n"
    "  hemline evaluate dress.hem recordings/dress --clips 'train_*'   # how well it fits\n"
    "  hemline evaluate dress.hem recordings/dress --json\n"
    "  hemline evaluate skinning recordings/dress              # what plain skinning would give\n"
    "  hemline evaluate coat.hem poses/coat                    # Model N on the poses kept for "
    "tests\n"
    "  hemline evaluate coat.hem poses/coat --per-vertex errors.npy --part training\n"
    "\n"
    "Clips whose names start with test_ are played, or all where there are none. Errors are\n"
    "distances of vertices in centimetres, free-running from the first frame.";

struct Arguments {
    std::string file, folder;
    std::vector<std::string> clips;
    bool per_clip = false;
    EvaluateOptions options;
    PoseArguments poses;
};

using Json = nlohmann::ordered_json;

Json orNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json asJson(const Errors& e) {
    return {{"frames", e.frames},
            {"mean_cm", e.mean_cm},
            {"p95_cm", e.p95_cm},
            {"max_cm", e.max_cm},
            {"after_stops_cm", orNull(e.after_stops_cm)},
            {"velocity_cm", e.velocity_cm},
            {"penetration_rate_1mm", orNull(e.penetration_rate_1mm)},
            {"penetration_in_folds_1mm", orNull(e.penetration_in_folds_1mm)},
            {"pca_floor_cm", e.pca_floor_cm},
            {"confidence", e.confidence}};
}

void printLine(const char* what, const std::optional<double>& value, const char* format,
               const char* meaning) {
    char number[64] = "-";
    if (value) std::snprintf(number, sizeof number, format, *value);
    std::printf("  %-20s %12s   %s\n", what, number, meaning);
}

constexpr const char* kSkinning = "skinning";

void printInside(const Errors& e) {
    const auto percent = [](const std::optional<double>& share) {
        return share ? std::optional(100 * *share) : share;
    };
    printLine("inside the body", percent(e.penetration_rate_1mm), "%.3f %%",
              "of vertices, by more than 1 mm");
    printLine("... in its folds", percent(e.penetration_in_folds_1mm), "%.3f %%",
              "where no cloth can be outside");
}

void printScore(const Score& s, bool skinning) {
    printLine("mean error", s.all.mean_cm, "%.3f cm", "of vertices over all frames");
    printLine("mean of clips", s.clip_mean_cm, "%.3f cm",
              "long clips count no more than short ones");
    printLine("95 % are below", s.all.p95_cm, "%.2f cm", "");
    printLine("largest", s.all.max_cm, "%.1f cm", "of any vertex in any frame");
    printLine("after stops", s.all.after_stops_cm, "%.3f cm",
              "in the 30 frames after abrupt stops");
    printLine("velocity", s.all.velocity_cm, "%.3f cm", "a frame");
    printInside(s.all);
    if (skinning) return;
    printLine("PCA floor", s.all.pca_floor_cm, "%.3f cm", "that the subspace cannot go below");
    printLine("chaos floor", s.chaos_floor_cm, "%.3f cm", "that no model can go below");
    printLine("confidence", s.all.confidence, "%.3f", "1 within what was trained on");
    printLine("lambda", s.lambda, "%.4f", "below 1: stable");
    printLine("energy bound", s.energy_bound, "%.3g", "");
    printLine("player's time", s.time.plain_us, "%.1f us", "a step of one wearer");
    printLine("... in a crowd", s.time.crowd_plain_us, "%.1f us", "of 128, each");
    if (!s.pushed_out) return;
    const Errors& after = *s.pushed_out;
    std::printf("  with HEM_PUSH_OUT:\n");
    printInside(after);
    printLine("mean error", after.mean_cm, "%.3f cm", "of vertices over all frames");
    printLine("velocity", after.velocity_cm, "%.3f cm", "a frame");
    printLine("player's time", s.time.push_out_us, "%.1f us", "a step of one wearer");
    printLine("... in a crowd", s.time.crowd_push_out_us, "%.1f us", "of 128, each");
}

void printClips(const Score& score) {
    std::printf("\n  %-32s %7s %8s %8s %8s %8s %10s\n", "clip", "frames", "mean", "95 %", "largest",
                "stops", "confidence");
    for (const ClipScore& clip : score.clips) {
        const Errors& e = clip.errors;
        std::printf("  %-32s %7zu %8.3f %8.2f %8.1f", clip.name.c_str(), e.frames, e.mean_cm,
                    e.p95_cm, e.max_cm);
        const std::string stops = e.after_stops_cm ? format("%.3f", *e.after_stops_cm) : "-";
        std::printf(" %8s %10.3f\n", stops.c_str(), e.confidence);
    }
}

Result<Score> scoreOf(const Arguments& a, const RecordingSet& set, size_t frames) {
    const bool skinning = a.file == kSkinning;
    std::vector<std::byte> bytes;
    bool twice = false;
    if (!skinning) {
        auto read = readFile(a.file);
        if (!read) return read.error();
        bytes = std::move(*read);
        hem_Error reason;
        const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), &reason);
        twice = garment && a.options.push_out && hem_pushesOut(garment);
    }
    Progress progress("playing", twice ? 2 * frames : frames);
    EvaluateOptions options = a.options;
    options.progress = [&](size_t n) { progress.advance(n); };
    auto score = skinning ? evaluateSkinning(set, options) : evaluate(bytes, set, options);
    if (!score) return Error{a.file + ": " + score.error().message};
    return score;
}

int run(Arguments a, const Common& common) {
    if (isPoseSet(a.folder)) return evaluateOnPoses(a.file, a.folder, a.poses, common);
    const auto set = RecordingSet::open(a.folder);
    if (!set) return fail(set.error());
    const auto names = chooseClips(*set, a.clips, Purpose::kTesting);
    if (!names) return fail(names.error());
    size_t frames = 0;
    for (const std::string& name : *names) {
        const auto clip = set->clip(name);
        if (!clip) return fail(clip.error());
        frames += clip->frames();
    }
    a.options.clips = *names;
    const auto score = scoreOf(a, *set, frames);
    if (!score) return fail(score.error());
    if (common.json) {
        Json json = scoreJson(*score);
        if (a.file == kSkinning)
            for (const char* key : {"pca_floor_cm", "confidence", "lambda", "energy_bound",
                                    "player_us", "player_crowd_us", "latent_step_us"})
                json[key] = Json();
        std::printf("%s\n", json.dump(2).c_str());
        return 0;
    }
    std::printf("%s on %s: %zu clip%s, %zu frames\n", a.file.c_str(), a.folder.c_str(),
                names->size(), names->size() == 1 ? "" : "s", frames);
    printScore(*score, a.file == kSkinning);
    if (a.per_clip) printClips(*score);
    return 0;
}

}  // namespace

Json scoreJson(const Score& score) {
    Json json = asJson(score.all);
    json["clip_mean_cm"] = score.clip_mean_cm;
    json["chaos_floor_cm"] = orNull(score.chaos_floor_cm);
    json["lambda"] = score.lambda;
    json["energy_bound"] = score.energy_bound;
    json["player_us"] = score.time.plain_us;
    json["player_crowd_us"] = score.time.crowd_plain_us;
    json["latent_step_us"] = score.time.latent_us;
    json["push_out"] = Json();
    if (score.pushed_out) {
        json["push_out"] = asJson(*score.pushed_out);
        json["push_out"]["player_us"] = score.time.push_out_us;
        json["push_out"]["player_crowd_us"] = score.time.crowd_push_out_us;
    }
    json["clips"] = Json::array();
    for (const ClipScore& clip : score.clips) {
        Json entry{{"name", clip.name}};
        entry.update(asJson(clip.errors));
        json["clips"].push_back(std::move(entry));
    }
    return json;
}

void addEvaluateVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb =
        addVerb(app, common, "evaluate",
                "Play a .hem file against recordings and measure its error", kExamples);
    verb->add_option("file", a->file, "A .hem file, or the word skinning")->required();
    verb->add_option("recordings", a->folder, "A set of recordings, or of poses, of the same scene")
        ->required();
    verb->add_option("--clips", a->clips, "Clips to play, by shell pattern");
    verb->add_flag("--per-clip", a->per_clip, "A line a clip");
    verb->add_option("--chaos", a->options.chaos_clips,
                     "Clips to simulate again for the chaos floor; 0: none, quick")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    verb->add_flag("!--no-push-out", a->options.push_out,
                   "Do not play again with vertices moved out of the body");
    addPoseOptions(*verb, a->poses);
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
