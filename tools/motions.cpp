// SPDX-License-Identifier: Apache-2.0
// hemline motions: lists, describes, measures and exports the motions made in code.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "hem/character/formats/bvh.h"
#include "hem/character/formats/glb_export.h"
#include "hem/character/joint_ranges.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/motion_sets.h"
#include "hem/character/retarget/arm_overlap.h"
#include "hem/character/retarget/motion_quality.h"
#include "hem/character/root.h"
#include "hem/core/files.h"
#include "hem/core/parallel.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "tools/subject.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline motions                                        # all sets and clips\n"
    "  hemline motions --set test --sex male\n"
    "  hemline motions train_09_turn_90_left_walk             # one clip, and how good it is\n"
    "  hemline motions --measure                              # how good all of them are\n"
    "  hemline motions novel_dance --export dance.bvh\n"
    "  hemline motions train_04_run_slow --mirror --rate 60 --export run.glb\n"
    "  hemline motions --set train --export-all clips/        # one BVH file a clip\n"
    "  hemline motions --extra 100 --export-all more/ --format glb\n"
    "\n"
    "Clips are made at 120 Hz on the mannequin's joints. extra_0001 to extra_9999 are further "
    "clips by\n"
    "seed; NAME_mirrored is a clip with left and right exchanged. docs/motions.md tells how they "
    "are made.";

struct Arguments {
    std::string clip, set, sex = "female", output, folder, format = "bvh";
    double rate = 0;
    int extra = 0;
    bool mirror = false, measure = false;
};

// What the table and the JSON say of a clip.
struct Facts {
    ClipInfo clip;
    size_t frames_30 = 0;
    double path = 0, top_speed = 0, turn = 0;  // metres, metres a second, degrees to the left
    std::optional<MotionQuality> quality;
    std::vector<RangeViolation> out_of_range;
    ArmOverlap arms;
};

Sex sexOf(const Arguments& a) { return a.sex == "male" ? Sex::kMale : Sex::kFemale; }

// Speed over a third of a second, so that the sway of a step does not count.
void measurePath(const Motion& motion, Facts& facts) {
    const auto hips = findHipJoints(motion.skeleton);
    if (!hips || motion.frames.empty()) return;
    const std::vector<Root> roots = rootsOf(motion, *hips);
    const size_t lag = size_t(motion.rate / 3);
    for (size_t i = 1; i < roots.size(); ++i) {
        const Vec3 step = roots[i].position - roots[i - 1].position;
        facts.path += double(length(Vec3{step.x, 0, step.z}));
        if (i < lag) continue;
        const Vec3 way = roots[i].position - roots[i - lag].position;
        facts.top_speed = std::max(
            facts.top_speed, double(length(Vec3{way.x, 0, way.z})) * motion.rate / double(lag));
    }
    // adding nought makes a rounded -0 print as 0
    facts.turn =
        std::round(double(radiansToDegrees(roots.back().heading - roots.front().heading))) + 0.0;
}

// With the quality of the feet on the skinned body, where it is given.
Result<Facts> factsOf(const ClipInfo& clip, const Skeleton& skeleton, const Character* body) {
    const auto motion = makeMotion(clip.name, skeleton);
    if (!motion) return motion.error();
    Facts facts{.clip = clip, .frames_30 = resampled(*motion, 30).frames.size()};
    measurePath(*motion, facts);
    if (body) {
        const auto humanoid = recognise(skeleton);
        if (!humanoid) return humanoid.error();
        facts.quality = measureQuality(*motion, *humanoid, {.character = body});
        facts.out_of_range = rangeViolations(*motion, *humanoid);
        facts.arms = measureArmOverlap(*motion, *humanoid, *body);
    }
    return facts;
}

Result<std::vector<ClipInfo>> chosenClips(const Arguments& a) {
    std::vector<ClipInfo> clips;
    if (!a.clip.empty()) {
        const auto clip = clipInfo(a.clip);
        if (!clip)
            return errorf("%s%s", clip.error().message.c_str(),
                          suggestionFor(a.clip, builtInClipNames()).c_str());
        clips.push_back(*clip);
    } else if (a.extra > 0) {
        clips = extraClips(a.extra);
    } else {
        for (const std::string& set : motionSetNames()) {
            if (!a.set.empty() && a.set != set) continue;
            const std::vector<ClipInfo> more = motionSet(set).value();
            clips.insert(clips.end(), more.begin(), more.end());
        }
        if (clips.empty()) return motionSet(a.set);  // its message
    }
    for (ClipInfo& clip : clips)
        if (a.mirror && !clip.name.ends_with("_mirrored"))
            clip = clipInfo(clip.name + "_mirrored").value();
    return clips;
}

Result<std::vector<Facts>> measureAll(const std::vector<ClipInfo>& clips, Sex sex, bool quality) {
    const Skeleton skeleton = mannequinSkeleton(sex);
    std::optional<Character> body;
    if (quality) body = mannequin(sex);
    std::vector<Facts> facts(clips.size());
    std::vector<std::optional<Error>> errors(clips.size());
    Progress progress("making motions", clips.size());
    parallelFor(clips.size(), 1, [&](size_t begin, size_t count) {
        for (size_t i = begin; i < begin + count; ++i) {
            auto result = factsOf(clips[i], skeleton, body ? &*body : nullptr);
            if (result)
                facts[i] = std::move(*result);
            else
                errors[i] = result.error();
            progress.advance();
        }
    });
    for (const auto& error : errors)
        if (error) return *error;
    return facts;
}

nlohmann::json toJson(const Facts& f) {
    nlohmann::json j = {{"name", f.clip.name},
                        {"set", f.clip.set},
                        {"description", f.clip.description},
                        {"seconds", f.clip.seconds},
                        {"frames_30hz", f.frames_30},
                        {"path_m", f.path},
                        {"max_speed_mps", f.top_speed},
                        {"turn_degrees", f.turn}};
    if (!f.quality) return j;
    const Distribution slides = distributionOf(f.quality->slides);
    j["slide_m"] = {{"stances", slides.count},
                    {"median", slides.median},
                    {"p95", slides.p95},
                    {"max", slides.max}};
    j["penetration_m"] = f.quality->penetration;
    j["landing_penetration_m"] = f.quality->landing_penetration;
    j["joint_step_degrees"] = f.quality->joint_step;
    j["arm_depth_m"] = f.arms.depth;
    j["arm_depth_frame"] = f.arms.frame;
    j["arm_depth_frames"] = f.arms.frames;
    j["out_of_range"] = nlohmann::json::array();
    for (const RangeViolation& v : f.out_of_range) j["out_of_range"].push_back(describe(v));
    return j;
}

void printList(const std::vector<Facts>& all) {
    std::printf("%-34s %7s %6s %7s %7s %6s  %s\n", "clip", "seconds", "frames", "path", "fastest",
                "turn", "what it does");
    std::printf("%-34s %7s %6s %7s %7s %6s\n", "", "", "30 Hz", "m", "m/s", "deg");
    std::string set;
    size_t clips = 0, frames = 0;
    auto total = [&] {
        if (!set.empty())
            std::printf("%-34s %7s %6zu  (%zu clips)\n\n", ("= " + set).c_str(), "", frames, clips);
        clips = frames = 0;
    };
    for (const Facts& f : all) {
        if (f.clip.set != set) total();
        set = f.clip.set;
        ++clips, frames += f.frames_30;
        std::printf("%-34s %7.1f %6zu %7.1f %7.2f %6.0f  %s\n", f.clip.name.c_str(), f.clip.seconds,
                    f.frames_30, f.path, f.top_speed, f.turn, f.clip.description.c_str());
    }
    total();
}

void printQuality(const std::vector<Facts>& all) {
    std::printf("%-34s %8s %8s %8s %8s %8s %8s %9s %8s\n", "clip", "slide mm", "p95", "max",
                "pene-", "landing", "deg a", "out of", "arm in");
    std::printf("%-34s %8s %8s %8s %8s %8s %8s %9s %8s\n", "", "median", "", "", "trate mm", "mm",
                "frame", "range deg", "body mm");
    MotionQuality sum;
    float worst = 0, deepest = 0;
    auto row = [](const std::string& name, const MotionQuality& q, float excess, float arm) {
        const Distribution d = distributionOf(q.slides);
        std::printf("%-34s %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %9.1f %8.1f\n", name.c_str(),
                    d.median * 1e3, d.p95 * 1e3, d.max * 1e3, q.penetration * 1e3,
                    q.landing_penetration * 1e3, double(q.joint_step), double(excess), arm * 1e3);
    };
    for (const Facts& f : all) {
        float excess = 0;
        for (const RangeViolation& v : f.out_of_range) excess = std::max(excess, v.excess());
        row(f.clip.name, *f.quality, excess, f.arms.depth);
        sum.add(*f.quality);
        worst = std::max(worst, excess);
        deepest = std::max(deepest, f.arms.depth);
    }
    if (all.size() > 1) row("= all", sum, worst, deepest);
}

void describeClip(const Facts& f) {
    std::printf("%s (set %s): %s\n\n", f.clip.name.c_str(), f.clip.set.c_str(),
                f.clip.description.c_str());
    std::printf(
        "  %.2f s, %.0f frames at 120 Hz, %zu at 30 Hz\n  path %.2f m, fastest %.2f m/s, turns "
        "%.0f degrees to the "
        "left\n",
        f.clip.seconds, f.clip.seconds * 120, f.frames_30, f.path, f.top_speed, f.turn);
    const Distribution d = distributionOf(f.quality->slides);
    std::printf(
        "  stance sliding: median %.1f mm, 95%% %.1f mm, largest %.1f mm over %zu stances\n",
        d.median * 1e3, d.p95 * 1e3, d.max * 1e3, d.count);
    std::printf("  floor penetration: %.1f mm, in landings %.1f mm\n", f.quality->penetration * 1e3,
                f.quality->landing_penetration * 1e3);
    std::printf("  fastest joint: %s, %.1f degrees in a frame of 120 Hz\n",
                f.quality->joint_step_name.c_str(), double(f.quality->joint_step));
    std::printf(
        "  arms inside of trunk and legs: %.1f mm at most (frame %zu); deeper than 5 mm in %zu "
        "frames at 30 Hz\n",
        f.arms.depth * 1e3, f.arms.frame, f.arms.frames);
    if (f.out_of_range.empty()) std::printf("  all joint angles within human ranges\n");
    for (const RangeViolation& v : f.out_of_range)
        std::printf("  out of range: %s\n", describe(v).c_str());
}

Status exportClip(const std::string& path, const std::string& name, const Arguments& a) {
    const Sex sex = sexOf(a);
    auto motion = makeMotion(name, mannequinSkeleton(sex));
    if (!motion) return motion.error();
    if (a.rate > 0) *motion = resampled(*motion, a.rate);
    if (extensionOf(path) == "glb") return saveGlb(path, mannequin(sex), {*motion});
    if (extensionOf(path) == "bvh") return saveBvh(path, *motion);
    return errorf("%s: motions are exported as .bvh or .glb", path.c_str());
}

int exportAll(const std::vector<ClipInfo>& clips, const Arguments& a, const Common& common) {
    if (const auto made = makeFolders(a.folder); !made) return fail(made.error());
    Progress progress("exporting", clips.size());
    for (const ClipInfo& clip : clips) {
        const std::string path = a.folder + "/" + clip.name + "." + a.format;
        if (const auto saved = exportClip(path, clip.name, a); !saved) return fail(saved.error());
        progress.advance();
    }
    if (common.json)
        std::printf("%s\n",
                    nlohmann::json{{"folder", a.folder}, {"files", clips.size()}}.dump(2).c_str());
    else if (!common.quiet)
        std::printf("%s: %zu %s files\n", a.folder.c_str(), clips.size(), a.format.c_str());
    return 0;
}

int exportOne(const std::vector<ClipInfo>& clips, const Arguments& a, const Common& common) {
    if (clips.size() != 1)
        return fail(errorf("--export writes one clip: name it; --export-all DIR writes all"),
                    kBadUse);
    const std::string extension = extensionOf(a.output);
    if (extension != "bvh" && extension != "glb")
        return fail(errorf("%s: motions are exported as .bvh or .glb", a.output.c_str()), kBadUse);
    if (const auto saved = exportClip(a.output, clips[0].name, a); !saved)
        return fail(saved.error());
    if (common.json)
        std::printf("%s\n",
                    nlohmann::json{{"file", a.output}, {"clip", clips[0].name}}.dump(2).c_str());
    else if (!common.quiet)
        std::printf("%s: %s\n", a.output.c_str(), clips[0].name.c_str());
    return 0;
}

int run(const Arguments& a, const Common& common) {
    const auto clips = chosenClips(a);
    if (!clips) return fail(clips.error(), kBadUse);
    if (!a.folder.empty()) return exportAll(*clips, a, common);
    if (!a.output.empty()) return exportOne(*clips, a, common);
    if (a.rate > 0)
        return fail(errorf("--rate is for --export and --export-all: clips are made at 120 Hz"),
                    kBadUse);
    const bool quality = a.measure || !a.clip.empty();
    const auto facts = measureAll(*clips, sexOf(a), quality);
    if (!facts) return fail(facts.error());
    if (common.json) {
        nlohmann::json document = {{"sex", a.sex}, {"clips", nlohmann::json::array()}};
        for (const Facts& f : *facts) document["clips"].push_back(toJson(f));
        std::printf("%s\n", document.dump(2).c_str());
    } else if (!a.clip.empty()) {
        describeClip(facts->front());
    } else if (a.measure) {
        printQuality(*facts);
    } else {
        printList(*facts);
    }
    return 0;
}

}  // namespace

void addMotionsVerb(CLI::App& app, Common& common) {
    CLI::App* verb = addVerb(app, common, "motions",
                             "List, describe, measure and export the made motions", kExamples);
    auto a = std::make_shared<Arguments>();
    auto* clip = verb->add_option("CLIP", a->clip, "A clip's name: describes it");
    verb->add_option("--set", a->set, "train, test, atomic or novel (default: all)")
        ->excludes(clip);
    verb->add_option("--extra", a->extra, "The first N of the extra clips instead of a set")
        ->check(CLI::Range(1, kMaxExtraClips))
        ->excludes(clip);
    verb->add_option("--sex", a->sex, "The mannequin: female or male")
        ->check(CLI::IsMember({"female", "male"}))
        ->capture_default_str();
    verb->add_flag("--mirror", a->mirror, "Left and right exchanged");
    verb->add_flag(
        "--measure", a->measure,
        "Table of foot sliding, floor penetration, angles out of range, arms in the body");
    auto* one = verb->add_option("--export", a->output, "Write the clip to a .bvh or .glb file");
    verb->add_option("--export-all", a->folder, "Write all clips chosen into a folder")
        ->excludes(one);
    verb->add_option("--format", a->format, "Of --export-all: bvh or glb")
        ->check(CLI::IsMember({"bvh", "glb"}))
        ->capture_default_str();
    verb->add_option("--rate", a->rate, "Frames a second of what is exported (default: 120)")
        ->check(CLI::Range(1.0, 1000.0));
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
