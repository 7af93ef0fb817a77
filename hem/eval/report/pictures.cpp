// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/pictures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hem/core/text.h"
#include "hem/eval/report/html.h"
#include "hem/picture/colormap.h"
#include "hem/picture/render.h"

namespace hem {
namespace {

Result<std::string> dataUri(const Image& image) {
    const auto png = encodePng(image);
    if (!png) return png.error();
    return "data:image/png;base64," + base64(*png);
}

// Looks at the part of the cloth that is worst: from the root through the errors' centre.
View viewOfError(std::span<const Vec3> positions, const std::vector<double>& errors, Vec3 root) {
    double x = 0, z = 0;
    for (size_t v = 0; v < positions.size(); ++v) {
        const double weight = errors[v] * errors[v];
        x += weight * double(positions[v].x - root.x);
        z += weight * double(positions[v].z - root.z);
    }
    const float yaw = radiansToDegrees(float(std::atan2(x, z)));
    return {.yaw = yaw + 25, .pitch = 8};
}

class Studio {
public:
    Studio(const ClothScene& scene, const Pose& pose, View view, int width)
        : options_{.width = width, .height = width * 4 / 3},
          garment_(joinedMesh(scene.garments)),
          body_{.mesh = posedMesh(scene.character, pose), .material = mannequinMaterial()} {
        camera_ = frameCamera(body_.mesh.positions, view, 0.75f, {.margin = 0.05f});
    }
    // `colors`: empty for cloth.
    Image take(std::span<const Vec3> cloth, const std::vector<Vec3>& colors) const {
        constexpr Vec3 kDye{0.10f, 0.16f, 0.30f};
        SceneObject worn{.mesh = garment_,
                         .material = colors.empty() ? clothMaterial(kDye) : dataMaterial()};
        worn.mesh.positions.assign(cloth.begin(), cloth.end());
        worn.mesh.colors = colors;
        Scene scene{.objects = {body_, worn}, .lights = studioLights(camera_)};
        return render(scene, camera_, options_);
    }

private:
    RenderOptions options_;
    Mesh garment_;
    SceneObject body_;
    Camera camera_;
};

}  // namespace

double roundScale(std::vector<double> errors_cm) {
    if (errors_cm.empty()) return 1;
    const auto at = errors_cm.begin() + std::ptrdiff_t(errors_cm.size() * 98 / 100);
    std::nth_element(errors_cm.begin(), at, errors_cm.end());
    for (double power = 0.01; power < 1e6; power *= 10)
        for (const double round : {1.0, 2.0, 4.0, 5.0, 8.0})
            if (round * power >= *at) return round * power;
    return 1e6;
}

std::string colorBarHtml(double scale_cm, const char* what) {
    std::string stops;
    for (int i = 0; i <= 16; ++i) {
        const Rgb c = srgbFromLinear(colorAt(ColorMap::kSequential, float(i) / 16));
        stops += format("%s#%02x%02x%02x", i ? "," : "", c.r, c.g, c.b);
    }
    std::string out =
        "<div class=\"bar\" role=\"img\" aria-label=\"" +
        format("Colours of the %s, from violet, 0 cm, to yellow, %g cm and more", what, scale_cm) +
        "\"><span>" + escaped(what) + "</span><div><i style=\"background:linear-gradient(90deg," +
        stops + ")\"></i><p>";
    for (int i = 0; i <= 4; ++i) out += format("<span>%g</span>", scale_cm * i / 4);
    return out + "</p></div><span>cm</span></div>\n";
}

std::string pictureHtml(const std::string& uri, const std::string& what, const std::string& alt) {
    return "<figure><img src=\"" + uri + "\" alt=\"" + escaped(alt) + "\"><figcaption>" +
           escaped(what) + "</figcaption></figure>";
}

Result<std::string> takeColored(const ClothScene& scene, const Pose& pose,
                                std::span<const Vec3> cloth, const std::vector<double>& numbers,
                                View view, const PictureLook& look) {
    const ColorScale scale{.low = 0, .high = look.scale_cm, .label = ""};
    return dataUri(Studio(scene, pose, view, look.width).take(cloth, colorsOf(scale, numbers)));
}

Result<FramePictures> takePictures(const PosedCloth& posed, const PictureLook& look) {
    const std::vector<double> errors = vertexErrors(posed.played, posed.simulated);
    const View view = viewOfError(posed.simulated, errors, posed.root);
    const Studio studio(posed.scene, posed.pose, view, look.width);
    FramePictures pictures;
    pictures.mean_cm = std::accumulate(errors.begin(), errors.end(), 0.0) / double(errors.size());
    pictures.largest_cm = *std::max_element(errors.begin(), errors.end());
    const ColorScale scale{.low = 0, .high = look.scale_cm, .label = ""};
    const struct {
        std::string* to;
        std::span<const Vec3> cloth;
        std::vector<Vec3> colors;
    } jobs[] = {{&pictures.simulated, posed.simulated, {}},
                {&pictures.played, posed.played, {}},
                {&pictures.error, posed.played, colorsOf(scale, errors)}};
    for (const auto& job : jobs) {
        auto uri = dataUri(studio.take(job.cloth, job.colors));
        if (!uri) return uri.error();
        *job.to = std::move(*uri);
    }
    return pictures;
}

Result<FramePictures> takePictures(const RecordingSet& set, const Entrant& entrant,
                                   const WorstFrame& frame, const PictureLook& look) {
    const auto clip = set.clip(entrant.score.clips[frame.clip].name);
    if (!clip) return clip.error();
    const auto played = playedFrames(entrant, set.scene(), *clip, frame.frame, 1, look.flags)[0];
    const PosedCloth posed{set.scene(), clip->pose(frame.frame), clip->root(frame.frame).position,
                           clip->positions(frame.frame), played};
    auto pictures = takePictures(posed, look);
    if (pictures) pictures->frame = frame;
    return pictures;
}

}  // namespace hem
