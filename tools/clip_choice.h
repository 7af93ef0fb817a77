// SPDX-License-Identifier: Apache-2.0
// Which clips of a set a verb works on: by shell patterns, with a default that keeps training and
// testing apart.
#pragma once

#include <string>
#include <vector>

#include "hem/recording/recording.h"

namespace hem::tools {

// Clips that are named test_..., as the built-in test set's are.
bool isTestClip(const std::string& name);

// The clips without stops that match any of the patterns. Without patterns: for training all but
// test clips, for testing the test clips, or all where there are none. Fails where a pattern
// matches nothing.
enum class Purpose { kTraining, kTesting };
Result<std::vector<std::string>> chooseClips(const RecordingSet& set,
                                             const std::vector<std::string>& patterns,
                                             Purpose purpose);

}  // namespace hem::tools
