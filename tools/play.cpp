// SPDX-License-Identifier: Apache-2.0
// hemline play: a packed garment on a moving character, as a point cache or a picture.
#include "hem/eval/play.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/core/point_cache.h"
#include "hem/core/text.h"
#include "hem/picture/contact_sheet.h"
#include "hem/picture/shots.h"
#include "tools/verbs.h"
#include "tools/wearing.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline play dress.hem --motion test_01_combination -o dress.pc2\n"
    "  hemline play dress.hem --motion walk.bvh --rate 60 -o dress.mdd\n"
    "  hemline play dress.hem --motion test_06_combination -o dress.png --cells 8\n"
    "  hemline play dress.hem --on hero.glb --motion run.bvh -o dress.pc2\n"
    "\n"
    "The character must be the one that the garment was trained on. .pc2 and .mdd hold every\n"
    "frame of the cloth in the world; .png is a contact sheet.";

struct Arguments {
    WearingOptions wearing;
    std::string output;
    int cells = 8;
    bool push_out = false;
};

// All frames of the cloth.
PointCache playAll(const Wearing& w, const Arguments& a) {
    Wearer wearer(w.garment, a.push_out ? unsigned(HEM_PUSH_OUT) : 0u);
    wearer.setDial(float(a.wearing.dial));
    PointCache cache{.rate = w.motion.rate, .vertices = hem_vertexCount(w.garment)};
    playMotion(wearer, w.character, w.motion, w.hips, [&](size_t) {
        cache.positions.insert(cache.positions.end(), wearer.positions().begin(),
                               wearer.positions().end());
    });
    return cache;
}

Mesh meshOf(const hem_Garment* garment) {
    Mesh mesh;
    const uint32_t* corners = hem_triangles(garment);
    for (size_t t = 0; t < hem_triangleCount(garment); ++t)
        mesh.triangles.push_back({corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]});
    mesh.positions.resize(hem_vertexCount(garment));
    return mesh;
}

Status savePicture(const Wearing& w, const PointCache& cache, const Arguments& a) {
    const std::vector<double> times = evenTimes(0, w.motion.duration(), a.cells);
    std::vector<Shot> shots = shotsOf(w.character, w.motion, times);
    std::vector<std::string> labels;
    for (size_t i = 0; i < shots.size(); ++i) {
        const size_t frame =
            std::min(cache.samples() - 1, size_t(std::lround(times[i] * w.motion.rate)));
        SceneObject cloth{.mesh = meshOf(w.garment),
                          .material = clothMaterial({0.10f, 0.16f, 0.30f})};
        std::copy_n(cache.positions.begin() + std::ptrdiff_t(frame * cache.vertices),
                    cache.vertices, cloth.mesh.positions.begin());
        shots[i].worn.push_back(std::move(cloth));
        labels.push_back(format("%.2f s", times[i]));
    }
    return savePng(a.output,
                   contactSheet(renderShots(w.character.mesh, shots, {.follow = true}), labels));
}

Status save(const Wearing& w, const PointCache& cache, const Arguments& a) {
    const std::string extension = extensionOf(a.output);
    if (extension == "pc2") return savePc2(a.output, cache);
    if (extension == "mdd") return saveMdd(a.output, cache);
    return savePicture(w, cache, a);
}

int run(const Arguments& a, const Common& common) {
    const std::string extension = extensionOf(a.output);
    if (extension != "pc2" && extension != "mdd" && extension != "png")
        return fail(errorf("-o %s: the name must end in .pc2, .mdd or .png", a.output.c_str()),
                    kBadUse);
    const auto wearing = loadWearing(a.wearing);
    if (!wearing) return fail(wearing.error());
    const PointCache cache = playAll(*wearing, a);
    if (const Status saved = save(*wearing, cache, a); !saved) return fail(saved.error());
    if (common.json) {
        std::printf("%s\n", nlohmann::ordered_json{{"file", a.output},
                                                   {"frames", cache.samples()},
                                                   {"rate", cache.rate},
                                                   {"vertices", cache.vertices}}
                                .dump(2)
                                .c_str());
    } else {
        std::printf("%s: %zu frames of %zu vertices at %g Hz\n", a.output.c_str(), cache.samples(),
                    cache.vertices, cache.rate);
    }
    return 0;
}

}  // namespace

void addPlayVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb =
        addVerb(app, common, "play", "Play a .hem file on a moving character, to PC2, MDD or PNG",
                kExamples);
    verb->add_option("file", a->wearing.file, "A .hem file")->required();
    verb->add_option("-o,--output", a->output, "A .pc2, .mdd or .png file")->required();
    a->wearing.addTo(verb);
    verb->get_option("--motion")->required();
    verb->add_option("--cells", a->cells, "Of a picture")
        ->check(CLI::Range(1, 400))
        ->capture_default_str();
    verb->add_flag("--push-out", a->push_out, "Move vertices out of the body");
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
