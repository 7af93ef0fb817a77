// SPDX-License-Identifier: Apache-2.0
// Frames of training for fitBodyProxy(): recorded, and as the learned garment plays them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hem/pack/body_proxy.h"
#include "hem/recording/recording.h"

namespace hem {

// `count` frames, or all where there are fewer, evenly spread over `clips`. `garment`: the packed
// bytes, with or without a body, of the set's scene.
Result<std::vector<BodyFrame>> bodyFrames(const RecordingSet& set,
                                          const std::vector<std::string>& clips,
                                          std::span<const std::byte> garment, size_t count = 400);

}  // namespace hem
