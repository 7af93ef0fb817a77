// SPDX-License-Identifier: Apache-2.0
// hemline: data-driven clothing for real-time characters.
#include <unistd.h>

#include <cstdio>

#include "hem/core/parallel.h"
#include "hem/core/progress.h"
#include "hem/runtime/hem.h"
#include "tools/verbs.h"

namespace hem::tools {

CLI::App* addVerb(CLI::App& app, Common& common, const char* name, const char* summary, const char* examples) {
    CLI::App* verb = app.add_subcommand(name, summary);
    verb->add_flag("--json", common.json, "Print one JSON document on stdout, for programs to read");
    verb->add_flag("-q,--quiet", common.quiet, "No progress and no remarks: results and errors only");
    verb->footer(std::string("Examples:\n") + examples);
    verb->preparse_callback([&common](size_t) { setProgressEnabled(!common.quiet); });
    return verb;
}

int fail(const Error& error, int exit_code) {
    const char* mark = takesColor(STDERR_FILENO) ? "\x1b[1;31mhemline:\x1b[0m" : "hemline:";
    std::fprintf(stderr, "%s %s\n", mark, error.message.c_str());
    return exit_code;
}

}  // namespace hem::tools

int main(int argc, char** argv) {
    using namespace hem::tools;
    Common common;
    int threads = 0;
    CLI::App app("Data-driven clothing for real-time characters.", "hemline");
    app.set_version_flag("--version", std::string("hemline ") + hem_version());
    app.add_option("--threads", threads, "Use at most N cores (default: all)")->check(CLI::Range(0, 1024));
    app.require_subcommand(1);
    addPictureVerb(app, common);
    app.parse_complete_callback([&] { hem::setThreadLimit(threads); });
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const bool help_or_version = error.get_exit_code() == 0;
        app.exit(error);
        return help_or_version ? 0 : kBadUse;
    }
    return common.exit_code;
}
