// SPDX-License-Identifier: Apache-2.0
// hemline play: a packed garment on a moving character, as a point cache or a picture.
#include "hem/eval/play.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "hem/character/by_name.h"
#include "hem/core/files.h"
#include "hem/core/point_cache.h"
#include "hem/core/text.h"
#include "hem/picture/contact_sheet.h"
#include "hem/picture/shots.h"
#include "tools/verbs.h"

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
    std::string file, on = "female", motion, output;
    double rate = 30, dial = 0;
    int cells = 8;
    bool push_out = false;
};

// All frames of the cloth.
PointCache playAll(const hem_Garment* garment, const Character& character, const Motion& motion,
                   const HipJoints& hips, const Arguments& a) {
    const std::vector<Root> roots = rootsOf(motion, hips);
    Wearer wearer(garment, a.push_out ? unsigned(HEM_PUSH_OUT) : 0u);
    wearer.setDial(float(a.dial));
    std::vector<Affine> matrices(character.skeleton.size());
    PointCache cache{.rate = motion.rate, .vertices = hem_vertexCount(garment)};
    for (size_t t = 0; t < motion.frames.size(); ++t) {
        skinningMatrices(character.skeleton, motion.frames[t],
                         character.skin.joint_from_rest.data(), matrices.data());
        if (t) {
            wearer.step(matrices, float(1 / motion.rate));
        } else {
            const size_t next = std::min<size_t>(1, roots.size() - 1);
            wearer.reset(matrices, rootMotion(roots[0], roots[next], motion.rate).values);
        }
        cache.positions.insert(cache.positions.end(), wearer.positions().begin(),
                               wearer.positions().end());
    }
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

Status savePicture(const hem_Garment* garment, const Character& character, const Motion& motion,
                   const PointCache& cache, const Arguments& a) {
    const std::vector<double> times = evenTimes(0, motion.duration(), a.cells);
    std::vector<Shot> shots = shotsOf(character, motion, times);
    std::vector<std::string> labels;
    for (size_t i = 0; i < shots.size(); ++i) {
        const size_t frame =
            std::min(cache.samples() - 1, size_t(std::lround(times[i] * motion.rate)));
        SceneObject cloth{.mesh = meshOf(garment),
                          .material = clothMaterial({0.10f, 0.16f, 0.30f})};
        std::copy_n(cache.positions.begin() + std::ptrdiff_t(frame * cache.vertices),
                    cache.vertices, cloth.mesh.positions.begin());
        shots[i].worn.push_back(std::move(cloth));
        labels.push_back(format("%.2f s", times[i]));
    }
    return savePng(a.output,
                   contactSheet(renderShots(character.mesh, shots, {.follow = true}), labels));
}

Status save(const hem_Garment* garment, const Character& character, const Motion& motion,
            const PointCache& cache, const Arguments& a) {
    const std::string extension = extensionOf(a.output);
    if (extension == "pc2") return savePc2(a.output, cache);
    if (extension == "mdd") return saveMdd(a.output, cache);
    return savePicture(garment, character, motion, cache, a);
}

Status fits(const hem_Garment* garment, const Skeleton& skeleton, const Arguments& a) {
    if (hem_jointCount(garment) != skeleton.size())
        return errorf("%s has %zu joints, %s was trained on %zu: --on must name its character",
                      a.on.c_str(), skeleton.size(), a.file.c_str(), hem_jointCount(garment));
    for (size_t j = 0; j < skeleton.size(); ++j)
        if (skeleton.joints[j].name != hem_jointName(garment, j))
            return errorf(
                "joint %zu of %s is %s, %s was trained with %s: --on must name its "
                "character",
                j, a.on.c_str(), skeleton.joints[j].name.c_str(), a.file.c_str(),
                hem_jointName(garment, j));
    return Done{};
}

int run(const Arguments& a, const Common& common) {
    const std::string extension = extensionOf(a.output);
    if (extension != "pc2" && extension != "mdd" && extension != "png")
        return fail(errorf("-o %s: the name must end in .pc2, .mdd or .png", a.output.c_str()),
                    kBadUse);
    const auto bytes = readFile(a.file);
    if (!bytes) return fail(bytes.error());
    hem_Error reason = HEM_OK;
    const hem_Garment* garment = hem_open(bytes->data(), bytes->size(), &reason);
    if (!garment) return fail(errorf("%s: %s", a.file.c_str(), hem_errorText(reason)));
    const auto character = characterByName(a.on);
    if (!character) return fail(character.error());
    if (const Status good = fits(garment, character->skeleton, a); !good) return fail(good.error());
    const auto motion = motionFor(*character, a.motion);
    if (!motion) return fail(motion.error());
    const auto hips = findHipJoints(character->skeleton);
    if (!hips) return fail(hips.error());
    const Motion played = resampled(*motion, a.rate);
    const PointCache cache = playAll(garment, *character, played, *hips, a);
    if (const Status saved = save(garment, *character, played, cache, a); !saved)
        return fail(saved.error());
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
    verb->add_option("file", a->file, "A .hem file")->required();
    verb->add_option("--motion", a->motion, "A built-in clip or a .bvh file")->required();
    verb->add_option("--on", a->on, "The character that it was trained on")->capture_default_str();
    verb->add_option("-o,--output", a->output, "A .pc2, .mdd or .png file")->required();
    verb->add_option("--rate", a->rate, "Steps a second")
        ->check(CLI::Range(15.0, 240.0))
        ->capture_default_str();
    verb->add_option("--dial", a->dial, "Swing and sway: -1 none, 0 as trained, 1 twice")
        ->check(CLI::Range(-1.0, 1.0))
        ->capture_default_str();
    verb->add_option("--cells", a->cells, "Of a picture")
        ->check(CLI::Range(1, 400))
        ->capture_default_str();
    verb->add_flag("--push-out", a->push_out, "Move vertices out of the body");
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
