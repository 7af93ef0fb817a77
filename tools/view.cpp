// SPDX-License-Identifier: Apache-2.0
// hemline view: garments on a character that one drives, in a page on this machine.
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "hem/character/by_name.h"
#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/view/http_server.h"
#include "hem/view/scene.h"
#include "tools/clip_choice.h"
#include "tools/interrupt.h"
#include "tools/page_files.h"
#include "tools/verbs.h"
#include "tools/wearing.h"

extern char** environ;

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline view dress.hem                                 # walk, run, turn, duck and jump in "
    "it\n"
    "  hemline view dress_S.hem dress_C.hem dress_A.hem       # models of one garment, to compare\n"
    "  hemline view dress_S.hem --recordings recordings/dress # beside what was simulated\n"
    "  hemline view pants.hem shirt.hem --open                # worn together, the inner first\n"
    "  hemline view coat.hem --character hero.glb --clips walk.bvh run.bvh\n"
    "\n"
    "The page is served on this machine alone (127.0.0.1), and asks nobody else for anything.\n"
    "Ctrl-C ends it. Models of the same mesh are compared; garments of other meshes are worn\n"
    "over the ones before. The character is the one that the garments were trained on.";

constexpr const char* kNoPage =
    "this hemline was built without the viewer's page. To have it, in Hemline's folder:\n"
    "    scripts/install-packages esbuild clang-16 lld-16 wasi-libc\n"
    "    scripts/fetch-npm three\n"
    "    scripts/build release hemline";

struct Arguments {
    std::vector<std::string> files, recordings, clips;
    std::string character, page;
    int port = 0;
    bool open = false;
};

Result<std::vector<RecordingSet>> openSets(const std::vector<std::string>& folders) {
    std::vector<RecordingSet> sets;
    for (const std::string& folder : folders) {
        auto set = RecordingSet::open(folder);
        if (!set) return set.error();
        sets.push_back(std::move(*set));
    }
    return sets;
}

void addOnce(std::vector<std::string>& names, const std::vector<std::string>& more) {
    for (const std::string& name : more)
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// What --clips names: recorded clips by pattern, or motions by name or file.
Status chooseClip(const std::string& wanted, ViewInput& input) {
    bool recorded = false;
    for (const RecordingSet& set : input.recordings) {
        const auto chosen = chooseClips(set, {wanted}, Purpose::kTesting);
        if (!chosen) continue;
        addOnce(input.clips, *chosen);
        recorded = true;
    }
    if (recorded) return Done{};
    const auto motion = motionFor(input.character, wanted);
    if (!motion)
        return errorf("--clips %s: %s%s", quoteForMessage(wanted).c_str(),
                      input.recordings.empty() ? "" : "no recorded clip matches, and as a motion: ",
                      motion.error().message.c_str());
    input.motions.push_back(resampled(*motion, std::min(60.0, motion->rate)));
    return Done{};
}

Status chooseAllClips(const std::vector<std::string>& wanted, ViewInput& input) {
    for (const std::string& clip : wanted)
        if (const Status chosen = chooseClip(clip, input); !chosen) return chosen;
    if (!wanted.empty()) return Done{};
    for (const RecordingSet& set : input.recordings) {
        const auto chosen = chooseClips(set, {}, Purpose::kTesting);
        if (!chosen) return chosen.error();
        addOnce(input.clips, *chosen);
    }
    if (input.recordings.empty())
        for (const char* name : {"test_06_combination", "train_23_stop_run_sudden", "novel_dance"})
            if (const Status chosen = chooseClip(name, input); !chosen) return chosen;
    return Done{};
}

Result<ViewScene> makeScene(const Arguments& a, const Common& common) {
    auto garments = readGarmentFiles(a.files);
    if (!garments) return garments.error();
    auto sets = openSets(a.recordings);
    if (!sets) return sets.error();
    auto character = characterOf(*garments, *sets, a.character);
    if (!character) return character.error();
    const GarmentModel& first = (*garments)[0].models[0];
    remarkOnCharacter(first.garment(), first.path, *character, common);
    ViewInput input{std::move(*garments), std::move(*character), std::move(*sets), {}, {}};
    if (const Status chosen = chooseAllClips(a.clips, input); !chosen) return chosen.error();
    return ViewScene::make(std::move(input));
}

// The page's files out of a folder, read anew at each request: for those who work on the page.
Content fileOfPage(const std::string& folder, const std::string& path) {
    for (const char* name :
         {"/index.html", "/viewer.js", "/viewer.css", "/crowd_worker.js", "/hem.wasm"}) {
        if (path != name && !(path == "/" && name == std::string("/index.html"))) continue;
        auto bytes = readFile(folder + name);
        if (bytes) return Content::of(std::move(*bytes), contentTypeOf(name));
    }
    return {};
}

// With whatever the desktop opens addresses with; says so where there is nothing.
void openBrowser(const std::string& address) {
    std::string program = "xdg-open", argument = address;
    char* arguments[] = {program.data(), argument.data(), nullptr};
    pid_t child = 0;
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    for (int fd : {1, 2}) posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", 1, 0);
    const int failure = ::posix_spawnp(&child, arguments[0], &quiet, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (failure)
        std::fprintf(stderr,
                     "hemline: no browser could be opened (xdg-open is not here): open the "
                     "address above yourself\n");
}

int run(const Arguments& a, const Common& common) {
    if (a.page.empty() && pageFiles().empty()) return fail(Error{kNoPage});
    auto scene = makeScene(a, common);
    if (!scene) return fail(scene.error());
    for (const PageFile& file : pageFiles())
        if (a.page.empty()) scene->addPageFile(file.path, file.bytes);
    const std::atomic<bool>& interrupted = catchInterrupts();
    auto server = HttpServer::listen(
        [&](const std::string& path) {
            Content found = scene->at(path);
            return found.bytes.data() || a.page.empty() ? found : fileOfPage(a.page, path);
        },
        {.port = a.port});
    if (!server) return fail(server.error());
    if (common.json) {
        std::printf("%s\n", nlohmann::json{{"address", server->address()}}.dump().c_str());
    } else {
        std::printf("%s\n", server->address().c_str());
        if (!common.quiet) std::printf("Open this address in a browser; Ctrl-C ends the viewer.\n");
    }
    std::fflush(stdout);
    if (a.open) openBrowser(server->address());
    server->run(interrupted);
    return 0;
}

}  // namespace

void addViewVerb(CLI::App& app, Common& common) {
    auto a = std::make_shared<Arguments>();
    CLI::App* verb =
        addVerb(app, common, "view", "See garments on a character that one drives, in the browser",
                kExamples);
    verb->add_option("files", a->files,
                     ".hem files: models to compare, or garments to wear together")
        ->required();
    verb->add_option("--recordings", a->recordings,
                     "Sets of recordings of the garments, to compare with");
    verb->add_option("--character", a->character,
                     "female, male, or a character file (default: the one trained on)");
    verb->add_option("--clips", a->clips,
                     "Recorded clips by shell pattern, or motions by name or BVH file\n"
                     "(default: the recordings' test clips, or three built-in motions)");
    verb->add_option("--port", a->port, "Of this machine (default: a free one)")
        ->check(CLI::Range(0, 65535));
    verb->add_flag("--open", a->open, "Open the page in the browser");
    verb->add_option(
        "--page", a->page,
        "A folder made by scripts/build-web-viewer, in place of the built-in page: for\n"
        "those who work on it");
    verb->callback([a, &common] { common.exit_code = run(*a, common); });
}

}  // namespace hem::tools
