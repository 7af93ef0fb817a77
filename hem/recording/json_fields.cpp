// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/json_fields.h"

#include <charconv>

#include "hem/core/files.h"

namespace hem {

Result<Json> parseJson(std::string_view text, const std::string& file) {
    Json document = Json::parse(text, nullptr, false);
    if (document.is_discarded() || !document.is_object())
        return errorf("%s: is no JSON object; the file is damaged", file.c_str());
    return document;
}

Result<Json> loadJson(const std::string& path) {
    const auto text = readTextFile(path);
    if (!text) return text.error();
    return parseJson(*text, path);
}

std::string jsonText(const Json& document) { return document.dump(2) + "\n"; }

Json jsonNumber(float number) {
    char digits[32];
    const auto written = std::to_chars(digits, digits + sizeof(digits), number);
    double shortest = 0;
    std::from_chars(digits, written.ptr, shortest);
    return float(shortest) == number ? shortest : double(number);
}

JsonFields::JsonFields(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {}

void JsonFields::failed(const char* key, const char* expected) {
    if (!fault_) fault_ = errorf("%s%s: %s was expected", where_.c_str(), key, expected);
}

const Json* JsonFields::find(const char* key, bool (Json::*is)() const noexcept,
                             const char* expected) {
    const bool there = has(key) && (object_.at(key).*is)();
    if (!there) failed(key, expected);
    return there ? &object_.at(key) : nullptr;
}

std::string JsonFields::text(const char* key) {
    const Json* field = find(key, &Json::is_string, "a text");
    return field ? field->get<std::string>() : "";
}

double JsonFields::number(const char* key, double low, double high) {
    const Json* field = find(key, &Json::is_number, "a number");
    const double value = field ? field->get<double>() : low;
    if (value >= low && value <= high) return value;
    failed(key, "a number within its range");
    return low;
}

float JsonFields::single(const char* key, double low, double high) {
    return float(number(key, low, high));
}

uint64_t JsonFields::count(const char* key, uint64_t most) {
    const Json* field = find(key, &Json::is_number_unsigned, "a whole number");
    const uint64_t value = field ? field->get<uint64_t>() : 0;
    if (value <= most) return value;
    failed(key, "a smaller number");
    return 0;
}

bool JsonFields::flag(const char* key) {
    const Json* field = find(key, &Json::is_boolean, "true or false");
    return field && field->get<bool>();
}

const Json& JsonFields::array(const char* key) {
    static const Json empty = Json::array();
    const Json* field = find(key, &Json::is_array, "an array");
    return field ? *field : empty;
}

const Json& JsonFields::object(const char* key) {
    static const Json empty = Json::object();
    const Json* field = find(key, &Json::is_object, "an object");
    return field ? *field : empty;
}

}  // namespace hem
