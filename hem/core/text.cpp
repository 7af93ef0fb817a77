// SPDX-License-Identifier: Apache-2.0
#include "hem/core/text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace hem {

std::string formatList(const char* format, va_list arguments) {
    va_list measure;
    va_copy(measure, arguments);
    const int size = std::vsnprintf(nullptr, 0, format, measure);
    va_end(measure);
    if (size <= 0) return {};
    std::string text(size_t(size) + 1, '\0');
    std::vsnprintf(text.data(), text.size(), format, arguments);
    text.resize(size_t(size));
    return text;
}

std::string format(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::string text = formatList(format, arguments);
    va_end(arguments);
    return text;
}

std::vector<std::string_view> splitWords(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    std::vector<std::string_view> words;
    for (size_t at = text.find_first_not_of(kBlanks); at != text.npos;) {
        const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(kBlanks, end);
    }
    return words;
}

std::string toLower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    return lower;
}

std::optional<double> parseNumber(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return {};
    return value;
}

std::optional<long> parseInteger(std::string_view text) {
    long value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

std::string quoteForMessage(std::string_view text, size_t limit) {
    std::string quoted = "'";
    for (char c : text.substr(0, limit)) {
        const bool printable = c >= 0x20 && c < 0x7f;
        quoted += printable ? std::string(1, c)
                            : format("\\x%02x", unsigned(static_cast<unsigned char>(c)));
    }
    return quoted + (text.size() > limit ? "...'" : "'");
}

}  // namespace hem
