// SPDX-License-Identifier: Apache-2.0
// UpperBody: spine, head, shoulders and arms in every frame, as anatomical angles.
//
// The chest turns against the pelvis, the arms swing against the legs, the head keeps to where the
// body is going and leads its turns; slow seeded noise keeps all of it from being a machine.
#pragma once

#include "hem/character/motions/pelvis_motion.h"

namespace hem {

// Radians. Of one arm, from hanging straight down with the palm to the thigh.
struct ArmAngles {
    double forward = 0, out = 0;  // of the upper arm
    double inward = 0;            // turned about itself, elbow pointing outwards
    double elbow = 0;             // 0 is straight
    double pronation = 0, wrist = 0;
    double shrug = 0, reach = 0;  // of the shoulder girdle: up, forwards
};

struct UpperBodyPose {
    // Each against the part below it: flexion forwards, bend to the left... of the whole chain.
    double spine_flexion = 0, spine_bend = 0, spine_turn = 0;
    double neck_flexion = 0, neck_bend = 0, neck_turn = 0;
    std::array<ArmAngles, 2> arms;
};

std::vector<UpperBodyPose> makeUpperBody(const MotionScript& script, const RootPath& path,
                                         const StepPlan& steps, const PelvisMotion& pelvis,
                                         const BodyMeasures& body);

}  // namespace hem
