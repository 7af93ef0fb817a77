// SPDX-License-Identifier: Apache-2.0
#include "hem/runtime/hem.h"

#define HEM_QUOTE_EXPANDED(x) #x
#define HEM_QUOTE(x) HEM_QUOTE_EXPANDED(x)

const char* hem_version(void) {
    return HEM_QUOTE(HEM_VERSION_MAJOR) "." HEM_QUOTE(HEM_VERSION_MINOR) "." HEM_QUOTE(
        HEM_VERSION_PATCH);
}
