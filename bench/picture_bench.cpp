// SPDX-License-Identifier: Apache-2.0
// How long a picture takes, on one core: the mannequin, 400 by 600 pixels.
//   picture_bench [--csv]
// Reference: one ray through each pixel to the nearest surface, without any light.
#include <cstring>

#include "bench/bench.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/core/parallel.h"
#include "hem/picture/ray_scene.h"
#include "hem/picture/render.h"

namespace hem {
namespace {

constexpr int kWidth = 400, kHeight = 600;

double primaryRays(const Scene& scene, const Camera& camera) {
    const RayScene rays(scene);
    const float pixel = 2 * camera.tan_half_height / kHeight;
    return bench::leastSeconds([&] {
        int hits = 0;
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                const Vec3 direction =
                    normalized(camera.forward + camera.right * (float(x - kWidth / 2) * pixel) -
                               camera.up * (float(y - kHeight / 2) * pixel));
                hits += rays.trace(camera.eye, direction, pixel).object >= 0;
            }
        bench::keep(hits);
    });
}

double picture(const Scene& scene, const Camera& camera, Quality quality) {
    return bench::leastSeconds([&] {
        const Image image =
            render(scene, camera, {.width = kWidth, .height = kHeight, .quality = quality});
        bench::keep(image.pixels[0]);
    });
}

}  // namespace
}  // namespace hem

int main(int argc, char** argv) {
    using namespace hem;
    setThreadLimit(1);
    Scene scene;
    scene.objects.push_back(
        {.mesh = mannequin(Sex::kFemale).mesh, .material = mannequinMaterial()});
    const Camera camera = frameCamera(scene.objects[0].mesh.positions, {.yaw = 35, .pitch = 10},
                                      float(kWidth) / kHeight);
    scene.lights = studioLights(camera);
    const double reference = primaryRays(scene, camera);
    const char* reference_name = "one bare ray a pixel";
    const std::vector<bench::Row> rows{
        {"picture (draft)", picture(scene, camera, Quality::kDraft), reference_name, reference, 0},
        {"picture (normal)", picture(scene, camera, Quality::kNormal), reference_name, reference,
         1.0},
        {"picture (high)", picture(scene, camera, Quality::kHigh), reference_name, reference, 0}};
    bench::print(rows, argc > 1 && std::strcmp(argv[1], "--csv") == 0);
}
