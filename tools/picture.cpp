// SPDX-License-Identifier: Apache-2.0
// hemline picture: a character or a mesh as a PNG.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/picture/render.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

struct PictureArguments {
    std::string input, output, view = "three-quarter", size = "480x640", quality = "normal";
    bool wire = false;
};

Result<RenderOptions> parseSize(const std::string& text) {
    const size_t cross = text.find('x');
    const auto width = parseInteger(text.substr(0, cross));
    const auto height = cross == text.npos ? std::nullopt : parseInteger(text.substr(cross + 1));
    if (!width || !height || *width < 1 || *height < 1 || *width > kMaxImageSide ||
        *height > kMaxImageSide)
        return errorf("--size %s: give WIDTHxHEIGHT in pixels, 1 to %d a side, as in 480x640",
                      quoteForMessage(text).c_str(), kMaxImageSide);
    return RenderOptions{.width = int(*width), .height = int(*height)};
}

int runPicture(const PictureArguments& arguments, const Common& common) {
    auto options = parseSize(arguments.size);
    if (!options) return fail(options.error(), kBadUse);
    const auto quality = parseQuality(arguments.quality);
    if (!quality) return fail(quality.error(), kBadUse);
    const auto view = parseView(arguments.view);
    if (!view) return fail(view.error(), kBadUse);
    options->quality = *quality;
    const auto mesh = loadObj(arguments.input);
    if (!mesh) return fail(mesh.error());

    Scene scene;
    scene.objects.push_back(
        {.mesh = *mesh, .material = mannequinMaterial(), .wire = arguments.wire});
    scene.ground_height = lowestPoint(scene);
    const Camera camera =
        frameCamera(mesh->positions, *view, float(options->width) / float(options->height));
    scene.lights = studioLights(camera);
    const Status saved = savePng(arguments.output, render(scene, camera, *options));
    if (!saved) return fail(saved.error());
    if (common.json) {
        const nlohmann::json document = {
            {"file", arguments.output}, {"width", options->width}, {"height", options->height}};
        std::printf("%s\n", document.dump(2).c_str());
    } else if (!common.quiet) {
        std::printf("%s: %d by %d pixels\n", arguments.output.c_str(), options->width,
                    options->height);
    }
    return 0;
}

}  // namespace

void addPictureVerb(CLI::App& app, Common& common) {
    auto arguments = std::make_shared<PictureArguments>();
    CLI::App* verb =
        addVerb(app, common, "picture", "Render a mesh to a PNG",
                "  hemline picture dress.obj -o dress.png\n"
                "  hemline picture dress.obj -o back.png --view back --size 800x1200 --wire\n");
    verb->add_option("input", arguments->input, "Wavefront OBJ mesh")->required();
    verb->add_option("-o,--output", arguments->output, "PNG file to write")->required();
    verb->add_option("--view", arguments->view,
                     "front, side, back, three-quarter, top, or YAW,PITCH in degrees");
    verb->add_option("--size", arguments->size, "Picture size in pixels, WIDTHxHEIGHT");
    verb->add_option("--quality", arguments->quality, "draft, normal or high");
    verb->add_flag("--wire", arguments->wire, "Draw the mesh's edges");
    verb->callback([arguments, &common] { common.exit_code = runPicture(*arguments, common); });
}

}  // namespace hem::tools
