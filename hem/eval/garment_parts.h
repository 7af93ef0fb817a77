// SPDX-License-Identifier: Apache-2.0
// Which part of a garment a vertex belongs to: where errors are, in words.
#pragma once

#include <span>
#include <vector>

#include "hem/poses/pose_set.h"

namespace hem {

enum class GarmentPart { kTrunk, kSleeves, kTails };
inline constexpr int kGarmentParts = 3;

// Sleeves: vertices that upper arms, forearms and hands carry for the larger part. Tails: of the
// others those that, at rest, are below the hip joints. The trunk: all else. Fails on a character
// that is no recognisable human.
Result<std::vector<GarmentPart>> garmentParts(const PoseSet& set);

struct PartError {
    size_t vertices = 0;
    double rms_cm = 0;  // root of the mean squared distance of its vertices
    double share = 0;   // of the whole garment's squared error, 0 to 1
};
// `vertex_square`: mean squared distance per vertex, square metres. By part.
std::vector<PartError> errorsOfParts(std::span<const GarmentPart> parts,
                                     std::span<const float> vertex_square);

}  // namespace hem
