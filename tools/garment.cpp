// SPDX-License-Identifier: Apache-2.0
// hemline garment: makes a garment to a body's measure, or judges one from a file.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "hem/garment/garment_report.h"
#include "hem/garment/made_to_measure.h"
#include "hem/picture/contact_sheet.h"
#include "hem/picture/render.h"
#include "tools/garment_options.h"
#include "tools/subject.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

struct GarmentArguments {
    std::string garment, body = "female", fabric, output;
    size_t vertices = 0;
    bool wire = false;
    PinOptions pins;
    EaseOption ease;
};

void listAll(const Common& common) {
    nlohmann::json document;
    if (!common.json) std::printf("Garments\n");
    for (const GarmentKind& kind : garmentKinds()) {
        document["garments"].push_back({{"name", kind.name},
                                        {"description", kind.description},
                                        {"vertices", kind.vertices},
                                        {"fabric", kind.fabric}});
        if (!common.json)
            std::printf("  %-15s %6zu vertices, %-8s %s\n", kind.name.c_str(), kind.vertices,
                        kind.fabric.c_str(), kind.description.c_str());
    }
    if (!common.json) std::printf("\nFabrics\n");
    for (const Fabric& f : builtInFabrics()) {
        document["fabrics"].push_back({{"name", f.name},
                                       {"density_kg_m2", f.density},
                                       {"thickness_m", f.thickness},
                                       {"stretch_warp_n_m", f.stretch_warp},
                                       {"stretch_weft_n_m", f.stretch_weft},
                                       {"shear_n_m", f.shear},
                                       {"bend_n_m", f.bend},
                                       {"stretch_damping_s", f.stretch_damping},
                                       {"bend_damping_s", f.bend_damping},
                                       {"friction", f.friction},
                                       {"air_drag", f.air_drag}});
        if (!common.json)
            std::printf(
                "  %-8s %4.0f g/m2  %.2f mm  stretch %.0f x %.0f N/m  shear %.0f N/m  bend "
                "%.1f uN m  friction %.2f\n",
                f.name.c_str(), double(f.density) * 1000, double(f.thickness) * 1000,
                double(f.stretch_warp), double(f.stretch_weft), double(f.shear),
                double(f.bend) * 1e6, double(f.friction));
    }
    if (common.json) std::printf("%s\n", document.dump(2).c_str());
}

Vec3 colorOf(const Garment& garment) {
    const std::string& fabric = garment.fabric.name;
    if (fabric == "denim") return {0.08f, 0.14f, 0.30f};
    if (fabric == "wool") return {0.22f, 0.10f, 0.08f};
    if (fabric == "leather") return {0.10f, 0.06f, 0.04f};
    if (fabric == "silk") return {0.45f, 0.10f, 0.16f};
    if (fabric == "chiffon") return {0.40f, 0.42f, 0.55f};
    return {0.10f, 0.28f, 0.38f};
}

// The body with the garment on, seen from `yaw` degrees.
Image cellOf(const Garment& garment, const Character& character, float yaw, bool wire,
             const RenderOptions& options = {.width = 380, .height = 620}) {
    Scene scene;
    scene.objects.push_back({character.mesh, mannequinMaterial()});
    scene.objects.push_back({garment.mesh, clothMaterial(colorOf(garment)), wire});
    std::vector<Vec3> all = character.mesh.positions;
    all.insert(all.end(), garment.mesh.positions.begin(), garment.mesh.positions.end());
    const Camera camera = frameCamera(all, {yaw, 6}, float(options.width) / float(options.height));
    scene.lights = studioLights(camera);
    return render(scene, camera, options);
}

Image pictureOf(const Garment& garment, const Character& character, bool wire) {
    std::vector<Image> cells;
    for (float yaw : {0.0f, 90.0f, 180.0f, 35.0f})
        cells.push_back(cellOf(garment, character, yaw, wire));
    return contactSheet(cells, {"front", "left", "back", "three-quarter"},
                        {.columns = 4, .title = garment.name + " on " + character.name});
}

// Every kind on one sheet, half from the front and half from behind.
Result<Image> wardrobe(const Character& character, bool wire) {
    std::vector<Image> cells;
    std::vector<std::string> labels;
    Progress progress("garments", garmentKinds().size());
    for (const GarmentKind& kind : garmentKinds()) {
        const auto garment = makeGarment(character, kind.name);
        if (!garment) return garment.error();
        for (float yaw : {30.0f, 200.0f}) {
            cells.push_back(cellOf(*garment, character, yaw, wire, {.width = 190, .height = 310}));
            labels.push_back(yaw < 90 ? format("%s, %zu vertices, %s", kind.name.c_str(),
                                               garment->mesh.positions.size(),
                                               garment->fabric.name.c_str())
                                      : "");
        }
        progress.advance(1);
    }
    return contactSheet(cells, labels, {.columns = 8, .title = "on " + character.name});
}

nlohmann::json jsonOf(const Garment& garment, const GarmentReport& r) {
    return {{"name", garment.name},
            {"fabric", garment.fabric.name},
            {"vertices", r.vertices},
            {"triangles", r.triangles},
            {"components", r.components},
            {"boundary_loops", r.boundary_loops},
            {"area_m2", r.area},
            {"mass_kg", r.mass},
            {"mean_edge_m", r.mean_edge},
            {"shortest_edge_m", r.shortest_edge},
            {"longest_edge_m", r.longest_edge},
            {"smallest_angle_degrees", r.smallest_angle},
            {"mean_quality", r.mean_quality},
            {"nearest_to_skin_m", r.nearest_to_skin},
            {"points_inside_skin", r.inside_skin},
            {"self_intersections", r.self_intersections},
            {"pinned_vertices", r.pinned},
            {"mean_pin", r.pinned_share},
            {"uv_stretch", r.uv_stretch}};
}

void printReport(const Garment& garment, const GarmentReport& r) {
    std::printf("%s in %s\n", garment.name.c_str(), garment.fabric.name.c_str());
    std::printf("  mesh        %zu vertices, %zu triangles, %zu piece%s, %zu edges of cloth\n",
                r.vertices, r.triangles, r.components, r.components == 1 ? "" : "s",
                r.boundary_loops);
    std::printf("  cloth       %.3f m2, %.0f g\n", r.area, r.mass * 1000);
    std::printf("  edges       %.1f mm (%.1f to %.1f)\n", r.mean_edge * 1000,
                r.shortest_edge * 1000, r.longest_edge * 1000);
    std::printf("  triangles   smallest angle %.1f degrees, mean quality %.3f\n", r.smallest_angle,
                r.mean_quality);
    std::printf("  from skin   %.1f mm at the nearest, %zu points inside\n",
                r.nearest_to_skin * 1000, r.inside_skin);
    std::printf("  itself      %zu crossing%s\n", r.self_intersections,
                r.self_intersections == 1 ? "" : "s");
    if (garment.corner_uvs.empty())
        std::printf("  texture     no coordinates\n");
    else
        std::printf("  texture     stretched by %.3f on average\n", r.uv_stretch);
    std::printf("  pins        %zu vertices, %.3f on average\n", r.pinned, r.pinned_share);
}

nlohmann::json jsonOf(const ImportNotes& notes) {
    return {{"merged_vertices", notes.merged},
            {"split_vertices", notes.split},
            {"let_out_vertices", notes.let_out.moved},
            {"let_out_farthest_m", notes.let_out.farthest},
            {"let_out_area_m2", notes.let_out.area}};
}

void printNotes(const ImportNotes& notes) {
    std::printf(
        "  merged      %zu vertices that stood in one place, %zu split where sheets touched\n",
        notes.merged, notes.split);
    std::printf("  let out     %zu vertices, up to %.1f mm; %.3f m2 of cloth more\n",
                notes.let_out.moved, double(notes.let_out.farthest) * 1000,
                double(notes.let_out.area));
}

// Names with an extension are files.
Result<Garment> makeOrLoad(const GarmentArguments& a, const Character& character,
                           ImportNotes& notes) {
    if (extensionOf(a.garment).empty())
        return makeGarment(character, a.garment, {.vertices = a.vertices, .fabric = a.fabric});
    const auto fabric = findFabric(a.fabric.empty() ? "cotton" : a.fabric);
    if (!fabric) return fabric.error();
    return loadGarment(a.garment, character, *fabric, a.pins.rules, a.ease.metres, &notes);
}

std::optional<Error> badUse(const GarmentArguments& a) {
    const bool is_file = !extensionOf(a.garment).empty(), is_all = a.garment == "all";
    const std::string ending = extensionOf(a.output);
    if (!a.output.empty() && ending != "obj" && ending != "png")
        return errorf("%s: end the name in .obj for the mesh or in .png for a picture of it worn",
                      a.output.c_str());
    if (is_file && a.vertices > 0)
        return errorf("--vertices is for built-in garments; a file has the vertices that it has");
    if (!is_file && a.ease.given())
        return errorf("--ease is for garments from files; built-in ones are cut with theirs");
    if (!is_file && a.pins.given())
        return errorf("--pin-... are for garments from files; built-in ones have their own pins");
    const auto& kinds = garmentKinds();
    if (!is_file && !is_all && std::none_of(kinds.begin(), kinds.end(), [&](const GarmentKind& k) {
            return k.name == a.garment;
        }))
        return unknownGarment(a.garment);
    if (const auto fabric = findFabric(a.fabric); !a.fabric.empty() && !fabric)
        return inContext("--fabric", fabric.error());
    return {};
}

int runWardrobe(const GarmentArguments& a, const Character& character) {
    if (extensionOf(a.output) != "png")
        return fail(errorf("all garments make one picture: give -o FILE.png"), kBadUse);
    const auto sheet = wardrobe(character, a.wire);
    if (!sheet) return fail(sheet.error());
    const Status saved = savePng(a.output, *sheet);
    return saved ? 0 : fail(saved.error());
}

int runGarment(const GarmentArguments& a, const Common& common) {
    if (a.garment.empty()) {
        listAll(common);
        return 0;
    }
    if (const auto error = badUse(a)) return fail(*error, kBadUse);
    const auto subject = loadSubject(a.body);
    if (!subject) return fail(subject.error());
    if (subject->isMesh())
        return fail(errorf("%s: a garment is made for a character with joints, not for a mesh",
                           a.body.c_str()),
                    kBadUse);
    const Character& character = subject->character;
    if (a.garment == "all") return runWardrobe(a, character);
    ImportNotes notes;
    const bool is_file = !extensionOf(a.garment).empty();
    const auto garment = makeOrLoad(a, character, notes);
    if (!garment) return fail(garment.error());
    const GarmentReport report = reportOn(*garment, character);
    if (!a.output.empty()) {
        const Status saved = extensionOf(a.output) == "png"
                                 ? savePng(a.output, pictureOf(*garment, character, a.wire))
                                 : saveGarmentObj(a.output, *garment);
        if (!saved) return fail(saved.error());
    }
    if (common.json) {
        nlohmann::json document = jsonOf(*garment, report);
        if (is_file) document["import"] = jsonOf(notes);
        std::printf("%s\n", document.dump(2).c_str());
    } else {
        printReport(*garment, report);
        if (is_file) printNotes(notes);
    }
    if (!common.json && !common.quiet && !a.output.empty())
        std::printf("  written     %s\n", a.output.c_str());
    if (!common.quiet && is_file) printRemarks(*garment, report);
    if (const Status valid = validate(*garment); !valid) return fail(valid.error());
    return 0;
}

constexpr const char* kExamples =
    "  hemline garment                                            # what there is\n"
    "  hemline garment dress --on female --vertices 766 -o dress.obj\n"
    "  hemline garment coat --on hero.glb --fabric wool -o coat.png\n"
    "  hemline garment all --on female -o wardrobe.png\n"
    "  hemline garment skirt.obj --on hero.glb --pin-group waistband   # judges your own\n"
    "  hemline garment trousers.obj --on hero.glb --pin-opening top --ease 0.01\n"
    "  hemline garment tee.glb --on hero.glb --pin-near Neck,LeftShoulder,RightShoulder\n";

}  // namespace

void addGarmentVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<GarmentArguments>();
    CLI::App* verb =
        addVerb(app, common, "garment", "Make a garment to measure, or judge one", kExamples);
    verb->add_option(
        "GARMENT", a->garment,
        "A kind (none: the list of them), all of them (a picture), or an .obj, .glb or "
        ".gltf file of your own");
    verb->add_option("--on", a->body, "Who wears it: female, male, or a character's file")
        ->capture_default_str();
    verb->add_option("--vertices", a->vertices, "How many vertices (default: the kind's own)")
        ->check(CLI::Range(1, 10000000));
    verb->add_option("--fabric", a->fabric, "Default: the kind's own");
    verb->add_option("-o,--output", a->output, "An .obj file, or a .png picture of it worn");
    a->pins.addTo(verb);
    a->ease.addTo(verb);
    verb->add_flag("--wire", a->wire, "Draw the triangles' edges in the picture");
    verb->callback([a, &common] { common.exit_code = runGarment(*a, common); });
}

}  // namespace hem::tools
