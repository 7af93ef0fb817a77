// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/evaluate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "hem/cloth/judge.h"
#include "hem/core/parallel.h"
#include "hem/eval/offsets_floor.h"
#include "hem/eval/play_clip.h"
#include "hem/models/stable_space/baselines.h"
#include "hem/pack/unpack.h"
#include "hem/recording/inspect.h"
#include "hem/runtime/garment.h"
#include "hem/subspace/latent_clip.h"

namespace hem {
namespace {

constexpr float kDeep = 1e-3f;  // metres

// Sums over frames, to be divided at the end; those of several clips can be added.
struct Sums {
    static constexpr size_t kBins = 20'000;  // of the histogram, 0.1 mm each

    size_t frames = 0, steps = 0, vertices = 0, stop_frames = 0, looked_at = 0;
    double error = 0, velocity = 0, after_stops = 0, floor = 0, confidence = 0, largest = 0;
    size_t deep = 0, in_folds = 0;
    std::vector<uint64_t> histogram = std::vector<uint64_t>(kBins);
    std::vector<FrameError> trace;  // of one clip alone, as are the stops
    std::vector<StopTrace> stops;

    void add(const Sums& o) {
        frames += o.frames, steps += o.steps, stop_frames += o.stop_frames;
        looked_at += o.looked_at, deep += o.deep, in_folds += o.in_folds, vertices = o.vertices;
        error += o.error, velocity += o.velocity, after_stops += o.after_stops;
        floor += o.floor, confidence += o.confidence, largest = std::max(largest, o.largest);
        for (size_t i = 0; i < kBins; ++i) histogram[i] += o.histogram[i];
    }

    double percentile(double share) const {
        uint64_t all = 0, seen = 0;
        for (const uint64_t n : histogram) all += n;
        for (size_t i = 0; i < kBins; ++i) {
            seen += histogram[i];
            if (double(seen) >= share * double(all)) return double(i + 1) * 1e-4;
        }
        return largest;
    }

    Errors errors() const {
        Errors e;
        const double n = double(vertices);
        e.frames = frames;
        e.mean_cm = 100 * error / (double(frames) * n);
        e.p95_cm = 100 * percentile(0.95);
        e.max_cm = 100 * largest;
        e.velocity_cm = steps ? 100 * velocity / (double(steps) * n) : 0;
        if (stop_frames) e.after_stops_cm = 100 * after_stops / (double(stop_frames) * n);
        if (looked_at) {
            e.penetration_rate_1mm = double(deep) / (double(looked_at) * n);
            e.penetration_in_folds_1mm = double(in_folds) / (double(looked_at) * n);
        }
        e.pca_floor_cm = 100 * floor / (double(frames) * n);
        e.confidence = confidence / double(frames);
        return e;
    }
};

double sumOfDistances(std::span<const Vec3> a, std::span<const Vec3> b) {
    double sum = 0;
    for (size_t v = 0; v < a.size(); ++v) sum += double(length(a[v] - b[v]));
    return sum;
}

// Plain skinning, with a Wearer's verbs.
class SkinnedWearer {
public:
    SkinnedWearer(const GarmentSkinning& skinning, size_t vertices)
        : skinning_(skinning), positions_(vertices) {}
    void step(std::span<const Affine> joints, float) {
        skinning_.skin(joints.data(), positions_.data());
    }
    std::span<const Vec3> positions() const { return positions_; }
    float confidence() const { return 1; }
    std::vector<std::byte> state() const { return {}; }
    void setState(const std::vector<std::byte>&) {}

private:
    const GarmentSkinning& skinning_;
    std::vector<Vec3> positions_;
};

void startOrStep(SkinnedWearer& wearer, const Recording& clip, size_t frame) {
    wearer.step(clip.jointMatrices(frame), 0);
}

// One clip and its stops. `floor`: none where the player has no subspace.
template <class Player>
class ClipPlay {
public:
    ClipPlay(Player player, const OffsetsFloor* floor, const ClothScene& scene,
             const EvaluateOptions& options)
        : floor_(floor),
          options_(options),
          wearer_(std::move(player)),
          judge_(scene, {.self_contact_every = 1 << 30}) {
        sums_.vertices = wearer_.positions().size();
    }

    Sums play(const Recording& clip, const std::vector<Recording>& stops) {
        std::vector<Vec3> before, recorded_before;
        for (size_t t = 0; t < clip.frames(); ++t) {
            startOrStep(wearer_, clip, t);
            addFrame(clip, t);
            if (t) addVelocity(clip.positions(t), recorded_before, before);
            before.assign(wearer_.positions().begin(), wearer_.positions().end());
            recorded_before.assign(clip.positions(t).begin(), clip.positions(t).end());
            for (const Recording& stop : stops)
                if (stop.meta().stop.frame == t) playStop(stop);
            if (options_.progress) options_.progress(1);
        }
        return std::move(sums_);
    }

private:
    void addFrame(const Recording& clip, size_t t) {
        const auto played = wearer_.positions(), recorded = clip.positions(t);
        const double before = sums_.error;
        distances_.resize(played.size());
        for (size_t v = 0; v < played.size(); ++v) {
            distances_[v] = length(played[v] - recorded[v]);
            const double distance = double(distances_[v]);
            sums_.error += distance;
            sums_.largest = std::max(sums_.largest, distance);
            ++sums_.histogram[std::min(Sums::kBins - 1, size_t(distance * 1e4))];
        }
        ++sums_.frames;
        if (floor_) sums_.floor += floor_->lengthOf(clip.jointMatrices(t), recorded);
        sums_.trace.push_back(frameError(sums_.error - before));
        sums_.confidence += double(wearer_.confidence());
        const int every = options_.penetration_every;
        if (every <= 0 || t % size_t(every)) return;
        judge_.add(clip.pose(t), played);
        ++sums_.looked_at;
        const ClothJudge::Deep deep = judge_.deeperThan(kDeep);
        sums_.deep += deep.all;
        sums_.in_folds += deep.in_folds;
    }

    void addVelocity(std::span<const Vec3> recorded, const std::vector<Vec3>& recorded_before,
                     const std::vector<Vec3>& before) {
        const auto played = wearer_.positions();
        for (size_t v = 0; v < played.size(); ++v)
            sums_.velocity +=
                double(length((played[v] - before[v]) - (recorded[v] - recorded_before[v])));
        ++sums_.steps;
    }

    // Of distances_, which it leaves in another order.
    FrameError frameError(double sum) {
        const auto n = distances_.size();
        const auto p95 = distances_.begin() + std::ptrdiff_t(std::min(n - 1, n * 95 / 100));
        std::nth_element(distances_.begin(), p95, distances_.end());
        return {float(100 * sum / double(n)), 100 * *p95,
                100 * *std::max_element(p95, distances_.end())};
    }

    // From the state at the stop's frame, to which the wearer then goes back.
    void playStop(const Recording& stop) {
        const std::vector<std::byte> state = wearer_.state();
        const size_t frames = std::min(stop.frames(), kAfterStop + 1);
        StopTrace trace{.frame = stop.meta().stop.frame};
        std::vector<Vec3> before(wearer_.positions().begin(), wearer_.positions().end());
        const auto mean_cm = [](double sum, size_t n) { return float(100 * sum / double(n)); };
        for (size_t t = 1; t < frames; ++t) {
            wearer_.step(stop.jointMatrices(t), float(1 / stop.meta().rate));
            const auto played = wearer_.positions(), recorded = stop.positions(t);
            const double error = sumOfDistances(played, recorded);
            sums_.after_stops += error;
            ++sums_.stop_frames;
            trace.error_cm.push_back(mean_cm(error, played.size()));
            trace.moved_cm.push_back(mean_cm(sumOfDistances(played, before), played.size()));
            trace.recorded_moved_cm.push_back(
                mean_cm(sumOfDistances(recorded, stop.positions(t - 1)), played.size()));
            before.assign(played.begin(), played.end());
        }
        wearer_.setState(state);
        sums_.stops.push_back(std::move(trace));
    }

    const OffsetsFloor* floor_;
    const EvaluateOptions& options_;
    Player wearer_;
    ClothJudge judge_;
    Sums sums_;
    std::vector<float> distances_;  // of the frame's vertices, metres
};

template <class MakePlayer>
std::vector<Sums> playAll(const MakePlayer& make, const OffsetsFloor* floor,
                          const ClothScene& scene, const std::vector<ClipToPlay>& jobs,
                          const EvaluateOptions& options) {
    std::vector<Sums> sums(jobs.size());
    const OneBlasThread one;
    parallelFor(jobs.size(), 1, [&](size_t i, size_t) {
        ClipPlay play(make(), floor, scene, options);
        sums[i] = play.play(jobs[i].clip, jobs[i].stops);
    });
    return sums;
}

Errors errorsOfAll(const std::vector<Sums>& sums) {
    Sums all;
    for (const Sums& each : sums) all.add(each);
    return all.errors();
}

std::vector<std::string> namesToPlay(const RecordingSet& set, const EvaluateOptions& options) {
    return options.clips.empty() ? clipsWithoutStops(set) : options.clips;
}

Score scoreOf(std::vector<Sums> sums, const std::vector<std::string>& names) {
    Score score;
    for (size_t i = 0; i < sums.size(); ++i) {
        score.clips.push_back(
            {names[i], sums[i].errors(), std::move(sums[i].trace), std::move(sums[i].stops)});
        score.clip_mean_cm += score.clips.back().errors.mean_cm / double(sums.size());
    }
    score.all = errorsOfAll(sums);
    return score;
}

Result<std::optional<double>> chaosFloor(const RecordingSet& set,
                                         const std::vector<std::string>& clips,
                                         const EvaluateOptions& options) {
    if (options.chaos_clips <= 0) return std::optional<double>();
    InspectOptions inspection;
    inspection.clips = clips;
    inspection.resimulate = options.chaos_clips;
    inspection.resimulate_seconds = options.chaos_seconds;
    const auto again = resimulate(set, inspection);
    if (!again) return again.error();
    return again->chaos_floor_cm;
}

}  // namespace

Result<Score> evaluate(std::span<const std::byte> bytes, const RecordingSet& set,
                       const EvaluateOptions& options) {
    hem_Error reason = HEM_OK;
    const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), &reason);
    if (!garment) return errorf("not a garment that can be played: %s", hem_errorText(reason));
    if (const Status good = checkFits(garment, set); !good) return good.error();
    const auto names = namesToPlay(set, options);
    if (names.empty()) return errorf("%s: there are no clips", set.folder().c_str());
    const auto jobs = clipsToPlay(set, names);
    if (!jobs) return jobs.error();

    const OffsetsFloor floor(garment);
    const auto played = [&](unsigned flags) {
        return playAll([&] { return Wearer(garment, flags); }, &floor, set.scene(), *jobs, options);
    };
    Score score = scoreOf(played(0), names);
    if (options.push_out && runtime::garmentOf(garment).body)
        score.pushed_out = errorsOfAll(played(HEM_PUSH_OUT));
    score.time = playerTime(garment, bodyMotionOf((*jobs)[0].clip));
    const auto chaos = chaosFloor(set, names, options);
    if (!chaos) return chaos.error();
    score.chaos_floor_cm = *chaos;
    const format::Stability& proved = *runtime::garmentOf(garment).stability;
    score.remembers = !isNeural(garment);
    score.lambda = proved.lambda;
    score.energy_bound = proved.energy_bound;
    return score;
}

Result<Score> evaluateSkinning(const RecordingSet& set, const EvaluateOptions& options) {
    const auto names = namesToPlay(set, options);
    if (names.empty()) return errorf("%s: there are no clips", set.folder().c_str());
    const auto jobs = clipsToPlay(set, names);
    if (!jobs) return jobs.error();
    const Mesh garment = joinedMesh(set.scene().garments);
    const GarmentSkinning skinning(set.scene().character, garment);
    const auto make = [&] { return SkinnedWearer(skinning, garment.positions.size()); };
    Score score = scoreOf(playAll(make, nullptr, set.scene(), *jobs, options), names);
    score.learned = score.remembers = false;
    return score;
}

}  // namespace hem
