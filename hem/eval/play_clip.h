// SPDX-License-Identifier: Apache-2.0
// Playing a garment to the body of a recorded clip: what evaluations share.
#pragma once

#include <string>
#include <vector>

#include "hem/eval/play.h"
#include "hem/recording/recording.h"

namespace hem {

// Fails where the recordings have other vertices or joints than the garment.
Status checkFits(const hem_Garment* garment, const RecordingSet& set);

struct ClipToPlay {
    Recording clip;
    std::vector<Recording> stops;  // of the clip, in order
};
// Fails where a clip is not there.
Result<std::vector<ClipToPlay>> clipsToPlay(const RecordingSet& set,
                                            const std::vector<std::string>& clips);

}  // namespace hem
