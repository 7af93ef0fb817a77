// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/toml_table.h"

#include "hem/character/by_name.h"
#include "hem/core/text.h"

namespace hem {

Error TomlTable::errorAt(const char* key, const std::string& what) const {
    const toml::node* at = node(key);
    const size_t at_line = at ? size_t(at->source().begin.line) : line();
    return errorf("%s:%zu: %s%s: %s", file_.c_str(), at_line, name_.c_str(), key, what.c_str());
}

std::optional<Error> faultOfTomlText(std::string_view text, const std::string& file) {
    size_t line = 1;
    char quote = 0;  // of the string that a character is in; '#' in a comment
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') ++line, quote = 0;
        const bool is_quote = c == '"' || c == '\'';
        if (quote == 0 && text.substr(i, 3) == std::string(3, c) && is_quote)
            i += 2;  // of several lines: what is in it is looked at as if it were outside
        else if (quote == 0 && (is_quote || c == '#'))
            quote = c;
        else if (quote == '"' && c == '\\')
            ++i;
        else if (c == quote && is_quote)
            quote = 0;
        else if (quote == 0 && static_cast<unsigned char>(c) >= 0x80)
            return errorf("%s:%zu: letters beyond ASCII go into quotes, on one line", file.c_str(),
                          line);
    }
    return std::nullopt;
}

void TomlTable::fail(const char* key, const std::string& what) {
    if (!fault_) fault_ = errorAt(key, what);
}

void TomlTable::fail(const std::optional<Error>& error) {
    if (!fault_) fault_ = error;
}

void TomlTable::read(const char* key, std::string& value) {
    if (!has(key)) return;
    if (const auto text = node(key)->value_exact<std::string>())
        value = *text;
    else
        fail(key, "a text was expected, in quotes");
}

void TomlTable::read(const char* key, bool& value) {
    if (!has(key)) return;
    if (const auto flag = node(key)->value_exact<bool>())
        value = *flag;
    else
        fail(key, "true or false was expected");
}

void TomlTable::read(const char* key, double& value, double low, double high) {
    if (!has(key)) return;
    const auto number = node(key)->is_number() ? node(key)->value<double>() : std::nullopt;
    if (number && *number >= low && *number <= high)
        value = *number;
    else
        fail(key, format("a number from %g to %g was expected", low, high));
}

void TomlTable::read(const char* key, float& value, double low, double high) {
    double number = double(value);
    if (!has(key)) return;
    read(key, number, low, high);
    value = float(number);
}

void TomlTable::read(const char* key, int64_t& value, int64_t low, int64_t high) {
    if (!has(key)) return;
    const auto number = node(key)->value_exact<int64_t>();
    if (number && *number >= low && *number <= high)
        value = *number;
    else
        fail(key, format("a whole number from %lld to %lld was expected",
                         static_cast<long long>(low), static_cast<long long>(high)));
}

void TomlTable::read(const char* key, Vec3& value, double largest) {
    if (!has(key)) return;
    const toml::array* array = node(key)->as_array();
    bool good = array && array->size() == 3;
    for (size_t i = 0; good && i < 3; ++i) {
        const auto number = (*array)[i].is_number() ? (*array)[i].value<double>() : std::nullopt;
        good = number && *number >= -largest && *number <= largest;
        if (good) value[int(i)] = float(*number);
    }
    if (!good) fail(key, format("three numbers up to %g were expected, [x, y, z]", largest));
}

void TomlTable::read(const char* key, std::vector<std::string>& values) {
    if (!has(key)) return;
    values.clear();
    if (const auto text = node(key)->value_exact<std::string>()) values.push_back(*text);
    const toml::array* array = node(key)->as_array();
    for (size_t i = 0; array && i < array->size(); ++i) {
        const auto text = (*array)[i].value_exact<std::string>();
        if (!text) return fail(key, "texts were expected, in quotes");
        values.push_back(*text);
    }
    if (values.empty()) fail(key, "one text or more were expected: [\"a\", \"b\"]");
}

std::optional<TomlTable> TomlTable::table(const char* key) {
    if (!has(key)) return {};
    if (const toml::table* inner = node(key)->as_table())
        return TomlTable(*inner, file_, name_ + key + ".");
    fail(key, "a table was expected: { ... }");
    return {};
}

void TomlTable::allowOnly(const std::vector<std::string>& keys) {
    for (const auto& [key, value] : *table_) {
        const std::string name(key.str());
        if (std::find(keys.begin(), keys.end(), name) != keys.end() || fault_) continue;
        std::string known;
        for (const std::string& k : keys) known += (known.empty() ? "" : ", ") + k;
        fault_ =
            errorf("%s:%zu: %s%s: no such key%s (known are %s)", file_.c_str(),
                   size_t(key.source().begin.line), name_.c_str(), quoteForMessage(name).c_str(),
                   suggestionFor(name, keys).c_str(), known.c_str());
    }
}

}  // namespace hem
