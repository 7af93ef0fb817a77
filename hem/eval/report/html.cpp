// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/html.h"

#include <cmath>
#include <cstdint>
#include <cstdio>

#include "hem/core/text.h"

namespace hem {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes of the UTF-8 character at `at`, 0 where there is none: too short, overlong, a surrogate or
// past U+10FFFF.
size_t characterSize(std::string_view text, size_t at) {
    const auto byte = [&](size_t i) { return at + i < text.size() ? uint8_t(text[at + i]) : 0u; };
    const unsigned first = byte(0);
    const size_t size = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : 4;
    if (size == 1) return 1;
    if (size == 4 && first >> 3 != 30) return 0;
    uint32_t code = first & (0x7Fu >> size);
    for (size_t i = 1; i < size; ++i) {
        if (byte(i) >> 6 != 2) return 0;
        code = code << 6 | (byte(i) & 0x3F);
    }
    constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    return code < kLeast[size] || code > 0x10FFFF || surrogate ? 0 : size;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t size = characterSize(text, at);
        const auto c = static_cast<unsigned char>(text[at]);
        if (size == 0 || c == 0x7F || (c < 0x20 && c != '\n' && c != '\t'))
            out += kReplacement;
        else if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (c == '\'')
            out += "&#39;";
        else
            out += text.substr(at, size);
        at += size ? size : 1;
    }
    return out;
}

std::string scriptSafe(std::string_view json) {
    std::string out;
    for (const char c : json) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
    return out;
}

std::string base64(std::span<const std::byte> bytes) {
    constexpr const char* kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t at = 0; at < bytes.size(); at += 3) {
        const size_t left = bytes.size() - at;
        uint32_t three = 0;
        for (size_t i = 0; i < 3; ++i)
            three = three << 8 | (i < left ? uint32_t(bytes[at + i]) : 0);
        for (size_t i = 0; i < 4; ++i) out += i <= left ? kDigits[three >> (18 - 6 * i) & 63] : '=';
    }
    return out;
}

std::string numberText(const std::optional<double>& value, const char* format_of_one) {
    if (!value || !std::isfinite(*value)) return "–";
    char number[64];
    std::snprintf(number, sizeof number, format_of_one, *value);
    return number;
}

std::string shortNumber(double value) {
    const double size = std::abs(value);
    if (!std::isfinite(value) || value == 0 || (size >= 1e-3 && size < 1e4))
        return numberText(value, size >= 1000 ? "%.0f" : "%.3g");
    const int power = int(std::floor(std::log10(size)));
    return format("%.2f · 10<sup>%d</sup>", value / std::pow(10, power), power);
}

std::string tableHtml(const HtmlTable& table) {
    std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                      escaped(table.caption) + "\"><table><caption>" + escaped(table.caption) +
                      "</caption><thead><tr>";
    for (const std::string& cell : table.head) out += "<th scope=\"col\">" + cell + "</th>";
    out += "</tr></thead><tbody>";
    for (const auto& row : table.rows) {
        out += "<tr>";
        for (size_t i = 0; i < row.size(); ++i)
            out += i ? "<td>" + row[i] + "</td>" : "<th scope=\"row\">" + row[i] + "</th>";
        out += "</tr>";
    }
    return out + "</tbody></table></div>\n";
}

}  // namespace hem
