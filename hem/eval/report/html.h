// SPDX-License-Identifier: Apache-2.0
// Pieces of HTML: text made safe, numbers, tables, and bytes as base64.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hem {

// Safe as text and inside attributes in double quotes. Control characters and bytes that are no
// UTF-8 become U+FFFD, so that no file name can break the page's encoding.
std::string escaped(std::string_view text);

// JSON text safe inside <script>: no "<" is left as it is.
std::string scriptSafe(std::string_view json);

std::string base64(std::span<const std::byte> bytes);

// "–" for no value. `format` takes one double.
std::string numberText(const std::optional<double>& value, const char* format);

// HTML of three digits: "23.5", "1.98 · 10<sup>4</sup>".
std::string shortNumber(double value);

// Cells are HTML. The first of each row is its heading; the others are set as numbers.
struct HtmlTable {
    std::string caption;  // text
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
};
std::string tableHtml(const HtmlTable& table);

}  // namespace hem
