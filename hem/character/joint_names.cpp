// SPDX-License-Identifier: Apache-2.0
#include "hem/character/joint_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace hem {
namespace {

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool isUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool isAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }

bool equalFolded(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

// A run of letters and digits of the name.
struct Token {
    size_t begin, length;
};

std::vector<Token> tokensOf(std::string_view name) {
    std::vector<Token> tokens;
    for (size_t i = 0; i < name.size();) {
        if (!isAlnum(name[i])) {
            ++i;
            continue;
        }
        size_t end = i;
        while (end < name.size() && isAlnum(name[end])) ++end;
        tokens.push_back({i, end - i});
        i = end;
    }
    return tokens;
}

// Where the side stands in the name.
struct SideMark {
    Side side = Side::kCentre;
    size_t begin = 0, length = 0;
};

// A whole token that is a side: ".L", "_R_", " L ", "left".
SideMark sideToken(std::string_view name, const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
        const std::string_view text = name.substr(token.begin, token.length);
        for (auto [word, side] : {std::pair{"l", Side::kLeft},
                                  {"left", Side::kLeft},
                                  {"r", Side::kRight},
                                  {"right", Side::kRight}})
            if (equalFolded(text, word)) return {side, token.begin, token.length};
    }
    return {};
}

// A token that begins with a side ("LeftArm", "leftUpperLeg", "LThumb", "lShldr") or ends with one
// ("ThighLeft").
SideMark sideWithinToken(std::string_view name, const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
        const std::string_view text = name.substr(token.begin, token.length);
        for (auto [word, side] :
             {std::pair{std::string_view("left"), Side::kLeft}, {"right", Side::kRight}}) {
            if (text.size() <= word.size()) continue;
            const size_t rest = text.size() - word.size();
            if (equalFolded(text.substr(0, word.size()), word))
                return {side, token.begin, word.size()};
            if (equalFolded(text.substr(rest), word) && (isUpper(text[rest]) || !isLetter(text[0])))
                return {side, token.begin + rest, word.size()};
        }
        // one letter and a capital; "RHipJoint" and "rShin", but not "LOWERBACK"
        const bool capital_then_lower = text.size() > 2 && isUpper(text[1]) && !isUpper(text[2]);
        if (capital_then_lower && lower(text[0]) == 'l') return {Side::kLeft, token.begin, 1};
        if (capital_then_lower && lower(text[0]) == 'r') return {Side::kRight, token.begin, 1};
    }
    return {};
}

// The name from where it begins to mean something.
std::string_view withoutPrefixes(std::string_view name) {
    if (const size_t colon = name.rfind(':');
        colon != std::string_view::npos && colon + 1 < name.size())
        name.remove_prefix(colon + 1);
    static constexpr std::array<std::string_view, 8> kPrefixes = {
        "mixamorig_", "mixamorig", "DEF-", "ORG-", "J_Bip_", "Bip001", "Bip01", "Skeleton_"};
    for (const std::string_view prefix : kPrefixes)
        if (name.size() > prefix.size() && equalFolded(name.substr(0, prefix.size()), prefix)) {
            name.remove_prefix(prefix.size());
            break;
        }
    // J_Bip_C_Hips: the centre is a side too
    if (name.size() > 2 && (name.substr(0, 2) == "C_")) name.remove_prefix(2);
    return name;
}

}  // namespace

std::string foldedName(std::string_view name) {
    std::string folded;
    for (char c : name)
        if (isAlnum(c)) folded += lower(c);
    return folded;
}

JointName takeApart(std::string_view name) {
    const std::string_view meaning = withoutPrefixes(name);
    const size_t prefix = name.size() - meaning.size();
    const std::vector<Token> tokens = tokensOf(meaning);
    SideMark mark = sideToken(meaning, tokens);
    if (mark.side == Side::kCentre) mark = sideWithinToken(meaning, tokens);
    if (mark.side == Side::kCentre) return {Side::kCentre, foldedName(meaning), std::string(name)};
    std::string rest(meaning);
    rest.erase(mark.begin, mark.length);
    std::string pattern(name);
    pattern.replace(prefix + mark.begin, mark.length, "*");
    return {mark.side, foldedName(rest), pattern};
}

size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

}  // namespace hem
