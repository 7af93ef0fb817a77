// SPDX-License-Identifier: Apache-2.0
// How many garments one core plays in 33.3 ms, a frame of 30 Hz, over vertices and dimensions, beside
// plain skinning of as many vertices in the same run.
//
//     build/release/bench/curve_bench [--csv] [--plot FILE.png] [--quick]
//
// Files are float32 with all vertices, but for S, which keeps one half, as `hemline train` leaves it
// of a symmetric dress. Skinning: four joints a vertex, of the mannequin's 27, vertex after vertex as
// they are on its skin.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "bench/made_garments.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/picture/plot.h"

namespace hem {
namespace {

constexpr int kVertices[] = {500, 766, 1500, 3410, 5178, 10000, 20530};
constexpr double kFrame = 1 / 30.0;
double seconds_each = 0.5;

// As many wearers as have some 100 MB of positions, at most 1,000.
size_t crowdOf(int vertices) { return size_t(std::clamp(8000000 / vertices, 200, 1000)); }

// Seconds of one wearer in a crowd.
double played(const MadeGarment& garment) {
    const size_t count = crowdOf(garment.vertices);
    return Crowd(makeGarment(garment), count).leastStep(seconds_each) / double(count);
}

// The mannequin's skin with more vertices or fewer, neighbours still next to each other.
Character skinOf(int vertices) {
    const Character body = mannequin(Sex::kFemale);
    Character other = body;
    const size_t influences = size_t(body.skin.influences), count = body.mesh.positions.size();
    other.mesh.positions.resize(size_t(vertices));
    other.skin.joints.resize(size_t(vertices) * influences);
    other.skin.weights.resize(size_t(vertices) * influences);
    for (size_t v = 0; v < size_t(vertices); ++v) {
        const size_t from = v * count / size_t(vertices);
        other.mesh.positions[v] = body.mesh.positions[from];
        for (size_t k = 0; k < influences; ++k) {
            other.skin.joints[v * influences + k] = body.skin.joints[from * influences + k];
            other.skin.weights[v * influences + k] = body.skin.weights[from * influences + k];
        }
    }
    return other;
}

double skinned(int vertices) {
    const Character body = skinOf(vertices);
    const size_t count = crowdOf(vertices);
    std::vector<Affine> matrices(body.skeleton.size());
    skinningMatrices(body.skeleton, restPose(body.skeleton), body.skin.joint_from_rest.data(),
                     matrices.data());
    std::vector<Vec3> out(count * size_t(vertices));
    const double seconds = bench::leastSeconds(
        [&] {
            for (size_t i = 0; i < count; ++i)
                skinLinear(body.skin, body.mesh.positions.data(), matrices.data(),
                           &out[i * size_t(vertices)]);
            bench::keep(out[0]);
        },
        1, seconds_each);
    return seconds / double(count);
}

struct Line {
    std::string name;
    std::vector<double> seconds;  // of a garment, for each of kVertices
};

template <class Of>
Line lineOf(const std::string& name, Of of) {
    Line line{name, {}};
    for (const int vertices : kVertices) line.seconds.push_back(of(vertices));
    return line;
}

std::vector<Line> measure() {
    std::vector<Line> lines;
    for (const int modes : {16, 32, 64, 128})
        lines.push_back(lineOf("C " + std::to_string(modes), [&](int vertices) {
            return played({.vertices = vertices, .modes = modes});
        }));
    lines.push_back(lineOf("C 64 in 8 bits", [](int vertices) {
        Crowd crowd(
            makeGarment(
                {.vertices = vertices, .encoding = BasisEncoding::kMixed, .tolerance_um = 1000}),
            crowdOf(vertices));
        crowd.batch.flags = HEM_APPROXIMATE;
        return crowd.leastStep(seconds_each) / double(crowd.batch.count);
    }));
    lines.push_back(lineOf("S 64", [](int vertices) {
        return played({.vertices = vertices, .modal = true, .mirrored = true});
    }));
    lines.push_back(lineOf("skinning", skinned));
    return lines;
}

void print(const std::vector<Line>& lines, bool csv) {
    std::printf(csv ? "vertices" : "%-10s", "vertices");
    for (const Line& line : lines) std::printf(csv ? ",%s" : "%14s", line.name.c_str());
    for (size_t i = 0; i < std::size(kVertices); ++i) {
        std::printf(csv ? "\n%d" : "\n%-10d", kVertices[i]);
        for (const Line& line : lines)
            std::printf(csv ? ",%.0f" : "%14.0f", std::floor(kFrame / line.seconds[i]));
    }
    std::puts("");
}

Status plot(const std::vector<Line>& lines, const std::string& file) {
    Plot plot{.title = "Garments that one core plays in 33.3 ms",
              .x_label = "vertices, thousands",
              .y_label = "garments, log10",
              .from_zero = false};
    for (const Line& line : lines) {
        PlotLine drawn{line.name, {}, {}, seriesColor(plot.lines.size())};
        for (size_t i = 0; i < std::size(kVertices); ++i) {
            drawn.x.push_back(kVertices[i] / 1000.0);
            drawn.y.push_back(std::log10(kFrame / line.seconds[i]));
        }
        plot.lines.push_back(drawn);
    }
    return savePng(file, drawPlot(plot, {.width = 720, .height = 420}));
}

}  // namespace
}  // namespace hem

int main(int count, char** arguments) {
    using namespace hem;
    bool csv = false;
    std::string picture;
    for (int i = 1; i < count; ++i) {
        csv |= std::strcmp(arguments[i], "--csv") == 0;
        if (std::strcmp(arguments[i], "--quick") == 0) seconds_each = 0.05;
        if (std::strcmp(arguments[i], "--plot") == 0 && i + 1 < count) picture = arguments[i + 1];
    }
    const std::vector<Line> lines = measure();
    print(lines, csv);
    if (!picture.empty()) orExit(plot(lines, picture));
}
