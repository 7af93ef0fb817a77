// SPDX-License-Identifier: Apache-2.0
// FootMotion: where a foot is in every frame: planted as it rolls, and swinging in between.
//
// A swing is made in the frame of the moving, turning pelvis: minimum jerk from lift-off to
// contact, with a hump for the clearance and a detour past the standing foot. At both ends the foot
// moves with the floor, not with the pelvis; that difference fades within 0.13 s. In that frame a
// step on the spot arcs around the body, and the legs of a jump rise with it.
#pragma once

#include "hem/character/motions/pelvis_motion.h"

namespace hem {

struct FootMotion {
    std::vector<FootPose> poses;  // per frame
    Channel toe_bend;             // of the toes against the foot, radians, upwards positive
};

FootMotion makeFootMotion(BodySide side, const RootPath& path, const StepPlan& steps,
                          const PelvisMotion& pelvis, const BodyMeasures& body);

// How far, per frame, the pelvis is too high for a foot that has just left the floor or is about to
// land: neither leg should have to stretch. Nought in jumps.
Channel reachExcess(BodySide side, const StepPlan& steps, const PelvisMotion& pelvis,
                    const FootMotion& foot, const BodyMeasures& body);

// The lowest point of the sole above the floor, toes flat or bent as given.
double soleHeight(const LegMeasures& leg, const FootPose& pose, double toe_bend);

}  // namespace hem
