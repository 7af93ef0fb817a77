// SPDX-License-Identifier: Apache-2.0
// The sections that are the 2021 paper's Figures 2 to 5.
#include <algorithm>
#include <cmath>

#include "hem/eval/garment_parts.h"
#include "hem/eval/pose_error_figure.h"
#include "hem/picture/plot.h"
#include "hem/poses/pose_figure.h"
#include "tools/tables_paper.h"
#include "tools/tables_pose_sections.h"
#include "tools/tables_sheet.h"

namespace hem::tools {
namespace {

// Draws into the workshop's folder and tells the page.
Status addPicture(Page& page, const PoseWorkshop& workshop, const char* name, const Image& image) {
    const std::string path = workshop.options().folder + "/" + name + ".png";
    page.data()["picture"] = path;
    return savePng(path, image);
}

Image sideBySide(const Image& left, const Image& right, Rgb paper) {
    constexpr int kGap = 16;
    Image both(left.width + kGap + right.width, std::max(left.height, right.height), paper);
    paste(both, left, 0, 0);
    paste(both, right, left.width + kGap, 0);
    return both;
}

}  // namespace

Result<Section> distancesSection(PoseWorkshop& workshop, const PosePlan&) {
    Page page("distances");
    const auto opened = workshop.set();
    if (!opened) return opened.error();
    const PoseSet& set = **opened;
    std::vector<double> kept;
    for (size_t i = 0; i < set.count(); ++i)
        if (set.kept(i)) kept.push_back(double(set.distance(i)));
    if (kept.empty())
        return errorf("%s: keeps none of its poses; make others with hemline poses",
                      set.folder().c_str());
    double mean = 0;
    for (const double distance : kept) mean += distance / double(kept.size());
    const auto [low, high] = std::minmax_element(kept.begin(), kept.end());
    const double threshold = set.meta().outlier_distance;
    page.data() = {{"poses", set.count()}, {"kept", kept.size()}, {"mean_m2", mean},
                   {"lowest_m2", *low},    {"highest_m2", *high}, {"outlier_m2", threshold}};
    const Status drawn = addPicture(page, workshop, "distances", distanceFigure(set));
    if (!drawn) return drawn.error();
    page.heading({"squared distance, mean over the vertices", "paper", "ours [m2]",
                  "of the mean, paper", "ours"});
    const auto row = [&](const char* what, double theirs, double ours) {
        page.row({what, figure(theirs, "%.4f"), figure(ours, "%.4f"),
                  figure(theirs / paper2021::kDistanceMean), figure(ours / mean)});
    };
    row("mean", paper2021::kDistanceMean, mean);
    row("lowest", paper2021::kDistanceLowest, *low);
    row("highest that is kept", paper2021::kDistanceHighest, *high);
    row("outliers above", paper2021::kOutlierDistance, threshold);
    page.line("");
    page.line(format("- Kept: %s of %s poses in the paper; ours %s of %s.",
                     withCommas(paper2021::kKept).c_str(), withCommas(paper2021::kPoses).c_str(),
                     withCommas(kept.size()).c_str(), withCommas(set.count()).c_str()));
    return page.finish();
}

Result<Section> componentsSection(PoseWorkshop& workshop, const PosePlan& plan) {
    Page page("components");
    const Json curve = page.take([&] { return workshop.components(plan.components); });
    if (page.failed()) return page.finish();
    page.data() = curve;
    const std::vector<double> explained = curve["explained"], training = curve["training_cm"],
                              validation = curve["validation_cm"];
    std::vector<double> ks, percents;
    for (size_t k = 0; k < explained.size(); ++k)
        ks.push_back(double(k)), percents.push_back(100 * explained[k]);
    const PlotStyle style{.width = 480, .height = 340};
    const Plot variance{.title = "Explained variance",
                        .x_label = "principal components",
                        .y_label = "[%]",
                        .lines = {{"training poses", ks, percents, seriesColor(0)}},
                        .marks = {}};
    const Plot error{.title = "Error of the coat made of them, rms of vertices",
                     .x_label = "principal components",
                     .y_label = "[cm]",
                     .lines = {{"validation poses", ks, validation, seriesColor(1)},
                               {"training poses", ks, training, seriesColor(0)}},
                     .marks = {}};
    const Image both = sideBySide(drawPlot(variance, style), drawPlot(error, style), style.paper);
    if (const Status drawn = addPicture(page, workshop, "components", both); !drawn)
        return drawn.error();

    page.heading(
        {"components", "explained variance [%]", "error, training [cm]", "error, validation [cm]"});
    for (size_t k = 0; k < ks.size(); k = k == 0 ? 1 : 2 * k)
        page.row(
            {std::to_string(k), figure(percents[k]), figure(training[k]), figure(validation[k])});
    return page.finish();
}

Result<Section> verticesSection(PoseWorkshop& workshop, const PosePlan& plan) {
    Page page("vertices");
    const auto set = workshop.set();
    if (!set) return set.error();
    const auto score = workshop.fullScore(plan.ours(), PoseSplit::kTest);
    if (!score) return score.error();
    const auto parts = garmentParts(**set);
    if (!parts) return parts.error();
    const Status drawn =
        addPicture(page, workshop, "vertices", vertexErrorFigure(**set, score->vertex_square));
    if (!drawn) return drawn.error();

    const auto ours = errorsOfParts(*parts, score->vertex_square);
    const auto skinning = errorsOfParts(*parts, score->skinning_vertex_square);
    const struct {
        GarmentPart part;
        const char* name;
    } rows[] = {{GarmentPart::kTrunk, "trunk"},
                {GarmentPart::kSleeves, "sleeves"},
                {GarmentPart::kTails, "tails, below the hip joints"}};
    page.heading({"part of the coat", "vertices", "rms error [cm]", "of skinning [cm]",
                  "share of the squared error [%]"});
    for (const auto& row : rows) {
        const PartError& part = ours[size_t(row.part)];
        page.row({row.name, withCommas(part.vertices), figure(part.rms_cm),
                  figure(skinning[size_t(row.part)].rms_cm), figure(100 * part.share, "%.1f")});
        page.data()[row.name] = {{"vertices", part.vertices},
                                 {"rms_cm", part.rms_cm},
                                 {"skinning_rms_cm", skinning[size_t(row.part)].rms_cm},
                                 {"share", part.share}};
    }
    const double tails = ours[size_t(GarmentPart::kTails)].rms_cm;
    const double trunk = ours[size_t(GarmentPart::kTrunk)].rms_cm;
    const double sleeves = ours[size_t(GarmentPart::kSleeves)].rms_cm;
    page.line("");
    page.line(
        format("- The error is largest in the tails: yes in the paper, by eye; ours %s, %.1f "
               "times that of the trunk and %.1f times that of the sleeves.",
               tails > std::max(trunk, sleeves) ? "yes" : "no", tails / trunk, tails / sleeves));
    return page.finish();
}

Result<Section> extremesSection(PoseWorkshop& workshop, const PosePlan& plan) {
    Page page("extremes");
    const auto set = workshop.set();
    if (!set) return set.error();
    const auto bytes = workshop.garment(plan.ours());
    if (!bytes) return bytes.error();
    auto score = workshop.fullScore(plan.ours(), PoseSplit::kTest);
    if (!score) return score.error();
    std::sort(score->each.begin(), score->each.end(),
              [](const auto& a, const auto& b) { return a.square < b.square; });
    const PoseScore::Pose median = score->each[score->each.size() / 2];
    const Status drawn = addPicture(page, workshop, "extremes",
                                    comparedPosesFigure(*bytes, **set,
                                                        {{score->best.pose, "lowest"},
                                                         {median.pose, "median"},
                                                         {score->worst.pose, "highest"}}));
    if (!drawn) return drawn.error();
    page.heading({"squared error, mean over the vertices", "pose", "paper", "ours [m2]",
                  "of the mean distance [%], paper", "ours", "rms [cm]"});
    double mean = 0;
    for (const float square : score->skinning_vertex_square)
        mean += double(square) / double(score->skinning_vertex_square.size());
    const auto row = [&](const char* what, const PoseScore::Pose& pose, double theirs) {
        page.row({what, std::to_string(pose.pose), figure(theirs, "%.5f"),
                  figure(pose.square, "%.5f"),
                  figure(100 * theirs / paper2021::kDistanceMean, "%.1f"),
                  figure(100 * pose.square / mean, "%.1f"), figure(100 * std::sqrt(pose.square))});
        page.data()[what] = {{"pose", pose.pose}, {"square_m2", pose.square}};
    };
    row("lowest", score->best, paper2021::kErrorLowest);
    row("median", median, NAN);
    row("highest", score->worst, paper2021::kErrorHighest);
    return page.finish();
}

}  // namespace hem::tools
