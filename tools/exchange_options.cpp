// SPDX-License-Identifier: Apache-2.0
#include "tools/exchange_options.h"

#include "hem/core/text.h"

namespace hem::tools {

Result<Units> UnitOptions::understand() const {
    constexpr struct {
        const char* name;
        double metres;
    } kNames[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"inch", 0.0254}};
    for (const auto& known : kNames)
        if (unit == known.name) return Units{known.metres, up == "z"};
    const auto number = parseNumber(unit);
    if (!number || *number < 1e-6 || *number > 1e6)
        return errorf("--unit %s: m, cm, mm, inch or metres per unit were expected",
                      quoteForMessage(unit).c_str());
    return Units{*number, up == "z"};
}

}  // namespace hem::tools
