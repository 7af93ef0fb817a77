// SPDX-License-Identifier: Apache-2.0
// PoseSet: a garment at rest on thousands of poses, on disk, as plain arrays that NumPy opens.
//
//     poses/coat/
//       poses.json          version, who wears what, seed, counts, joints, outliers, checksums
//       set.json, body/, garment/     the scene, exactly as recordings have it (recording.h)
//       garment/skin_joints.npy, skin_weights.npy     with which the garment is skinned
//       rotations.npy       float32, poses by joints by 4: parent_from_joint, w x y z, w >= 0; all
//                           joints of the skeleton
//       root.npy            float32, poses by 3: the root's position, metres
//       matrices.npy        float32, poses by joints by 3 by 4: the player's `joints`
//       skinned.npy         float32, poses by vertices by 3, metres: the garment by skinning alone
//       rest_cloth.npy      float32, poses by vertices by 3, metres: the garment come to rest
//       distances.npy       float32, poses: mean over the vertices of |rest_cloth - skinned|^2, m^2
//       energies.npy        float32, poses: kinetic energy left, joules a kilogram
//       frames.npy          uint32, poses: frames simulated; 0 where the simulation failed
//       rejected.npy        uint32, poses: draws before this one whose body met itself
//       kept.npy            uint8, poses: 1, or 0 for outliers and failures
//       split.npy           uint8, poses: 0 training, 1 validation, 2 test, 3 not kept
//
// The root stands as at rest but for its tilt, so its heading is 0 and the world's axes are those
// of canonical space (root.h). poses.json is written last: a folder that has it is whole.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/cloth/simulator.h"
#include "hem/poses/settle.h"

namespace hem {

enum class PoseSplit : uint8_t { kTraining, kValidation, kTest, kNotKept };

struct PoseSetMeta {
    uint64_t seed = 1;
    size_t count = 0;                 // poses, all of them
    float reach = 0.7f;               // share of the joints' ranges (draw_pose.h)
    SettleOptions settle;             // how the cloth came to rest
    std::vector<std::string> joints;  // whose rotations vary, in the skeleton's order: the inputs
    std::string simulator;            // Simulator::name() and version
    double outlier_distance = 0;      // m^2: poses with a distance above it are not kept
    size_t failed = 0, outliers = 0;  // not kept
    size_t training = 0, validation = 0, test = 0;  // kept; they sum to what is left
};

// Mapped. Copies share the mapping. Spans live as long as any copy.
class PoseSet {
public:
    // Checks versions, types, shapes and sizes against each other, and that what numbers stand for
    // exists; arrays' checksums by verify(). The message names the file and the cure.
    static Result<PoseSet> open(const std::string& folder);

    const std::string& folder() const;
    const PoseSetMeta& meta() const;
    const ClothScene& scene() const;  // character, garments, fabrics
    const Character& character() const { return scene().character; }
    const Skin& garmentSkin() const;               // of all garments' vertices joined; skinLinear()
    const std::vector<Vec3>& garmentRest() const;  // what garmentSkin() moves
    const std::vector<Triangle>& garmentTriangles() const;
    // Indices into the skeleton of meta().joints, increasing.
    const std::vector<int>& inputJoints() const;

    size_t count() const { return meta().count; }
    size_t vertices() const { return garmentRest().size(); }
    size_t joints() const { return character().skeleton.size(); }

    std::span<const Quat> rotations(size_t pose) const;   // per joint of the skeleton
    std::span<const Affine> matrices(size_t pose) const;  // per joint of the skeleton
    std::span<const Vec3> skinned(size_t pose) const;
    std::span<const Vec3> restCloth(size_t pose) const;
    Pose pose(size_t pose) const;
    float distance(size_t pose) const;
    float energy(size_t pose) const;
    uint32_t frames(size_t pose) const;
    uint32_t rejected(size_t pose) const;
    bool failed(size_t pose) const { return frames(pose) == 0; }
    PoseSplit split(size_t pose) const;
    bool kept(size_t pose) const { return split(pose) != PoseSplit::kNotKept; }
    // The poses of a part, increasing.
    std::vector<uint32_t> members(PoseSplit split) const;

    // Reads everything and compares with the checksums in poses.json.
    Status verify() const;

private:
    struct Data;
    std::shared_ptr<const Data> data_;
};

// Whether the folder holds one (whole or being made).
bool isPoseSet(const std::string& folder);

}  // namespace hem
