// SPDX-License-Identifier: Apache-2.0
// hemline import: cloth of other simulators made into recordings.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/recording/scene_clips.h"
#include "tools/exchange_options.h"
#include "tools/subject.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline import walk.pc2 --character hero.glb --motion walk.bvh --garment dress.obj -o "
    "recordings/dress\n"
    "  hemline import walk.mdd run.mdd --character hero.glb --motion walk.bvh run.bvh \\\n"
    "      --garment dress.obj -o recordings/dress                    # two clips into one set\n"
    "  hemline import 'frames/dress_*.obj' --character hero.glb --motion Walk --garment dress.obj "
    "\\\n"
    "      --name walk --rate 24 --unit cm -o recordings/maya         # Maya, Marvelous Designer\n"
    "  hemline import walk.pc2 ... --up z                             # Blender, 3ds Max\n"
    "  hemline import walk.pc2 ... --start-frame 10   # the cache starts at frame 10 of the "
    "motion\n"
    "\n"
    "The garment is the mesh as it was before the simulation, the motion the one that moved the\n"
    "character in it; --motion takes a .bvh, the name of an animation in the character's file, or "
    "a\n"
    "built-in clip. docs/recording.md tells how to export caches from each program.";

struct Arguments {
    std::vector<std::string> caches, motions, names;
    std::string character = "female", garment, output;
    double rate = 0;
    size_t start_frame = 0;
    UnitOptions units;
};

std::optional<Error> badUse(const Arguments& a) {
    if (a.motions.size() != a.caches.size() && a.motions.size() != 1)
        return errorf(
            "%zu caches but %zu motions: give one motion for all, or one for each in their order",
            a.caches.size(), a.motions.size());
    if (!a.names.empty() && a.names.size() != a.caches.size())
        return errorf("%zu caches but %zu names: --name needs one for each, in their order",
                      a.caches.size(), a.names.size());
    return {};
}

// What a clip is called: its --name, or the cache's.
std::string nameOf(const Arguments& a, size_t i) {
    if (!a.names.empty()) return a.names[i];
    std::string path = a.caches[i];
    while (path.ends_with('/')) path.pop_back();
    std::string name = stemOf(path);
    std::erase_if(name, [](char c) { return c == '*' || c == '?' || c == '#'; });
    while (!name.empty() && (name.back() == '_' || name.back() == '.')) name.pop_back();
    return name;
}

Result<Motion> motionOf(const Arguments& a, size_t i, const Character& character, double rate) {
    const std::string& given = a.motions.size() == 1 ? a.motions[0] : a.motions[i];
    const auto sources = resolveClips({given}, "", character);
    if (!sources) return sources.error();
    auto motions = loadClips({sources->front()}, character, rate);
    if (!motions) return motions.error();
    return std::move(motions->front());
}

// A clip of that name that is there must be the same one.
Status checkNotTaken(const RecordingSet& set, const RecordedClip& clip) {
    if (!set.has(clip.meta.name)) return Done{};
    const auto there = set.clip(clip.meta.name);
    bool same = there && there->frames() == clip.states.size() &&
                there->meta().motion_hash == motionHash(clip.poses);
    for (size_t f = 0; same && f < clip.states.size(); ++f)
        same = std::ranges::equal(there->positions(f), clip.states[f].positions);
    if (same) return Done{};
    return errorf(
        "%s: is there already, with other cloth; give this one another name with --name, or "
        "remove that folder",
        set.clipFolder(clip.meta.name).c_str());
}

struct Imported {
    std::string name;
    size_t frames;
};

// The set is made at the first cache: before, its rate is not known.
Result<std::vector<Imported>> importAll(const Arguments& a, const Units& units) {
    auto character = characterByName(a.character);
    if (!character) return character.error();
    auto garment = loadForeignGarment(a.garment, units);
    if (!garment) return garment.error();
    ClothScene scene{.character = std::move(*character), .garments = {std::move(*garment)}};
    std::optional<RecordingSet> set;
    std::vector<Imported> imported;
    for (size_t i = 0; i < a.caches.size(); ++i) {
        const auto cache = loadCache(a.caches[i], a.rate);
        if (!cache) return cache.error();
        if (!set) scene.rate = cache->rate;
        const auto motion = motionOf(a, i, scene.character, scene.rate);
        if (!motion) return motion.error();
        const std::string source = std::filesystem::path(a.caches[i]).filename().string();
        const auto clip =
            importedClip(scene, *cache, *motion, {nameOf(a, i), source, a.start_frame, units});
        if (!clip) return clip.error();
        if (!set) {
            if (const Status good = RecordingSet::check(a.output, scene); !good)
                return good.error();
            auto made = RecordingSet::create(a.output, scene, "");
            if (!made) return made.error();
            set = std::move(*made);
        }
        if (const Status free = checkNotTaken(*set, *clip); !free) return free.error();
        if (const Status added = set->add(*clip); !added) return added.error();
        imported.push_back({clip->meta.name, clip->states.size()});
    }
    return imported;
}

int run(const Arguments& a, const Common& common) {
    if (const auto error = badUse(a)) return fail(*error, kBadUse);
    const auto units = a.units.understand();
    if (!units) return fail(units.error(), kBadUse);
    const auto imported = importAll(a, *units);
    if (!imported) return fail(imported.error());
    nlohmann::ordered_json document{{"folder", a.output}, {"clips", nlohmann::json::array()}};
    for (const Imported& clip : *imported) {
        document["clips"].push_back({{"name", clip.name}, {"frames", clip.frames}});
        if (!common.json && !common.quiet)
            std::printf("%s/clips/%s: %zu frames\n", a.output.c_str(), clip.name.c_str(),
                        clip.frames);
    }
    if (common.json) std::printf("%s\n", document.dump(2).c_str());
    return 0;
}

}  // namespace

void addImportVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb =
        addVerb(app, common, "import", "Make recordings of other simulators' cloth (PC2, MDD, OBJ)",
                kExamples);
    verb->add_option("CACHE", a->caches,
                     ".pc2 or .mdd files, folders of .obj frames, or patterns of them")
        ->required();
    verb->add_option("--character", a->character, "Who wears it: a character file, female or male")
        ->capture_default_str();
    verb->add_option("--motion", a->motions, "How the character moved: one for all, or one a cache")
        ->required();
    verb->add_option("--garment", a->garment, "The cloth's mesh before the simulation, .obj")
        ->required();
    verb->add_option("-o,--output", a->output,
                     "The folder of the recordings; clips are added to it")
        ->required();
    verb->add_option("--name", a->names, "Of the clips (default: the caches' own)");
    verb->add_option("--rate", a->rate, "Frames a second of a .pc2 or of OBJ frames (default: 30)")
        ->check(CLI::Range(1.0, 1000.0))
        ->group("Files of other programs");
    verb->add_option(
            "--start-frame", a->start_frame,
            "The frame of the motion that the cache starts at, from 0, at the cache's rate")
        ->group("Files of other programs");
    a->units.addTo(verb);
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
