// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/pose_error_figure.h"

#include <algorithm>
#include <cmath>

#include "hem/core/text.h"
#include "hem/eval/play.h"
#include "hem/picture/contact_sheet.h"
#include "hem/poses/pose_figure.h"

namespace hem {
namespace {

constexpr RenderOptions kGarmentSize{360, 450, Quality::kNormal};
constexpr RenderOptions kPoseSize{200, 250, Quality::kNormal};

double meanSquare(std::span<const Vec3> a, std::span<const Vec3> b) {
    double sum = 0;
    for (size_t v = 0; v < a.size(); ++v) sum += double(dot(a[v] - b[v], a[v] - b[v]));
    return sum / double(a.size());
}

}  // namespace

Image vertexErrorFigure(const PoseSet& set, std::span<const float> vertex_square) {
    CHECK_EQ(vertex_square.size(), set.vertices());
    std::vector<double> errors;
    for (const float square : vertex_square) errors.push_back(100 * std::sqrt(double(square)));
    ColorScale scale{.low = 0,
                     .high = std::max(1e-3, *std::max_element(errors.begin(), errors.end())),
                     .label = "rms error [cm]"};
    Shot shot = restShot(set.character());
    Mesh garment;
    garment.positions = set.garmentRest();
    garment.triangles = set.garmentTriangles();
    garment.colors = colorsOf(scale, errors);
    shot.worn.push_back({std::move(garment), dataMaterial()});
    std::vector<Image> views;
    for (const float yaw : {0.0f, 180.0f})
        views.push_back(renderPoses(set, {shot}, yaw, kGarmentSize)[0]);
    SheetOptions options{.columns = 2};
    options.scale = scale;
    return contactSheet(views, {"front", "back"}, options);
}

Image comparedPosesFigure(std::span<const std::byte> bytes, const PoseSet& set,
                          const std::vector<ShownPose>& poses) {
    hem_Error reason = HEM_OK;
    const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), &reason);
    CHECK(garment && hem_vertexCount(garment) == set.vertices() &&
          hem_jointCount(garment) == set.joints());
    Wearer wearer(garment);
    std::vector<Image> cells;
    std::vector<std::string> labels;
    for (const ShownPose& shown : poses) {
        const auto cloth = set.restCloth(shown.pose), skinned = set.skinned(shown.pose);
        wearer.reset(set.matrices(shown.pose));
        const auto row = renderPoses(
            set,
            {poseShot(set, shown.pose, skinned), poseShot(set, shown.pose, wearer.positions()),
             poseShot(set, shown.pose, cloth)},
            35, kPoseSize);
        cells.insert(cells.end(), row.begin(), row.end());
        labels.push_back(
            format("%s: skinned, %.5f m2", shown.name.c_str(), meanSquare(skinned, cloth)));
        labels.push_back(format("played, %.5f m2", meanSquare(wearer.positions(), cloth)));
        labels.push_back("simulated");
    }
    return contactSheet(cells, labels, {.columns = 3});
}

}  // namespace hem
