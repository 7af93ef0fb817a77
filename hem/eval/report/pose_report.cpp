// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/pose_report.h"

#include <algorithm>
#include <cmath>

#include "hem/core/text.h"
#include "hem/eval/play.h"
#include "hem/eval/report/html.h"
#include "hem/eval/report/measure.h"
#include "hem/eval/report/page_shell.h"
#include "hem/eval/report/pictures.h"
#include "hem/eval/report/plot_html.h"
#include "hem/eval/report/said.h"
#include "hem/eval/score_json.h"

namespace hem {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kColor = 0, kSkinning = 9;  // of the style's classes
constexpr size_t kMostLookedAt = 300;     // poses, for the error by modes
constexpr double kBackFromFront = 180, kYaw = 25;

struct Example {
    std::string which;  // "The best"
    PoseScore::Pose pose;
    FramePictures pictures;
};

struct PoseFindings {
    const PoseReportInput& input;
    const hem_Garment* garment;
    Json info;
    std::vector<PoseScore::Pose> sorted;  // the best first
    ErrorByModes by_modes;
    SpeedCurves speed;
    PlayerTime time;
    double vertex_scale_cm = 1, scale_cm = 1;  // ends of the colours
    std::string front, back;                   // every vertex's error, data URIs
    std::vector<Example> examples;
    bool pushed_out = false;
};

double rootCm(double square) { return 100 * std::sqrt(square); }

const char* nameOf(PoseSplit part) {
    return part == PoseSplit::kTraining     ? "training"
           : part == PoseSplit::kValidation ? "validation"
                                            : "test";
}

// --- Finding ---------------------------------------------------------------------------------------

// Some of the part's poses, evenly.
std::vector<uint32_t> someOf(const std::vector<uint32_t>& poses) {
    const size_t count = std::min(poses.size(), kMostLookedAt);
    std::vector<uint32_t> some;
    for (size_t i = 0; i < count; ++i) some.push_back(poses[i * poses.size() / count]);
    return some;
}

// The worst, the median and the best: what is typical, and what is not.
std::vector<Example> chosenOf(const std::vector<PoseScore::Pose>& sorted) {
    const size_t n = sorted.size();
    std::vector<Example> chosen;
    chosen.push_back({"The best", sorted[0], {}});
    if (n > 2) chosen.push_back({"The median", sorted[n / 2], {}});
    const char* names[] = {"The third worst", "The second worst", "The worst"};
    for (size_t i = n > 5 ? 0 : 2; i < 3; ++i)
        if (n > 1) chosen.push_back({names[i], sorted[n - 3 + i], {}});
    return chosen;
}

Status takeExamples(PoseFindings& f, const PoseReportOptions& options) {
    const PoseSet& set = f.input.set;
    Wearer wearer(f.garment, options.push_out ? HEM_PUSH_OUT : 0);
    std::vector<std::vector<Vec3>> played;
    std::vector<double> errors;
    f.examples = chosenOf(f.sorted);
    for (const Example& each : f.examples) {
        wearer.reset(set.matrices(each.pose.pose));
        played.emplace_back(wearer.positions().begin(), wearer.positions().end());
        const auto more = vertexErrors(played.back(), set.restCloth(each.pose.pose));
        errors.insert(errors.end(), more.begin(), more.end());
    }
    f.scale_cm = roundScale(std::move(errors));
    const PictureLook look{options.picture_width, f.scale_cm, 0};
    for (size_t i = 0; i < f.examples.size(); ++i) {
        const uint32_t pose = f.examples[i].pose.pose;
        const Pose posed = set.pose(pose);
        auto taken = takePictures(
            {set.scene(), posed, posed.root_position, set.restCloth(pose), played[i]}, look);
        if (!taken) return taken.error();
        f.examples[i].pictures = std::move(*taken);
        if (options.progress) options.progress();
    }
    for (size_t i = f.examples.size(); i < 5; ++i)
        if (options.progress) options.progress();
    return Done{};
}

// Every vertex's error on the garment as it was cut.
Status takeVertices(PoseFindings& f, const PoseReportOptions& options) {
    const PoseSet& set = f.input.set;
    std::vector<double> errors;
    for (const float square : f.input.score.vertex_square) errors.push_back(rootCm(double(square)));
    f.vertex_scale_cm = roundScale(errors);
    const PictureLook look{options.picture_width, f.vertex_scale_cm, 0};
    const Pose rest = restPose(set.character().skeleton);
    const auto take = [&](double yaw) {
        return takeColored(set.scene(), rest, set.garmentRest(), errors,
                           {.yaw = float(yaw), .pitch = 8}, look);
    };
    auto front = take(kYaw), back = take(kYaw + kBackFromFront);
    if (!front) return front.error();
    if (!back) return back.error();
    f.front = std::move(*front);
    f.back = std::move(*back);
    return Done{};
}

Result<PoseFindings> findAll(const PoseReportInput& input, const PoseReportOptions& options) {
    hem_Error reason = HEM_OK;
    const hem_Garment* garment = hem_open(input.bytes.data(), input.bytes.size(), &reason);
    if (!garment)
        return errorf("%s: not a garment that can be played: %s", input.file.c_str(),
                      hem_errorText(reason));
    if (input.score.each.empty())
        return errorf("%s: a report needs poses", input.set.folder().c_str());
    PoseFindings f{.input = input, .garment = garment, .info = infoOf(garment)};
    f.sorted = input.score.each;
    std::stable_sort(
        f.sorted.begin(), f.sorted.end(),
        [](const PoseScore::Pose& a, const PoseScore::Pose& b) { return a.square < b.square; });
    f.pushed_out = options.push_out && hem_pushesOut(garment);
    const auto done = [&] {
        if (options.progress) options.progress();
    };
    const std::vector<uint32_t> some = someOf(input.set.members(input.part));
    f.by_modes = errorByModes(garment, input.set, some), done();
    BodyMotion motion;
    for (const uint32_t pose : some) motion.frames.push_back(input.set.matrices(pose));
    f.speed = speedCurves(garment, motion);
    f.time = playerTime(garment, motion), done();
    if (const Status taken = takeVertices(f, options); !taken) return taken.error();
    done();
    if (const Status taken = takeExamples(f, options); !taken) return taken.error();
    return f;
}

// --- Writing ---------------------------------------------------------------------------------------

std::string headSection(const PoseFindings& f) {
    const PoseScore& s = f.input.score;
    const auto poses = numberOf(f.info, "poses");
    std::string out = "<header><p class=\"brand\">Hemline report</p><h1>" +
                      escaped(sceneGarments(f.input.set.scene())) + " <em>on</em> " +
                      escaped(f.input.set.character().name) + "</h1>\n<p>Model <b>" +
                      escaped(wordOf(f.info, "model")) + "</b>, <code>" + escaped(f.input.file) +
                      "</code>, on " + counted(s.poses, "pose", "poses") + " of <code>" +
                      escaped(f.input.set.folder()) + "</code>, those kept for " +
                      (f.input.part == PoseSplit::kTest ? "tests" : nameOf(f.input.part)) + ".";
    if (poses) out += " It was trained on " + counted(size_t(*poses), "pose", "poses") + ".";
    out +=
        " Errors are distances of vertices from the simulated garment at rest; plain skinning, "
        "beside it, is what the joints alone would give.</p>\n<div class=\"tiles\">";
    out += tileHtml(numberText(s.mean_cm, "%.2f"), "cm", "mean error of vertices");
    out += tileHtml(numberText(s.skinning_mean_cm, "%.2f"), "cm", "of plain skinning");
    out += tileHtml(numberText(s.p95_cm, "%.1f"), "cm", "95 % are below");
    out += tileHtml(numberText(100 * s.cost / s.skinning_cost, "%.1f"), "%",
                    "of skinning’s squared error is left");
    out += tileHtml(numberText(f.time.plain_us, "%.1f"), "µs", "a step of one wearer");
    return out + "</div>\n</header>\n";
}

std::string scoreSection(const PoseFindings& f) {
    const PoseScore& s = f.input.score;
    const auto dot = [](int color, const char* name) {
        return format("<span class=\"dot s%d\"></span>", color) + name;
    };
    const auto small = [](const char* what, const char* meaning) {
        return std::string(what) + "<small>" + meaning + "</small>";
    };
    HtmlTable table{.caption = "Scores of all poses together",
                    .head = {"", dot(kColor, "N"), dot(kSkinning, "skinning")}};
    const auto row = [&](std::string what, std::string own, std::string skinning = "–") {
        table.rows.push_back({std::move(what), std::move(own), std::move(skinning)});
    };
    row(small("Cost, m²", "mean over poses, vertices and axes"), shortNumber(s.cost),
        shortNumber(s.skinning_cost));
    row(small("… floor, m²", "that the modes cannot go below"), shortNumber(s.floor_cost));
    row(small("Mean error, cm", "of vertices"), numberText(s.mean_cm, "%.3f"),
        numberText(s.skinning_mean_cm, "%.3f"));
    row("95 % are below, cm", numberText(s.p95_cm, "%.2f"));
    row(small("Largest, cm", "of any vertex on any pose"), numberText(s.max_cm, "%.1f"));
    row(small("Best pose, cm", "root mean square of its vertices"),
        numberText(rootCm(s.best.square), "%.2f"),
        numberText(rootCm(s.best.skinning_square), "%.2f"));
    row(small("Worst pose, cm", "the same"), numberText(rootCm(s.worst.square), "%.2f"),
        numberText(rootCm(s.worst.skinning_square), "%.2f"));
    row(small("Confidence", "1 within what was trained on"), numberText(s.confidence, "%.3f"));
    row(small("Player’s time, µs", "a step of one wearer"), numberText(f.time.plain_us, "%.1f"));
    row(small("… in a crowd, µs", "of 128, each"), numberText(f.time.crowd_plain_us, "%.1f"));
    row(small("… of the network, µs", "a step without positions"),
        numberText(f.time.latent_us, "%.1f"));
    return "<section id=\"scores\"><h2>Scores</h2>\n" + tableHtml(table) + "</section>\n";
}

std::string trainedSection(const PoseFindings& f) {
    const auto list = [&](const char* key) {
        std::string out;
        if (f.info.contains(key) && f.info[key].is_array())
            for (const Json& each : f.info[key])
                out += (out.empty() ? "" : ", ") +
                       (each.is_string() ? each.get<std::string>() : each.dump());
        return out;
    };
    HtmlTable table{.caption = "The file, by what it says of itself",
                    .head = {"", escaped(fileName(f.input.file))}};
    const auto row = [&](const char* what, const std::string& value) {
        table.rows.push_back({what, value.empty() ? "–" : escaped(value)});
    };
    row("Character", wordOf(f.info, "character"));
    row("Garment and fabric", garmentsOf(f.info));
    // a network is trained on poses or on frames of clips
    if (const auto clips = trainedClips(f.info); !clips.empty())
        row("Clips", std::to_string(clips.size()));
    else
        row("Poses", numberText(numberOf(f.info, "poses"), "%.0f"));
    row("Hidden layers", list("hidden"));
    row("Modes", std::to_string(hem_modeCount(f.garment)));
    row("Epochs, the best", numberText(numberOf(f.info, "epochs"), "%.0f") + ", " +
                                numberText(numberOf(f.info, "best_epoch"), "%.0f"));
    row("Cost in training, m²", numberText(numberOf(f.info, "training_cost"), "%.3e"));
    row("Cost in validation, m²", numberText(numberOf(f.info, "validation_cost"), "%.3e"));
    row("Size, kB", format("%.0f", double(f.input.bytes.size()) / 1000));
    return "<section id=\"trained\"><h2>What was trained on what</h2>\n" + tableHtml(table) +
           "<details><summary>Joints and remarks of the training</summary><p class=\"said\">" +
           escaped(wordOf(f.info, "report")) + "</p><p class=\"told\">Rotations of " +
           escaped(list("joints")) + ".</p></details></section>\n";
}

std::string vertexSection(const PoseFindings& f) {
    std::string out =
        "<section id=\"vertices\"><h2>Every vertex</h2>\n<p>The root mean square of each vertex’s "
        "error over the poses, on the garment as it was put on.</p>\n" +
        colorBarHtml(f.vertex_scale_cm);
    return out + "<div class=\"frame\"><div class=\"three two\">" +
           pictureHtml(f.front, "Front", "The garment from the front, coloured by its error") +
           pictureHtml(f.back, "Back", "The garment from behind, coloured by its error") +
           "</div></div></section>\n";
}

std::string byPoseSection(const PoseFindings& f) {
    SvgPlot plot{.title = "Error by pose, from the best to the worst",
                 .x = {"share of the poses [%]"},
                 .y = {"root mean square of a pose [cm]"}};
    std::vector<double> own, skinning, share;
    for (const PoseScore::Pose& each : f.sorted) {
        own.push_back(rootCm(each.square));
        skinning.push_back(rootCm(each.skinning_square));
        share.push_back(100 * double(share.size() + 1) / double(f.sorted.size()));
    }
    std::sort(skinning.begin(), skinning.end());
    const size_t n = own.size();
    plot.description = format(
        "Half of the poses are below %.2f cm, nine tenths below %.2f cm; of skinning, below "
        "%.2f and %.2f cm.",
        own[(n - 1) / 2], own[(n - 1) * 9 / 10], skinning[(n - 1) / 2], skinning[(n - 1) * 9 / 10]);
    plot.series = {{.name = "N", .color = kColor, .x = share, .y = own},
                   {.name = "skinning", .color = kSkinning, .x = share, .y = skinning}};
    return "<section id=\"by-pose\"><h2>Error by pose</h2>\n<p>Each line has the poses in its own "
           "order. " +
           plot.description + "</p>\n" + legendHtml({{"N", kColor}, {"skinning", kSkinning}}) +
           "<div class=\"pairs\">" + figureHtml(drawSvg(plot), "From the best to the worst") +
           "</div></section>\n";
}

std::string examplesSection(const PoseFindings& f) {
    std::string out =
        "<section id=\"poses\"><h2>Best and worst poses</h2>\n<p>By the mean squared error, seen "
        "from the side where it is largest.";
    if (f.pushed_out)
        out +=
            " Vertices inside the body are pushed out of it (HEM_PUSH_OUT), as in a game; poses "
            "are chosen without.";
    out += "</p>\n" + colorBarHtml(f.scale_cm);
    for (const Example& each : f.examples) {
        const std::string where = format(
            "pose %u: %.2f cm in the mean, %.1f cm at most; skinning %.1f cm (root mean "
            "square)",
            each.pose.pose, each.pictures.mean_cm, each.pictures.largest_cm,
            rootCm(each.pose.skinning_square));
        out += "<div class=\"frame\"><h3>" + escaped(each.which) + " <small>" + where +
               "</small></h3><div class=\"three\">" +
               pictureHtml(each.pictures.simulated, "Simulation", "The simulated cloth, " + where) +
               pictureHtml(each.pictures.played, "Prediction", "The predicted cloth, " + where) +
               pictureHtml(each.pictures.error, "Error",
                           "The predicted cloth coloured by its error, " + where) +
               "</div></div>\n";
    }
    return out + "</section>\n";
}

template <class T>
std::vector<double> doubles(const std::vector<T>& values) {
    return {values.begin(), values.end()};
}

std::string modesSection(const PoseFindings& f) {
    const ErrorByModes& by = f.by_modes;
    SvgPlot plot{.title = "Error by number of modes",
                 .description = format("With all of its modes: %.2f cm.", by.error_cm.back()),
                 .x = {"modes shown", AxisScale::kLog2},
                 .y = {"mean error [cm]"}};
    plot.series = {
        {.name = "N", .color = kColor, .x = doubles(by.modes), .y = by.error_cm, .points = true},
        {.name = "floor", .x = doubles(by.modes), .y = by.floor_cm, .recorded = true}};
    return "<section id=\"modes\"><h2>Error by dimension</h2>\n<p>The same file shown with fewer "
           "of "
           "its modes (level of detail). Below the floor no weights of so many modes can "
           "go.</p>\n" +
           legendHtml({{"N", kColor}, {"floor", 0, true}}) + "<div class=\"pairs\">" +
           figureHtml(drawSvg(plot), "By modes") + plotNumbers(plot, "%.0f", "%.3f") +
           "</div></section>\n";
}

std::string speedSection(const PoseFindings& f) {
    const auto plot = [&](bool by_batch) {
        const std::vector<double>& us = by_batch ? f.speed.by_batch_us : f.speed.by_modes_us;
        SvgPlot p{.title = by_batch ? "Player’s time by wearers in a batch"
                                    : "Player’s time by modes, in a batch of 64",
                  .description = format("From %.1f to %.1f microseconds.", us.front(), us.back()),
                  .x = {by_batch ? "wearers in a batch" : "modes shown", AxisScale::kLog2},
                  .y = {"time a wearer and step [µs]"}};
        p.series = {{.name = "N",
                     .color = kColor,
                     .x = by_batch ? doubles(f.speed.batch) : doubles(f.speed.modes),
                     .y = us,
                     .points = true}};
        return p;
    };
    const SvgPlot batch = plot(true), modes = plot(false);
    return "<section id=\"speed\"><h2>Speed</h2>\n<p>CPU time of a step with positions, one "
           "thread, measured while this page was made, on this machine.</p>\n<div "
           "class=\"pairs\">" +
           figureHtml(drawSvg(batch), "By wearers in a batch",
                      foldedNumbers(batch, "%.0f", "%.2f")) +
           figureHtml(drawSvg(modes), "By modes, 64 wearers",
                      foldedNumbers(modes, "%.0f", "%.2f")) +
           "</div></section>\n";
}

}  // namespace

Result<std::string> poseReportPage(const PoseReportInput& input, const PoseReportOptions& options) {
    const auto found = findAll(input, options);
    if (!found) return found.error();
    const PoseFindings& f = *found;
    Json scores{{"file", input.file}, {"part", nameOf(input.part)}};
    scores.update(scoreJson(input.score));
    return pageHtml(
        {.title = sceneGarments(input.set.scene()),
         .head = headSection(f),
         .sections = scoreSection(f) + trainedSection(f) + vertexSection(f) + byPoseSection(f) +
                     examplesSection(f) + modesSection(f) + speedSection(f),
         .end = dataScript("scores-data",
                           scores.dump(-1, ' ', true, Json::error_handler_t::replace))});
}

}  // namespace hem
