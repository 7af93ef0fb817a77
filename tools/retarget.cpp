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
#include "hem/character/motions/motion_sets.h"
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
    "Sources are .bvh files, folders of them, .glb, .gltf or .fbx files with animations, and "
    "names\n"
    "of built-in clips. A\n"
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

// A name rather than a file: built-in clips have no extension.
bool isBuiltInClip(const std::string& source) {
    return extensionOf(source).empty() && clipInfo(source).has_value();
}

Result<std::vector<Motion>> loadSource(const std::string& path) {
    if (isBuiltInClip(path)) {
        auto motion = makeMotion(path, mannequinSkeleton(Sex::kFemale));
        if (!motion) return motion.error();
        return std::vector<Motion>{std::move(*motion)};
    }
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
    const std::string extension = extensionOf(target);
    if (extension.empty())
        return errorf("%s: no such character; give female or male (the mannequin), or a file",
                      target.c_str());
    if (extension != "bvh") return loadCharacter(target);
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

// A file of one or more motions on one character.
struct Output {
    std::string path;
    std::vector<const Task*> tasks;
};

bool isFileOutput(const std::string& output) {
    const std::string extension = extensionOf(output);
    return (extension == "bvh" || extension == "glb") && !std::filesystem::is_directory(output);
}

// What will be written where: one file, or a file for each motion in a folder.
std::vector<Output> planOutputs(const std::vector<Task>& tasks, const Options& options) {
    std::vector<Output> outputs;
    if (isFileOutput(options.output)) {
        outputs.push_back({options.output, {}});
        for (const Task& task : tasks) outputs[0].tasks.push_back(&task);
        return outputs;
    }
    const std::string extension = options.format.empty() ? "bvh" : options.format;
    std::map<std::string, int> used;
    for (const Task& task : tasks) {
        const bool name_target = options.targets.size() > 1;
        std::string name = task.source->name + (name_target ? "_" + task.target->name : "");
        if (const int again = used[name]++; again > 0) name += format("_%d", again + 1);
        const auto path = std::filesystem::path(options.output) / (name + "." + extension);
        outputs.push_back({path.string(), {&task}});
    }
    return outputs;
}

// A message where writing would replace a file that was read.
std::optional<Error> overwriting(const std::vector<Output>& outputs,
                                 const std::vector<std::string>& inputs) {
    for (const Output& output : outputs)
        for (const std::string& input : inputs) {
            std::error_code missing;
            if (std::filesystem::equivalent(output.path, input, missing))
                return errorf("%s: would be written over, and is an input; choose another -o",
                              output.path.c_str());
        }
    return std::nullopt;
}

Status write(const std::vector<Output>& outputs, const Options& options) {
    if (!isFileOutput(options.output))
        if (Status s = makeFolders(options.output); !s) return s;
    for (const Output& output : outputs) {
        std::vector<Motion> motions;
        for (const Task* task : output.tasks) motions.push_back(task->result);
        Status s = extensionOf(output.path) == "bvh"
                       ? saveBvh(output.path, motions[0])
                       : saveGlb(output.path, *output.tasks[0]->target, motions);
        if (!s) return s;
    }
    return Done{};
}

// A message where the options do not go together.
std::optional<Error> misuse(const Options& options) {
    if (options.output.empty() && !options.report)
        return errorf("say where to write with -o, or ask for figures with --report");
    const std::string extension = extensionOf(options.output);
    const bool is_folder =
        options.output.ends_with('/') || std::filesystem::is_directory(options.output);
    if (!extension.empty() && !is_folder && extension != "bvh" && extension != "glb")
        return errorf("%s: motions are written as .bvh or .glb; for a folder, end its name in /",
                      options.output.c_str());
    if (isFileOutput(options.output) && !options.format.empty() && options.format != extension)
        return errorf("--format %s is for a folder; -o names a .%s file", options.format.c_str(),
                      extension.c_str());
    if (isFileOutput(options.output) && extension == "glb" && options.targets.size() > 1)
        return errorf("one GLB file holds one character: give -o a folder");
    return std::nullopt;
}

void printResults(const std::vector<ReportRow>& rows, const std::vector<Output>& outputs,
                  const Options& options, const Common& common) {
    if (common.json) {
        auto document = options.report ? reportJson(rows) : nlohmann::json::object();
        document["written"] = nlohmann::json::array();
        for (const Output& output : outputs) document["written"].push_back(output.path);
        std::printf("%s\n", document.dump(2).c_str());
        return;
    }
    if (options.report) std::fputs(reportTable(rows).c_str(), stdout);
    for (const Output& output : outputs) std::printf("%s\n", output.path.c_str());
}

int run(const Options& options, const Common& common) {
    if (const auto error = misuse(options)) return fail(*error, kBadUse);
    const auto paths = expandFolders(options.sources);
    if (!paths) return fail(paths.error());
    std::vector<Motion> motions;
    for (const std::string& path : *paths) {
        auto loaded = loadSource(path);
        if (!loaded) return fail(loaded.error());
        for (Motion& motion : *loaded) motions.push_back(std::move(motion));
    }
    std::vector<Character> targets;
    for (const std::string& target : options.targets) {
        auto loaded = loadTarget(target);
        if (!loaded) return fail(loaded.error());
        targets.push_back(std::move(*loaded));
    }
    std::vector<Task> tasks;
    for (const Character& target : targets)
        for (const Motion& motion : motions) tasks.push_back({&motion, &target, {}, {}, ""});
    std::vector<Output> outputs;
    if (!options.output.empty()) outputs = planOutputs(tasks, options);
    if (outputs.size() == 1 && outputs[0].tasks.size() > 1 && extensionOf(outputs[0].path) == "bvh")
        return fail(errorf("%zu motions do not fit into one BVH file: give -o a folder",
                           outputs[0].tasks.size()),
                    kBadUse);
    std::vector<std::string> inputs = *paths;
    inputs.insert(inputs.end(), options.targets.begin(), options.targets.end());
    if (const auto error = overwriting(outputs, inputs)) return fail(*error, kBadUse);
    if (Status s = runAll(tasks, options); !s) return fail(s.error());
    if (!outputs.empty())
        if (Status s = write(outputs, options); !s) return fail(s.error());
    std::vector<ReportRow> rows;
    for (Task& task : tasks) rows.push_back(task.row);
    printResults(rows, outputs, options, common);
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
