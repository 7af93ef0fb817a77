// SPDX-License-Identifier: Apache-2.0
// hemline evaluate: plays packed garments against recordings of unseen motion.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "hem/core/files.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "hem/eval/report/report.h"
#include "hem/eval/score_json.h"
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
    "  hemline evaluate coat.hem poses/coat --html report.html\n"
    "  hemline evaluate dress.hem recordings/dress --html report.html\n"
    "  hemline evaluate S.hem C.hem A.hem skinning recordings/dress --html report.html\n"
    "\n"
    "Clips whose names start with test_ are played, or all where there are none. Errors are\n"
    "distances of vertices in centimetres, free-running from the first frame.\n"
    "--html writes a page with tables, plots, the worst frames and a 3D view of the worst clip, "
    "which\n"
    "needs no network and no other file; the first model is the one looked at closely.";

struct Arguments {
    std::vector<std::string> files;  // models, and the recordings last
    std::string html;
    std::vector<std::string> clips;
    bool per_clip = false;
    EvaluateOptions options;
    PoseArguments poses;
};

using Json = nlohmann::ordered_json;

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

void printScore(const Score& s) {
    printLine("mean error", s.all.mean_cm, "%.3f cm", "of vertices over all frames");
    printLine("mean of clips", s.clip_mean_cm, "%.3f cm",
              "long clips count no more than short ones");
    printLine("95 % are below", s.all.p95_cm, "%.2f cm", "");
    printLine("largest", s.all.max_cm, "%.1f cm", "of any vertex in any frame");
    printLine("after stops", s.all.after_stops_cm, "%.3f cm",
              "in the 30 frames after abrupt stops");
    printLine("velocity", s.all.velocity_cm, "%.3f cm", "a frame");
    printInside(s.all);
    if (!s.learned) return;
    printLine("PCA floor", s.all.pca_floor_cm, "%.3f cm", "that the subspace cannot go below");
    printLine("chaos floor", s.chaos_floor_cm, "%.3f cm", "that no model can go below");
    printLine("confidence", s.all.confidence, "%.3f", "1 within what was trained on");
    if (s.remembers) {
        printLine("lambda", s.lambda, "%.4f", "below 1: stable");
        printLine("energy bound", s.energy_bound, "%.3g", "");
    }
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

struct Played {
    std::vector<std::string> clips;
    size_t frames = 0;
};
Result<Played> toBePlayed(const RecordingSet& set, const std::vector<std::string>& patterns) {
    const auto names = chooseClips(set, patterns, Purpose::kTesting);
    if (!names) return names.error();
    Played played{.clips = *names};
    for (const std::string& name : *names) {
        const auto clip = set.clip(name);
        if (!clip) return clip.error();
        played.frames += clip->frames();
    }
    return played;
}

Result<Entrant> entrantOf(const std::string& file, const RecordingSet& set, size_t frames,
                          EvaluateOptions options) {
    Entrant entrant{.file = file};
    bool twice = false;
    if (file != kSkinning) {
        auto read = readFile(file);
        if (!read) return read.error();
        entrant.bytes = std::move(*read);
        const hem_Garment* garment = hem_open(entrant.bytes.data(), entrant.bytes.size(), nullptr);
        twice = garment && options.push_out && hem_pushesOut(garment);
    }
    Progress progress("playing " + file, twice ? 2 * frames : frames);
    options.progress = [&](size_t n) { progress.advance(n); };
    auto score =
        file == kSkinning ? evaluateSkinning(set, options) : evaluate(entrant.bytes, set, options);
    if (!score) return inContext(file, score.error());
    entrant.score = std::move(*score);
    return entrant;
}

// The chaos floor is of the recordings: it is looked for once.
Result<std::vector<Entrant>> entrantsOf(const std::vector<std::string>& files,
                                        const RecordingSet& set, size_t frames,
                                        EvaluateOptions options) {
    std::vector<Entrant> entrants;
    std::optional<double> chaos;
    for (const std::string& file : files) {
        auto entrant = entrantOf(file, set, frames, options);
        if (!entrant) return entrant.error();
        if (entrant->score.learned) {
            if (entrant->score.chaos_floor_cm) chaos = entrant->score.chaos_floor_cm;
            entrant->score.chaos_floor_cm = chaos;
            options.chaos_clips = 0;
        }
        entrants.push_back(std::move(*entrant));
    }
    return entrants;
}

void printSideBySide(const std::vector<Entrant>& entrants) {
    std::printf("  %-40s %8s %8s %8s %12s %8s %9s\n", "model", "mean", "95 %", "largest",
                "after stops", "lambda", "time, us");
    for (const Entrant& entrant : entrants) {
        const Score& s = entrant.score;
        const auto orDash = [](bool there, const char* form, double value) {
            return there ? format(form, value) : std::string("-");
        };
        std::printf(
            "  %-40s %8.3f %8.2f %8.1f %12s %8s %9s\n", entrant.file.c_str(), s.all.mean_cm,
            s.all.p95_cm, s.all.max_cm,
            orDash(s.all.after_stops_cm.has_value(), "%.3f", s.all.after_stops_cm.value_or(0))
                .c_str(),
            orDash(s.remembers, "%.4f", s.lambda).c_str(),
            orDash(s.learned, "%.1f", s.time.plain_us).c_str());
    }
}

void printJson(const std::vector<Entrant>& entrants) {
    if (entrants.size() == 1) {
        std::printf("%s\n", scoreJson(entrants[0].score).dump(2).c_str());
        return;
    }
    Json all{{"models", Json::array()}};
    for (const Entrant& entrant : entrants) {
        Json entry{{"file", entrant.file}};
        entry.update(scoreJson(entrant.score));
        all["models"].push_back(std::move(entry));
    }
    std::printf("%s\n", all.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

Status writeReport(const std::string& path, const RecordingSet& set,
                   const std::vector<Entrant>& entrants, bool push_out) {
    ReportOptions options{.push_out = push_out};
    Progress progress("writing " + path, reportSteps(entrants, options));
    options.progress = [&] { progress.advance(); };
    const auto page = reportPage(set, entrants, options);
    if (!page) return page.error();
    return writeFile(path, *page);
}

// What can be said of the report's file before minutes of work go into it.
Status checkHtml(const std::string& path, const std::vector<std::string>& files) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    for (const std::string& file : files)
        if (fs::equivalent(path, file, ignored))
            return errorf("%s: would be written over; give --html another name", path.c_str());
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, ignored))
        return errorf("%s: there is no folder %s to write it into; make it first", path.c_str(),
                      folder.c_str());
    if (fs::is_directory(path, ignored))
        return errorf("%s: is a folder; give --html the name of a file", path.c_str());
    return Done{};
}

void printAll(const std::vector<Entrant>& entrants, const Arguments& a, const std::string& folder,
              const Played& played) {
    const bool one = entrants.size() == 1;
    std::printf("%s on %s: %zu clip%s, %zu frames\n",
                one ? entrants[0].file.c_str() : format("%zu models", entrants.size()).c_str(),
                folder.c_str(), played.clips.size(), played.clips.size() == 1 ? "" : "s",
                played.frames);
    if (one)
        printScore(entrants[0].score);
    else
        printSideBySide(entrants);
    for (const Entrant& entrant : entrants) {
        if (!a.per_clip) break;
        if (!one) std::printf("\n%s\n", entrant.file.c_str());
        printClips(entrant.score);
    }
    if (!a.html.empty()) std::printf("%s\n", a.html.c_str());
}

// Something to play, and something to play it on.
Status checkFiles(const std::vector<std::string>& files) {
    const std::string& last = files.back();
    if (extensionOf(last) == "hem" || last == kSkinning)
        return errorf(
            "what to play %s on is missing: end with the folder of recordings of the same "
            "scene, which hemline simulate -o FOLDER makes, or of poses, by hemline poses -o "
            "FOLDER",
            last.c_str());
    if (files.size() < 2)
        return errorf(
            "what to play on %s is missing: begin with a .hem file, which hemline train makes, or "
            "the word skinning",
            last.c_str());
    return Done{};
}

// Clips are of recordings; parts and vertices are told of poses alone.
Status checkOptions(const CLI::App& verb, const std::string& folder) {
    const bool poses = isPoseSet(folder);
    const std::vector<const char*> others =
        poses ? std::vector<const char*>{"--clips", "--per-clip", "--chaos"}
              : std::vector<const char*>{"--part", "--per-vertex"};
    for (const char* name : others)
        if (verb.count(name))
            return errorf("%s: is for %s, and %s holds %s", name, poses ? "recordings" : "poses",
                          folder.c_str(), poses ? "poses" : "none");
    return Done{};
}

int run(Arguments a, const Common& common) {
    const std::string folder = a.files.back();
    a.files.pop_back();
    if (!a.html.empty())
        if (const Status good = checkHtml(a.html, a.files); !good)
            return fail(good.error(), kBadUse);
    if (isPoseSet(folder)) {
        if (a.files.size() > 1 || a.files[0] == kSkinning)
            return fail(errorf("%s holds poses, which one .hem file is played on at a time, with "
                               "skinning beside it: comparisons are of recordings",
                               folder.c_str()),
                        kBadUse);
        a.poses.html = a.html;
        a.poses.push_out = a.options.push_out;
        return evaluateOnPoses(a.files[0], folder, a.poses, common);
    }
    if (a.files.size() > 1 && a.html.empty())
        return fail(errorf("several models are compared in a page: add --html FILE"), kBadUse);
    if (!std::filesystem::exists(folder))
        return fail(
            errorf("%s: there is no such folder; hemline simulate makes recordings, hemline "
                   "poses makes poses",
                   folder.c_str()));
    const auto set = RecordingSet::open(folder);
    if (!set) return fail(set.error());
    const auto played = toBePlayed(*set, a.clips);
    if (!played) return fail(played.error());
    a.options.clips = played->clips;
    const auto entrants = entrantsOf(a.files, *set, played->frames, a.options);
    if (!entrants) return fail(entrants.error());
    if (!a.html.empty())
        if (const Status done = writeReport(a.html, *set, *entrants, a.options.push_out); !done)
            return fail(done.error());
    if (common.json)
        printJson(*entrants);
    else
        printAll(*entrants, a, folder, *played);
    return 0;
}

}  // namespace

void addEvaluateVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb = addVerb(
        app, common, "evaluate",
        "Play .hem files against recordings, measure their errors, report on them", kExamples);
    verb->add_option("files", a->files,
                     "A .hem file or the word skinning, several with --html; then a set of "
                     "recordings, or of poses, of the same scene")
        ->required()
        ->type_name("MODEL... RECORDINGS");
    verb->add_option("--html", a->html, "Write a report: one page that holds everything it shows")
        ->type_name("FILE");
    verb->add_option("--clips", a->clips, "Clips to play, by shell pattern");
    verb->add_flag("--per-clip", a->per_clip, "A line a clip");
    verb->add_option("--chaos", a->options.chaos_clips,
                     "Clips to simulate again for the chaos floor; 0: none, quick")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    verb->add_flag("!--no-push-out", a->options.push_out,
                   "Do not play again with vertices moved out of the body");
    addPoseOptions(*verb, a->poses);
    verb->callback([a, verb, &common] {
        Status good = checkFiles(a->files);
        if (good) good = checkOptions(*verb, a->files.back());
        common.exit_code = good ? run(*a, common) : fail(good.error(), kBadUse);
    });
}

}  // namespace hem::tools
