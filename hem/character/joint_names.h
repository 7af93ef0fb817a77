// SPDX-License-Identifier: Apache-2.0
// Joint names taken apart: which side they say, and what is left without it.
//
// Every convention writes a side in its own way ("LeftArm", "mixamorig:LeftArm", "upper_arm.L",
// "J_Bip_L_UpperArm", "Bip01 L UpperArm", "LThumb", "lShldr"). All of them come apart into a side
// and a stem in lower case without separators, so that a table of stems can recognise them.
#pragma once

#include <string>
#include <string_view>

namespace hem {

enum class Side { kCentre, kLeft, kRight };

struct JointName {
    Side side = Side::kCentre;
    // "upperarm": lower case, no separators, no namespace ("mixamorig:"), no rig prefix ("DEF-",
    // "ORG-", "Bip01", "J_Bip", "Skeleton"), no side. Digits stay.
    std::string stem;
    // The name as it stands with '*' in the side's place: equal for a joint and its partner on the
    // other side, however the convention writes sides. The name itself where it has no side.
    std::string pattern;
};
JointName takeApart(std::string_view name);

// Letters and digits in lower case, nothing else: "Upper_Arm.L" gives "upperarml".
std::string foldedName(std::string_view name);

// The number of letters to insert, remove or change to make one of the other; for suggestions.
size_t editDistance(std::string_view a, std::string_view b);

}  // namespace hem
