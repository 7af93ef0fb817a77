// SPDX-License-Identifier: Apache-2.0
// hemline simulate: records the cloth of a scene.
#include "tools/simulate.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "hem/core/cpu_time.h"
#include "hem/core/parallel.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "hem/garment/made_to_measure.h"
#include "tools/garment_options.h"
#include "tools/interrupt.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline simulate --garment dress --clips train_02_walk_normal -o recordings/first\n"
    "  hemline simulate --garment shirt skirt --on male --clips test -o recordings/two\n"
    "  hemline simulate examples/scenes/dress_train_test.toml -o recordings/dress\n"
    "  hemline simulate scene.toml --clips walk.bvh -o recordings/walk       # other clips\n"
    "  hemline simulate scene.toml --dry-run                                 # what there is to "
    "do\n"
    "  hemline simulate scene.toml --simulator blender -o recordings/blender\n"
    "\n"
    "Ctrl-C, or a crash, loses the clips at work alone: run the same command again and it goes "
    "on.\n"
    "Look at what comes out with  hemline picture DIR/clips/NAME --sheet 6x1 --follow -o "
    "sheet.png\n"
    "and judge it with  hemline inspect DIR.  docs/simulate.md is the manual of scene files.";

struct Arguments {
    std::string scene, output, simulator, on, fabric;
    std::vector<std::string> clips, garments;
    int stops = -1, vertices = 0;
    bool dry_run = false;
    PinOptions pins;
    EaseOption ease;
};

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string quotedList(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted(text);
    return "[" + list + "]";
}

std::string pinText(const PinRules& pins) {
    std::string text = format("pins = { near_distance = %.9g, strength = %.9g",
                              double(pins.near_distance), double(pins.strength));
    if (!pins.groups.empty()) text += ", groups = " + quotedList(pins.groups);
    if (pins.by_color) text += ", by_color = true";
    if (!pins.near_joints.empty()) text += ", near_joints = " + quotedList(pins.near_joints);
    if (!pins.openings.empty()) text += ", openings = " + quotedList(pins.openings);
    return text + " }\n";
}

bool isFile(const std::string& garment) { return garment.find('.') != garment.npos; }

// The scene file that the options stand for; it is kept with the recordings.
std::string sceneTextOf(const Arguments& a) {
    std::string text = "character = " + quoted(a.on.empty() ? "female" : a.on) +
                       "\nclips = " + quotedList(a.clips) + "\n";
    if (a.stops >= 0) text += format("stops = %d\n", a.stops);
    if (!a.simulator.empty()) text += "simulator = " + quoted(a.simulator) + "\n";
    for (const std::string& garment : a.garments) {
        const bool is_file = isFile(garment);
        text += "\n[[garment]]\n" + std::string(is_file ? "file" : "kind") + " = " +
                quoted(garment) + "\n";
        if (a.vertices > 0 && !is_file) text += "vertices = " + std::to_string(a.vertices) + "\n";
        if (!a.fabric.empty()) text += "fabric = " + quoted(a.fabric) + "\n";
        if (is_file && a.pins.given()) text += pinText(a.pins.rules);
        if (is_file && a.ease.given()) text += format("ease = %.9g\n", double(a.ease.metres));
    }
    return text;
}

// What was said instead of the scene file, to stand above it where it is kept.
std::string overridesText(const Arguments& a) {
    std::string text;
    if (!a.clips.empty()) text += " --clips " + quotedList(a.clips);
    if (a.stops >= 0) text += format(" --stops %d", a.stops);
    if (!a.simulator.empty()) text += " --simulator " + a.simulator;
    return text.empty() ? text : "# recorded with" + text + "\n";
}

std::optional<Error> badUse(const Arguments& a) {
    if (a.scene.empty() && a.garments.empty())
        return errorf("give a scene file, or --garment and --clips");
    if (!a.scene.empty() && (!a.garments.empty() || !a.on.empty() || !a.fabric.empty() ||
                             a.vertices > 0 || a.pins.given() || a.ease.given()))
        return errorf(
            "--garment, --on, --fabric, --vertices, --ease and --pin-... stand for a scene file: "
            "give one "
            "or the other");
    const bool has_file = std::any_of(a.garments.begin(), a.garments.end(), isFile);
    if (a.ease.given() && !a.garments.empty() && !has_file)
        return errorf("--ease is for garments from files; built-in ones are cut with theirs");
    if (a.pins.given() && !has_file)
        return errorf("--pin-... are for garments from files; built-in ones have their own pins");
    if (a.scene.empty() && a.clips.empty())
        return errorf(
            "--garment needs --clips: a set (train, test, atomic, novel), clips or .bvh files "
            "(hemline motions lists the built-in ones)");
    if (a.output.empty() && !a.dry_run) return errorf("-o DIR is needed: where the recordings go");
    return {};
}

constexpr const char* kCommandLine = "(command line)";

Result<SceneFile> loadSceneOf(const Arguments& a) {
    SceneOverrides overrides{.clips = a.clips};
    if (a.stops >= 0) overrides.stops = a.stops;
    if (!a.simulator.empty()) overrides.simulator = a.simulator;
    if (a.scene.empty()) return parseScene(sceneTextOf(a), kCommandLine, overrides);
    auto file = loadScene(a.scene, overrides);
    if (file) file->text = overridesText(a) + file->text;
    return file;
}

// A fault of the scene, in terms of the options where they were the scene. What is wrong with an
// option, rather than with a file that it names, is bad use.
int failAt(const Error& error) {
    constexpr struct {
        const char *key, *option;
        int exit_code;
    } kKeys[] = {
        {"garment.kind", "--garment", kBadUse},  {"garment.file", "--garment", kFailure},
        {"garment.fabric", "--fabric", kBadUse}, {"garment.pins", "--pin-...", kBadUse},
        {"garment.ease", "--ease", kBadUse},     {"garment.vertices", "--vertices", kBadUse},
        {"character", "--on", kFailure}};
    const std::string& text = error.message;
    if (text.starts_with("--clips: ") || text.starts_with("--stops: ")) return fail(error, kBadUse);
    if (!text.starts_with(kCommandLine)) return fail(error);
    for (const auto& known : kKeys) {
        const std::string mark = std::string(": ") + known.key + ": ";
        const size_t at = text.find(mark);
        if (at != text.npos)
            return fail({std::string(known.option) + ": " + text.substr(at + mark.size())},
                        known.exit_code);
    }
    return fail(error);
}

void remarkOnOwn(const SceneFile& file) {
    for (size_t i : file.own_garments) {
        const Garment& garment = file.scene.garments[i];
        printRemarks(garment, reportOn(garment, file.scene.character));
    }
}

struct Cost {
    double wall_seconds = 0, cpu_seconds = 0;
    double peak_mib = 0;  // of this process; Blender's are its own
};

// Blender's, too.
double cpuSeconds() { return processCpuSeconds() + childrenCpuSeconds(); }

double peakMib() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_maxrss) / 1024;
}

// Per frame: positions and velocities, joints twice, root, time.
double bytesPerFrame(const SceneFile& file) {
    const size_t joints = file.scene.character.skeleton.size();
    return double(vertexCount(file.scene.garments) * 24 + joints * 64 + 24);
}

// How much of the scene the folder has. Fails where recording into it would.
Result<size_t> countThere(const SceneFile& file, const Arguments& a) {
    if (a.output.empty()) return size_t(0);
    if (const Status good = RecordingSet::check(a.output, file.scene); !good) return good.error();
    if (!std::filesystem::exists(a.output + "/set.json")) return size_t(0);
    const auto set = RecordingSet::open(a.output);
    if (!set) return set.error();
    const auto simulator = makeSimulator(file.scene, file.simulator, a.output + "/.work");
    if (!simulator) return simulator.error();
    const auto plan = planRecording(*set, file.motions, (*simulator)->name(),
                                    {.stops = file.stops, .stop_seconds = file.stop_seconds});
    if (!plan) return plan.error();
    return size_t(std::count_if(plan->clips.begin(), plan->clips.end(),
                                [](const RecordPlan::Clip& clip) { return clip.there; }));
}

std::string counted(size_t n, const char* thing) {
    return format("%zu %s%s", n, thing, n == 1 ? "" : "s");
}

int reportPlan(const SceneFile& file, const Arguments& a, const Common& common) {
    size_t clip_frames = 0;
    for (const Motion& motion : file.motions) clip_frames += motion.frames.size();
    const size_t stops = file.motions.size() * size_t(file.stops);
    const size_t frames = clip_frames + stops * size_t(file.stop_seconds * file.scene.rate + 1.5);
    const double mib = bytesPerFrame(file) * double(frames) / (1 << 20);
    const auto there_now = countThere(file, a);
    if (!there_now) return fail(there_now.error());
    const size_t there = *there_now;
    if (common.json) {
        nlohmann::ordered_json document{{"character", file.scene.character.name},
                                        {"vertices", vertexCount(file.scene.garments)},
                                        {"clips", nlohmann::json::array()},
                                        {"stops", stops},
                                        {"frames", frames},
                                        {"megabytes", mib},
                                        {"there", there}};
        for (const Motion& motion : file.motions) document["clips"].push_back(motion.name);
        std::printf("%s\n", document.dump(2).c_str());
        return 0;
    }
    std::printf("%s wears", file.scene.character.name.c_str());
    for (const Garment& g : file.scene.garments)
        std::printf(" %s (%zu vertices, %s)", g.name.c_str(), g.mesh.positions.size(),
                    g.fabric.name.c_str());
    std::printf("\n\n");
    for (const Motion& motion : file.motions)
        std::printf("  %-36s %5zu frames, %5.1f s\n", motion.name.c_str(), motion.frames.size(),
                    motion.duration());
    std::printf("\n%s and %s: %zu frames at %g Hz, %.0f MiB\n",
                counted(file.motions.size(), "clip").c_str(), counted(stops, "stop").c_str(),
                frames, file.scene.rate, mib);
    if (there > 0) std::printf("%s has %zu of them already\n", a.output.c_str(), there);
    return 0;
}

int report(const RecordReport& r, const Cost& cost, const Arguments& a, const Common& common) {
    const double cpu_ms = r.frames ? cost.cpu_seconds * 1e3 / double(r.frames) : 0;
    if (common.json) {
        nlohmann::ordered_json document{{"folder", a.output},
                                        {"recorded", r.recorded},
                                        {"skipped", r.skipped},
                                        {"frames", r.frames},
                                        {"cancelled", r.cancelled},
                                        {"wall_seconds", cost.wall_seconds},
                                        {"cpu_ms_per_frame", cpu_ms},
                                        {"peak_mib", cost.peak_mib},
                                        {"failures", nlohmann::json::array()}};
        for (const Error& error : r.failures) document["failures"].push_back(error.message);
        std::printf("%s\n", document.dump(2).c_str());
    } else if (!common.quiet) {
        std::printf(
            "%s: clips and stops: %zu recorded, %zu were there; %zu frames in %s, %.2f ms of CPU a "
            "frame, peak memory %.0f MiB\n",
            a.output.c_str(), r.recorded, r.skipped, r.frames,
            formatDuration(cost.wall_seconds).c_str(), cpu_ms, cost.peak_mib);
    }
    for (const Error& error : r.failures) fail(error);
    if (r.cancelled) fail(errorf("interrupted; run the same command again to go on"));
    return r.failures.empty() && !r.cancelled ? 0 : kFailure;
}

int recordAndReport(const SceneFile& file, const Arguments& a, const Common& common) {
    const auto start = std::chrono::steady_clock::now();
    const double cpu_start = cpuSeconds();
    const auto result = recordScene(file, a.output);
    if (!result) return fail(result.error());
    const double wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report(*result, {wall, cpuSeconds() - cpu_start, peakMib()}, a, common);
}

int run(const Arguments& a, const Common& common) {
    if (const auto error = badUse(a)) return fail(*error, kBadUse);
    const auto file = loadSceneOf(a);
    if (!file) return failAt(file.error());
    if (!common.quiet) remarkOnOwn(*file);
    return a.dry_run ? reportPlan(*file, a, common) : recordAndReport(*file, a, common);
}

}  // namespace

Result<RecordReport> recordScene(const SceneFile& file, const std::string& folder) {
    if (const Status good = RecordingSet::check(folder, file.scene); !good) return good.error();
    auto set = RecordingSet::create(folder, file.scene, file.text);
    if (!set) return set.error();
    const std::string work_folder = folder + "/.work";
    const SimulatorFactory factory = [&](const ClothScene& scene) {
        return makeSimulator(scene, file.simulator, work_folder);
    };
    std::optional<Progress> progress;
    const RecordOptions options{
        .stops = file.stops,
        .stop_seconds = file.stop_seconds,
        .cancel = &catchInterrupts(),
        .started = [&](size_t frames) { progress.emplace("simulating frames", frames); },
        .progress = [&](size_t frames) { progress->advance(frames); }};
    auto result = record(*set, file.motions, factory, options);
    progress.reset();
    std::error_code ignored;
    std::filesystem::remove(work_folder, ignored);
    return result;
}

void addSimulateVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb =
        addVerb(app, common, "simulate", "Simulate the cloth of a scene and record it", kExamples);
    verb->add_option("SCENE", a->scene, "A scene file, .toml (docs/simulate.md)");
    verb->add_option("-o,--output", a->output, "The folder of the recordings");
    verb->add_option("--clips", a->clips,
                     "Clips instead of the scene's: sets, built-in clips, .bvh files or globs")
        ->delimiter(',');
    verb->add_option("--stops", a->stops, "Stops per clip instead of the scene's")
        ->check(CLI::Range(0, 1000));
    verb->add_option("--simulator", a->simulator, "hemline or blender, instead of the scene's")
        ->check(CLI::IsMember({"hemline", "blender"}));
    verb->add_flag("--dry-run", a->dry_run, "Say what would be recorded, and record nothing");
    const char* without = "Without a scene file";
    verb->add_option("--garment", a->garments,
                     "Built-in garments or .obj files, the innermost first (hemline garment "
                     "lists the built-in ones)")
        ->group(without);
    verb->add_option("--on", a->on, "female (default), male, or a character file")->group(without);
    verb->add_option("--fabric", a->fabric, "Of all garments (default: each kind's own)")
        ->group(without);
    verb->add_option("--vertices", a->vertices, "Of each built-in garment")
        ->check(CLI::Range(1, 10000000))
        ->group(without);
    a->pins.addTo(verb);
    a->ease.addTo(verb);
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
