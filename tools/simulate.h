// SPDX-License-Identifier: Apache-2.0
// What `hemline simulate` does, for the verbs that record too.
#pragma once

#include "hem/recording/record.h"
#include "hem/recording/scene_file.h"

namespace hem::tools {

// Records what the folder has not got yet, with progress; Ctrl-C ends it (RecordReport::cancelled).
Result<RecordReport> recordScene(const SceneFile& file, const std::string& folder);

}  // namespace hem::tools
