// SPDX-License-Identifier: Apache-2.0
#include "tools/verdict_lines.h"

#include <cstdio>

namespace hem::tools {

nlohmann::ordered_json verdictJson(const Verdict& v) {
    return {{"frames", v.frames},
            {"finite", v.finite},
            {"stretch_p99", v.stretch_p99},
            {"stretch_max", v.stretch_max},
            {"penetration_rate_3mm", v.penetration_rate_3mm},
            {"penetration_max_mm", v.penetration_max_mm},
            {"fold_rate_3mm", v.fold_rate_3mm},
            {"fold_max_mm", v.fold_max_mm},
            {"skin_shows_rate", v.skin_shows_rate},
            {"self_penetration_rate", v.self_penetration_rate}};
}

void printLine(const char* what, const char* format, double value, const char* meaning) {
    char number[64];
    std::snprintf(number, sizeof number, format, value);
    std::printf("  %-22s %14s   %s\n", what, number, meaning);
}

void printVerdictEnd(const Verdict& v) {
    printLine("in folds of the body", "%.4f %%", 100 * v.fold_rate_3mm,
              "deeper than 3 mm, set aside");
    printLine("skin shows through", "%.4f %%", 100 * v.skin_shows_rate,
              "of triangles, between their corners");
    printLine("through itself", "%.4f %%", 100 * v.self_penetration_rate,
              "of edges pass through cloth");
}

}  // namespace hem::tools
