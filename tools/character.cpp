// SPDX-License-Identifier: Apache-2.0
// hemline character: what a character file holds, what was made of it, and what is wrong with it.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "hem/character/character_report.h"
#include "hem/character/formats/bvh.h"
#include "hem/character/formats/character_import.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/core/files.h"
#include "hem/core/text.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

using Json = nlohmann::ordered_json;

struct CharacterArguments {
    std::string file, mapping;
    double metres_per_unit = 0;
    bool keep_pose = false;
};

// A BVH file gives a skeleton and its motion.
Result<Character> loadSkeleton(const CharacterArguments& arguments) {
    auto motion =
        loadBvh(arguments.file, {.metres_per_unit = arguments.metres_per_unit, .end_sites = true});
    if (!motion) return motion.error();
    Character c;
    c.name = motion->name;
    c.skeleton = motion->skeleton;
    c.notes = std::move(motion->notes);
    motion->notes.clear();
    c.motions.push_back(std::move(*motion));
    return c;
}

Result<Character> load(const CharacterArguments& arguments) {
    for (Sex sex : {Sex::kFemale, Sex::kMale})
        if (arguments.file == nameOf(sex)) return mannequin(sex);
    if (extensionOf(arguments.file) == "bvh") return loadSkeleton(arguments);
    return loadCharacter(arguments.file, {.metres_per_unit = arguments.metres_per_unit,
                                          .keep_pose = arguments.keep_pose});
}

// "13,380"
std::string grouped(size_t number) {
    std::string digits = std::to_string(number);
    for (int at = int(digits.size()) - 3; at > 0; at -= 3) digits.insert(size_t(at), ",");
    return digits;
}

// Names come from untrusted files: what would steer a terminal is shown as '?'.
std::string shown(const std::string& name) {
    std::string text = name;
    for (char& c : text)
        if ((c >= 0 && c < 0x20) || c == 0x7f) c = '?';
    return text;
}

void printTree(const Skeleton& skeleton, size_t joint, const std::string& indent) {
    std::vector<size_t> children;
    for (size_t j = joint + 1; j < skeleton.size(); ++j)
        if (skeleton.joints[j].parent == int(joint)) children.push_back(j);
    for (size_t child : children) {
        const bool last = child == children.back();
        const char* branch = last ? "`- " : "|- ";
        std::printf("  %s%s%s\n", indent.c_str(), branch,
                    shown(skeleton.joints[child].name).c_str());
        printTree(skeleton, child, indent + (last ? "   " : "|  "));
    }
}

void printSurface(const Character& c, const CharacterReport& report) {
    std::printf("  size        %.3f m wide, %.3f m high, %.3f m deep\n", double(report.size.x),
                double(report.size.y), double(report.size.z));
    if (c.mesh.positions.empty()) {
        std::printf("  mesh        none: a skeleton alone\n");
        return;
    }
    std::printf("  mesh        %s vertices in %s places, %s triangles\n",
                grouped(c.mesh.positions.size()).c_str(), grouped(report.welded_vertices).c_str(),
                grouped(c.mesh.triangles.size()).c_str());
    const Topology& t = report.topology;
    if (t.watertight())
        std::printf("  surface     watertight, %zu piece%s, %.1f litres\n", t.components,
                    t.components == 1 ? "" : "s", report.volume * 1000);
    else
        std::printf("  surface     not watertight: %zu open edges, %zu bad edges, %zu piece%s\n",
                    t.boundary_edges, t.nonmanifold_edges, t.components,
                    t.components == 1 ? "" : "s");
    std::printf("  weights     up to %zu joints a vertex\n", report.most_weights);
}

void printBones(const Character& c, const CharacterReport& report) {
    std::printf("\nBones (%s)\n", report.humanoid->convention.c_str());
    for (int b = 0; b < kBoneCount; ++b) {
        const int joint = (*report.humanoid)[Bone(b)];
        if (joint >= 0)
            std::printf("  %-14s %s\n", nameOf(Bone(b)),
                        shown(c.skeleton.joints[size_t(joint)].name).c_str());
    }
    std::string missing;
    for (Bone bone : report.missing_bones)
        missing += (missing.empty() ? "" : ", ") + std::string(nameOf(bone));
    if (!missing.empty()) std::printf("  without a joint: %s\n", missing.c_str());
}

void printText(const Character& c, const CharacterReport& report) {
    std::printf("%s\n", shown(c.name).c_str());
    printSurface(c, report);
    std::printf(
        "  skeleton    %zu joints, %s", c.skeleton.size(),
        report.humanoid ? (report.humanoid->convention + " names").c_str() : "unknown names");
    if (report.arm_angle)
        std::printf(", %s (arms %.0f degrees below level)", report.poseName(),
                    std::round(double(*report.arm_angle)) + 0.0);
    std::printf("\n");
    for (const Motion& motion : c.motions)
        std::printf("  motion      %s: %s frames at %g Hz, %.2f s\n", shown(motion.name).c_str(),
                    grouped(motion.frames.size()).c_str(), motion.rate, motion.duration());
    if (report.humanoid) printBones(c, report);
    std::printf("\nJoints\n  %s\n", shown(c.skeleton.joints[0].name).c_str());
    printTree(c.skeleton, 0, "");
    if (!c.notes.empty()) std::printf("\nChanges and remarks\n");
    for (const std::string& note : c.notes) std::printf("  - %s\n", note.c_str());
    for (const Motion& motion : c.motions)
        for (const std::string& note : motion.notes)
            std::printf("  - %s: %s\n", shown(motion.name).c_str(), note.c_str());
    std::printf("\nProblems%s\n", report.problems.empty() ? ": none" : "");
    for (const Problem& problem : report.problems)
        std::printf("  - %s\n    Cure: %s\n", problem.what.c_str(), problem.cure.c_str());
}

Json jointsAsJson(const Skeleton& skeleton) {
    Json joints = Json::array();
    const auto rest = worldFromJoints(skeleton, restPose(skeleton));
    for (size_t j = 0; j < skeleton.size(); ++j) {
        const Vec3 p = rest[j].translation();
        joints.push_back({{"name", skeleton.joints[j].name},
                          {"parent", skeleton.joints[j].parent},
                          {"position", {p.x, p.y, p.z}}});
    }
    return joints;
}

Json bonesAsJson(const Character& c, const CharacterReport& report) {
    if (!report.humanoid) return nullptr;
    Json bones = Json::object();
    for (int b = 0; b < kBoneCount; ++b)
        if (const int joint = (*report.humanoid)[Bone(b)]; joint >= 0)
            bones[nameOf(Bone(b))] = c.skeleton.joints[size_t(joint)].name;
    return bones;
}

Json meshAsJson(const Character& c, const CharacterReport& report) {
    if (c.mesh.positions.empty()) return nullptr;
    const Topology& t = report.topology;
    return {{"vertices", c.mesh.positions.size()},
            {"welded_vertices", report.welded_vertices},
            {"triangles", c.mesh.triangles.size()},
            {"watertight", t.watertight()},
            {"open_edges", t.boundary_edges},
            {"bad_edges", t.nonmanifold_edges},
            {"pieces", t.components},
            {"volume_m3", report.volume},
            {"weights_per_vertex", report.most_weights}};
}

void printJson(const Character& c, const CharacterReport& report) {
    Json document = {
        {"name", c.name},
        {"size_m", {report.size.x, report.size.y, report.size.z}},
        {"mesh", meshAsJson(c, report)},
        {"convention", report.humanoid ? Json(report.humanoid->convention) : Json(nullptr)},
        {"pose", report.poseName()},
        {"arm_angle_degrees", report.arm_angle ? Json(*report.arm_angle) : Json(nullptr)},
        {"bones", bonesAsJson(c, report)},
        {"joints", jointsAsJson(c.skeleton)},
        {"motions", Json::array()},
        {"notes", c.notes},
        {"problems", Json::array()}};
    for (const Motion& motion : c.motions)
        document["motions"].push_back({{"name", motion.name},
                                       {"frames", motion.frames.size()},
                                       {"rate", motion.rate},
                                       {"notes", motion.notes}});
    for (const Problem& problem : report.problems)
        document["problems"].push_back({{"what", problem.what}, {"cure", problem.cure}});
    std::printf("%s\n", document.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

int runCharacter(const CharacterArguments& arguments, const Common& common) {
    const auto character = load(arguments);
    if (!character) return fail(character.error());
    std::optional<Humanoid> mapping;
    if (!arguments.mapping.empty()) {
        const auto loaded = loadMapping(arguments.mapping, character->skeleton);
        if (!loaded) return fail(loaded.error());
        mapping = *loaded;
    }
    const CharacterReport report = inspect(*character, mapping);
    common.json ? printJson(*character, report) : printText(*character, report);
    return 0;
}

}  // namespace

void addCharacterVerb(CLI::App& app, Common& common) {
    auto arguments = std::make_shared<CharacterArguments>();
    CLI::App* verb =
        addVerb(app, common, "character",
                "Describe a character: joints, bones, surface, problems and their cure",
                "  hemline character hero.glb\n"
                "  hemline character female\n"
                "  hemline character hero.fbx --mapping hero.json --metres-per-unit 0.01\n"
                "  hemline character walk.bvh --json | jq .bones\n");
    verb->add_option(
            "file", arguments->file,
            "GLB, glTF, VRM or FBX character, BVH skeleton, or female or male for the mannequin")
        ->required();
    verb->add_option("--mapping", arguments->mapping,
                     "JSON file that says which joint is which bone");
    verb->add_option("--metres-per-unit", arguments->metres_per_unit,
                     "The file's unit, where it is not what it says")
        ->check(CLI::Range(1e-6, 1e6));
    verb->add_flag("--keep-pose", arguments->keep_pose,
                   "Leave up axis, facing and floor as the file has them");
    verb->callback([arguments, &common] { common.exit_code = runCharacter(*arguments, common); });
}

}  // namespace hem::tools
