// SPDX-License-Identifier: Apache-2.0
// hemline: data-driven clothing for real-time characters.
#include <unistd.h>

#include <cstdio>

#include "hem/core/blas_kernels.h"
#include "hem/core/parallel.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "hem/runtime/hem.h"
#include "tools/subject.h"
#include "tools/verbs.h"

namespace hem::tools {

CLI::App* addVerb(CLI::App& app, Common& common, const char* name, const char* summary,
                  const char* examples) {
    CLI::App* verb = app.add_subcommand(name, summary);
    verb->add_flag("--json", common.json,
                   "Print one JSON document on stdout, for programs to read");
    verb->add_flag("-q,--quiet", common.quiet,
                   "No progress and no remarks: results and errors only");
    verb->footer(std::string("Examples:\n") + examples);
    verb->fallthrough();  // --threads may stand after the verb too
    verb->parse_complete_callback([&common] { setProgressEnabled(!common.quiet); });
    return verb;
}

int fail(const Error& error, int exit_code) {
    const char* mark = takesColor(STDERR_FILENO) ? "\x1b[1;31mhemline:\x1b[0m" : "hemline:";
    std::fprintf(stderr, "%s %s\n", mark, error.message.c_str());
    return exit_code;
}

namespace {

// The whole command's help, as a manual page.
std::string manual(const CLI::App* app) {
    std::string text =
        "NAME\n"
        "  hemline - data-driven clothing for real-time characters\n\n"
        "SYNOPSIS\n"
        "  hemline [--threads N] VERB [OPTIONS]\n"
        "  hemline VERB --help\n\n"
        "DESCRIPTION\n"
        "  Watches a cloth simulator dress a moving character, learns the garment, packs it into "
        "a\n"
        "  small file, and plays it back on thousands of characters at once. Everything works on "
        "the\n"
        "  built-in mannequin and its motions; bring your own character (glTF, FBX) and motion "
        "(BVH)\n"
        "  when you have them.\n\n"
        "VERBS\n";
    for (const CLI::App* verb : app->get_subcommands({}))
        text += format("  %-12s %s\n", verb->get_name().c_str(), verb->get_description().c_str());
    return text +
           "\nOPTIONS\n"
           "  --threads N  use at most N cores (default: all)\n"
           "  --version    print the version\n"
           "  --help       print this, or after a verb that verb's page\n\n"
           "EXAMPLES\n"
           "  hemline picture female -o mannequin.png\n"
           "  hemline motions\n"
           "  hemline garment dress --on female -o dress.png\n"
           "  hemline character hero.glb\n"
           "  hemline retarget walk.bvh --to hero.glb -o hero_walk.bvh\n"
           "  hemline simulate --garment dress --clips train_02_walk_normal -o recordings/dress\n"
           "  hemline view dress.hem --open\n\n"
           "EXIT STATUS\n"
           "  0 success; 1 failure, with the reason on stderr; 2 bad use.\n\n"
           "ENVIRONMENT\n"
           "  NO_COLOR     set: no colours. Colours and progress bars appear on a terminal only.\n";
}

// The library writes bounds with six decimals: "0.100000" becomes "0.1", "5.000000" 5.
std::string withShortBounds(const std::string& message) {
    const size_t bounds = message.rfind(" not in range ");
    if (bounds == message.npos) return message;
    std::string out;
    for (const char c : message.substr(bounds) + " ") {
        const size_t number = out.find_last_not_of("0123456789.") + 1;
        if (c == ' ' && out.find('.', number) != out.npos) {
            out.erase(out.find_last_not_of('0') + 1);
            if (out.back() == '.') out.pop_back();
        }
        out += c;
    }
    out.pop_back();
    return message.substr(0, bounds) + out;
}

// Why the command line could not be read, and what to try.
Error usageFault(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
    if (!app.get_subcommands().empty())
        return errorf("%s (try: hemline %s --help)", withShortBounds(error.what()).c_str(),
                      app.get_subcommands()[0]->get_name().c_str());
    std::vector<std::string> verbs;
    for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] == '-') continue;
        if (std::string_view(argv[i - 1]) == "--threads") continue;
        return errorf("no verb is called %s%s (try: hemline --help)",
                      quoteForMessage(argv[i]).c_str(), suggestionFor(argv[i], verbs).c_str());
    }
    return errorf("%s (try: hemline --help)", withShortBounds(error.what()).c_str());
}

// Results that could not be written (a full disk, a closed pipe) are a failure.
int closeOutput(int exit_code) {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return exit_code;
    return fail(errorf("cannot write the results to the standard output: is the disk full?"));
}

}  // namespace
}  // namespace hem::tools

int main(int argc, char** argv) {
    using namespace hem::tools;
    hem::startAgainForBlas(argv);
    Common common;
    int threads = 0;
    CLI::App app("", "hemline");
    app.set_version_flag("--version", std::string("hemline ") + hem_version());
    app.add_option("--threads", threads, "Use at most N cores (default: all)")
        ->check(CLI::Range(0, 1024));
    app.require_subcommand(1);
    addCharacterVerb(app, common);
    addGarmentVerb(app, common);
    addMotionsVerb(app, common);
    addSimulateVerb(app, common);
    addPosesVerb(app, common);
    addTrainVerb(app, common);
    addEvaluateVerb(app, common);
    addTablesVerb(app, common);
    addPlayVerb(app, common);
    addViewVerb(app, common);
    addInfoVerb(app, common);
    addInspectVerb(app, common);
    addImportVerb(app, common);
    addExportVerb(app, common);
    addPictureVerb(app, common);
    addRetargetVerb(app, common);
    app.parse_complete_callback([&] { hem::setThreadLimit(threads); });
    // after the verbs: they keep the library's own page, with their options in it
    app.formatter_fn(
        [](const CLI::App* root, const std::string&, CLI::AppFormatMode) { return manual(root); });
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // --help or --version
        return fail(usageFault(app, error, argc, argv), kBadUse);
    }
    return closeOutput(common.exit_code);
}
