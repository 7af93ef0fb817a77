// SPDX-License-Identifier: Apache-2.0
// Left and right exchanged in what was recorded: twice the motion to learn from, at no simulation.
//
// Where body and garment are their own mirror images at rest, the mirrored cloth is what the
// mirrored motion would have made, but for what a simulator does one side first.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/subspace/latent_clip.h"

namespace hem {

// Who takes whose place: partner[partner[i]] == i.
struct MirrorPartners {
    std::vector<size_t> vertices, joints;
};

// None where a joint or vertex at rest has no partner within 0.1 mm of its mirror image.
std::optional<MirrorPartners> mirrorPartners(const Skeleton& skeleton, const Mesh& garment);
// The vertices' alone.
std::optional<std::vector<size_t>> mirrorPartners(const Mesh& garment);

// Canonical cloth, 3 numbers a vertex, and canonical joints, 12 each (latent_clip.h), with left and
// right exchanged; a column a frame.
MatrixF mirroredCloth(const MatrixF& cloth, const MirrorPartners& partners);
MatrixF mirroredJoints(const MatrixF& joints, const MirrorPartners& partners);

// The PCA of the recordings and their mirror images together, of at most as many modes. Its mean is
// its own mirror image.
Subspace symmetric(const Subspace& subspace, const MirrorPartners& partners, int modes);

// The clips as mirrored, as NAME_mirrored, in a subspace that is symmetric(). Those whose mirrored
// twin is among the clips, having been simulated, are left out.
std::vector<LatentClip> mirroredClips(const std::vector<LatentClip>& clips,
                                      const Subspace& subspace, const MirrorPartners& partners);

// Whether a clip's mirror image was simulated, or it is one; `names`: of all clips.
bool hasTwin(const std::set<std::string>& names, const std::string& clip);

// The motion that a clip is of: its name without what mirrored twins and variations have at the
// end. Clips of one motion are learned from together or left out together.
std::string motionOf(const std::string& clip);

}  // namespace hem
