// SPDX-License-Identifier: Apache-2.0
// BVH: motions read from and written to Biovision hierarchy files.
//
// The rest pose of a file is its zero pose: every rest rotation is the identity, offsets are the
// OFFSET lines. Channels come in any order and number; a joint's rotation is the product of its
// rotation channels from left to right (Zrotation Yrotation Xrotation is Rz*Ry*Rx on column
// vectors).
//
// Rules where files differ:
//
// Positions. Root position channels are the root's place in the world; they replace OFFSET, axis by
// axis. For other joints bones do not stretch, so OFFSET stands and a note names the joints whose
// position channels say otherwise; only a joint with OFFSET 0 0 0 whose position channels never
// change has them as its offset. Scale channels are left out, with a note.
//
// Units (metres_per_unit = 0). A skeleton with CMU's joints LHipJoint, LowerBack and LThumb that is
// 0.8 to 2.6 m tall in CMU's unit (2.54/0.45 cm) is taken to be in it. Otherwise the tallest
// sampled frame is to come out between 1.2 and 2.2 m in metres, centimetres, inches, CMU units or
// millimetres; where none fits, the nearest is taken. Motion::notes says which.
//
// Rate. Frame Time is snapped to a whole rate where it is that rate's period cut to the digits
// written: .0083333 is 120 Hz, 0.0333333 is 30 Hz, 0.033367 stays 29.97 Hz.
//
// Names may hold blanks. The case of keywords is ignored.
#pragma once

#include <string>
#include <string_view>

#include "hem/character/motion.h"

namespace hem {

inline constexpr double kCmuMetresPerUnit = 0.0254 / 0.45;

struct BvhOptions {
    double metres_per_unit = 0;  // 0: by the rule above
    bool z_up = false;  // the file's up axis is Z; turned to Y, the root's rest rotation with it
    // Adds each End Site as a leaf joint "<Parent>_end" (a second one "<Parent>_end2") that never
    // turns: it gives toes, hands and head a direction. Those at a distance of nought are left out.
    bool end_sites = false;
    // Leaves out the first frame where it is a calibration pose: two thirds of its angles are
    // exactly nought and those of the next frame are not.
    bool drop_t_pose = false;
};

// Limits: 4,096 joints, 256 levels deep, 1e7 for any number. Errors name the line and the joint.
Result<Motion> loadBvh(const std::string& path, const BvhOptions& options = {});
// `name` stands for the file in messages; without folder and extension it is the motion's name.
Result<Motion> parseBvh(std::string_view text, const std::string& name,
                        const BvhOptions& options = {});

struct BvhWriteOptions {
    double metres_per_unit = 1;
};

// Any motion with at least one frame. The file's zero pose is the motion's rest pose: where rest
// rotations are not the identity they are folded into offsets and angles, so that reading back
// gives the same joint positions at every frame, with identity rest rotations. Joints are written
// depth first. The root's OFFSET is written as nought, as some readers add it to the position
// channels and some do not. A leaf called "<Parent>_end" becomes an End Site, and its rotation is
// lost. Angles have 1e-6 degrees, positions 1e-7 units. The file appears whole or not at all.
Status saveBvh(const std::string& path, const Motion& motion, const BvhWriteOptions& options = {});

}  // namespace hem
