// SPDX-License-Identifier: Apache-2.0
// Page: a section while it is made, Markdown and data, until something fails. Sheet: a page that asks
// the workshop of recordings.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "hem/core/text.h"
#include "tools/tables_sections.h"

namespace hem::tools {

class Page {
public:
    explicit Page(std::string name) : section_{std::move(name), {}, Json::object()} {}

    // What `question` gives, a Result<Json>; after a failure nothing is asked for any more, and nulls
    // come back.
    template <class F>
    Json take(const F& question) {
        if (error_) return {};
        Result<Json> answer = question();
        if (answer) return *answer;
        error_ = answer.error();
        return {};
    }

    void line(std::string text) { section_.lines.push_back(std::move(text)); }
    // A heading row and the rule under it.
    void heading(const std::vector<std::string>& cells);
    void row(const std::vector<std::string>& cells);
    Json& data() { return section_.data; }

    bool failed() const { return error_.has_value(); }
    // Why it failed, or the section.
    Result<Section> finish();

private:
    Section section_;
    std::optional<Error> error_;
};

class Sheet : public Page {
public:
    Sheet(std::string name, Workshop& workshop) : Page(std::move(name)), workshop_(workshop) {}

    // What the workshop gives.
    template <class F>
    Json ask(const F& question) {
        return take([&] { return question(workshop_); });
    }
    // What every section asks for.
    Json score(const Outfit& outfit, const ModelChoice& choice, const std::string& group) {
        return ask([&](Workshop& w) { return w.score(outfit, choice, group); });
    }
    // "33 + 15 clips with 5 stops each, 6,534 + 9,900 frames".
    std::string extent(const Outfit& outfit);

private:
    Workshop& workshop_;
};

// The number of that name, NaN where there is none.
double number(const Json& json, const char* name);
// Two decimals and a bare "-" for what is missing.
std::string figure(double value, const char* form = "%.2f");
std::string withCommas(size_t value);
std::string percent(double from, double to);  // "-12 %"
bool falls(const std::vector<double>& values);
size_t indexOfLeast(const std::vector<double>& values);

// The sections beside the tables: docs/tables.md.
Result<Section> atomicSection(Workshop& workshop, const TablesPlan& plan);
Result<Section> novelSection(Workshop& workshop, const TablesPlan& plan);
Result<Section> fabricsSection(Workshop& workshop, const TablesPlan& plan);
Result<Section> stopSection(Workshop& workshop, const TablesPlan& plan);

}  // namespace hem::tools
