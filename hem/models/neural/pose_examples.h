// SPDX-License-Identifier: Apache-2.0
// A part of a pose set as Model N learns from it.
#pragma once

#include "hem/models/neural/training.h"
#include "hem/poses/pose_set.h"
#include "hem/subspace/mirror.h"

namespace hem {

// The rotations of the set's input joints and the offsets, both in the canonical frame of each pose.
// 4 bytes a number: 156 MB for 6,000 poses of 2,170 vertices. In parallel. Fails where the part is
// empty or the character has no hips to tell its heading by.
//
// `partners`, where not null: behind the poses their mirror images, left and right exchanged, in
// the same order; twice as many examples at no simulation. What the mirrored cloth is off is the
// garment skinned to the mirrored pose.
Result<PoseExamples> readExamples(const PoseSet& set, PoseSplit part, RotationNumbers numbers,
                                  const MirrorPartners* partners = nullptr);

}  // namespace hem
