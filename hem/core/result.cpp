// SPDX-License-Identifier: Apache-2.0
#include "hem/core/result.h"

#include <cstdarg>

#include "hem/core/text.h"

namespace hem {

Error errorf(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::string message = formatList(format, arguments);
    va_end(arguments);
    return {std::move(message)};
}

}  // namespace hem
