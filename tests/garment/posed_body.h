// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hem/character/character.h"
#include "hem/core/transform.h"

namespace hem {

// The same body with another rest pose: arms raised by `degrees` (lowered where negative).
inline Character withArmsRaised(Character c, float degrees) {
    Pose pose = restPose(c.skeleton);
    for (const char* name : {"LeftArm", "RightArm"}) {
        const int joint = c.skeleton.find(name);
        const float angle = degreesToRadians(name[0] == 'L' ? degrees : -degrees);
        Quat& q = pose.rotations[size_t(joint)];
        q = fromAxisAngle({0, 0, 1}, angle) * q;
    }
    c.mesh.positions = posedVertices(c, pose);
    for (size_t j = 0; j < c.skeleton.size(); ++j)
        c.skeleton.joints[j].parent_from_rest.rotation = pose.rotations[j];
    c.skin.joint_from_rest = inverseRestMatrices(c.skeleton);
    return c;
}

}  // namespace hem
