// SPDX-License-Identifier: Apache-2.0
#include "tools/evaluate_poses.h"

#include <cmath>
#include <cstdio>

#include "hem/core/files.h"
#include "hem/core/npy.h"
#include "hem/core/progress.h"
#include "hem/eval/report/pose_report.h"
#include "hem/eval/score_json.h"

namespace hem::tools {
namespace {

using Json = nlohmann::ordered_json;

PoseSplit partOf(const std::string& name) {
    return name == "training"     ? PoseSplit::kTraining
           : name == "validation" ? PoseSplit::kValidation
                                  : PoseSplit::kTest;
}

void print(const PoseScore& s) {
    std::printf("  %-20s %12.4e   square metres, mean over poses, vertices and axes\n", "cost",
                s.cost);
    std::printf("  %-20s %12.4e\n", "... of skinning", s.skinning_cost);
    std::printf("  %-20s %12.4e   that the modes cannot go below\n", "... floor", s.floor_cost);
    std::printf("  %-20s %12.2f   %% of skinning's\n", "squared error left",
                100 * s.cost / s.skinning_cost);
    std::printf("  %-20s %9.3f cm   of vertices (skinning: %.3f)\n", "mean error", s.mean_cm,
                s.skinning_mean_cm);
    std::printf("  %-20s %9.2f cm\n", "95 % are below", s.p95_cm);
    std::printf("  %-20s %9.1f cm\n", "largest", s.max_cm);
    std::printf("  %-20s %12.5f   square metres a vertex, pose %u\n", "best pose", s.best.square,
                s.best.pose);
    std::printf("  %-20s %12.5f   pose %u\n", "worst pose", s.worst.square, s.worst.pose);
    std::printf("  %-20s %12.3f   1 within what was trained on\n", "confidence", s.confidence);
}

Status writeReport(const std::string& file, const std::vector<std::byte>& bytes, const PoseSet& set,
                   const PoseScore& score, const PoseArguments& a) {
    PoseReportOptions options{.push_out = a.push_out};
    Progress progress("writing " + a.html, kPoseReportSteps);
    options.progress = [&] { progress.advance(); };
    const auto page = poseReportPage({file, bytes, set, partOf(a.part), score}, options);
    if (!page) return page.error();
    return writeFile(a.html, *page);
}

}  // namespace

void addPoseOptions(CLI::App& verb, PoseArguments& a) {
    verb.add_option("--part", a.part, "Of a pose set")
        ->check(CLI::IsMember({"training", "validation", "test"}))
        ->capture_default_str();
    verb.add_option(
        "--per-vertex", a.per_vertex,
        "Of a pose set: writes every vertex's root mean square error, metres, to an .npy "
        "file");
}

int evaluateOnPoses(const std::string& file, const std::string& folder, const PoseArguments& a,
                    const Common& common) {
    const auto bytes = readFile(file);
    if (!bytes) return fail(bytes.error());
    const auto set = PoseSet::open(folder);
    if (!set) return fail(set.error());
    const PoseSplit part = partOf(a.part);
    Progress progress("playing", set->members(part).size());
    const auto score = evaluatePoses(*bytes, *set, part, 0, [&](size_t n) { progress.advance(n); });
    if (!score) return fail(Error{file + ": " + score.error().message});
    if (!a.per_vertex.empty()) {
        std::vector<float> errors;
        for (const float square : score->vertex_square) errors.push_back(std::sqrt(square));
        const NpyHeader header{NpyType::kFloat32, {errors.size()}};
        const Status written = saveNpy(a.per_vertex, header, std::as_bytes(std::span(errors)));
        if (!written) return fail(written.error());
    }
    if (!a.html.empty())
        if (const Status done = writeReport(file, *bytes, *set, *score, a); !done)
            return fail(done.error());
    if (common.json) {
        std::printf("%s\n", scoreJson(*score).dump(2).c_str());
        return 0;
    }
    std::printf("%s on %s: %zu %s poses\n", file.c_str(), folder.c_str(), score->poses,
                a.part.c_str());
    print(*score);
    if (!a.html.empty()) std::printf("%s\n", a.html.c_str());
    return 0;
}

}  // namespace hem::tools
