// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "hem/core/text.h"
#include "hem/eval/report/html.h"
#include "hem/eval/report/said.h"
#include "hem/eval/report/sections.h"

namespace hem {
namespace {

using Json = nlohmann::ordered_json;

size_t framesIn(const Score& score) { return score.all.frames; }

// Model N's training: "240 poses".
std::string posesInWords(const Json& info) {
    const auto poses = numberOf(info, "poses");
    return poses ? counted(size_t(*poses), "pose", "poses") : "poses";
}

std::string seenBefore(const Findings& f) {
    if (!f.each[0].garment) return "";
    const auto trained = trainedClips(f.each[0].info);
    if (f.each[0].kind == "N" && trained.empty())
        return " It was trained on " + posesInWords(f.each[0].info) + ", and on no motion.";
    if (trained.empty()) return " The file does not say what it was trained on.";
    size_t seen = 0;
    for (const ClipScore& clip : f.score(0).clips)
        seen += std::find(trained.begin(), trained.end(), clip.name) != trained.end();
    if (!seen) return " It was trained on none of them.";
    return seen == f.score(0).clips.size() ? " It was trained on all of them: this is how well it "
                                             "fits, not how well it predicts."
                                           : format(" It was trained on %zu of them.", seen);
}

std::string tiles(const Score& s) {
    std::string out = "<div class=\"tiles\">";
    out += tileHtml(numberText(s.all.mean_cm, "%.2f"), "cm", "mean error of vertices");
    out += tileHtml(numberText(s.all.p95_cm, "%.1f"), "cm", "95 % are below");
    if (s.all.after_stops_cm)
        out += tileHtml(numberText(s.all.after_stops_cm, "%.2f"), "cm", "after abrupt stops");
    if (s.all.penetration_rate_1mm) {
        std::string meaning = "of vertices inside the body";
        if (s.pushed_out && s.pushed_out->penetration_rate_1mm)
            meaning +=
                format("; pushed out of it, %.2f %%", 100 * *s.pushed_out->penetration_rate_1mm);
        out += tileHtml(numberText(100 * *s.all.penetration_rate_1mm, "%.2f"), "%", meaning);
    }
    if (s.learned) {
        if (s.remembers) out += tileHtml(numberText(s.lambda, "%.3f"), "", "λ, below 1: stable");
        out += tileHtml(numberText(s.time.plain_us, "%.1f"), "µs", "a step of one wearer");
    }
    return out + "</div>\n";
}

// --- Side by side --------------------------------------------------------------------------------

struct ScoreRow {
    const char* what;
    const char* meaning;
    const char* format;  // empty: shortNumber()
    std::optional<double> (*value)(const Score&);
    bool less_is_better = true;
};

std::optional<double> percent(const std::optional<double>& share) {
    return share ? std::optional(100 * *share) : share;
}
std::optional<double> ofLearned(const Score& s, double value) {
    return s.learned ? std::optional(value) : std::nullopt;
}
std::optional<double> ofMemory(const Score& s, double value) {
    return s.remembers ? std::optional(value) : std::nullopt;
}
template <class F>
std::optional<double> ofPushed(const Score& s, const F& value) {
    return s.pushed_out ? std::optional<double>(value(*s.pushed_out)) : std::nullopt;
}

const ScoreRow kRows[] = {
    {"Mean error, cm", "of vertices over all frames", "%.3f",
     [](const Score& s) { return std::optional(s.all.mean_cm); }},
    {"Mean of clips, cm", "long clips count no more than short ones", "%.3f",
     [](const Score& s) { return std::optional(s.clip_mean_cm); }},
    {"95 % are below, cm", "", "%.2f", [](const Score& s) { return std::optional(s.all.p95_cm); }},
    {"Largest, cm", "of any vertex in any frame", "%.1f",
     [](const Score& s) { return std::optional(s.all.max_cm); }},
    {"After stops, cm", "in the 30 frames after abrupt stops", "%.3f",
     [](const Score& s) { return s.all.after_stops_cm; }},
    {"Velocity, cm", "a frame", "%.3f",
     [](const Score& s) { return std::optional(s.all.velocity_cm); }},
    {"Inside the body, %", "of vertices, by more than 1 mm", "%.3f",
     [](const Score& s) { return percent(s.all.penetration_rate_1mm); }},
    {"… in its folds, %", "where no cloth can be outside", "%.3f",
     [](const Score& s) { return percent(s.all.penetration_in_folds_1mm); }},
    {"PCA floor, cm", "that the subspace cannot go below", "%.3f",
     [](const Score& s) { return ofLearned(s, s.all.pca_floor_cm); }, false},
    {"Chaos floor, cm", "that no model can go below", "%.3f",
     [](const Score& s) { return s.chaos_floor_cm; }, false},
    {"Confidence", "1 within what was trained on", "%.3f",
     [](const Score& s) { return ofLearned(s, s.all.confidence); }, false},
    {"λ", "below 1: stable", "%.4f", [](const Score& s) { return ofMemory(s, s.lambda); }, false},
    {"Energy bound", "", "", [](const Score& s) { return ofMemory(s, s.energy_bound); }, false},
    {"Player’s time, µs", "a step of one wearer", "%.1f",
     [](const Score& s) { return ofLearned(s, s.time.plain_us); }},
    {"… in a crowd, µs", "of 128, each", "%.1f",
     [](const Score& s) { return ofLearned(s, s.time.crowd_plain_us); }},
    {"… of its dynamics, µs", "a step without positions", "%.1f",
     [](const Score& s) { return ofLearned(s, s.time.latent_us); }},
};
const ScoreRow kPushedRows[] = {
    {"Inside the body, %", "of vertices, by more than 1 mm", "%.3f",
     [](const Score& s) {
         return s.pushed_out ? percent(s.pushed_out->penetration_rate_1mm) : std::nullopt;
     }},
    {"Mean error, cm", "", "%.3f",
     [](const Score& s) { return ofPushed(s, [](const Errors& e) { return e.mean_cm; }); }},
    {"Velocity, cm", "a frame", "%.3f",
     [](const Score& s) { return ofPushed(s, [](const Errors& e) { return e.velocity_cm; }); }},
    {"Player’s time, µs", "a step of one wearer", "%.1f",
     [](const Score& s) { return ofPushed(s, [&](const Errors&) { return s.time.push_out_us; }); }},
    {"… in a crowd, µs", "of 128, each", "%.1f",
     [](const Score& s) {
         return ofPushed(s, [&](const Errors&) { return s.time.crowd_push_out_us; });
     }},
};

template <size_t N>
std::string scoreTable(const Findings& f, const ScoreRow (&rows)[N], const char* caption) {
    HtmlTable table{.caption = caption, .head = {""}};
    for (const EntrantFindings& e : f.each)
        table.head.push_back(format("<span class=\"dot s%d\"></span>", e.color) + escaped(e.label));
    for (const ScoreRow& row : rows) {
        std::vector<std::string> cells{escaped(row.what) + (*row.meaning ? "<small>" : "") +
                                       escaped(row.meaning) + (*row.meaning ? "</small>" : "")};
        const auto text = [&](const Score& score) {
            const auto value = row.value(score);
            return value && !*row.format ? shortNumber(*value) : numberText(value, row.format);
        };
        const Score* best = nullptr;
        for (const Entrant& entrant : *f.entrants)
            if (const auto value = row.value(entrant.score);
                value && (!best || *value < *row.value(*best)))
                best = &entrant.score;
        if (!best) continue;
        for (const Entrant& entrant : *f.entrants) {
            const std::string own = text(entrant.score);
            const bool marked = row.less_is_better && f.each.size() > 1 && own == text(*best);
            cells.push_back(marked ? "<b>" + own + "</b>" : own);
        }
        table.rows.push_back(std::move(cells));
    }
    return table.rows.empty() ? "" : tableHtml(table);
}

// --- What was trained on what --------------------------------------------------------------------

// What the file says, in the order of the table's rows.
std::vector<std::pair<const char*, std::string>> facts(const Entrant& entrant,
                                                       const EntrantFindings& e) {
    const auto is = [&](const char* key) {
        if (e.kind == "N" && !e.info.contains(key)) return "–";
        return e.info.value(key, Json(false)) == true ? "yes" : "no";
    };
    const auto clips = trainedClips(e.info);
    return {{"File", "<code>" + escaped(fileName(entrant.file)) + "</code>"},
            {"Character", escaped(wordOf(e.info, "character"))},
            {"Garment and fabric", escaped(garmentsOf(e.info))},
            {"Clips", clips.empty() ? "–" : std::to_string(clips.size())},
            {"… with abrupt stops", is("with_stops")},
            {"… and mirrored", is("mirrored")},
            {"Frames", numberText(numberOf(e.info, "frames"), "%.0f")},
            {"Poses", numberText(numberOf(e.info, "poses"), "%.0f")},
            {"Modes", std::to_string(hem_modeCount(e.garment))},
            {"Order, frames of the past", e.order         ? std::to_string(*e.order)
                                          : e.kind == "N" ? "0"
                                                          : "all"},
            {"Modal states", e.kind == "S" ? std::to_string(e.states) : "–"},
            {"Joints read", std::to_string(e.joints_read)},
            {"Size, kB", format("%.0f", double(entrant.bytes.size()) / 1000)}};
}

HtmlTable factsTable(const Findings& f) {
    HtmlTable table{.caption = "The files, by what they say of themselves", .head = {""}};
    for (size_t i = 0; i < f.each.size(); ++i) {
        const EntrantFindings& e = f.each[i];
        if (!e.garment) continue;
        table.head.push_back(format("<span class=\"dot s%d\"></span>", e.color) + escaped(e.label));
        const auto list = facts((*f.entrants)[i], e);
        table.rows.resize(list.size());
        for (size_t row = 0; row < list.size(); ++row) {
            if (table.rows[row].empty()) table.rows[row].push_back(escaped(list[row].first));
            table.rows[row].push_back(list[row].second.empty() ? "–" : list[row].second);
        }
    }
    std::erase_if(table.rows, [](const std::vector<std::string>& row) {
        return std::all_of(row.begin() + 1, row.end(),
                           [](const auto& cell) { return cell == "–"; });
    });
    return table;
}

// All names, or whose they are the same as.
std::string clipsInWords(const Findings& f, size_t entrant) {
    const auto own = trainedClips(f.each[entrant].info);
    const bool of_poses = f.each[entrant].info.contains("poses");
    if (own.empty() && (of_poses || f.each[entrant].kind == "N"))
        return posesInWords(f.each[entrant].info);
    std::string list = of_poses ? posesInWords(f.each[entrant].info) : "";
    for (size_t i = 0; i < entrant; ++i)
        if (f.each[i].garment && !own.empty() && trainedClips(f.each[i].info) == own)
            return list + (of_poses ? " and " : "") + "the same clips as " + f.each[i].label;
    for (const std::string& name : own) list += (list.empty() ? "" : ", ") + name;
    return list.empty() ? "clips that the file does not name" : list;
}

}  // namespace

std::string headSection(const Findings& f) {
    const Score& score = f.score(0);
    const std::string what = sceneGarments(f.set->scene());
    std::string out = "<header><p class=\"brand\">Hemline report</p><h1>" + escaped(what) +
                      " <em>on</em> " + escaped(f.set->scene().character.name) + "</h1>\n<p>";
    out += f.each[0].garment ? "Model <b>" + escaped(f.each[0].kind) + "</b>, <code>" +
                                   escaped((*f.entrants)[0].file) + "</code>"
                             : "<b>Plain skinning</b>";
    if (f.each.size() > 1)
        out += " and " + counted(f.each.size() - 1, "other", "others") + " beside it";
    out += ", played free-running on " + counted(score.clips.size(), "clip", "clips") + " (" +
           counted(framesIn(score), "frame", "frames") + format(" at %g Hz) of <code>", f.rate) +
           escaped(f.set->folder()) + "</code>, a simulation." + seenBefore(f) +
           " Errors are distances of vertices from the simulation.</p>\n";
    return out + tiles(score) + "</header>\n";
}

std::string scoreSection(const Findings& f) {
    std::string out = "<section id=\"scores\"><h2>Scores</h2>\n";
    out += scoreTable(f, kRows, "Scores of all clips together");
    const std::string pushed = scoreTable(
        f, kPushedRows, "With HEM_PUSH_OUT: vertices that are inside the body are moved out of it");
    out += pushed;
    if (f.each.size() > 1) out += "<p class=\"note\">Bold: the least of the row.</p>";
    return out + "</section>\n";
}

std::string trainedSection(const Findings& f) {
    const HtmlTable table = factsTable(f);
    if (table.rows.empty()) return "";
    std::string notes;
    for (size_t i = 0; i < f.each.size(); ++i) {
        const EntrantFindings& e = f.each[i];
        if (!e.garment) continue;
        notes += "<h3>" + escaped(e.label) + "</h3>";
        const std::string report = wordOf(e.info, "report");
        if (!report.empty()) notes += "<p class=\"said\">" + escaped(report) + "</p>";
        notes += "<p class=\"told\">Trained on " + escaped(clipsInWords(f, i)) + ".</p>";
    }
    return "<section id=\"trained\"><h2>What was trained on what</h2>\n" + tableHtml(table) +
           "<details><summary>Clips and remarks of the training</summary>" + notes +
           "<p class=\"note\">Files hold no dates and no durations, so that the same training "
           "gives "
           "the same bytes: <code>hemline train --json</code> prints how long it took.</p>"
           "</details></section>\n";
}

std::string clipSection(const Findings& f) {
    std::string out = "<section id=\"clips\"><h2>Clip by clip</h2>\n";
    for (size_t i = 0; i < f.each.size(); ++i) {
        HtmlTable table{
            .caption = "Every clip, played by " + f.each[i].label,
            .head = {"Clip", "Frames", "Mean, cm", "95 %, cm", "Largest, cm", "After stops, cm",
                     "Velocity, cm", "Inside, %", "PCA floor, cm", "Confidence"}};
        const bool learned = f.score(i).learned;
        for (const ClipScore& clip : f.score(i).clips) {
            const Errors& e = clip.errors;
            table.rows.push_back(
                {escaped(clip.name), std::to_string(e.frames), numberText(e.mean_cm, "%.3f"),
                 numberText(e.p95_cm, "%.2f"), numberText(e.max_cm, "%.1f"),
                 numberText(e.after_stops_cm, "%.3f"), numberText(e.velocity_cm, "%.3f"),
                 numberText(percent(e.penetration_rate_1mm), "%.3f"),
                 learned ? numberText(e.pca_floor_cm, "%.3f") : "–",
                 learned ? numberText(e.confidence, "%.3f") : "–"});
        }
        out += std::string("<details") + (i ? "" : " open") + "><summary>" +
               format("<span class=\"dot s%d\"></span>", f.each[i].color) +
               escaped(f.each[i].label) + "</summary>" + tableHtml(table) + "</details>\n";
    }
    return out + "</section>\n";
}

}  // namespace hem
