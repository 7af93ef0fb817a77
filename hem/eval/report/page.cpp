// SPDX-License-Identifier: Apache-2.0
// reportPage(): the sections in their order, with style, script and data around them.
#include "hem/eval/report/assets.h"
#include "hem/eval/report/page_shell.h"
#include "hem/eval/report/report.h"
#include "hem/eval/report/sections.h"
#include "hem/eval/score_json.h"

namespace hem {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

Result<std::string> reportPage(const RecordingSet& set, const std::vector<Entrant>& entrants,
                               const ReportOptions& options) {
    const auto found = findAll(set, entrants, options);
    if (!found) return found.error();
    const Findings& f = *found;
    const std::string sections =
        scoreSection(f) + trainedSection(f) + viewSection(f) + framesSection(f) + timeSection(f) +
        stopSection(f) + modesSection(f) + stabilitySection(f) + speedSection(f) + clipSection(f);
    return pageHtml({.title = set.scene().garments.empty() ? "" : set.scene().garments[0].name,
                     .head = headSection(f),
                     .sections = sections,
                     .end = dataScript("scores-data", scoresJson(f)) +
                            dataScript("view-data", f.view_json) + "<script>\n" + assets::kViewJs +
                            "</script>\n"});
}

}  // namespace hem
