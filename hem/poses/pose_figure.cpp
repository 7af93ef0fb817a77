// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/pose_figure.h"

#include <algorithm>

#include "hem/core/check.h"
#include "hem/core/text.h"
#include "hem/picture/contact_sheet.h"
#include "hem/picture/plot.h"
#include "hem/picture/shots.h"

namespace hem {
namespace {

constexpr int kBins = 40;
constexpr Vec3 kClothColor{0.25f, 0.12f, 0.10f};  // linear
constexpr RenderOptions kShotSize{240, 320, Quality::kDraft};

// Steps: every bin is as high as it has poses.
PlotLine histogram(const PoseSet& set, double width) {
    std::vector<size_t> counts(kBins);
    for (size_t i = 0; i < set.count(); ++i)
        if (!set.failed(i))
            ++counts[std::min<size_t>(size_t(double(set.distance(i)) / width), kBins - 1)];
    PlotLine line{
        .name = format("%zu poses", set.count()), .x = {}, .y = {}, .color = seriesColor(0)};
    for (size_t bin = 0; bin < kBins; ++bin) {
        for (size_t end : {bin, bin + 1}) {
            line.x.push_back(double(end) * width);
            line.y.push_back(double(counts[bin]));
        }
    }
    return line;
}

Image histogramPlot(const PoseSet& set, int width) {
    float largest = 1e-6f;
    double sum = 0;
    size_t kept = 0;
    for (size_t i = 0; i < set.count(); ++i) {
        largest = std::max(largest, set.distance(i));
        if (set.kept(i)) sum += double(set.distance(i)), ++kept;
    }
    const PoseSetMeta& meta = set.meta();
    Plot plot{.title = format("skinned to simulated: mean %.4f m2; %zu of %zu above %.4f m2",
                              sum / double(kept), meta.outliers, meta.count, meta.outlier_distance),
              .x_label = "squared distance, mean over the vertices [m2]",
              .y_label = "poses",
              .lines = {histogram(set, double(largest) * 1.0001 / kBins)},
              .marks = {}};
    if (meta.outlier_distance < double(largest)) plot.marks.push_back(meta.outlier_distance);
    return drawPlot(plot, {.width = width});
}

}  // namespace

Shot poseShot(const PoseSet& set, size_t pose, std::span<const Vec3> cloth) {
    const Pose p = set.pose(pose);
    Shot shot{.positions = posedVertices(set.character(), p),
              .colors = {},
              .anchor = p.root_position,
              .worn = {}};
    Mesh garment;
    garment.positions.assign(cloth.begin(), cloth.end());
    garment.triangles = set.garmentTriangles();
    shot.worn.push_back({std::move(garment), clothMaterial(kClothColor)});
    return shot;
}

std::vector<Image> renderPoses(const PoseSet& set, const std::vector<Shot>& shots, float yaw,
                               const RenderOptions& render) {
    ShotOptions options{
        .view = {yaw, 8}, .framing = {}, .render = render, .material = mannequinMaterial()};
    float lowest = 0;
    for (const Shot& shot : shots)
        for (const Vec3 p : shot.positions) lowest = std::min(lowest, p.y);
    options.ground_height = lowest;
    return renderShots(set.character().mesh, shots, options);
}

Image distanceFigure(const PoseSet& set) {
    std::vector<size_t> kept;
    for (size_t i = 0; i < set.count(); ++i)
        if (set.kept(i)) kept.push_back(i);
    CHECK(!kept.empty());
    const auto [low, high] = std::minmax_element(kept.begin(), kept.end(), [&](size_t a, size_t b) {
        return set.distance(a) < set.distance(b);
    });
    std::vector<Shot> shots;
    std::vector<std::string> labels;
    for (const auto& [pose, what] : {std::pair(*low, "lowest"), std::pair(*high, "highest")}) {
        shots.push_back(poseShot(set, pose, set.skinned(pose)));
        shots.push_back(poseShot(set, pose, set.restCloth(pose)));
        labels.push_back(format("%s %.4f m2: skinned", what, double(set.distance(pose))));
        labels.push_back("simulated");
    }
    const Image sheet =
        contactSheet(renderPoses(set, shots, 35, kShotSize), labels, {.columns = 4});
    const Image plot = histogramPlot(set, sheet.width);
    Image figure(sheet.width, plot.height + sheet.height);
    paste(figure, plot, 0, 0);
    paste(figure, sheet, 0, plot.height);
    return figure;
}

Image poseSheet(const PoseSet& set, size_t count, float yaw) {
    std::vector<size_t> good;
    for (size_t i = 0; i < set.count(); ++i)
        if (!set.failed(i)) good.push_back(i);
    CHECK(!good.empty());
    std::vector<Shot> shots;
    std::vector<std::string> labels;
    count = std::min(count, good.size());
    for (size_t i = 0; i < count; ++i) {
        const size_t pose = good[i * good.size() / count];
        shots.push_back(poseShot(set, pose, set.restCloth(pose)));
        labels.push_back(format("%zu: %.4f m2%s", pose, double(set.distance(pose)),
                                set.kept(pose) ? "" : ", outlier"));
    }
    return contactSheet(renderPoses(set, shots, yaw, kShotSize), labels,
                        {.columns = int(std::min<size_t>(count, 6))});
}

}  // namespace hem
