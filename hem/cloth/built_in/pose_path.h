// SPDX-License-Identifier: Apache-2.0
// PosePath: the way from one pose to the next within a frame, and the joints' matrices along it.
#pragma once

#include "hem/character/character.h"

namespace hem::built_in {

// Rotations by slerp in portable arithmetic, the root's position along a line.
class PosePath {
public:
    explicit PosePath(const Character& character);

    void set(const Pose& from, const Pose& to);
    // The skinning matrices at t, 0 to 1; they hold until the next call. Does not allocate.
    const std::vector<Affine>& matricesAt(float t);

private:
    const Character& character_;
    Pose from_, to_, now_;
    std::vector<double> angles_;  // between the quaternions; 0 where they are all but equal
    std::vector<Affine> matrices_;
};

// As interpolate(), with the same bits on every machine.
Pose portableInterpolate(const Pose& a, const Pose& b, float t);

}  // namespace hem::built_in
