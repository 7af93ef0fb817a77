// SPDX-License-Identifier: Apache-2.0
#include "tools/inspect_poses.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "hem/poses/judge_poses.h"
#include "hem/poses/pose_figure.h"
#include "tools/verdict_lines.h"

namespace hem::tools {
namespace {

using Json = nlohmann::ordered_json;

Json asJson(const PoseSet& set, const PoseSetJudgement& j) {
    const PoseSetMeta& m = set.meta();
    const Verdict& v = j.cloth;
    Json json{{"poses", m.count},
              {"training", m.training},
              {"validation", m.validation},
              {"test", m.test},
              {"outliers", m.outliers},
              {"failed", m.failed},
              {"outlier_distance_m2", m.outlier_distance},
              {"distance_mean_m2", j.distance_mean},
              {"distance_min_m2", j.distance_min},
              {"distance_max_m2", j.distance_max}};
    json.update(verdictJson(v));
    json.update({{"energy_median_j_per_kg", j.energy_median},
                 {"energy_max_j_per_kg", j.energy_max},
                 {"unsettled", j.unsettled},
                 {"frames_mean", j.frames_mean},
                 {"rejected_mean", j.rejected_mean}});
    json["cpu_seconds_per_pose"] = j.cpu_seconds_per_pose ? Json(*j.cpu_seconds_per_pose) : Json();
    json["noise_cm"] = j.noise_cm ? Json(*j.noise_cm) : Json();
    json["creep_cm"] = j.creep_cm ? Json(*j.creep_cm) : Json();
    json["reproduces"] = j.reproduces ? Json(*j.reproduces) : Json();
    json["faults"] = faultsOf(set, j);
    return json;
}

void print(const PoseSet& set, const PoseSetJudgement& j) {
    const PoseSetMeta& m = set.meta();
    const Verdict& v = j.cloth;
    std::printf(
        "%s: %zu poses: %zu for training, %zu validation, %zu test; %zu outliers, %zu "
        "failed\n",
        set.folder().c_str(), m.count, m.training, m.validation, m.test, m.outliers, m.failed);
    printLine("distance, mean", "%.4f m2", j.distance_mean,
              "squared, skinned to simulated, of those kept");
    printLine("distance, lowest", "%.4f m2", j.distance_min,
              ("pose " + std::to_string(j.lowest)).c_str());
    printLine("distance, highest", "%.4f m2", j.distance_max,
              ("pose " + std::to_string(j.highest)).c_str());
    printLine("outliers above", "%.4f m2", m.outlier_distance, "are left out");
    printLine("stretch, 99 %", "%.2f %%", 100 * v.stretch_p99, "of edges and poses are below");
    printLine("stretch, largest", "%.2f %%", 100 * v.stretch_max,
              ("of any edge: pose " + std::to_string(v.stretch_frame)).c_str());
    printLine("deeper than 3 mm", "%.4f %%", 100 * v.penetration_rate_3mm,
              "of vertices and poses, inside the body");
    printLine("deepest", "%.1f mm", v.penetration_max_mm,
              ("inside the body: pose " + std::to_string(v.penetration_frame)).c_str());
    printVerdictEnd(v);
    printLine("energy left, median", "%.1e J/kg", j.energy_median, "kinetic");
    printLine("energy left, largest", "%.1e J/kg", j.energy_max, "kinetic");
    printLine("not at rest", "%.0f", double(j.unsettled), "poses, when their frames ran out");
    printLine("frames", "%.1f", j.frames_mean, "simulated a pose");
    printLine("drawn again", "%.1f", j.rejected_mean, "times a pose: the body ran into itself");
    if (j.creep_cm)
        printLine(
            "creeps on by", "%.2f cm", *j.creep_cm,
            ("where the body stands for " + std::to_string(kStandOn) + " frames more").c_str());
    if (j.noise_cm)
        printLine("noise", "%.3f cm", *j.noise_cm, "apart, on poses a hundredth of a degree apart");
    if (j.cpu_seconds_per_pose)
        printLine("cost", "%.3f s", *j.cpu_seconds_per_pose, "of one core a pose");
    if (j.reproduces)
        std::printf("  %-22s %14s   simulated again, the same bits\n", "reproduces",
                    *j.reproduces ? "yes" : "NO");
    const auto faults = faultsOf(set, j);
    if (faults.empty()) std::printf("This is good cloth.\n");
    for (const std::string& fault : faults) std::printf("NOT GOOD: %s\n", fault.c_str());
}

}  // namespace

int inspectPoses(const InspectPosesArguments& a, const Common& common) {
    const auto set = PoseSet::open(a.folder);
    if (!set) return fail(set.error());
    const auto judgement = judgePoses(*set, a.resimulate);
    if (!judgement) return fail(judgement.error());
    if (common.json) {
        std::printf("%s\n", asJson(*set, *judgement).dump(2).c_str());
    } else {
        print(*set, *judgement);
    }
    Status saved = Done{};
    if (!a.figure.empty()) saved = savePng(a.figure, distanceFigure(*set));
    if (saved && !a.sheet.empty()) saved = savePng(a.sheet, poseSheet(*set, size_t(a.shown)));
    return saved ? 0 : fail(saved.error());
}

}  // namespace hem::tools
