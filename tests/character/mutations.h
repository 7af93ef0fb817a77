// SPDX-License-Identifier: Apache-2.0
// Seeded damage to a file, for feeding readers.
#pragma once

#include <string>

#include "hem/core/random.h"

namespace hem {

// One to four changes: a flipped bit, a byte replaced, a piece removed, doubled or moved.
inline std::string mutated(std::string text, Random& random) {
    const int changes = random.integer(1, 4);
    for (int i = 0; i < changes && !text.empty(); ++i) {
        const size_t at = size_t(random.integer(0, int(text.size()) - 1));
        const size_t size = std::min(text.size() - at, size_t(random.integer(1, 40)));
        switch (random.integer(0, 5)) {
            case 0:
            case 1:
                text[at] = char(text[at] ^ (1 << random.integer(0, 7)));
                break;
            case 2:
                text[at] = char(random.integer(0, 255));
                break;
            case 3:
                text.erase(at, size);
                break;
            case 4:
                text.insert(at, text.substr(at, size));
                break;
            default: {
                const std::string piece = text.substr(at, size);
                text.erase(at, size);
                text.insert(size_t(random.integer(0, int(text.size()))), piece);
            }
        }
    }
    return text;
}

}  // namespace hem
