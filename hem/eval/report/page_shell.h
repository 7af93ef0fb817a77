// SPDX-License-Identifier: Apache-2.0
// What stands around the sections of a report: policy, style, contents, foot, data.
#pragma once

#include <string>

namespace hem {

struct ReportPage {
    std::string title;     // text
    std::string head;      // HTML
    std::string sections;  // HTML; those with a known id are in the contents
    std::string end;       // HTML after the foot: data and scripts
};
std::string pageHtml(const ReportPage& page);

// JSON for programs and scripts that read the page.
std::string dataScript(const char* id, const std::string& json);

}  // namespace hem
