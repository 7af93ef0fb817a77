// SPDX-License-Identifier: Apache-2.0
#include "tools/retarget_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hem/core/text.h"

namespace hem::tools {
namespace {

constexpr float kLimbBar = 5;  // degrees

float cm(float metres) { return 100 * metres; }

double shareAbove(const std::vector<float>& values, float bar) {
    const auto above =
        std::count_if(values.begin(), values.end(), [=](float v) { return v > bar; });
    return values.empty() ? 0 : double(above) / double(values.size());
}

// Totals per character, in the order of their first row; then, where there are several, of all.
std::vector<ReportRow> totalsOf(const std::vector<ReportRow>& rows) {
    std::vector<ReportRow> totals;
    const auto addTo = [&](const std::string& character, const ReportRow& row) {
        auto at = std::find_if(totals.begin(), totals.end(),
                               [&](const ReportRow& t) { return t.character == character; });
        if (at == totals.end()) {
            totals.push_back({.clip = "all clips", .character = character});
            at = totals.end() - 1;
        }
        at->frames += row.frames;
        at->quality.add(row.quality);
        at->own.add(row.own);
    };
    for (const ReportRow& row : rows) addTo(row.character, row);
    if (totals.size() > 1)
        for (const ReportRow& row : rows) addTo("all characters", row);
    return totals;
}

std::string line(const ReportRow& row, int clip_width, int character_width) {
    const Distribution slide = distributionOf(row.quality.slides),
                       own = distributionOf(row.own.slides);
    const Distribution floating = distributionOf(row.quality.floating);
    const Distribution limb = distributionOf(row.quality.limbErrors());
    const Distribution leg = distributionOf(row.quality.leg_errors);
    return format(
        "%-*s  %-*s %6zu %5zu  %5.2f %5.2f %5.2f  %5.2f %5.2f  %5.2f %5.2f %5.2f  %5.2f  %5.2f "
        "%5.2f  "
        "%5.2f %5.2f %5.1f %5.2f%%  %4.0f %s\n",
        clip_width, row.clip.c_str(), character_width, row.character.c_str(), row.frames,
        slide.count, cm(slide.median), cm(slide.p95), cm(slide.max), cm(own.median), cm(own.p95),
        cm(row.quality.penetration), cm(row.quality.landing_penetration),
        cm(row.quality.body_penetration), cm(std::max(floating.p95, 0.0f)), limb.median, limb.p95,
        leg.median, leg.p95, leg.max, 100 * shareAbove(row.quality.leg_errors, kLimbBar),
        row.quality.joint_step, row.quality.joint_step_name.c_str());
}

nlohmann::json toJson(const Distribution& d, float unit) {
    return {{"count", d.count},
            {"median", unit * d.median},
            {"p95", unit * d.p95},
            {"max", unit * d.max}};
}

nlohmann::json toJson(const ReportRow& row) {
    const MotionQuality& q = row.quality;
    return {{"clip", row.clip},
            {"character", row.character},
            {"frames", row.frames},
            {"slide_cm", toJson(distributionOf(q.slides), 100)},
            {"slide_own_stances_cm", toJson(distributionOf(row.own.slides), 100)},
            {"slide_speed_cm_per_s", cm(q.slideSpeed())},
            {"penetration_cm", cm(q.penetration)},
            {"landing_penetration_cm", cm(q.landing_penetration)},
            {"body_penetration_cm", cm(q.body_penetration)},
            {"floating_cm", toJson(distributionOf(q.floating), 100)},
            {"limb_degrees", toJson(distributionOf(q.limbErrors()), 1)},
            {"arm_degrees", toJson(distributionOf(q.arm_errors), 1)},
            {"leg_degrees", toJson(distributionOf(q.leg_errors), 1)},
            {"legs_above_5_degrees", shareAbove(q.leg_errors, kLimbBar)},
            {"joint_step_degrees", q.joint_step},
            {"joint_step_joint", q.joint_step_name}};
}

}  // namespace

std::string reportTable(const std::vector<ReportRow>& rows) {
    const std::vector<ReportRow> totals = totalsOf(rows);
    size_t clip = 9, character = 9;
    for (const auto* list : {&rows, &totals})
        for (const ReportRow& row : *list) {
            clip = std::max(clip, row.clip.size());
            character = std::max(character, row.character.size());
        }
    const int clip_width = int(clip), character_width = int(character);
    std::string text = format("%-*s  %-*s %6s %5s  %-17s  %-11s  %-17s  %5s  %-11s  %-24s  %s\n",
                              clip_width, "", character_width, "", "", "", "slide, cm", "slide own",
                              "below, cm", "float", "limbs, deg", "legs, deg", "step, deg") +
                       format(
                           "%-*s  %-*s %6s %5s  %5s %5s %5s  %5s %5s  %5s %5s %5s  %5s  %5s %5s  "
                           "%5s %5s %5s %6s\n",
                           clip_width, "clip", character_width, "character", "frames", "steps",
                           "med", "p95", "max", "med", "p95", "feet", "land", "body", "p95", "med",
                           "p95", "med", "p95", "max", ">5");
    for (const auto* list : {&rows, &totals}) {
        if (list == &totals) text += "\n";
        for (const ReportRow& row : *list) text += line(row, clip_width, character_width);
    }
    return text;
}

nlohmann::json reportJson(const std::vector<ReportRow>& rows) {
    nlohmann::json json = {{"clips", nlohmann::json::array()}, {"totals", nlohmann::json::array()}};
    for (const ReportRow& row : rows) json["clips"].push_back(toJson(row));
    for (const ReportRow& row : totalsOf(rows)) json["totals"].push_back(toJson(row));
    return json;
}

}  // namespace hem::tools
