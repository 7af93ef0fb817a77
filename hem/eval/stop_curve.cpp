// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/stop_curve.h"

#include "hem/core/parallel.h"
#include "hem/eval/play_clip.h"
#include "hem/subspace/latent_clip.h"

namespace hem {
namespace {

double meanDistance(std::span<const Vec3> a, std::span<const Vec3> b) {
    double sum = 0;
    for (size_t v = 0; v < a.size(); ++v) sum += double(length(a[v] - b[v]));
    return 100 * sum / double(a.size());
}

// The three curves of a clip or of a stop, by frame.
class Trace {
public:
    void add(std::span<const Vec3> played, std::span<const Vec3> recorded) {
        const bool first = played_before_.empty();
        error_.push_back(meanDistance(played, recorded));
        moved_.push_back(first ? 0 : meanDistance(played, played_before_));
        recorded_moved_.push_back(first ? 0 : meanDistance(recorded, recorded_before_));
        played_before_.assign(played.begin(), played.end());
        recorded_before_.assign(recorded.begin(), recorded.end());
    }
    // Adds the frames from `first` on to the curve, as many as it has.
    void addTo(StopCurve& curve, size_t first) const {
        for (size_t i = 0; i < curve.error_cm.size(); ++i) {
            curve.error_cm[i] += error_[first + i];
            curve.moved_cm[i] += moved_[first + i];
            curve.recorded_moved_cm[i] += recorded_moved_[first + i];
        }
    }

private:
    std::vector<double> error_, moved_, recorded_moved_;
    std::vector<Vec3> played_before_, recorded_before_;
};

StopCurve emptyCurve(const StopCurveOptions& options) {
    const std::vector<double> noughts(size_t(options.before + options.after + 1));
    return {.before = options.before,
            .error_cm = noughts,
            .moved_cm = noughts,
            .recorded_moved_cm = noughts};
}

// Sums over the stops of one clip.
StopCurve curveOf(const hem_Garment* garment, const ClipToPlay& job,
                  const StopCurveOptions& options) {
    StopCurve curve = emptyCurve(options);
    const auto before = size_t(options.before), after = size_t(options.after);
    Wearer wearer(garment);
    Trace trace;
    for (size_t t = 0; t < job.clip.frames(); ++t) {
        startOrStep(wearer, job.clip, t);
        trace.add(wearer.positions(), job.clip.positions(t));
        for (const Recording& stop : job.stops) {
            if (stop.meta().stop.frame != t || t < before || stop.frames() <= after) continue;
            const std::vector<std::byte> state = wearer.state();
            Trace stopped = trace;
            for (size_t s = 1; s <= after; ++s) {
                wearer.step(stop.jointMatrices(s), float(1 / stop.meta().rate));
                stopped.add(wearer.positions(), stop.positions(s));
            }
            wearer.setState(state);
            stopped.addTo(curve, t - before);
            ++curve.stops;
        }
    }
    return curve;
}

void addTo(StopCurve& all, const StopCurve& one) {
    all.stops += one.stops;
    for (size_t i = 0; i < all.error_cm.size(); ++i) {
        all.error_cm[i] += one.error_cm[i];
        all.moved_cm[i] += one.moved_cm[i];
        all.recorded_moved_cm[i] += one.recorded_moved_cm[i];
    }
}

}  // namespace

Result<StopCurve> stopCurve(std::span<const std::byte> bytes, const RecordingSet& set,
                            const StopCurveOptions& options) {
    hem_Error reason = HEM_OK;
    const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), &reason);
    if (!garment) return errorf("not a garment that can be played: %s", hem_errorText(reason));
    if (const Status good = checkFits(garment, set); !good) return good.error();
    const auto jobs =
        clipsToPlay(set, options.clips.empty() ? clipsWithoutStops(set) : options.clips);
    if (!jobs) return jobs.error();

    std::vector<StopCurve> curves(jobs->size());
    parallelFor(jobs->size(), 1,
                [&](size_t i, size_t) { curves[i] = curveOf(garment, (*jobs)[i], options); });
    StopCurve all = emptyCurve(options);
    for (const StopCurve& curve : curves) addTo(all, curve);
    if (!all.stops)
        return errorf("%s: has no stops with %d frames before and %d after; simulate with --stops",
                      set.folder().c_str(), options.before, options.after);
    for (auto* list : {&all.error_cm, &all.moved_cm, &all.recorded_moved_cm})
        for (double& value : *list) value /= double(all.stops);
    return all;
}

}  // namespace hem
