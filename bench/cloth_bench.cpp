// SPDX-License-Identifier: Apache-2.0
// What a frame of the built-in simulator costs on one core, and how that grows with the mesh.
//   cloth_bench [--csv]
// A cotton dress on the mannequin, walking, frames 40 to 60 of a clip at 30 Hz. The reference is a
// fixed amount of the same kind of arithmetic: 300,000 distance constraints over 4,096 particles.
// The growth exponent is printed on stderr.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "bench/bench.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/motion_sets.h"
#include "hem/cloth/simulator.h"
#include "hem/garment/made_to_measure.h"

namespace hem {
namespace {

double referenceSeconds() {
    std::vector<Vec3> points(4096);
    for (size_t i = 0; i < points.size(); ++i)
        points[i] = {float(i % 64), float(i / 64), 0.1f * float(i % 7)};
    return bench::leastSeconds([&] {
        for (size_t k = 0; k < 300000; ++k) {
            Vec3 &a = points[k * 7 % 4096], &b = points[(k * 7 + 64) % 4096];
            const Vec3 d = a - b;
            const Vec3 step = d * ((length(d) - 1) * 0.001f / (length(d) + 1e-6f));
            a -= step;
            b += step;
        }
        bench::keep(points[0]);
    });
}

double secondsPerFrame(const Character& body, size_t vertices) {
    ClothScene scene{body, {}};
    scene.garments.push_back(orExit(makeGarment(body, "dress", {vertices, "cotton"})));
    const Motion motion =
        resampled(orExit(makeMotion("train_02_walk_normal", body.skeleton)), scene.rate);
    auto simulator = orExit(makeBuiltInSimulator(scene));
    // in motion before it is measured
    ClothState start{joinedMesh(scene.garments).positions, {}, 0};
    start = orExit(simulator->drape(motion.frames[20]));
    const std::span<const Pose> poses(motion.frames);
    orExit(simulator->advance(start, poses.subspan(20, 21), [&](const ClothState& s) {
        start = s;
        return true;
    }));
    constexpr size_t kFrames = 20;
    const double seconds = bench::leastSeconds(
        [&] {
            orExit(simulator->advance(start, poses.subspan(40, kFrames + 1),
                                      [](const ClothState&) { return true; }));
        },
        1, 2);
    return seconds / kFrames;
}

}  // namespace
}  // namespace hem

int main(int argc, char** argv) {
    using namespace hem;
    const Character body = mannequin(Sex::kFemale);
    const double reference = referenceSeconds();
    std::vector<bench::Row> rows;
    const size_t counts[] = {766, 3410, 5178, 20530};
    for (const size_t count : counts) {
        const double first = rows.empty() ? 0 : rows[0].seconds;
        const double bar = rows.empty() ? 5e-3 : first * std::pow(double(count) / 766, 1.2);
        rows.push_back({"frame of a dress of " + std::to_string(count) + " vertices",
                        secondsPerFrame(body, count), "300 thousand distance constraints",
                        reference, bar});
    }
    bench::print(rows, argc > 1 && std::strcmp(argv[1], "--csv") == 0);
    std::fprintf(stderr, "growth from 766 to 20530 vertices: N^%.2f\n",
                 std::log(rows[3].seconds / rows[0].seconds) / std::log(20530.0 / 766));
}
