// SPDX-License-Identifier: Apache-2.0
// The made motions by name: fixed sets after section 7 of the 2010 paper, and as many more as asked
// for.
//
//   train   33 clips, 6,600 frames at 30 Hz: walks and runs at three speeds, turns of 45, 90, 180
// and 360
//           degrees, stops, ducks, jumps and leaps, transitions
//   test    15 longer clips, 9,900 frames, that combine those kinds freely at other speeds
//   atomic  a walk, and a walk that stops and turns the upper body
//   novel   kicks, a dance and stylised walks: kinds that no training clip has
//   extra_0001, extra_0002, ...: further training clips, composed by seed; disjoint from test's
// and "<name>_mirrored" of each. A name means the same motion for ever: tests pin the bits.
#pragma once

#include "hem/character/motion.h"
#include "hem/character/motions/motion_script.h"

namespace hem {

struct ClipInfo {
    std::string name, set, description;
    double seconds = 0;
};

inline constexpr int kMaxExtraClips = 9999;

// "train", "test", "atomic", "novel".
const std::vector<std::string>& motionSetNames();
// The clips of a set in their fixed order. An unknown name's message lists the known ones.
Result<std::vector<ClipInfo>> motionSet(const std::string& set);
// The first `count` of the extra clips, 0 to kMaxExtraClips.
std::vector<ClipInfo> extraClips(int count);

// Any of the names above, mirrored or not. The message for an unknown one says where to look.
Result<ClipInfo> clipInfo(const std::string& name);
// The script of an unmirrored clip.
Result<MotionScript> motionScript(const std::string& name);
// 120 Hz, on a skeleton as perform() asks for.
Result<Motion> makeMotion(const std::string& name, const Skeleton& skeleton);

// A free combination of walks, runs, turns, stops, ducks, jumps and leaps that lasts `seconds`.
MotionScript composeFreely(const std::string& name, uint64_t seed, double seconds);

}  // namespace hem
