// SPDX-License-Identifier: Apache-2.0
// Text: printf into a string, splitting, case, and numbers read strictly.
#pragma once

#include <cstdarg>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hem {

[[gnu::format(printf, 1, 2)]] std::string format(const char* format, ...);
std::string formatList(const char* format, va_list arguments);

// The words between runs of blanks (space, tab, carriage return, newline).
std::vector<std::string_view> splitWords(std::string_view text);
std::string toLower(std::string_view text);

// The whole of `text` as a finite number, or nothing: no trailing characters, no "nan", no "inf",
// and never the user's locale.
std::optional<double> parseNumber(std::string_view text);
std::optional<long> parseInteger(std::string_view text);

// `text` cut to `limit` characters and with control characters made visible, for quoting a piece of
// an untrusted file in an error message.
std::string quoteForMessage(std::string_view text, size_t limit = 40);

}  // namespace hem
