// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/findings.h"

#include <algorithm>
#include <map>

#include "hem/core/check.h"
#include "hem/core/files.h"
#include "hem/eval/report/said.h"
#include "hem/eval/report/view_data.h"
#include "hem/runtime/garment.h"

namespace hem {
namespace {

constexpr int kColors = 6;

std::string kindOf(const runtime::Garment& g) {
    if (g.modal) return "S";
    if (g.network) return "N";
    return g.linear->uses_root ? "C" : g.linear->order ? "B" : "A";
}

Result<EntrantFindings> opened(const RecordingSet& set, const Entrant& entrant) {
    EntrantFindings found;
    if (entrant.bytes.empty()) {
        found.color = kGrey;
        return found;
    }
    hem_Error reason = HEM_OK;
    found.garment = hem_open(entrant.bytes.data(), entrant.bytes.size(), &reason);
    if (!found.garment)
        return errorf("%s: not a garment that can be played: %s", entrant.file.c_str(),
                      hem_errorText(reason));
    if (const Status good = checkFits(found.garment, set); !good)
        return inContext(entrant.file, good.error());
    const runtime::Garment g = runtime::garmentOf(found.garment);
    found.kind = kindOf(g);
    if (g.linear) found.order = int(g.linear->order);
    if (g.modal) found.states = g.modal->states;
    found.joints_read = g.joints_read;
    found.info = infoOf(found.garment);
    return found;
}

// The model's letter where it says which is meant, else the file's name, else with a number too.
void nameThem(const std::vector<Entrant>& entrants, std::vector<EntrantFindings>& each) {
    std::map<std::string, int> kinds, used;
    int colors = 0;
    for (const EntrantFindings& e : each) ++kinds[e.kind];
    for (size_t i = 0; i < each.size(); ++i) {
        EntrantFindings& e = each[i];
        if (e.garment) e.color = colors++ % kColors;
        e.label = !e.garment ? "skinning" : kinds[e.kind] == 1 ? e.kind : stemOf(entrants[i].file);
        const int before = used[e.label]++;
        if (before) e.label += " (" + std::to_string(before + 1) + ")";
    }
}

void measure(EntrantFindings& e, const std::vector<ClipToPlay>& clips, size_t worst_clip) {
    if (!e.garment) return;
    const OneBlasThread one;  // its matrices are small: waiting threads cost more than they give
    e.eigenvalues = eigenvaluesOf(e.garment);
    e.by_modes = errorByModes(e.garment, clips);
    e.speed = speedCurves(e.garment, bodyMotionOf(clips[0].clip));
    if (e.kind == "N") return;
    const EnergyMeter meter(e.garment);
    for (size_t c = 0; c < clips.size(); ++c) {
        EnergyTrace trace = meter.trace(clips[c].clip);
        for (const double energy : trace.energy)
            e.largest_energy = std::max(e.largest_energy, energy);
        if (c == worst_clip) e.energy = std::move(trace);
    }
}

unsigned flagsOf(const ReportOptions& options) { return options.push_out ? HEM_PUSH_OUT : 0; }

// One scale for all pictures and for the 3D view.
Result<double> scaleOf(const RecordingSet& set, const Entrant& entrant,
                       const std::vector<WorstFrame>& worst, unsigned flags) {
    std::vector<double> errors;
    for (const WorstFrame& each : worst) {
        const auto clip = set.clip(entrant.score.clips[each.clip].name);
        if (!clip) return clip.error();
        const auto played = playedFrames(entrant, set.scene(), *clip, each.frame, 1, flags);
        const auto more = vertexErrors(played[0], clip->positions(each.frame));
        errors.insert(errors.end(), more.begin(), more.end());
    }
    return roundScale(std::move(errors));
}

ViewRequest viewRequest(const Findings& f, const ReportOptions& options) {
    ViewRequest request{.clip = f.worst().name,
                        .worst_frame = worstFrameOf(f.worst()),
                        .flags = flagsOf(options),
                        .scale_cm = f.scale_cm,
                        .cloth_bytes = options.view_bytes};
    for (const StopTrace& stop : f.worst().stops) request.stops.push_back(stop.frame);
    for (const EntrantFindings& e : f.each) request.labels.push_back(e.label);
    return request;
}

Status showWorst(Findings& f, const ReportOptions& options, const std::function<void()>& done) {
    const Entrant& first = (*f.entrants)[0];
    const auto worst = worstFrames(first.score, size_t(std::max(0, options.pictures)));
    const auto scale = scaleOf(*f.set, first, worst, flagsOf(options));
    if (!scale) return scale.error();
    f.scale_cm = *scale;
    f.pushed_out = options.push_out && f.each[0].garment && hem_pushesOut(f.each[0].garment);
    const PictureLook look{options.picture_width, f.scale_cm, flagsOf(options)};
    for (int i = 0; i < options.pictures; ++i) {
        if (size_t(i) < worst.size()) {
            auto taken = takePictures(*f.set, first, worst[size_t(i)], look);
            if (!taken) return taken.error();
            f.pictures.push_back(std::move(*taken));
        }
        done();
    }
    auto view = viewJson(*f.set, *f.entrants, viewRequest(f, options));
    if (!view) return view.error();
    f.view_json = std::move(*view);
    done();
    return Done{};
}

}  // namespace

size_t reportSteps(const std::vector<Entrant>& entrants, const ReportOptions& options) {
    return entrants.size() + size_t(std::max(0, options.pictures)) + 1;
}

Result<Findings> findAll(const RecordingSet& set, const std::vector<Entrant>& entrants,
                         const ReportOptions& options) {
    if (entrants.empty() || entrants[0].score.clips.empty())
        return errorf("%s: a report needs a model and a clip that it was played on",
                      set.folder().c_str());
    Findings f{.set = &set, .entrants = &entrants};
    std::vector<std::string> names;
    for (const ClipScore& clip : entrants[0].score.clips) names.push_back(clip.name);
    for (const Entrant& entrant : entrants) {
        CHECK_EQ(entrant.score.clips.size(), names.size());
        auto found = opened(set, entrant);
        if (!found) return found.error();
        f.each.push_back(std::move(*found));
    }
    nameThem(entrants, f.each);
    const auto clips = clipsToPlay(set, names);
    if (!clips) return clips.error();
    f.rate = (*clips)[0].clip.meta().rate;
    f.worst_clip = worstClip(entrants[0].score);

    const auto done = [&] {
        if (options.progress) options.progress();
    };
    for (EntrantFindings& e : f.each) measure(e, *clips, f.worst_clip), done();
    if (const Status shown = showWorst(f, options, done); !shown) return shown.error();
    return f;
}

}  // namespace hem
