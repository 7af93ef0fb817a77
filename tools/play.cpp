// SPDX-License-Identifier: Apache-2.0
// hemline play: a packed garment on a moving character, as a point cache or a picture.
#include "hem/eval/play.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/core/point_cache.h"
#include "tools/play_pictures.h"
#include "tools/verbs.h"
#include "tools/wearing.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline play dress.hem --motion test_01_combination -o dress.pc2\n"
    "  hemline play dress.hem --motion walk.bvh --rate 60 -o dress.mdd\n"
    "  hemline play dress.hem --motion test_06_combination -o dress.png --cells 8\n"
    "  hemline play dress.hem --on hero.glb --motion run.bvh -o dress.pc2\n"
    "  hemline play dress.hem --motion test_06_combination --push-out --time 6:10 -o dress.webp\n"
    "  hemline play dress.hem --motion test_06_combination --push-out -o both.webp \\\n"
    "      --beside recordings/dress/clips/test_06_combination\n"
    "\n"
    "The character must be the one that the garment was trained on. .pc2 and .mdd hold every\n"
    "frame of the cloth in the world; .png is a contact sheet, .webp a moving picture, which\n"
    "browsers show as a picture.";

struct Arguments {
    WearingOptions wearing;
    std::string output;
    PlayPictureArguments picture;
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

// The number of frames, or moments, in the file.
Result<size_t> save(const Wearing& w, const PointCache& cache, const Arguments& a) {
    const std::string extension = extensionOf(a.output);
    if (extension == "webp") return savePlayFilm(a.output, w, cache, a.picture);
    if (extension == "png") return savePlaySheet(a.output, w, cache, a.picture);
    const Status saved = extension == "pc2" ? savePc2(a.output, cache) : saveMdd(a.output, cache);
    if (!saved) return saved.error();
    return cache.samples();
}

int run(const Arguments& a, const Common& common) {
    const std::string extension = extensionOf(a.output);
    if (extension != "pc2" && extension != "mdd" && extension != "png" && extension != "webp")
        return fail(
            errorf("-o %s: the name must end in .pc2, .mdd, .png or .webp", a.output.c_str()),
            kBadUse);
    if (const Status good = a.picture.check(); !good) return fail(good.error(), kBadUse);
    const auto wearing = loadWearing(a.wearing);
    if (!wearing) return fail(wearing.error());
    remarkOnCharacter(wearing->garment, a.wearing.file, wearing->character, common);
    const PointCache cache = playAll(*wearing, a);
    const auto shown = save(*wearing, cache, a);
    if (!shown) return fail(shown.error());
    if (common.json) {
        std::printf("%s\n", nlohmann::ordered_json{{"file", a.output},
                                                   {"frames", *shown},
                                                   {"rate", cache.rate},
                                                   {"vertices", cache.vertices}}
                                .dump(2)
                                .c_str());
    } else {
        std::printf("%s: %zu frames of %zu vertices at %g Hz\n", a.output.c_str(), *shown,
                    cache.vertices, cache.rate);
    }
    return 0;
}

}  // namespace

void addPlayVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb =
        addVerb(app, common, "play",
                "Play a .hem file on a moving character, to PC2, MDD or pictures", kExamples);
    verb->add_option("file", a->wearing.file, "A .hem file")->required();
    verb->add_option("-o,--output", a->output, "A .pc2, .mdd, .png or .webp file")->required();
    a->wearing.addTo(verb);
    verb->get_option("--motion")->required();
    verb->add_flag("--push-out", a->push_out, "Move vertices out of the body");
    a->picture.addTo(verb);
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
