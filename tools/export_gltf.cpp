// SPDX-License-Identifier: Apache-2.0
#include "tools/export_gltf.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/eval/garment_glb.h"

namespace hem::tools {
namespace {

using Json = nlohmann::ordered_json;

// What the file says of the garment; an empty object where it says nothing.
Json infoOf(const hem_Garment* garment) {
    Json info = Json::parse(hem_info(garment), nullptr, false);
    return info.is_object() ? info : Json::object();
}

// "dress", "shirt and pants"; the file's name where it does not tell.
std::string nameOf(const Json& info, const std::string& file) {
    std::string name;
    if (info.contains("garments"))
        for (const Json& garment : info["garments"])
            if (garment.contains("name") && garment["name"].is_string())
                name += (name.empty() ? "" : " and ") + garment["name"].get<std::string>();
    return name.empty() ? stemOf(file) : name;
}

Json extrasOf(const Wearing& w, const Json& info, const GltfArguments& a) {
    return {{"made_by", std::string("hemline export --gltf, Hemline ") + hem_version()},
            {"garment_file", std::filesystem::path(a.wearing.file).filename().string()},
            {"motion", w.motion.name},
            {"rate", w.motion.rate},
            {"dial", a.wearing.dial},
            {"push_out", false},
            {"garment", info}};
}

}  // namespace

void GltfArguments::addTo(CLI::App* verb) {
    wearing.addTo(verb);
    verb->add_option("--modes", modes, "Morph targets: the first so many modes (default: all)")
        ->check(CLI::Range(1, 256));
    verb->add_option("--tolerance", tolerance_mm,
                     "Of Model N: millimetres that morph targets may be off the played cloth")
        ->check(CLI::Range(0.001, 100.0))
        ->capture_default_str();
    verb->add_flag("!--no-body", body, "Leave the character out: the garment alone");
    verb->add_flag("--whole-body", hidden,
                   "Keep the triangles of the body that the garment always hides");
    for (const char* name : {"--motion", "--on", "--rate", "--dial", "--modes", "--tolerance",
                             "--no-body", "--whole-body"})
        verb->get_option(name)->group("With --gltf");
}

int exportGltf(const GltfArguments& a, const Common& common) {
    const auto wearing = loadWearing(a.wearing);
    if (!wearing) return fail(wearing.error());
    remarkOnCharacter(wearing->garment, a.wearing.file, wearing->character, common);
    const Json info = infoOf(wearing->garment);
    const auto glb = saveGarmentGlb(a.output, wearing->garment, wearing->character, wearing->motion,
                                    {.name = nameOf(info, a.wearing.file),
                                     .modes = a.modes,
                                     .tolerance = a.tolerance_mm / 1000,
                                     .dial = float(a.wearing.dial),
                                     .body = a.body,
                                     .hidden = a.hidden,
                                     .extras_json = extrasOf(*wearing, info, a).dump()});
    if (!glb) return fail(glb.error());
    const size_t vertices = glb->mesh.mesh.positions.size();
    const auto bytes = std::filesystem::file_size(a.output);
    if (common.json) {
        const Json report = {{"files", {a.output}},
                             {"bytes", bytes},
                             {"frames", wearing->motion.frames.size()},
                             {"rate", wearing->motion.rate},
                             {"vertices", vertices},
                             {"morph_targets", glb->mesh.targets.size()},
                             {"largest_error_mm", 1000 * glb->largest_error},
                             {"texture_coordinates", !glb->mesh.mesh.uvs.empty()},
                             {"normal_error_degrees_mean", glb->normal_error_mean},
                             {"normal_error_degrees_p95", glb->normal_error_p95}};
        std::printf("%s\n", report.dump(2).c_str());
    } else if (!common.quiet) {
        std::printf("%s: %zu frames at %g Hz, %zu vertices with %zu morph targets, %.1f MB\n",
                    a.output.c_str(), wearing->motion.frames.size(), wearing->motion.rate, vertices,
                    glb->mesh.targets.size(), double(bytes) / 1e6);
        if (glb->largest_error > 0)
            std::printf("  modes of this motion: vertices are at most %.3g mm off the player's%s\n",
                        1000 * glb->largest_error,
                        1000 * glb->largest_error > a.tolerance_mm
                            ? "; more targets than these would be needed for --tolerance"
                            : "");
        std::printf("  normals by morph targets: %.1f degrees off in the mean, 95 %% within %.1f\n",
                    glb->normal_error_mean, glb->normal_error_p95);
        if (glb->mesh.mesh.uvs.empty())
            std::printf("  without texture coordinates: %s has none; train it anew to have them\n",
                        a.wearing.file.c_str());
    }
    return 0;
}

}  // namespace hem::tools
