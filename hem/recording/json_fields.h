// SPDX-License-Identifier: Apache-2.0
// JsonFields: an object's fields, taken strictly out of an untrusted file.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "hem/core/result.h"

namespace hem {

using Json = nlohmann::ordered_json;

// The document; the message names the file and the byte.
Result<Json> parseJson(std::string_view text, const std::string& file);
Result<Json> loadJson(const std::string& path);
// As it is written everywhere: indented, a newline at the end.
std::string jsonText(const Json& document);
// The shortest number that reads back as this float.
Json jsonNumber(float number);

// Each function gives the field, or a value of its type and a fault: read all, then look at
// fault(), which is the first one. `where` stands in front of the key in messages
// ("meta.json: stop.").
class JsonFields {
public:
    JsonFields(const Json& object, std::string where);

    std::string text(const char* key);
    double number(const char* key, double low, double high);
    float single(const char* key, double low, double high);
    uint64_t count(const char* key, uint64_t most = std::numeric_limits<uint64_t>::max());
    bool flag(const char* key);
    bool has(const char* key) const { return object_.is_object() && object_.contains(key); }
    // An empty one where there is none.
    const Json& array(const char* key);
    const Json& object(const char* key);

    const std::optional<Error>& fault() const { return fault_; }

private:
    const Json* find(const char* key, bool (Json::*is)() const noexcept, const char* expected);
    void failed(const char* key, const char* expected);

    const Json& object_;
    std::string where_;
    std::optional<Error> fault_;
};

}  // namespace hem
