// SPDX-License-Identifier: Apache-2.0
// reportPage(): the sections in their order, with style, script and data around them.
#include "hem/eval/report/assets.h"
#include "hem/eval/report/html.h"
#include "hem/eval/report/report.h"
#include "hem/eval/report/sections.h"
#include "hem/eval/score_json.h"

namespace hem {
namespace {

using Json = nlohmann::ordered_json;

// Nothing may be loaded but what is in the page itself.
constexpr const char* kPolicy =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'";

// What `hemline evaluate --json` prints, by file: for programs that read the page.
std::string scoresJson(const Findings& f) {
    Json all = Json::array();
    for (size_t i = 0; i < f.each.size(); ++i) {
        Json entry{{"file", (*f.entrants)[i].file}, {"label", f.each[i].label}};
        entry.update(scoreJson(f.score(i)));
        all.push_back(std::move(entry));
    }
    return all.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string dataScript(const char* id, const std::string& json) {
    return std::string("<script type=\"application/json\" id=\"") + id + "\">" + scriptSafe(json) +
           "</script>\n";
}

std::string contents(const std::string& sections) {
    const std::pair<const char*, const char*> parts[] = {
        {"scores", "Scores"},       {"trained", "Training"},    {"view", "Worst clip"},
        {"frames", "Worst frames"}, {"time", "Over time"},      {"stops", "Stops"},
        {"modes", "Modes"},         {"stability", "Stability"}, {"speed", "Speed"},
        {"clips", "Clips"}};
    std::string out = "<nav aria-label=\"Contents\">";
    for (const auto& [id, name] : parts)
        if (sections.find(std::string("<section id=\"") + id) != sections.npos)
            out += std::string("<a href=\"#") + id + "\">" + name + "</a>";
    return out + "</nav>\n";
}

}  // namespace

Result<std::string> reportPage(const RecordingSet& set, const std::vector<Entrant>& entrants,
                               const ReportOptions& options) {
    const auto found = findAll(set, entrants, options);
    if (!found) return found.error();
    const Findings& f = *found;
    const std::string sections =
        scoreSection(f) + trainedSection(f) + viewSection(f) + framesSection(f) + timeSection(f) +
        stopSection(f) + modesSection(f) + stabilitySection(f) + speedSection(f) + clipSection(f);
    return std::string("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n") +
           "<meta http-equiv=\"Content-Security-Policy\" content=\"" + kPolicy + "\">\n" +
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
           "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Hemline report: " +
           escaped(f.set->scene().garments.empty() ? "" : f.set->scene().garments[0].name) +
           "</title>\n<style>\n" + assets::kReportCss + "</style>\n</head>\n<body>\n<main>\n" +
           headSection(f) + contents(sections) + sections +
           "<footer>Written by <code>hemline evaluate --html</code>. docs/report.md says what the "
           "figures are; the numbers are in this page as JSON, in the element "
           "<code>#scores-data</code>.</footer>\n</main>\n" +
           dataScript("scores-data", scoresJson(f)) + dataScript("view-data", f.view_json) +
           "<script>\n" + assets::kViewJs + "</script>\n</body>\n</html>\n";
}

}  // namespace hem
