// SPDX-License-Identifier: Apache-2.0
// What `hemline evaluate --json` prints, for the verbs that evaluate too.
#pragma once

#include <nlohmann/json.hpp>

#include "hem/eval/evaluate.h"

namespace hem::tools {

nlohmann::ordered_json scoreJson(const Score& score);

}  // namespace hem::tools
