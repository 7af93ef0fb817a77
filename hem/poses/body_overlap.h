// SPDX-License-Identifier: Apache-2.0
// BodyOverlap: does a posed body run into itself?
//
// The body is cut into segments: pelvis, waist, chest, head, upper arms, forearms with hands,
// thighs, shanks with feet. Each moves with one joint, nearly rigidly away from its ends. So a
// point of one limb is taken back to the rest pose by the joint of another segment, then by the
// skinning of the skin that it finds itself nearest to, until that holds; and there, on a surface
// that is closed and does not run into itself, the nearest point says how far off it is and on
// which side. The limb is in another segment where it is inside and the nearest skin is that
// segment's. Skin next to a joint always touches what it grows from; so of upper arms and thighs
// only the outer half is looked at, and of forearms and shanks against their own upper half.
#pragma once

#include "hem/character/character.h"
#include "hem/character/humanoid.h"
#include "hem/core/surface_tree.h"

namespace hem {

class BodyOverlap {
public:
    // The character is read here alone.
    BodyOverlap(const Character& character, const Humanoid& humanoid);

    // The least distance between a limb and another segment, negative by the depth where they are
    // in each other; `reach`, a few centimetres, where all are farther apart. `matrices` from
    // skinningMatrices(). About a millisecond on the mannequin.
    float clearance(const std::vector<Affine>& matrices, float reach) const;
    // The same, but ends at the first distance below `least`.
    bool closerThan(float least, const std::vector<Affine>& matrices) const;

private:
    struct Segment {
        size_t joint;     // that carries it
        int parent = -1;  // segment that a limb grows from
        Vec3 centre;      // of a ball around its skin at rest
        float radius = 0;
    };
    struct Sample {
        uint32_t vertex;
        uint8_t segment;
        bool outer;  // of a lower limb: looked at against its upper half too
    };
    bool mayMeet(const Sample& sample, size_t segment) const;
    // The skinning of a point of the rest surface.
    Affine skinningAt(const SurfacePoint& point, const std::vector<Affine>& matrices) const;
    float distanceTo(const Sample& sample, Vec3 posed, Vec3 at_rest, float reach,
                     const std::vector<Affine>& matrices) const;
    float search(const std::vector<Affine>& matrices, float reach, float enough) const;

    std::vector<Segment> segments_;
    std::vector<uint8_t> segment_of_triangle_;
    std::vector<Sample> samples_;
    std::vector<Vec3> rest_;   // of the samples
    Skin skin_, sample_skin_;  // of the body, of the samples
    SurfaceTree tree_;         // at rest
};

}  // namespace hem
