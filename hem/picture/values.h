// SPDX-License-Identifier: Apache-2.0
// Numbers per vertex out of a file, to be shown as colours.
#pragma once

#include <string>
#include <vector>

#include "hem/core/result.h"

namespace hem {

// A text file with one number per line (blank lines and what follows # do not count; "nan" is a
// vertex without a value), or a NumPy .npy array of one dimension, float32 or float64. Safe on
// untrusted bytes; errors name the line.
Result<std::vector<double>> loadValues(const std::string& path);

}  // namespace hem
