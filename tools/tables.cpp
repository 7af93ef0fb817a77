// SPDX-License-Identifier: Apache-2.0
// hemline tables: the 2010 paper's tables with our figures beside the paper's.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "tools/tables_sections.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline tables recordings/tables                          # everything, about an hour\n"
    "  hemline tables recordings/tables --only dimensions orders\n"
    "  hemline tables recordings/tables --set real --mocap mocap # captured motions\n"
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
    int every = 3;
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

bool wanted(const Arguments& a, const char* name) {
    if (a.only.empty()) return true;
    for (const std::string& each : a.only)
        if (each == name) return true;
    return false;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

int run(Arguments a, const Common& common) {
    if (a.set == "real") {
        auto mocap = mocapFolder(a);
        if (!mocap) return fail(mocap.error());
        a.options.mocap = *mocap;
    }
    a.options.folder = a.folder + "/" + a.set + (a.quick ? "-quick" : "");
    a.options.quiet = common.quiet;
    if (a.quick) a.options.iterations = kQuickIterations;
    Workshop workshop(a.options);
    const TablesPlan plan = tablesPlan(a.every, a.quick);
    Json document{{"set", a.set}, {"quick", a.quick}, {"iterations", a.options.iterations}};
    if (a.quick && !common.json)
        std::printf(
            "Quick: few clips, small meshes, %d steps of training S. No figure below says "
            "how good a model is.\n",
            a.options.iterations);
    for (const SectionKind& kind : sectionKinds()) {
        if (!wanted(a, kind.name)) continue;
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

}  // namespace

void addTablesVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb =
        addVerb(app, common, "tables",
                "Make the 2010 paper's tables anew, with its figures beside ours", kExamples);
    std::vector<std::string> names;
    for (const SectionKind& kind : sectionKinds()) names.emplace_back(kind.name);
    verb->add_option("FOLDER", a->folder, "Keeps recordings, models and results")->required();
    verb->add_option("--only", a->only, "Sections: garments, dimensions, orders, ...")
        ->check(CLI::IsMember(names));
    verb->add_option("--set", a->set, "Motions: built-in, or real, captured ones")
        ->check(CLI::IsMember({"built-in", "real"}))
        ->capture_default_str();
    verb->add_option("--mocap", a->mocap,
                     "Folder of the captured motions (default: HEM_SHARED_DATA or ../shared/data)");
    verb->add_option("--every", a->every, "Fine garments are recorded in every Nth clip; 1: in all")
        ->check(CLI::Range(1, 11))
        ->capture_default_str();
    verb->add_option("--iterations", a->options.iterations,
                     "Steps of training Model S (default: by the amount of motion)")
        ->check(CLI::Range(1, 1000000));
    verb->add_flag("--quick", a->quick, "Few clips, small meshes, little training: does it work?");
    verb->add_flag("--again", a->options.again, "Train and play anew; keep the recordings");
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
