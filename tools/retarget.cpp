// SPDX-License-Identifier: Apache-2.0
// hemline retarget: motions carried over to other characters, and how well that went.
#include "hem/character/retarget/retarget.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "hem/character/formats/bvh.h"
#include "hem/character/formats/character_import.h"
#include "hem/character/formats/glb_export.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/core/files.h"
#include "hem/core/parallel.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "tools/retarget_report.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

struct Options {
    std::vector<std::string> sources, targets;
    std::string output, format, mapping, target_mapping;
    bool report = false, keep_toes = false, no_ground = false;
};

constexpr const char* kExamples =
    "  hemline retarget walk.bvh --to female -o walk_female.bvh\n"
    "  hemline retarget mocap/*.bvh --to hero.glb -o hero_motions/          # BVH files\n"
    "  hemline retarget mocap/*.bvh --to hero.glb -o hero.glb.anim.glb      # all in one GLB\n"
    "  hemline retarget mocap/*.bvh --to hero.glb --format glb -o motions/  # a GLB each\n"
    "  hemline retarget dancer.fbx --to male -o dance.bvh                   # its animations\n"
    "  hemline retarget mocap/*.bvh --to female --to male --to hero.glb --report\n"
    "  hemline retarget odd.bvh --mapping odd.json --to female -o odd_female.bvh\n\n"
    "Sources are .bvh files, folders of them, and .glb, .gltf or .fbx files with animations. A\n"
    "calibration pose in a BVH's first frame is left out. Names are recognised for CMU, Mixamo, "
    "VRM,\n"
    "MakeHuman, Rigify, Unreal, Biped, Poser and plain English; for others --mapping names a JSON\n"
    "object from bones to joints, {\"Hips\": \"pelvis\", \"LeftUpLeg\": ...}.\n\n"
    "The report's columns: sliding of standing feet (in the source's stances, then in those found "
    "on\n"
    "the result), how far feet go below the floor (outside landings, in landings), how high "
    "standing\n"
    "feet float, the angle between bones of source and result (arms and legs, then legs), and the\n"
    "largest turn of a joint from frame to frame. docs/retarget.md defines them.\n";

Result<std::vector<Motion>> loadSource(const std::string& path) {
    if (extensionOf(path) == "bvh") {
        auto motion = loadBvh(path, {.drop_t_pose = true});
        if (!motion) return motion.error();
        return std::vector<Motion>{std::move(*motion)};
    }
    auto character = loadCharacter(path);
    if (!character) return character.error();
    if (character->motions.empty()) return errorf("%s: has no animation to retarget", path.c_str());
    return std::move(character->motions);
}

Result<std::vector<std::string>> expandFolders(const std::vector<std::string>& sources) {
    std::vector<std::string> paths;
    for (const std::string& source : sources) {
        if (!std::filesystem::is_directory(source)) {
            paths.push_back(source);
            continue;
        }
        const auto files = listFiles(source, ".bvh");
        if (!files) return files.error();
        if (files->empty()) return errorf("%s: a folder without .bvh files", source.c_str());
        paths.insert(paths.end(), files->begin(), files->end());
    }
    return paths;
}

Result<Character> loadTarget(const std::string& target) {
    for (Sex sex : {Sex::kFemale, Sex::kMale})
        if (target == nameOf(sex)) return mannequin(sex);
    if (extensionOf(target) != "bvh") return loadCharacter(target);
    auto motion = loadBvh(target);
    if (!motion) return motion.error();
    return Character{.name = stemOf(target), .skeleton = std::move(motion->skeleton)};
}

// One motion on one character.
struct Task {
    const Motion* source;
    const Character* target;
    Motion result;
    ReportRow row;
    std::string error;
};

RetargetOptions retargetOptions(const Options& options) {
    RetargetOptions result;
    result.ground = !options.no_ground;
    result.toes_from_source = options.keep_toes;
    return result;
}

Status carryOver(Task& task, const Options& options) {
    RetargetOptions how = retargetOptions(options);
    if (!options.mapping.empty()) {
        const auto humanoid = loadMapping(options.mapping, task.source->skeleton);
        if (!humanoid) return humanoid.error();
        how.source_humanoid = *humanoid;
    }
    if (!options.target_mapping.empty()) {
        const auto humanoid = loadMapping(options.target_mapping, task.target->skeleton);
        if (!humanoid) return humanoid.error();
        how.target_humanoid = *humanoid;
    }
    const auto retargeter = Retargeter::make(task.source->skeleton, *task.target, how);
    if (!retargeter) return retargeter.error();
    Retargeter::Details details;
    task.result = retargeter->retarget(*task.source, &details);
    task.row = {task.source->name, task.target->name, task.result.frames.size(), {}, {}};
    if (!options.report || task.result.frames.empty()) return Done{};
    const Character* mesh = task.target->mesh.positions.empty() ? nullptr : task.target;
    task.row.quality = measureQuality(task.result, retargeter->targetHumanoid(),
                                      {.contacts = &details.contacts,
                                       .character = mesh,
                                       .source = task.source,
                                       .source_humanoid = &retargeter->sourceHumanoid()});
    task.row.own = measureQuality(task.result, retargeter->targetHumanoid(), {.character = mesh});
    return Done{};
}

Status runAll(std::vector<Task>& tasks, const Options& options) {
    Progress progress("retargeting", tasks.size());
    parallelFor(tasks.size(), 1, [&](size_t begin, size_t count) {
        for (size_t i = begin; i < begin + count; ++i) {
            if (Status s = carryOver(tasks[i], options); !s)
                tasks[i].error = tasks[i].source->name + " to " + tasks[i].target->name + ": " +
                                 s.error().message;
            progress.advance();
        }
    });
    for (const Task& task : tasks)
        if (!task.error.empty()) return Error{task.error};
    return Done{};
}

// Each motion to a file of its own, in a folder.
Status writeEach(const std::vector<Task>& tasks, const std::string& folder,
                 const std::string& extension, bool name_target,
                 std::vector<std::string>& written) {
    if (Status s = makeFolders(folder); !s) return s;
    std::map<std::string, int> used;
    for (const Task& task : tasks) {
        std::string name = task.result.name + (name_target ? "_" + task.target->name : "");
        if (const int again = used[name]++; again > 0) name += format("_%d", again + 1);
        const std::string path =
            (std::filesystem::path(folder) / (name + "." + extension)).string();
        const Status s = extension == "bvh" ? saveBvh(path, task.result)
                                            : saveGlb(path, *task.target, {task.result});
        if (!s) return s;
        written.push_back(path);
    }
    return Done{};
}

Status write(const std::vector<Task>& tasks, const Options& options,
             std::vector<std::string>& written) {
    const std::string extension = extensionOf(options.output);
    const bool to_file = extension == "bvh" || extension == "glb";
    if (!to_file)
        return writeEach(tasks, options.output, options.format.empty() ? "bvh" : options.format,
                         options.targets.size() > 1, written);
    written.push_back(options.output);
    if (extension == "bvh") return saveBvh(options.output, tasks[0].result);
    std::vector<Motion> motions;
    for (const Task& task : tasks) motions.push_back(task.result);
    return saveGlb(options.output, *tasks[0].target, motions);
}

// A message where the options do not go together.
std::optional<Error> misuse(const Options& options, size_t motions) {
    if (options.output.empty() && !options.report)
        return errorf("say where to write with -o, or ask for figures with --report");
    const std::string extension = extensionOf(options.output);
    if (extension == "bvh" && (motions > 1 || options.targets.size() > 1))
        return errorf("%zu motions do not fit into one BVH file: give -o a folder",
                      motions * options.targets.size());
    if (extension == "glb" && options.targets.size() > 1)
        return errorf("one GLB file holds one character: give -o a folder");
    return std::nullopt;
}

int run(const Options& options, const Common& common) {
    const auto paths = expandFolders(options.sources);
    if (!paths) return fail(paths.error());
    std::vector<Motion> motions;
    for (const std::string& path : *paths) {
        auto loaded = loadSource(path);
        if (!loaded) return fail(loaded.error());
        for (Motion& motion : *loaded) motions.push_back(std::move(motion));
    }
    if (const auto error = misuse(options, motions.size())) return fail(*error, kBadUse);
    std::vector<Character> targets;
    for (const std::string& target : options.targets) {
        auto loaded = loadTarget(target);
        if (!loaded) return fail(loaded.error());
        targets.push_back(std::move(*loaded));
    }
    std::vector<Task> tasks;
    for (const Character& target : targets)
        for (const Motion& motion : motions) tasks.push_back({&motion, &target, {}, {}, ""});
    if (Status s = runAll(tasks, options); !s) return fail(s.error());
    std::vector<std::string> written;
    if (!options.output.empty())
        if (Status s = write(tasks, options, written); !s) return fail(s.error());

    std::vector<ReportRow> rows;
    for (Task& task : tasks) rows.push_back(std::move(task.row));
    if (options.report)
        std::fputs((common.json ? reportJson(rows) : reportTable(rows)).c_str(), stdout);
    else if (common.json)
        std::printf("%s\n", nlohmann::json({{"written", written}}).dump(2).c_str());
    else if (!common.quiet)
        for (const std::string& path : written) std::printf("%s\n", path.c_str());
    return 0;
}

}  // namespace

void addRetargetVerb(CLI::App& app, Common& common) {
    auto options = std::make_shared<Options>();
    CLI::App* verb =
        addVerb(app, common, "retarget", "Carry motions over to another character", kExamples);
    verb->add_option("SOURCE", options->sources,
                     "Motions: .bvh, .glb, .gltf, .fbx, or folders of .bvh")
        ->required();
    verb->add_option("--to", options->targets,
                     "The character: female or male (the mannequin), or a file; may be repeated")
        ->required()
        ->allow_extra_args(false);
    verb->add_option("-o,--output", options->output, "A .bvh or .glb file, or a folder");
    verb->add_option("--format", options->format,
                     "bvh or glb, for files in a folder (default: bvh)")
        ->check(CLI::IsMember({"bvh", "glb"}));
    verb->add_flag("--report", options->report, "Print how well it went, per clip and in all");
    verb->add_option("--mapping", options->mapping,
                     "JSON file: which joint of the sources is which bone");
    verb->add_option("--to-mapping", options->target_mapping, "The same for the characters");
    verb->add_flag("--keep-toes", options->keep_toes, "Take the toes' turning from the source");
    verb->add_flag("--no-ground", options->no_ground,
                   "Carry directions over only: feet may slide, float and sink");
    verb->callback([options, &common] { common.exit_code = run(*options, common); });
}

}  // namespace hem::tools
