// SPDX-License-Identifier: Apache-2.0
// hemline tables: the papers' tables with our figures beside theirs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "tools/tables_pose_sections.h"
#include "tools/tables_sections.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline tables recordings/tables                          # everything, about an hour\n"
    "  hemline tables recordings/tables --only dimensions orders\n"
    "  hemline tables recordings/tables --set real --mocap mocap # captured motions\n"
    "  hemline tables recordings/tables --set poses              # the 2021 paper's coat\n"
    "  hemline tables recordings/tables --quick                  # a look at every section\n"
    "\n"
    "FOLDER keeps recordings, models and results: run the same command again, after Ctrl-C or a\n"
    "crash, and it goes on where it was. Garments above 1,000 vertices, and the four dresses of\n"
    "Table 4, are recorded in every third clip of the sets; --every 1 takes all. After a change "
    "of\n"
    "the code, --again trains and plays anew; after one of the simulator, start with an empty "
    "folder.\n"
    "docs/tables.md is the manual; docs/results.md shows what it prints.";

constexpr int kQuickIterations = 60;

struct Arguments {
    std::string folder, set = "built-in", mocap;
    std::vector<std::string> only;
    int every = 3, poses = 0;
    bool quick = false;
    WorkshopOptions options;
};

// Where the captured motions are: --mocap, or where scripts look for them.
Result<std::string> mocapFolder(const Arguments& a) {
    if (!a.mocap.empty()) return a.mocap;
    const char* data = std::getenv("HEM_SHARED_DATA");
    const std::string folder = std::string(data ? data : "../shared/data") + "/mocap";
    if (std::filesystem::is_directory(folder + "/train")) return folder;
    return errorf(
        "%s/train is not there: give --mocap a folder with train, test, atomic and novel "
        "in it, each of .bvh files",
        folder.c_str());
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

// The sections of a set, made one after the other: those asked for, or all.
template <class Kind, class Workshop, class Plan>
int makeSections(const std::vector<Kind>& kinds, Workshop& workshop, const Plan& plan,
                 const Arguments& a, const Common& common, Json document) {
    for (const std::string& name : a.only)
        if (std::none_of(kinds.begin(), kinds.end(),
                         [&](const Kind& kind) { return name == kind.name; }))
            return fail(errorf("--only %s: no section of --set %s", name.c_str(), a.set.c_str()),
                        kBadUse);
    for (const Kind& kind : kinds) {
        if (!a.only.empty() && std::find(a.only.begin(), a.only.end(), kind.name) == a.only.end())
            continue;
        const auto section = kind.make(workshop, plan);
        if (!section) return fail(section.error());
        if (common.json) {
            document["sections"][kind.name] = {{"title", kind.title},
                                               {"data", section->data},
                                               {"markdown", joined(section->lines)}};
        } else {
            std::printf("\n### %s\n\n%s", kind.title, joined(section->lines).c_str());
            std::fflush(stdout);
        }
    }
    if (common.json) std::printf("%s\n", document.dump(1).c_str());
    return 0;
}

int runPoses(const Arguments& a, const Common& common) {
    PosePlan plan = posePlan(a.quick);
    if (a.poses > 0) plan.poses = size_t(a.poses);
    PoseWorkshop workshop({.folder = a.options.folder,
                           .poses = plan.poses,
                           .vertices = plan.vertices,
                           .again = a.options.again,
                           .quiet = common.quiet});
    if (a.quick && !common.json)
        std::printf(
            "Quick: few poses, a small coat, little training. No figure below says how "
            "good a model is.\n");
    return makeSections(poseSectionKinds(), workshop, plan, a, common,
                        {{"set", a.set}, {"quick", a.quick}});
}

int run(Arguments a, const Common& common) {
    if (a.set == "real") {
        auto mocap = mocapFolder(a);
        if (!mocap) return fail(mocap.error());
        a.options.mocap = *mocap;
    }
    a.options.folder = a.folder + "/" + a.set + (a.quick ? "-quick" : "");
    a.options.quiet = common.quiet;
    if (a.set == "poses") return runPoses(a, common);
    if (a.quick) a.options.iterations = kQuickIterations;
    Workshop workshop(a.options);
    const TablesPlan plan = tablesPlan(a.every, a.quick);
    if (a.quick && !common.json)
        std::printf(
            "Quick: few clips, small meshes, %d steps of training S. No figure below says "
            "how good a model is.\n",
            a.options.iterations);
    return makeSections(sectionKinds(), workshop, plan, a, common,
                        {{"set", a.set}, {"quick", a.quick}, {"iterations", a.options.iterations}});
}

}  // namespace

void addTablesVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb =
        addVerb(app, common, "tables",
                "Make the papers' tables anew, with their figures beside ours", kExamples);
    std::vector<std::string> names;
    for (const SectionKind& kind : sectionKinds()) names.emplace_back(kind.name);
    for (const PoseSectionKind& kind : poseSectionKinds()) names.emplace_back(kind.name);
    verb->add_option("FOLDER", a->folder, "Keeps recordings, models and results")->required();
    verb->add_option("--only", a->only, "Sections: garments, dimensions, orders, ...")
        ->check(CLI::IsMember(names));
    verb->add_option("--set", a->set,
                     "Of the 2010 paper, on motions: built-in, or real, captured ones; of the\n"
                     "2021 paper: poses")
        ->check(CLI::IsMember({"built-in", "real", "poses"}))
        ->capture_default_str();
    verb->add_option("--mocap", a->mocap,
                     "Folder of the captured motions (default: HEM_SHARED_DATA or ../shared/data)");
    verb->add_option("--every", a->every, "Fine garments are recorded in every Nth clip; 1: in all")
        ->check(CLI::Range(1, 11))
        ->capture_default_str();
    verb->add_option("--poses", a->poses, "Of --set poses, where there are none yet (10,000)")
        ->check(CLI::Range(10, 10000000));
    verb->add_option("--iterations", a->options.iterations,
                     "Steps of training Model S (default: by the amount of motion)")
        ->check(CLI::Range(1, 1000000));
    verb->add_flag("--quick", a->quick, "Few clips, small meshes, little training: does it work?");
    verb->add_flag("--again", a->options.again, "Train and play anew; keep the recordings");
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
