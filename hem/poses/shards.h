// SPDX-License-Identifier: Apache-2.0
// Shards: the poses of a set that is being made, a file for every hundred, until all are there.
#pragma once

#include <string>
#include <vector>

#include "hem/poses/pose_files.h"

namespace hem {

// A pose is a row: its numbers of all simulated arrays one after another; counts as floats, which
// hold them exactly.
size_t rowSize(const PoseShape& shape);
// Where one array's numbers start in a row.
size_t offsetOf(PoseArray array, const PoseShape& shape);

class Shards {
public:
    // `shape` of the whole set.
    Shards(std::string folder, const PoseShape& shape);

    size_t count() const;                  // that a whole set has
    size_t firstPose(size_t shard) const;  // the last shard may be shorter than the others
    size_t poses(size_t shard) const;
    std::string path(size_t shard) const;
    // Whether it is there, of the right shape.
    bool has(size_t shard) const;
    // Atomic. `rows` one after another.
    Status write(size_t shard, const std::vector<float>& rows) const;
    // Removes the folder.
    void remove() const;

    // One array of the whole set, as a file; gives its checksum. Atomic. All shards must be there.
    Result<std::string> assemble(PoseArray array, const std::string& path) const;

private:
    std::string folder_;
    PoseShape shape_;
};

}  // namespace hem
