// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/judge_poses.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "hem/core/cpu_time.h"
#include "hem/core/parallel.h"
#include "hem/core/portable_math.h"
#include "hem/core/random.h"
#include "hem/core/text.h"
#include "hem/poses/draw_pose.h"
#include "hem/recording/inspect.h"

namespace hem {
namespace {

constexpr size_t kPosesPerJudge = 50;
constexpr size_t kMostFailed = 100;  // one in so many may fail

Verdict judgeCloth(const PoseSet& set, const std::vector<uint32_t>& poses) {
    const size_t judges = (poses.size() + kPosesPerJudge - 1) / kPosesPerJudge;
    std::vector<std::unique_ptr<ClothJudge>> all(judges);
    parallelFor(poses.size(), kPosesPerJudge, [&](size_t begin, size_t count) {
        auto judge =
            std::make_unique<ClothJudge>(set.scene(), JudgeOptions{.self_contact_every = 5});
        for (size_t i = begin; i < begin + count; ++i)
            judge->add(set.pose(poses[i]), set.restCloth(poses[i]));
        all[begin / kPosesPerJudge] = std::move(judge);
    });
    for (size_t i = 1; i < judges; ++i) all[0]->add(*all[i]);
    Verdict verdict = all[0]->verdict();
    verdict.stretch_frame = poses[verdict.stretch_frame];
    verdict.penetration_frame = poses[verdict.penetration_frame];
    return verdict;
}

void judgeSettling(const PoseSet& set, PoseSetJudgement& judgement) {
    std::vector<double> energies;
    double frames = 0, rejected = 0;
    for (size_t i = 0; i < set.count(); ++i) {
        rejected += set.rejected(i);
        if (set.failed(i)) continue;
        energies.push_back(double(set.energy(i)));
        frames += set.frames(i);
        judgement.unsettled += double(set.energy(i)) > set.meta().settle.at_rest;
    }
    std::sort(energies.begin(), energies.end());
    judgement.energy_median = energies[energies.size() / 2];
    judgement.energy_max = energies.back();
    judgement.frames_mean = frames / double(energies.size());
    judgement.rejected_mean = rejected / double(set.count());
}

void judgeDistances(const PoseSet& set, const std::vector<uint32_t>& kept,
                    PoseSetJudgement& judgement) {
    judgement.lowest = judgement.highest = kept[0];
    for (uint32_t pose : kept) {
        judgement.distance_mean += double(set.distance(pose)) / double(kept.size());
        if (set.distance(pose) < set.distance(judgement.lowest)) judgement.lowest = pose;
        if (set.distance(pose) > set.distance(judgement.highest)) judgement.highest = pose;
    }
    judgement.distance_min = double(set.distance(judgement.lowest));
    judgement.distance_max = double(set.distance(judgement.highest));
}

// Simulates poses of a set as they were.
struct Again {
    const PoseSet& set;
    PoseDrawer drawer;
    std::unique_ptr<Simulator> simulator;
    ClothState start;
    std::vector<float> masses = vertexMasses(set.scene().garments);

    static Result<Again> make(const PoseSet& set) {
        auto drawer = PoseDrawer::make(set.character(), set.meta().reach);
        if (!drawer) return drawer.error();
        auto simulator = makeBuiltInSimulator(set.scene());
        if (!simulator) return simulator.error();
        auto start = (*simulator)->drape(restPose(set.character().skeleton));
        if (!start) return start.error();
        return Again{set, std::move(*drawer), std::move(*simulator), std::move(*start)};
    }
    // From the seed on.
    Result<SettledCloth> settle(size_t pose) {
        const auto drawn = drawer.draw(set.meta().seed, pose);
        if (!drawn) return drawn.error();
        return settle(drawn->pose, set.meta().settle);
    }
    Result<SettledCloth> settle(const Pose& pose, const SettleOptions& options) {
        return settleOnPose(*simulator, set.scene(), masses, start, pose, options);
    }
    Pose nudged(size_t number) const {
        Pose pose = set.pose(number);
        Random random(number, "nudge");
        for (int joint : set.inputJoints()) {
            const Vec3 axis{random.normal(), random.normal(), random.normal()};
            Quat& q = pose.rotations[size_t(joint)];
            q = normalized(q * portable::fromAxisAngle(normalized(axis, {1, 0, 0}),
                                                       double(degreesToRadians(kNudge))));
        }
        return pose;
    }
};

double meanSquare(std::span<const Vec3> a, std::span<const Vec3> b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += double(lengthSquared(a[i] - b[i]));
    return sum / double(a.size());
}

}  // namespace

Result<PosesAgain> simulateAgain(const PoseSet& set, size_t count) {
    auto again = Again::make(set);
    if (!again) return again.error();
    PosesAgain result;
    double creep = 0, noise = 0;
    size_t good = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t pose = i * set.count() / count;
        const double before = threadCpuSeconds();
        const auto settled = again->settle(pose);
        result.cpu_seconds_per_pose += (threadCpuSeconds() - before) / double(count);
        result.reproduces = result.reproduces && settled.has_value() != set.failed(pose);
        if (!settled || set.failed(pose)) continue;
        result.reproduces =
            result.reproduces && std::ranges::equal(settled->positions, set.restCloth(pose));
        SettleOptions longer = set.meta().settle;
        longer.least_frames = longer.most_frames =
            int(settled->frames) - longer.way_frames + kStandOn;
        const auto later = again->settle(set.pose(pose), longer);
        const auto other = again->settle(again->nudged(pose), set.meta().settle);
        if (!later || !other) continue;
        creep += meanSquare(later->positions, settled->positions);
        noise += meanSquare(other->positions, settled->positions);
        ++good;
    }
    if (good > 0) {
        result.creep_cm = 100 * std::sqrt(creep / double(good));
        result.noise_cm = 100 * std::sqrt(noise / double(good));
    }
    return result;
}

Result<PoseSetJudgement> judgePoses(const PoseSet& set, int resimulate) {
    if (const Status good = set.verify(); !good) return good.error();
    std::vector<uint32_t> kept;
    for (size_t i = 0; i < set.count(); ++i)
        if (set.kept(i)) kept.push_back(uint32_t(i));
    if (kept.empty())
        return errorf("%s: keeps none of its %zu poses: all are outliers or failed",
                      set.folder().c_str(), set.count());
    PoseSetJudgement judgement;
    judgement.cloth = judgeCloth(set, kept);
    judgeSettling(set, judgement);
    judgeDistances(set, kept, judgement);
    if (resimulate > 0) {
        const auto again = simulateAgain(set, std::min(size_t(resimulate), set.count()));
        if (!again) return again.error();
        judgement.cpu_seconds_per_pose = again->cpu_seconds_per_pose;
        judgement.reproduces = again->reproduces;
        judgement.creep_cm = again->creep_cm;
        judgement.noise_cm = again->noise_cm;
    }
    return judgement;
}

std::vector<std::string> faultsOf(const PoseSet& set, const PoseSetJudgement& judgement) {
    std::vector<std::string> faults;
    auto above = [&](double value, double most, const std::string& what) {
        if (value > most) faults.push_back(what);
    };
    const Verdict& v = judgement.cloth;
    if (!v.finite) faults.push_back("there are positions that are not finite");
    above(v.stretch_p99, kMostStretchP99,
          format("1 %% of edges is stretched by more than %.1f %% (good: %.0f %%)",
                 100 * v.stretch_p99, 100 * kMostStretchP99));
    above(v.penetration_rate_3mm, kMostPenetrationRate,
          format("%.3f %% of vertices are deeper than 3 mm in the body (good: %.1f %%)",
                 100 * v.penetration_rate_3mm, 100 * kMostPenetrationRate));
    above(v.penetration_max_mm, kDeepestPenetrationMm,
          format("a vertex is %.1f mm deep in the body (good: %.0f mm), at pose %zu",
                 v.penetration_max_mm, kDeepestPenetrationMm, v.penetration_frame));
    above(v.skin_shows_rate, kMostSkinShows,
          format("skin shows through %.2f %% of triangles (good: %.1f %%)", 100 * v.skin_shows_rate,
                 100 * kMostSkinShows));
    above(v.self_penetration_rate, kMostSelfPenetration,
          format("%.1f %% of edges pass through cloth (good: %.0f %%)",
                 100 * v.self_penetration_rate, 100 * kMostSelfPenetration));
    above(double(judgement.unsettled), double(set.count()) / 20,
          format("on %zu of %zu poses the cloth was not at rest when its frames ran out (good: one "
                 "in 20)",
                 judgement.unsettled, set.count()));
    above(double(set.meta().failed), double(set.count()) / kMostFailed,
          format("%zu of %zu poses failed (good: one in %zu)", set.meta().failed, set.count(),
                 kMostFailed));
    if (judgement.reproduces == false)
        faults.push_back("poses that were simulated again have other bits");
    return faults;
}

}  // namespace hem
