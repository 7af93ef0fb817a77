// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/page_shell.h"

#include <utility>

#include "hem/eval/report/assets.h"
#include "hem/eval/report/html.h"

namespace hem {
namespace {

// Nothing may be loaded but what is in the page itself.
constexpr const char* kPolicy =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'";

std::string contents(const std::string& sections) {
    const std::pair<const char*, const char*> parts[] = {
        {"scores", "Scores"},       {"trained", "Training"},    {"view", "Worst clip"},
        {"frames", "Worst frames"}, {"time", "Over time"},      {"stops", "Stops"},
        {"vertices", "Vertices"},   {"by-pose", "By pose"},     {"poses", "Best and worst"},
        {"modes", "Modes"},         {"stability", "Stability"}, {"speed", "Speed"},
        {"clips", "Clips"}};
    std::string out = "<nav aria-label=\"Contents\">";
    for (const auto& [id, name] : parts)
        if (sections.find(std::string("<section id=\"") + id + "\"") != sections.npos)
            out += std::string("<a href=\"#") + id + "\">" + name + "</a>";
    return out + "</nav>\n";
}

}  // namespace

std::string dataScript(const char* id, const std::string& json) {
    return std::string("<script type=\"application/json\" id=\"") + id + "\">" + scriptSafe(json) +
           "</script>\n";
}

std::string pageHtml(const ReportPage& page) {
    return std::string("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n") +
           "<meta http-equiv=\"Content-Security-Policy\" content=\"" + kPolicy + "\">\n" +
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
           "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Hemline report: " +
           escaped(page.title) + "</title>\n<style>\n" + assets::kReportCss +
           "</style>\n</head>\n<body>\n<main>\n" + page.head + contents(page.sections) +
           page.sections +
           "<footer>Written by <code>hemline evaluate --html</code>. docs/report.md says what the "
           "figures are; the numbers are in this page as JSON, in the element "
           "<code>#scores-data</code>.</footer>\n</main>\n" +
           page.end + "</body>\n</html>\n";
}

}  // namespace hem
