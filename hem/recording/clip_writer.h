// SPDX-License-Identifier: Apache-2.0
// ClipWriter: a clip written frame by frame, however long, in the memory of one frame.
//
//     auto writer = ClipWriter::start(set, meta, poses, roots);
//     for (const ClothState& state : states) writer->append(state);
//     writer->finish();                     // now the clip is there
#pragma once

#include "hem/recording/recording.h"

namespace hem {

class ClipWriter {
public:
    // Writes what the poses say and makes room for the cloth. `set` must come from create(), and
    // two writers must not have the same name. The roots of a motion are rootsOf() it; those of a
    // stop go on from its clip's, so that the heading does not jump by a turn.
    static Result<ClipWriter> start(const RecordingSet& set, const RecordingMeta& meta,
                                    std::span<const Pose> poses, std::span<const Root> roots);

    // One per pose, in order. Fails, naming the frame, on a state that is not finite or of another
    // number of vertices.
    Status append(const ClothState& state);
    size_t frames() const;

    // All frames must be there (CHECK). Flushes everything to the disk, then gives the clip its
    // name; one of the same name is replaced.
    Status finish();

    // What was not finished is removed.
    ~ClipWriter();
    ClipWriter(ClipWriter&&) noexcept;
    ClipWriter& operator=(ClipWriter&&) noexcept;

private:
    struct Files;
    explicit ClipWriter(std::unique_ptr<Files> files);
    std::unique_ptr<Files> files_;
};

// The hidden folders that unfinished clips are in, as names in the set's clips/.
bool isUnfinishedClip(const std::string& name);

// Flushes a folder's entries to the disk: what was renamed into it stays there.
Status syncFolder(const std::string& folder);

}  // namespace hem
