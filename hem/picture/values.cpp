// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/values.h"

#include <cstring>
#include <limits>
#include <span>

#include "hem/core/files.h"
#include "hem/core/npy.h"
#include "hem/core/text.h"

namespace hem {
namespace {

Result<std::vector<double>> parseText(std::string_view text, const std::string& name) {
    std::vector<double> values;
    for (size_t line_number = 1; !text.empty(); ++line_number) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto words = splitWords(line.substr(0, line.find('#')));
        if (words.empty()) continue;
        const bool missing = toLower(words[0]) == "nan";
        const auto number =
            missing ? std::numeric_limits<double>::quiet_NaN() : parseNumber(words[0]);
        if (!number || words.size() > 1)
            return errorf("%s:%zu: one number per line was expected, not %s", name.c_str(),
                          line_number, quoteForMessage(line).c_str());
        values.push_back(*number);
    }
    if (values.empty()) return errorf("%s: holds no numbers", name.c_str());
    return values;
}

Result<std::vector<double>> arrayValues(std::span<const std::byte> bytes, const std::string& name) {
    const auto array = parseNpy(bytes, name);
    if (!array) return array.error();
    if (array->header.shape.size() != 1 || array->data.empty())
        return errorf("%s: an array of one dimension was expected, one number per vertex",
                      name.c_str());
    if (array->header.type != NpyType::kFloat32 && array->header.type != NpyType::kFloat64)
        return errorf("%s: float32 or float64 was expected; save it with .astype('float32')",
                      name.c_str());
    std::vector<double> values(array->header.shape[0]);
    for (size_t i = 0; i < values.size(); ++i) {
        if (array->header.type == NpyType::kFloat64) {
            std::memcpy(&values[i], array->data.data() + i * sizeof(double), sizeof(double));
        } else {
            float number;
            std::memcpy(&number, array->data.data() + i * sizeof(float), sizeof(float));
            values[i] = double(number);
        }
    }
    return values;
}

}  // namespace

Result<std::vector<double>> loadValues(const std::string& path) {
    const auto bytes = readFile(path);
    if (!bytes) return bytes.error();
    if (extensionOf(path) == "npy") return arrayValues(*bytes, path);
    return parseText({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path);
}

}  // namespace hem
