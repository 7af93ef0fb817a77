// SPDX-License-Identifier: Apache-2.0
// A score as `hemline evaluate --json` prints it: what programs read, and what the report carries.
#pragma once

#include <nlohmann/json.hpp>

#include "hem/eval/evaluate.h"
#include "hem/eval/evaluate_poses.h"

namespace hem {

// What plain skinning has not (lambda, the player's time, ...) is null there; so is what Model N has
// not (lambda, energy bound).
nlohmann::ordered_json scoreJson(const Score& score);
nlohmann::ordered_json scoreJson(const PoseScore& score);

}  // namespace hem
