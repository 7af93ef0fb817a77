// SPDX-License-Identifier: Apache-2.0
// hemline poses: a garment at rest on thousands of random poses.

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "hem/character/by_name.h"
#include "hem/character/humanoid.h"
#include "hem/core/cpu_time.h"
#include "hem/core/progress.h"
#include "hem/garment/made_to_measure.h"
#include "hem/poses/make_pose_set.h"
#include "hem/poses/pose_figure.h"
#include "tools/interrupt.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline poses -o poses/coat                        # 10,000 poses: the 2021 paper's coat\n"
    "  hemline poses -o poses/try --count 200             # a minute\n"
    "  hemline poses -o poses/poncho --garment poncho --fabric silk --character male\n"
    "  hemline poses -o poses/wild --reach 1              # the joints' whole ranges\n"
    "  hemline inspect poses/coat --sheet poses.png       # judges it, and draws some\n"
    "\n"
    "Ctrl-C, or a crash, loses a hundred poses at most: run the same command again and it goes "
    "on,\n"
    "to the same bytes. docs/poses.md says how poses are drawn and cloth comes to rest.";

struct Arguments {
    std::string output, character = "female", garment = "coat", fabric;
    int vertices = 0;
    double outlier_distance = 0;
    CLI::Option* outlier_option = nullptr;
    PoseSetOptions options;
};

struct Cost {
    double wall_seconds = 0, cpu_seconds = 0;
};

// What cannot be made of a body that is a human's is bad use: of --garment, --vertices or --fabric.
int makeScene(const Arguments& a, ClothScene& scene) {
    auto character = characterByName(a.character);
    if (!character) return fail(character.error());
    scene.character = std::move(*character);
    if (const auto human = recognise(scene.character.skeleton); !human) return fail(human.error());
    auto garment = makeGarment(scene.character, a.garment,
                               {.vertices = size_t(a.vertices), .fabric = a.fabric});
    if (!garment) return fail(garment.error(), kBadUse);
    scene.garments.push_back(std::move(*garment));
    return 0;
}

nlohmann::ordered_json asJson(const PoseSetReport& r, const Cost& cost, const Arguments& a) {
    return {{"folder", a.output},
            {"simulated", r.simulated},
            {"there", r.there},
            {"frames", r.frames},
            {"cancelled", r.cancelled},
            {"wall_seconds", cost.wall_seconds},
            {"cpu_seconds_per_pose", r.simulated ? cost.cpu_seconds / double(r.simulated) : 0.0},
            {"failures", r.failures}};
}

void printReport(const PoseSetReport& r, const Cost& cost, const Arguments& a) {
    std::printf("%s: %zu poses simulated, %zu were there", a.output.c_str(), r.simulated, r.there);
    if (r.simulated > 0)
        std::printf("; %s, %.2f s of CPU and %.0f frames a pose",
                    formatDuration(cost.wall_seconds).c_str(),
                    cost.cpu_seconds / double(r.simulated), double(r.frames) / double(r.simulated));
    std::printf("\n");
}

void printSet(const PoseSet& set) {
    const PoseSetMeta& m = set.meta();
    std::printf(
        "  kept %zu: %zu for training, %zu for validation, %zu for testing\n"
        "  left out %zu outliers above %.4f m2 and %zu failed poses\n",
        m.count - m.outliers - m.failed, m.training, m.validation, m.test, m.outliers,
        m.outlier_distance, m.failed);
}

// What there is to say of a set that is whole; draws its figure where it has changed.
int finish(const PoseSetReport& r, const Cost& cost, const Arguments& a, const Common& common) {
    const auto set = PoseSet::open(a.output);
    if (!set) return fail(set.error());
    const PoseSetMeta& m = set->meta();
    if (m.training > 0) {
        const Status saved = savePng(a.output + "/distances.png", distanceFigure(*set));
        if (!saved) return fail(saved.error());
    }
    if (common.json) {
        auto document = asJson(r, cost, a);
        document["outlier_distance_m2"] = m.outlier_distance;
        document["outliers"] = m.outliers;
        document["failed"] = m.failed;
        document["training"] = m.training;
        document["validation"] = m.validation;
        document["test"] = m.test;
        std::printf("%s\n", document.dump(2).c_str());
    } else if (!common.quiet) {
        printReport(r, cost, a);
        printSet(*set);
    }
    return 0;
}

int run(Arguments& a, const Common& common) {
    if (a.outlier_option->count() > 0) a.options.outlier_distance = a.outlier_distance;
    ClothScene scene;
    if (const int exit_code = makeScene(a, scene); exit_code != 0) return exit_code;
    std::optional<Progress> progress;
    a.options.cancel = &catchInterrupts();
    a.options.started = [&](size_t poses) { progress.emplace("simulating poses", poses); };
    a.options.progress = [&](size_t poses) { progress->advance(poses); };
    const auto start = std::chrono::steady_clock::now();
    const double cpu_start = processCpuSeconds();
    const auto report = makePoseSet(scene, a.output, a.options);
    progress.reset();
    if (!report) return fail(report.error());
    const Cost cost{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                    processCpuSeconds() - cpu_start};
    for (const std::string& failure : report->failures)
        fail(errorf("%s: left out: %s", a.output.c_str(), failure.c_str()));
    if (!report->cancelled) return finish(*report, cost, a, common);
    if (common.json) std::printf("%s\n", asJson(*report, cost, a).dump(2).c_str());
    return fail(errorf("interrupted; run the same command again to go on"));
}

}  // namespace

void addPosesVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb = addVerb(app, common, "poses",
                             "Bring a garment to rest on thousands of random poses", kExamples);
    verb->add_option("-o,--output", a->output, "The folder of the set")->required();
    verb->add_option("--count", a->options.count, "Poses")
        ->check(CLI::Range(1, 10000000))
        ->capture_default_str();
    verb->add_option("--seed", a->options.seed, "Of the poses")->capture_default_str();
    verb->add_option("--reach", a->options.reach,
                     "Share of the joints' human ranges that poses are drawn from")
        ->check(CLI::Range(0.01, 1.0))
        ->capture_default_str();
    verb->add_option("--character", a->character, "female, male, or a character file")
        ->capture_default_str();
    verb->add_option("--garment", a->garment, "A built-in garment (hemline garment lists them)")
        ->capture_default_str();
    verb->add_option("--vertices", a->vertices, "About so many (default: the kind's own)")
        ->check(CLI::Range(1, 10000000));
    verb->add_option("--fabric", a->fabric, "Default: the kind's own");
    a->outlier_option =
        verb->add_option("--outlier-distance", a->outlier_distance,
                         "Leave out poses above this mean squared distance of the simulated from "
                         "the skinned garment, in square metres (default: 2.99 times the mean, as "
                         "in the paper)")
            ->check(CLI::Range(0.0, 1e6));
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
