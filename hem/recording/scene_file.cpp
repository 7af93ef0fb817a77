// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/scene_file.h"

#include <filesystem>

#include "hem/character/by_name.h"
#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/garment/made_to_measure.h"
#include "hem/garment/own_garment.h"
#include "hem/recording/fabric_fields.h"
#include "hem/recording/scene_clips.h"
#include "hem/recording/toml_table.h"

namespace hem {
namespace {

// One [[garment]], read but not made.
struct GarmentEntry {
    std::string kind, file, name;
    int64_t vertices = 0;
    std::optional<Fabric> fabric;  // where the scene says one
    PinRules pins;
    float ease = kUsualEase;
};

struct Reader {
    std::string path, folder;

    std::string inFolder(const std::string& file) const {
        return folder.empty() || std::filesystem::path(file).is_absolute() ? file
                                                                           : folder + "/" + file;
    }
};

// A name, or a table of numbers on top of a named one.
void readFabric(TomlTable& garment, std::optional<Fabric>& fabric) {
    if (!garment.has("fabric")) return;
    const bool is_name = garment.node("fabric")->is_string();
    std::optional<TomlTable> table;
    std::string base = "cotton";
    if (is_name)
        garment.read("fabric", base);
    else if ((table = garment.table("fabric")))
        table->read("base", base);
    auto found = findFabric(base);
    if (!found) return garment.fail("fabric", found.error().message);
    fabric = std::move(*found);
    if (!table) return;
    std::vector<std::string> keys{"base", "name"};
    for (const FabricField& field : kFabricFields) {
        table->read(field.name, (*fabric).*field.number, 0, 1e9);
        keys.push_back(field.name);
    }
    fabric->name = base + ", altered";
    table->read("name", fabric->name);
    table->allowOnly(keys);
    garment.fail(table->fault());
    if (const Status valid = validate(*fabric); !valid)
        garment.fail("fabric", valid.error().message);
}

void readPins(TomlTable& garment, PinRules& pins) {
    auto table = garment.table("pins");
    if (!table) return;
    table->read("groups", pins.groups);
    table->read("by_color", pins.by_color);
    table->read("near_joints", pins.near_joints);
    table->read("near_distance", pins.near_distance, 0, 1);
    table->read("openings", pins.openings);
    table->read("strength", pins.strength, 0, 1);
    table->allowOnly(
        {"groups", "by_color", "near_joints", "near_distance", "openings", "strength"});
    garment.fail(table->fault());
}

GarmentEntry readGarment(TomlTable& table) {
    GarmentEntry entry;
    table.read("kind", entry.kind);
    table.read("file", entry.file);
    table.read("name", entry.name);
    table.read("vertices", entry.vertices, 1, 10000000);
    readFabric(table, entry.fabric);
    readPins(table, entry.pins);
    table.read("ease", entry.ease, 0, 0.1);
    table.allowOnly({"kind", "file", "name", "vertices", "fabric", "pins", "ease"});
    if (entry.kind.empty() == entry.file.empty())
        table.fail("kind", "a garment has either kind = \"dress\" or file = \"cape.obj\"");
    if (!entry.kind.empty() && table.has("pins"))
        table.fail("pins", "built-in garments have pins of their own; pins are for file = \"...\"");
    if (!entry.kind.empty() && table.has("ease"))
        table.fail("ease", "built-in garments are cut with ease; it is for file = \"...\"");
    if (!entry.file.empty() && table.has("vertices"))
        table.fail("vertices", "a file has the vertices that it has");
    return entry;
}

Result<Garment> makeEntry(const GarmentEntry& entry, const Reader& reader,
                          const Character& character) {
    if (!entry.kind.empty()) {
        auto garment = makeGarment(character, entry.kind, {.vertices = size_t(entry.vertices)});
        if (garment && entry.fabric) garment->fabric = *entry.fabric;
        return garment;
    }
    Fabric fabric;
    if (entry.fabric) {
        fabric = *entry.fabric;
    } else {
        auto cotton = findFabric("cotton");
        if (!cotton) return cotton.error();
        fabric = std::move(*cotton);
    }
    return loadGarment(reader.inFolder(entry.file), character, fabric, entry.pins, entry.ease);
}

Result<std::vector<Garment>> readGarments(TomlTable& root, const Reader& reader,
                                          const Character& character, std::vector<size_t>& own) {
    const toml::node* node = root.node("garment");
    const toml::array* list = node ? node->as_array() : nullptr;
    if (!list || list->empty() || !list->is_homogeneous<toml::table>())
        return root.errorAt("garment", "a scene has one garment or more: [[garment]]");
    std::vector<Garment> garments;
    for (const auto& entry : *list) {
        TomlTable table(*entry.as_table(), reader.path, "garment.");
        const GarmentEntry read = readGarment(table);
        if (table.fault()) return *table.fault();
        auto garment = makeEntry(read, reader, character);
        const char* key = read.kind.empty() ? "file" : "kind";
        if (!garment) return table.errorAt(key, garment.error().message);
        if (!read.name.empty()) garment->name = read.name;
        for (const Garment& other : garments)
            if (other.name == garment->name)
                return table.errorAt(key,
                                     "another garment is called " + quoteForMessage(other.name) +
                                         " too; give this one a name of its own: name = \"...\"");
        if (read.kind.empty()) own.push_back(garments.size());
        garments.push_back(std::move(*garment));
    }
    return garments;
}

void readWind(TomlTable& root, Wind& wind) {
    auto table = root.table("wind");
    if (!table) return;
    auto seed = int64_t(wind.seed);
    table->read("velocity", wind.velocity, 60);
    table->read("gusts", wind.gusts, 0, 1);
    table->read("seed", seed, 0, std::numeric_limits<int64_t>::max());
    wind.seed = uint64_t(seed);
    table->allowOnly({"velocity", "gusts", "seed"});
    root.fail(table->fault());
}

// Everything but the character, the garments and the clips.
void readSettings(TomlTable& root, SceneFile& file) {
    int64_t stops = file.stops, substeps = 0;
    root.read("rate", file.scene.rate, 1, 1000);
    root.read("stops", stops, 0, 1000);
    root.read("stop_seconds", file.stop_seconds, 0.01, 1000);
    root.read("simulator", file.simulator);
    root.read("substeps", substeps, 0, 1000);
    root.read("gravity", file.scene.gravity, 100);
    readWind(root, file.scene.wind);
    root.read("arms_pass", file.scene.arms_pass);
    file.stops = int(stops);
    file.scene.substeps = int(substeps);
    if (!canSimulate(file.simulator))
        root.fail("simulator", "\"hemline\" or \"blender\" was expected");
    root.allowOnly({"character", "clips", "mirror", "variations", "rate", "stops", "stop_seconds",
                    "simulator", "substeps", "gravity", "wind", "arms_pass", "garment"});
}

Status readMotions(TomlTable& root, const Reader& reader, const SceneOverrides& overrides,
                   SceneFile& file) {
    std::vector<std::string> clips;
    bool mirror = false;
    int64_t variations = 0;
    root.read("clips", clips);
    root.read("mirror", mirror);
    root.read("variations", variations, 0, 1000);
    if (clips.empty() && overrides.clips.empty())
        root.fail("clips",
                  "which motions to record was expected: clips = [\"train\", \"walk.bvh\"]");
    if (root.fault()) return *root.fault();
    const bool given = !overrides.clips.empty();
    auto sources = given ? resolveClips(overrides.clips, "", file.scene.character)
                         : resolveClips(clips, reader.folder, file.scene.character);
    if (!sources)
        return given ? inContext("--clips", sources.error())
                     : root.errorAt("clips", sources.error().message);
    if (mirror) sources = withMirrored(*sources);
    sources = withVariations(*sources, int(variations));
    auto motions = loadClips(*sources, file.scene.character, file.scene.rate);
    if (!motions) return given ? motions.error() : root.errorAt("clips", motions.error().message);
    file.motions = std::move(*motions);
    for (const Motion& motion : file.motions) {
        if (size_t(file.stops) <= motion.frames.size()) continue;
        const std::string fault =
            format("%d stops do not fit into the %zu frames of %s; give fewer", file.stops,
                   motion.frames.size(), motion.name.c_str());
        return overrides.stops ? Error{"--stops: " + fault} : root.errorAt("stops", fault);
    }
    return Done{};
}

}  // namespace

Result<SceneFile> parseScene(std::string_view text, const std::string& path,
                             const SceneOverrides& overrides) {
    if (const auto fault = faultOfTomlText(text, path)) return *fault;
    const toml::parse_result parsed = toml::parse(text, path);
    if (!parsed)
        return errorf("%s:%zu: %s", path.c_str(), size_t(parsed.error().source().begin.line),
                      std::string(parsed.error().description()).c_str());
    const Reader reader{path, std::filesystem::path(path).parent_path().string()};
    TomlTable root(parsed.table(), path);
    SceneFile file;
    file.text = std::string(text);
    std::string character = "female";
    readSettings(root, file);
    root.read("character", character);
    if (root.fault()) return *root.fault();
    if (overrides.stops) file.stops = *overrides.stops;
    if (overrides.simulator) file.simulator = *overrides.simulator;
    auto body =
        characterByName(isCharacterFile(character) ? reader.inFolder(character) : character);
    if (!body) return root.errorAt("character", body.error().message);
    file.scene.character = std::move(*body);
    auto garments = readGarments(root, reader, file.scene.character, file.own_garments);
    if (!garments) return garments.error();
    file.scene.garments = std::move(*garments);
    if (const Status valid = validate(file.scene); !valid) return inContext(path, valid.error());
    if (const Status read = readMotions(root, reader, overrides, file); !read) return read.error();
    return file;
}

Result<SceneFile> loadScene(const std::string& path, const SceneOverrides& overrides) {
    const auto text = readTextFile(path);
    if (!text) return text.error();
    return parseScene(*text, path, overrides);
}

}  // namespace hem
