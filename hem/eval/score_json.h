// SPDX-License-Identifier: Apache-2.0
// A score as `hemline evaluate --json` prints it: what programs read, and what the report carries.
#pragma once

#include <nlohmann/json.hpp>

#include "hem/eval/evaluate.h"

namespace hem {

// What plain skinning has not (lambda, the player's time, ...) is null there.
nlohmann::ordered_json scoreJson(const Score& score);

}  // namespace hem
