// SPDX-License-Identifier: Apache-2.0
// makePoseSet(): draws poses, brings the garments to rest on each, and writes a PoseSet.
//
// Poses are worked on side by side, a hundred at a time: a shard, one file under shards/, written
// when all of it is there. When all shards are, they are put together into the set's arrays,
// outliers are told apart, poses.json is written and the shards are removed. Whenever the process
// dies, running again goes on after the last whole shard; the bytes in the end depend on the scene
// and the options alone, not on threads, interruptions or machines.
//
// Memory: a simulator a thread, and one shard (5 MB at 2,170 vertices). Disk: twice the set while
// it is put together (52 kB a pose at 2,170 vertices).
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hem/poses/pose_set.h"

namespace hem {

inline constexpr size_t kPosesPerShard = 100;

struct PoseSetOptions {
    size_t count = 10000;
    uint64_t seed = 1;
    float reach = 0.7f;  // share of the joints' human ranges, 0 to 1
    SettleOptions settle;
    std::optional<double> outlier_distance;  // m^2; by the paper's rule where none is given
    // Set it, from a signal handler if need be, and the work ends at the next pose; what there is
    // of the shard is dropped.
    const std::atomic<bool>* cancel = nullptr;
    std::function<void(size_t)> started;   // is told once how many poses there are to simulate
    std::function<void(size_t)> progress;  // is told of n more poses, from any thread
};

struct PoseSetReport {
    size_t simulated = 0, there = 0;    // poses, by this run and before it
    size_t frames = 0;                  // simulated by this run
    bool cancelled = false;             // then there is no set yet
    std::vector<std::string> failures;  // of this run's poses: they are in the set, not kept
};

// Into `folder`, which is made; locked meanwhile as by RecordingSet::create(). Fails where the
// folder holds a set of another scene or of other options, naming the first that differs, or
// something else. A set that is whole already is left alone, but for its outliers and its split
// where another outlier_distance is asked for.
Result<PoseSetReport> makePoseSet(const ClothScene& scene, const std::string& folder,
                                  const PoseSetOptions& options = {});

}  // namespace hem
