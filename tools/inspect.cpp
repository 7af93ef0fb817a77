// SPDX-License-Identifier: Apache-2.0
// hemline inspect: judges recorded cloth.
#include "hem/recording/inspect.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "hem/poses/pose_set.h"
#include "tools/inspect_poses.h"
#include "tools/verbs.h"
#include "tools/verdict_lines.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline inspect recordings/dress\n"
    "  hemline inspect recordings/dress --clip train_02_walk_normal      # one clip\n"
    "  hemline inspect recordings/dress --per-clip                       # a line a clip\n"
    "  hemline inspect recordings/dress --resimulate 0                   # frames alone, quick\n"
    "  hemline inspect recordings/dress --starts 8                       # a surer chaos floor\n"
    "  hemline inspect recordings/dress --json\n"
    "  hemline inspect poses/coat --figure distances.png --sheet poses.png   # of hemline poses\n"
    "\n"
    "stretch is that of the cloth's edges; penetration counts vertices inside the body, except\n"
    "where the body folds onto itself; the chaos floor is how far two simulations end up apart\n"
    "that start almost alike. docs/recording.md says how each is measured.";

struct Arguments {
    std::string folder;
    bool per_clip = false;
    InspectOptions options;
    InspectPosesArguments poses;
};

using Json = nlohmann::ordered_json;

Json orNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json asJson(const Inspection& inspection) {
    Json json = verdictJson(inspection.all);
    json["settle_energy_j_per_kg"] = orNull(inspection.settle_energy_j_per_kg);
    json["chaos_floor_cm"] = orNull(inspection.chaos_floor_cm);
    json["chaos_of_starts_cm"] = inspection.chaos_of_starts_cm;
    json["cpu_ms_per_frame"] = orNull(inspection.cpu_ms_per_frame);
    json["reproduces"] = inspection.reproduces ? Json(*inspection.reproduces) : Json();
    json["clips"] = Json::array();
    for (const ClipInspection& clip : inspection.clips) {
        Json entry{{"name", clip.name}, {"stop", clip.is_stop}};
        entry.update(verdictJson(clip.verdict));
        if (clip.is_stop) {
            entry["settle_energy_j_per_kg"] = orNull(clip.settle_energy);
            entry["settle_seconds"] = orNull(clip.settle_time);
        }
        if (clip.chaos_floor_cm) entry["chaos_floor_cm"] = *clip.chaos_floor_cm;
        json["clips"].push_back(std::move(entry));
    }
    json["notes"] = inspection.notes;
    json["faults"] = faultsOf(inspection);
    return json;
}

void printOptional(const char* what, const char* format, const std::optional<double>& value,
                   const char* meaning) {
    if (value) {
        printLine(what, format, *value, meaning);
    } else {
        std::printf("  %-22s %14s   %s\n", what, "-", meaning);
    }
}

void printStarts(const std::vector<double>& chaos) {
    if (chaos.size() < 2) return;
    const auto [least, most] = std::minmax_element(chaos.begin(), chaos.end());
    std::printf("  %-22s %6.3f-%.3f cm   the least and the most of %zu starts\n", "", *least, *most,
                chaos.size());
}

void printSummary(const Arguments& a, const Inspection& inspection) {
    size_t stops = 0;
    for (const ClipInspection& clip : inspection.clips) stops += clip.is_stop;
    const Verdict& v = inspection.all;
    const size_t clips = inspection.clips.size() - stops;
    std::printf("%s: %zu clip%s, %zu stop%s, %zu frames\n", a.folder.c_str(), clips,
                clips == 1 ? "" : "s", stops, stops == 1 ? "" : "s", v.frames);
    std::printf("  %-22s %14s\n", "finite", v.finite ? "yes" : "NO");
    printLine("stretch, 99 %", "%.2f %%", 100 * v.stretch_p99, "of edges and frames are below");
    printLine("stretch, largest", "%.2f %%", 100 * v.stretch_max, "of any edge");
    printLine("deeper than 3 mm", "%.4f %%", 100 * v.penetration_rate_3mm,
              "of vertices and frames, inside the body");
    printLine("deepest", "%.1f mm", v.penetration_max_mm, "inside the body");
    printVerdictEnd(v);
    printOptional("3 s after a stop", "%.2e J/kg", inspection.settle_energy_j_per_kg,
                  "kinetic energy, the worst stop");
    printOptional("chaos floor", "%.3f cm", inspection.chaos_floor_cm,
                  "apart, after a slightly different start");
    printStarts(inspection.chaos_of_starts_cm);
    printOptional("cost", "%.2f ms", inspection.cpu_ms_per_frame, "of one core a frame");
    if (inspection.reproduces) {
        std::printf("  %-22s %14s   simulated again, the same bits\n", "reproduces",
                    *inspection.reproduces ? "yes" : "NO");
    }
    for (const std::string& note : inspection.notes) std::printf("  note: %s\n", note.c_str());
}

void printJudgement(const Inspection& inspection) {
    const std::vector<std::string> faults = faultsOf(inspection);
    const bool settling_known = inspection.settle_energy_j_per_kg.has_value();
    if (faults.empty())
        std::printf("This is good cloth%s.\n",
                    settling_known ? "" : ", but for settling, which was not looked at");
    for (const std::string& fault : faults) std::printf("NOT GOOD: %s\n", fault.c_str());
}

void printClips(const Inspection& inspection) {
    std::printf("\n  %-40s %7s %9s %9s %10s %9s %9s %9s\n", "clip", "frames", "stretch", "largest",
                "over 3 mm", "deepest", "settled", "chaos");
    for (const ClipInspection& clip : inspection.clips) {
        const Verdict& v = clip.verdict;
        std::printf("  %-40s %7zu %7.2f %% %7.2f %% %8.4f %% %6.1f mm", clip.name.c_str(), v.frames,
                    100 * v.stretch_p99, 100 * v.stretch_max, 100 * v.penetration_rate_3mm,
                    v.penetration_max_mm);
        if (clip.settle_time) std::printf(" %7.2f s", *clip.settle_time);
        if (clip.is_stop && !clip.settle_time) std::printf("     never");
        if (clip.chaos_floor_cm) std::printf("%10s %6.3f cm", "", *clip.chaos_floor_cm);
        std::printf("\n");
    }
}

int run(Arguments& a, const Common& common) {
    if (isPoseSet(a.folder)) {
        a.poses.folder = a.folder;
        a.poses.resimulate = a.options.resimulate;
        return inspectPoses(a.poses, common);
    }
    if (!a.poses.figure.empty() || !a.poses.sheet.empty())
        return fail(errorf("--figure and --sheet are for sets of poses (hemline poses), which %s "
                           "is not",
                           a.folder.c_str()),
                    kBadUse);
    const auto set = RecordingSet::open(a.folder);
    if (!set) return fail(set.error());
    const auto inspection = inspect(*set, a.options);
    if (!inspection) return fail(inspection.error());
    if (common.json) {
        std::printf("%s\n", asJson(*inspection).dump(2).c_str());
        return 0;
    }
    printSummary(a, *inspection);
    if (a.per_clip) printClips(*inspection);
    printJudgement(*inspection);
    return 0;
}

}  // namespace

void addInspectVerb(CLI::App& app, Common& common) {
    auto arguments = std::make_shared<Arguments>();
    CLI::App* verb =
        addVerb(app, common, "inspect",
                "Judges recorded cloth: stretch, penetration, settling, chaos, cost", kExamples);
    verb->add_option("DIR", arguments->folder, "The folder of a set of recordings or of poses")
        ->required();
    verb->add_option("--clip", arguments->options.clips, "Only this clip (may be repeated)");
    verb->add_flag("--per-clip", arguments->per_clip, "Also a line for every clip and stop");
    verb->add_option("--resimulate", arguments->options.resimulate,
                     "Clips, or poses, to simulate again, for the chaos floor and the cost")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    verb->add_option("--seconds", arguments->options.resimulate_seconds,
                     "Of each of those, at most")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    verb->add_option("--starts", arguments->options.starts,
                     "Slightly different starts of each, for the chaos floor")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    const char* group = "Of a set of poses";
    verb->add_option("--figure", arguments->poses.figure,
                     "Draw the distances between skinned and simulated garment, .png")
        ->group(group);
    verb->add_option("--sheet", arguments->poses.sheet, "Draw some of the poses, .png")
        ->group(group);
    verb->add_option("--shown", arguments->poses.shown, "So many, evenly spread")
        ->check(CLI::Range(1, 400))
        ->capture_default_str()
        ->group(group);
    verb->callback([arguments, &common] { common.exit_code = run(*arguments, common); });
}

}  // namespace hem::tools
