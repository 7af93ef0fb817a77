// SPDX-License-Identifier: Apache-2.0
// Recordings: simulated frames on disk, as plain arrays that one line of NumPy opens.
//
//     recordings/dress/               a set: one scene, many clips
//       set.json                      version, rate, gravity, wind, checksums of the files below
//       scene.toml                    the scene as it was last given, for people
//       body/*.npy, body.json         the character: rest mesh, weights, skeleton
//       garment/*.npy, garment.json   rest mesh of all garments joined, corner uvs, pins; who is
//                                     which vertices, and of what fabric
//       clips/walk/                   a clip
//         positions.npy               float32, frames by vertices by 3, metres
//         velocities.npy              float32, frames by vertices by 3, metres a second
//         joints.npy                  float32, frames by joints by 3 by 4: skinning matrices
//         root.npy                    float32, frames by 4: position of the root, heading
//         rotations.npy               float32, frames by joints by 4: the pose's quaternions, wxyz
//         times.npy                   float64, frames: ClothState::time, seconds
//         meta.json                   version, name, rate, where it came from, checksums
//       clips/walk.stop3/             the same from frame meta["stop"]["frame"] on, the body frozen
//
// A set holds everything that it takes to simulate its clips again, bit for bit: scene() of an
// opened set equals the one it was made with, but for motions, notes, and colours and texture
// coordinates per vertex of garments, which no simulator reads. Bytes depend on the scene and the
// motions alone: there are no dates, timings or machines in them.
//
// A clip's folder is written under a hidden name and renamed when whole: a folder that is there is
// complete. Arrays are mapped, not read: opening a set of gigabytes costs nothing. Checksums are
// FNV-1a, 64 bits, of whole files.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/character/root.h"
#include "hem/cloth/simulator.h"
#include "hem/garment/garment.h"

namespace hem {

// A stop (the 2010 paper, section 7): the body freezes in the pose of `frame` of the clip `of`, and
// the cloth, which was moving, comes to rest.
struct Stop {
    std::string of;
    size_t frame = 0;
};

struct RecordingMeta {
    std::string name;       // of the clip, and of its folder
    std::string motion;     // what was played: a built-in clip's name or a file's
    std::string simulator;  // Simulator::name(), or "imported from ..."
    double rate = 30;
    bool is_stop = false;
    Stop stop;  // where is_stop; frame 0 of this clip is that frame of the other
    // motionHash() of the poses, filled in when written: tells whether a motion was edited since.
    uint64_t motion_hash = 0;
};

uint64_t motionHash(std::span<const Pose> poses);

// Letters, digits, and _ - + . but not at the start; at most 200: a name that is a folder anywhere.
bool isClipName(const std::string& name);
// "walk.stop3"; numbers start at 1.
std::string stopName(const std::string& clip, int number);

// One clip, mapped. Copies share the mapping. Spans live as long as any copy.
class Recording {
public:
    // Checks version, types, shapes and sizes against each other; the message names the file.
    static Result<Recording> open(const std::string& folder);

    const RecordingMeta& meta() const;
    size_t frames() const;
    size_t vertices() const;
    size_t joints() const;

    std::span<const Vec3> positions(size_t frame) const;
    std::span<const Vec3> velocities(size_t frame) const;
    std::span<const Affine> jointMatrices(size_t frame) const;  // the player's `joints`
    Root root(size_t frame) const;
    Pose pose(size_t frame) const;
    ClothState state(size_t frame) const;  // to continue from

    // Reads everything and compares with the checksums in meta.json.
    Status verify() const;

private:
    struct Data;
    std::shared_ptr<const Data> data_;
};

// What is written for a clip; arrays are as in Recording.
struct RecordedClip {
    RecordingMeta meta;
    std::vector<Pose> poses;
    std::vector<ClothState> states;  // as many
};

// A set of recordings of one scene.
class RecordingSet {
public:
    // Reads the body and the garments and checks them against their checksums.
    static Result<RecordingSet> open(const std::string& folder);
    // Whether create() would make or open that set, without a change to the disk, and no poses are
    // in the folder.
    static Status check(const std::string& folder, const ClothScene& scene);
    // A new, empty set; fails where `folder` holds a set of another scene, naming what differs, or
    // something else than a set, and opens it where it holds one of the same. Removes what a killed
    // process left half written. The folder is locked for writing until the last copy of the set is
    // gone: a second create(), by whatever process, fails meanwhile. An empty `scene_text` leaves
    // scene.toml as it is.
    static Result<RecordingSet> create(const std::string& folder, const ClothScene& scene,
                                       const std::string& scene_text);

    const std::string& folder() const { return folder_; }
    const ClothScene& scene() const { return *scene_; }
    std::shared_ptr<const ClothScene> sharedScene() const { return scene_; }
    std::string clipFolder(const std::string& clip) const { return folder_ + "/clips/" + clip; }
    // Names of the clips that are there, sorted; stops after their clips.
    std::vector<std::string> clipNames() const;
    bool has(const std::string& clip) const;
    // Folders among the clips that have no meta.json, sorted: somebody's, or damaged.
    std::vector<std::string> brokenClips() const;
    // Checked against the scene and the folder's name too; not against checksums (verify()).
    Result<Recording> clip(const std::string& name) const;
    // Atomic: the clip is there whole or not at all. Replaces one of the same name. Clips that do
    // not fit in memory: clip_writer.h.
    Status add(const RecordedClip& clip) const;

private:
    struct Lock;
    static Result<RecordingSet> openScene(const std::string& folder);  // poses or not
    static Status checkScene(const std::string& folder, const ClothScene& scene);
    std::string folder_;
    std::shared_ptr<const ClothScene> scene_;
    std::shared_ptr<const Lock> lock_;  // of sets from create()
};

// The set that a clip's folder belongs to ("recordings/dress" for "recordings/dress/clips/walk").
std::string setFolderOf(const std::string& clip_folder);
// Its clip's name there ("walk").
std::string clipNameOf(const std::string& clip_folder);

}  // namespace hem
