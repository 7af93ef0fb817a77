// SPDX-License-Identifier: Apache-2.0
// hemline export: recordings and garments as files that other programs play.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "tools/exchange_options.h"
#include "tools/export_gltf.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples =
    "  hemline export recordings/dress/clips/walk -o walk.pc2             # and walk.obj\n"
    "  hemline export recordings/dress/clips/walk -o walk.mdd --body      # and the moving body\n"
    "  hemline export recordings/dress/clips/walk -o frames/ --unit cm    # one OBJ a frame, for "
    "Maya\n"
    "  hemline export recordings/dress -o caches/ --format pc2 --up z     # the whole set, for 3ds "
    "Max\n"
    "  hemline export dress.hem --motion test_06_combination --gltf -o dress.glb    # for any "
    "engine\n"
    "  hemline export dress.hem --motion walk.bvh --gltf -o dress.glb --modes 32 --no-body\n"
    "\n"
    "The .obj beside a cache is the garment at rest, with its texture coordinates: load it first,\n"
    "keep its vertex order, then play the cache on it. docs/recording.md tells how in Blender, "
    "Maya,\n"
    "Houdini, 3ds Max and Marvelous Designer.\n"
    "\n"
    "A .glb holds the character, the garment with its modes as morph targets, and the motion as "
    "the\n"
    "player plays it, as one animation; without --push-out, which no morph target can do.\n"
    "docs/engines.md tells how in Blender, Unity, Unreal and Godot.";

struct Arguments {
    std::string input, output, format;
    bool body = false, is_glb = false;
    UnitOptions units;
    GltfArguments gltf;
};

// Files written, for the report.
using Written = std::vector<std::string>;

std::string withSuffix(const std::string& path, const std::string& suffix) {
    const fs::path p(path);
    return (p.parent_path() / (p.stem().string() + suffix)).string();
}

// A cache, and beside it the mesh that it moves.
Status writePair(const std::string& cache_path, const PointCache& cache, const Garment& rest,
                 Written& written) {
    const std::string ending = extensionOf(cache_path);
    const bool with_mesh = ending == "pc2" || ending == "mdd";  // OBJ frames are meshes themselves
    const std::string mesh_path = withSuffix(cache_path, ".obj"), mesh = garmentObjText(rest);
    if (const auto there = readTextFile(mesh_path); with_mesh && there && *there != mesh)
        return errorf(
            "%s: is there already and holds another mesh (of another unit?); remove it, or choose "
            "another name than %s",
            mesh_path.c_str(), cache_path.c_str());
    if (const Status saved = saveCache(cache_path, cache, rest.mesh); !saved) return saved;
    written.push_back(cache_path);
    if (!with_mesh) return Done{};
    written.push_back(mesh_path);
    return writeFile(mesh_path, mesh);
}

Status exportClip(const RecordingSet& set, const std::string& name, const std::string& path,
                  const Arguments& a, const Units& units, Written& written) {
    const auto clip = set.clip(name);
    if (!clip) return clip.error();
    if (const Status whole = clip->verify(); !whole) return whole;
    const ClothScene& scene = set.scene();
    const Status cloth =
        writePair(path, cacheOf(*clip, units), joinedGarment(scene.garments, units), written);
    if (!cloth || !a.body) return cloth;
    Garment body{.name = scene.character.name, .mesh = scene.character.mesh};
    for (Vec3& p : body.mesh.positions) p = units.fromMetres(p);
    const std::string ending = extensionOf(path);
    const std::string body_path =
        ending == "pc2" || ending == "mdd" ? withSuffix(path, "_body." + ending) : path + "/body";
    return writePair(body_path, bodyCacheOf(*clip, scene.character, units), body, written);
}

Status exportSet(const RecordingSet& set, const Arguments& a, const Units& units,
                 Written& written) {
    if (const Status made = makeFolders(a.output); !made) return made;
    const std::vector<std::string> names = set.clipNames();
    const std::string ending = a.format == "obj" ? "" : "." + (a.format.empty() ? "pc2" : a.format);
    Progress progress("exporting", names.size());
    for (const std::string& name : names) {
        const std::string path = (fs::path(a.output) / (name + ending)).string();
        if (const Status done = exportClip(set, name, path, a, units, written); !done) return done;
        progress.advance();
    }
    return Done{};
}

Status exportInput(const Arguments& a, const Units& units, Written& written) {
    if (fs::exists(a.input + "/set.json")) {
        const auto set = RecordingSet::open(a.input);
        if (!set) return set.error();
        return exportSet(*set, a, units, written);
    }
    if (!fs::exists(a.input + "/meta.json"))
        return errorf("%s: is neither a set of recordings (set.json) nor a clip of one (meta.json)",
                      a.input.c_str());
    const auto set = RecordingSet::open(setFolderOf(a.input));
    if (!set) return set.error();
    const std::string folder = fs::path(a.output).parent_path().string();
    if (const Status made = folder.empty() ? Status(Done{}) : makeFolders(folder); !made)
        return made;
    return exportClip(*set, clipNameOf(a.input), a.output, a, units, written);
}

std::optional<Error> badUseOfRecordings(const Arguments& a) {
    const std::string ending = extensionOf(a.output);
    const bool is_file = !ending.empty() && !a.output.ends_with('/');
    if (is_file && ending != "pc2" && ending != "mdd" && !fs::is_directory(a.output))
        return errorf("%s: end the name in .pc2 or .mdd, or give a folder for one .obj a frame",
                      a.output.c_str());
    const bool is_set = fs::exists(a.input + "/set.json");
    if (is_file && is_set)
        return errorf("%s: a whole set goes into a folder; --format says as what",
                      a.output.c_str());
    if (!is_set && !a.format.empty() && a.format != (is_file ? ending : "obj"))
        return errorf(
            "--format %s: it is for whole sets; a clip's format is that of -o: NAME.pc2, NAME.mdd "
            "or a folder for one .obj a frame",
            a.format.c_str());
    return {};
}

// --gltf needs not be said where both names say it.
std::optional<Error> badUse(const Arguments& a) {
    const bool is_garment = extensionOf(a.input) == "hem", to_glb = extensionOf(a.output) == "glb";
    if (!a.is_glb && !is_garment && !to_glb) return badUseOfRecordings(a);
    if (!to_glb)
        return errorf("-o %s: a garment goes into a .glb; hemline play writes .pc2 and .mdd of it",
                      a.output.c_str());
    if (!is_garment)
        return errorf("%s: a .glb is made of a .hem file; recordings go into .pc2, .mdd or .obj",
                      a.input.c_str());
    if (a.gltf.wearing.motion.empty())
        return errorf("--motion is missing: the clip that the garment is to be played on");
    return {};
}

// What looks like a clip and is none.
void remarkOnBroken(const Arguments& a) {
    const auto set = RecordingSet::open(a.input);
    if (!set) return;
    for (const std::string& name : set->brokenClips())
        std::fprintf(stderr, "hemline: %s: left out: it has no meta.json, so it is no whole clip\n",
                     set->clipFolder(name).c_str());
}

int run(const Arguments& a, const Common& common) {
    const auto units = a.units.understand();
    if (!units) return fail(units.error(), kBadUse);
    if (const auto error = badUse(a)) return fail(*error, kBadUse);
    if (extensionOf(a.output) == "glb") {
        GltfArguments gltf = a.gltf;
        gltf.wearing.file = a.input;
        gltf.output = a.output;
        return exportGltf(gltf, common);
    }
    Written written;
    if (const Status done = exportInput(a, *units, written); !done) return fail(done.error());
    if (!common.quiet) remarkOnBroken(a);
    if (common.json) {
        std::printf("%s\n", nlohmann::json{{"files", written}}.dump(2).c_str());
    } else if (!common.quiet) {
        for (const std::string& file : written) std::printf("%s\n", file.c_str());
    }
    return 0;
}

}  // namespace

void addExportVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb =
        addVerb(app, common, "export",
                "Write recordings as PC2, MDD or OBJ frames, or a garment as GLB", kExamples);
    verb->add_option("INPUT", a->input, "The folder of a clip or of a whole set, or a .hem file")
        ->required();
    verb->add_option("-o,--output", a->output, "A .pc2, .mdd or .glb file, or a folder")
        ->required();
    verb->add_option("--format", a->format, "Of a whole set: pc2 (default), mdd or obj")
        ->check(CLI::IsMember({"pc2", "mdd", "obj"}));
    verb->add_flag("--body", a->body, "Also the moving body, as NAME_body");
    a->units.addTo(verb);
    verb->add_flag("--gltf", a->is_glb, "Write a .hem file, played, as GLB");
    a->gltf.addTo(verb);
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
