// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/inspect.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "hem/core/cpu_time.h"
#include "hem/core/parallel.h"
#include "hem/core/progress.h"
#include "hem/core/random.h"

namespace hem {
namespace {

// Of this thread, and of the programs that the process has run to their end.
double cpuSeconds() { return threadCpuSeconds() + childrenCpuSeconds(); }

// --- What the frames tell ----------------------------------------------------------------------

struct Settling {
    std::optional<double> energy, time;
};

// Energy `kSettleSeconds` after the first of `energies`, and when it last fell below the threshold.
Settling settlingOf(const std::vector<double>& energies, double rate) {
    Settling result;
    const auto then = size_t(std::lround(kSettleSeconds * rate));
    if (then < energies.size()) result.energy = energies[then];
    size_t settled = energies.size();
    while (settled > 0 && energies[settled - 1] < kSettledEnergy) --settled;
    if (settled < energies.size()) result.time = double(settled) / rate;
    return result;
}

ClipInspection judgeClip(const Recording& clip, const std::vector<float>& masses,
                         ClothJudge& judge) {
    std::vector<double> energies;
    for (size_t frame = 0; frame < clip.frames(); ++frame) {
        judge.add(clip.pose(frame), clip.positions(frame));
        if (clip.meta().is_stop) {
            energies.push_back(kineticEnergyPerKilogram(masses, clip.velocities(frame)));
        }
    }
    ClipInspection result{clip.meta().name, clip.meta().is_stop, judge.verdict(), {}, {}};
    if (clip.meta().is_stop) {
        const Settling settling = settlingOf(energies, clip.meta().rate);
        result.settle_energy = settling.energy;
        result.settle_time = settling.time;
    }
    return result;
}

// Frames are judged in pieces of a clip each; pieces are joined in the clips' order, so the result
// does not depend on threads.
Status judgeFrames(const RecordingSet& set, const std::vector<Recording>& clips,
                   Inspection& inspection) {
    const std::vector<float> masses = vertexMasses(set.scene().garments);
    std::vector<std::unique_ptr<ClothJudge>> judges(clips.size());
    inspection.clips.resize(clips.size());
    Progress progress("judging clips", clips.size());
    parallelFor(clips.size(), 1, [&](size_t begin, size_t count) {
        for (size_t c = begin; c < begin + count; ++c) {
            judges[c] = std::make_unique<ClothJudge>(set.scene());
            inspection.clips[c] = judgeClip(clips[c], masses, *judges[c]);
            progress.advance();
        }
    });
    for (size_t c = 1; c < judges.size(); ++c) judges[0]->add(*judges[c]);
    inspection.all = judges[0]->verdict();
    for (const ClipInspection& clip : inspection.clips) {
        if (!clip.settle_energy) continue;
        inspection.settle_energy_j_per_kg =
            std::max(inspection.settle_energy_j_per_kg.value_or(0), *clip.settle_energy);
    }
    return Done{};
}

// --- What only the simulator tells -------------------------------------------------------------

struct Rerun {
    std::string clip;
    std::vector<double> chaos_sums_cm;  // of each start, over chaos_frames
    size_t chaos_frames = 0;            // none in a clip shorter than kChaosFrom
    double cpu_seconds = 0;
    size_t frames = 0;
    bool reproduces = true;
    std::optional<double> settle_energy;
    std::optional<Error> error;
};

ClothState kicked(ClothState state, const std::string& clip, int start) {
    Random random(uint64_t(1 + start), clip);
    for (Vec3& v : state.velocities) {
        const Vec3 direction{random.normal(), random.normal(), random.normal()};
        v = v + normalized(direction, {0, 1, 0}) * kChaosKick;
    }
    return state;
}

std::vector<Pose> posesOf(const Recording& clip, size_t frames) {
    std::vector<Pose> poses;
    for (size_t f = 0; f < frames; ++f) poses.push_back(clip.pose(f));
    return poses;
}

double meanDistance(std::span<const Vec3> a, std::span<const Vec3> b) {
    double sum = 0;
    for (size_t v = 0; v < a.size(); ++v) sum += double(distance(a[v], b[v]));
    return a.empty() ? 0 : sum / double(a.size());
}

Status measureChaos(Simulator& simulator, const Recording& clip, const std::vector<Pose>& poses,
                    int starts, Rerun& rerun) {
    const auto from = size_t(kChaosFrom * clip.meta().rate);
    const double begin = cpuSeconds();
    Status status = Done{};
    for (int start = 0; start < starts && status; ++start) {
        double sum = 0;
        size_t frame = 0;
        rerun.chaos_frames = 0;
        status = simulator.advance(kicked(clip.state(0), clip.meta().name, start), poses,
                                   [&](const ClothState& s) {
                                       ++frame;
                                       if (frame <= from) return true;
                                       sum += meanDistance(s.positions, clip.positions(frame));
                                       ++rerun.chaos_frames;
                                       return true;
                                   });
        rerun.frames += frame;
        rerun.chaos_sums_cm.push_back(100 * sum);
    }
    rerun.cpu_seconds = cpuSeconds() - begin;
    return status;
}

Status checkReproduces(Simulator& simulator, const Recording& clip, const std::vector<Pose>& poses,
                       Rerun& rerun) {
    const size_t count = std::min(poses.size(), size_t(clip.meta().rate) + 1);
    size_t frame = 0;
    return simulator.advance(clip.state(0), std::span(poses).first(count),
                             [&](const ClothState& s) {
                                 ++frame;
                                 rerun.reproduces = rerun.reproduces && s == clip.state(frame);
                                 return true;
                             });
}

// A stop in the middle of the clip.
Status measureSettling(Simulator& simulator, const Recording& clip,
                       const std::vector<float>& masses, Rerun& rerun) {
    const size_t middle = clip.frames() / 2;
    const auto frames = size_t(std::lround(kSettleSeconds * clip.meta().rate)) + 1;
    const std::vector<Pose> frozen(frames, clip.pose(middle));
    return simulator.advance(clip.state(middle), frozen, [&](const ClothState& s) {
        rerun.settle_energy = kineticEnergyPerKilogram(masses, s.velocities);
        return true;
    });
}

Rerun rerunClip(const RecordingSet& set, const Recording& clip, const InspectOptions& options,
                bool settle) {
    Rerun rerun;
    rerun.clip = clip.meta().name;
    auto simulator = makeSimulator(set.scene(), clip.meta().simulator, set.folder());
    if (!simulator) {
        rerun.error = simulator.error();
        return rerun;
    }
    const auto limit = size_t(options.resimulate_seconds * clip.meta().rate) + 1;
    const std::vector<Pose> poses = posesOf(clip, std::min(clip.frames(), limit));
    Status status = measureChaos(**simulator, clip, poses, options.starts, rerun);
    if (status) status = checkReproduces(**simulator, clip, poses, rerun);
    if (status && settle) {
        status = measureSettling(**simulator, clip, vertexMasses(set.scene().garments), rerun);
    }
    if (!status) rerun.error = inContext("simulating " + clip.meta().name, status.error());
    return rerun;
}

// `count` of the clips that are not stops and have more than one frame, evenly spread.
std::vector<Recording> clipsToRerun(const std::vector<Recording>& clips, int count) {
    std::vector<Recording> whole, chosen;
    for (const Recording& clip : clips) {
        if (!clip.meta().is_stop && clip.frames() > 1) whole.push_back(clip);
    }
    const size_t n = std::min(whole.size(), size_t(std::max(count, 0)));
    for (size_t i = 0; i < n; ++i) chosen.push_back(whole[(2 * i + 1) * whole.size() / (2 * n)]);
    return chosen;
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

void takeInChaos(const std::vector<Rerun>& reruns, Inspection& inspection) {
    std::vector<double> sums;
    size_t frames = 0;
    for (const Rerun& rerun : reruns) {
        if (rerun.error || !rerun.chaos_frames) continue;
        const std::vector<double>& of_clip = rerun.chaos_sums_cm;
        sums.resize(of_clip.size());
        for (size_t s = 0; s < sums.size(); ++s) sums[s] += of_clip[s];
        frames += rerun.chaos_frames;
        for (ClipInspection& clip : inspection.clips)
            if (clip.name == rerun.clip)
                clip.chaos_floor_cm = mean(of_clip) / double(rerun.chaos_frames);
    }
    if (!frames) return;
    for (double& sum : sums) sum /= double(frames);
    inspection.chaos_floor_cm = mean(sums);
    inspection.chaos_of_starts_cm = std::move(sums);
}

void takeIn(const std::vector<Rerun>& reruns, Inspection& inspection) {
    double cpu = 0;
    size_t frames = 0;
    takeInChaos(reruns, inspection);
    for (const Rerun& rerun : reruns) {
        if (rerun.error) {
            inspection.notes.push_back("not simulated again: " + rerun.error->message);
            continue;
        }
        cpu += rerun.cpu_seconds;
        frames += rerun.frames;
        inspection.reproduces = inspection.reproduces.value_or(true) && rerun.reproduces;
        if (rerun.settle_energy) {
            inspection.settle_energy_j_per_kg =
                std::max(inspection.settle_energy_j_per_kg.value_or(0), *rerun.settle_energy);
        }
    }
    if (frames) inspection.cpu_ms_per_frame = 1000 * cpu / double(frames);
}

void simulateAgain(const RecordingSet& set, const std::vector<Recording>& clips,
                   const InspectOptions& options, Inspection& inspection) {
    const bool settle = !inspection.settle_energy_j_per_kg;
    const std::vector<Recording> chosen = clipsToRerun(clips, options.resimulate);
    if (chosen.empty()) return;
    if (!canSimulate(chosen[0].meta().simulator)) {
        inspection.notes.push_back("the frames are " + chosen[0].meta().simulator +
                                   ": no chaos floor and no cost can be measured");
        return;
    }
    std::vector<Rerun> reruns(chosen.size());
    Progress progress("simulating again", chosen.size());
    // a simulator that runs other programs runs them one after the other, to tell their CPU time
    const size_t at_once = chosen[0].meta().simulator == "hemline" ? 1 : chosen.size();
    parallelFor(chosen.size(), at_once, [&](size_t begin, size_t count) {
        for (size_t c = begin; c < begin + count; ++c) {
            reruns[c] = rerunClip(set, chosen[c], options, settle);
            progress.advance();
        }
    });
    takeIn(reruns, inspection);
}

Result<std::vector<Recording>> openClips(const RecordingSet& set,
                                         const std::vector<std::string>& wanted) {
    std::vector<Recording> clips;
    for (const std::string& name : wanted.empty() ? set.clipNames() : wanted) {
        auto clip = set.clip(name);
        if (!clip) return clip.error();
        if (const Status whole = clip->verify(); !whole) return whole.error();
        if (clip->frames() > 0) clips.push_back(std::move(*clip));
    }
    if (clips.empty()) {
        return errorf("%s: no clip is recorded here yet: run hemline simulate or hemline import",
                      set.folder().c_str());
    }
    return clips;
}

}  // namespace

std::vector<std::string> faultsOf(const Inspection& inspection) {
    std::vector<std::string> faults;
    const auto check = [&](const char* what, double value, double most, double scale,
                           const char* unit, double Verdict::*figure) {
        if (value <= most) return;
        const auto worst = std::max_element(inspection.clips.begin(), inspection.clips.end(),
                                            [&](const ClipInspection& a, const ClipInspection& b) {
                                                return a.verdict.*figure < b.verdict.*figure;
                                            });
        faults.push_back(errorf("%s: %.3g %s, where good cloth has at most %.3g; worst in %s", what,
                                scale * value, unit, scale * most, worst->name.c_str())
                             .message);
    };
    const Verdict& v = inspection.all;
    if (!v.finite) faults.emplace_back("positions that are not finite: the simulation broke down");
    check("stretch (99 %)", v.stretch_p99, kMostStretchP99, 100, "%", &Verdict::stretch_p99);
    check("vertices over 3 mm inside the body", v.penetration_rate_3mm, kMostPenetrationRate, 100,
          "%", &Verdict::penetration_rate_3mm);
    check("deepest vertex", v.penetration_max_mm, kDeepestPenetrationMm, 1, "mm",
          &Verdict::penetration_max_mm);
    check("triangles that skin shows through", v.skin_shows_rate, kMostSkinShows, 100, "%",
          &Verdict::skin_shows_rate);
    check("edges through cloth", v.self_penetration_rate, kMostSelfPenetration, 100, "%",
          &Verdict::self_penetration_rate);
    if (inspection.settle_energy_j_per_kg.value_or(0) > kSettledEnergy) {
        faults.push_back(
            errorf("3 s after a stop it still has %.1e J/kg, where good cloth has %.0e",
                   *inspection.settle_energy_j_per_kg, kSettledEnergy)
                .message);
    }
    if (!inspection.reproduces.value_or(true)) {
        faults.emplace_back("simulated again it differs: made by another version, or damaged");
    }
    return faults;
}

Result<Inspection> inspect(const RecordingSet& set, const InspectOptions& options) {
    const auto clips = openClips(set, options.clips);
    if (!clips) return clips.error();
    Inspection inspection;
    if (const Status status = judgeFrames(set, *clips, inspection); !status) return status.error();
    simulateAgain(set, *clips, options, inspection);
    return inspection;
}

Result<Resimulation> resimulate(const RecordingSet& set, const InspectOptions& options) {
    const auto clips = openClips(set, options.clips);
    if (!clips) return clips.error();
    Inspection inspection;
    inspection.settle_energy_j_per_kg = 0;  // not asked for
    simulateAgain(set, *clips, options, inspection);
    return Resimulation{inspection.chaos_floor_cm, inspection.cpu_ms_per_frame};
}

}  // namespace hem
