// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/values.h"

#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "hem/core/files.h"
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

template <class Number>
Result<std::vector<double>> readArray(std::span<const std::byte> bytes, const std::string& name) {
    if (bytes.empty() || bytes.size() % sizeof(Number) != 0)
        return errorf(
            "%s: %zu bytes of numbers are not whole numbers of %zu bytes; the file is cut",
            name.c_str(), bytes.size(), sizeof(Number));
    std::vector<double> values;
    for (size_t i = 0; i < bytes.size(); i += sizeof(Number)) {
        Number number;
        std::memcpy(&number, bytes.data() + i, sizeof(Number));
        values.push_back(double(number));
    }
    return values;
}

// The format's version 1.0: "\x93NUMPY", version, 16-bit header length, a Python dictionary as
// text.
Result<std::vector<double>> parseNpy(std::span<const std::byte> bytes, const std::string& name) {
    static_assert(std::endian::native == std::endian::little);
    constexpr size_t kPreamble = 10;
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    if (bytes.size() < kPreamble || std::memcmp(text, "\x93NUMPY\x01", 7) != 0)
        return errorf("%s: not a NumPy file of version 1", name.c_str());
    const size_t header_size = uint8_t(text[8]) + 256u * uint8_t(text[9]);
    if (header_size > bytes.size() - kPreamble)
        return errorf("%s: the header is cut", name.c_str());
    const std::string_view header(text + kPreamble, header_size);
    const size_t open = header.find('('), comma = header.find(',', open),
                 close = header.find(')', open);
    const bool one_dimension = close != header.npos && comma != header.npos && comma + 1 == close;
    if (!one_dimension)
        return errorf("%s: an array of one dimension was expected, one number per vertex",
                      name.c_str());
    const auto count = parseInteger(header.substr(open + 1, comma - open - 1));
    const auto data = bytes.subspan(kPreamble + header_size);
    const bool single = header.find("'<f4'") != header.npos;
    if (!single && header.find("'<f8'") == header.npos)
        return errorf("%s: float32 or float64 was expected; save it with .astype('float32')",
                      name.c_str());
    auto values = single ? readArray<float>(data, name) : readArray<double>(data, name);
    if (values && (!count || long(values->size()) != *count))
        return errorf("%s: the header and the file disagree on the number of values", name.c_str());
    return values;
}

}  // namespace

Result<std::vector<double>> loadValues(const std::string& path) {
    const auto bytes = readFile(path);
    if (!bytes) return bytes.error();
    if (extensionOf(path) == "npy") return parseNpy(*bytes, path);
    return parseText({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path);
}

}  // namespace hem
