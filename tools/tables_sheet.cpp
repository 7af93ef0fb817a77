// SPDX-License-Identifier: Apache-2.0
#include "tools/tables_sheet.h"

#include <algorithm>
#include <limits>

namespace hem::tools {

std::string Sheet::extent(const Outfit& outfit) {
    const Json counts = ask([&](Workshop& w) -> Result<Json> {
        Json both = Json::array();
        for (const char* name : {"train", "test"}) {
            const auto group = w.group(outfit, name);
            if (!group) return group.error();
            both.push_back({(*group)->clips.size(), (*group)->frames});
        }
        return both;
    });
    if (counts.is_null()) return {};
    return format("%zu + %zu clips with %d stop%s each, %s + %s frames", counts[0][0].get<size_t>(),
                  counts[1][0].get<size_t>(), outfit.stops, outfit.stops == 1 ? "" : "s",
                  withCommas(counts[0][1]).c_str(), withCommas(counts[1][1]).c_str());
}

void Page::heading(const std::vector<std::string>& cells) {
    row(cells);
    std::string rule = "|";
    for (size_t i = 0; i < cells.size(); ++i) rule += "---|";
    line(rule);
}

void Page::row(const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    line(text);
}

Result<Section> Page::finish() {
    if (error_) return *error_;
    return std::move(section_);
}

double number(const Json& json, const char* name) {
    const auto found = json.is_object() ? json.find(name) : json.end();
    if (!json.is_object() || found == json.end() || !found->is_number())
        return std::numeric_limits<double>::quiet_NaN();
    return found->get<double>();
}

std::string figure(double value, const char* form) {
    if (!std::isfinite(value)) return "-";
    char text[64];
    std::snprintf(text, sizeof text, form, value);
    return text;
}

std::string withCommas(size_t value) {
    std::string digits = std::to_string(value);
    for (int at = int(digits.size()) - 3; at > 0; at -= 3) digits.insert(size_t(at), ",");
    return digits;
}

std::string percent(double from, double to) {
    return std::isfinite(to / from) ? format("%+.0f %%", 100 * (to / from - 1)) : "-";
}

bool falls(const std::vector<double>& values) {
    for (size_t i = 1; i < values.size(); ++i)
        if (!(values[i] < values[i - 1])) return false;
    return true;
}

size_t indexOfLeast(const std::vector<double>& values) {
    return size_t(std::min_element(values.begin(), values.end()) - values.begin());
}

}  // namespace hem::tools
