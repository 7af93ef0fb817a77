// SPDX-License-Identifier: Apache-2.0
#include "hem/subspace/mirror.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/motion_sets.h"
#include "hem/core/random.h"
#include "hem/subspace/canonical.h"

namespace hem {
namespace {

// Two vertices in the middle, and two pairs.
Mesh symmetricCloth() {
    Mesh cloth;
    cloth.positions = {{0, 1, 0.2f}, {0.3f, 1, 0},     {-0.3f, 1, 0},
                       {0, 0.8f, 0}, {-0.1f, 0.9f, 0}, {0.1f, 0.9f, 0}};
    return cloth;
}

MatrixF noise(Eigen::Index rows, Eigen::Index columns, uint64_t seed) {
    Random random(seed);
    MatrixF m(rows, columns);
    for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = random.normal();
    return m;
}

Subspace someSubspace(int modes) {
    Subspace s;
    s.mean = noise(18, 1, 1).col(0);
    s.basis = noise(18, modes, 2).householderQr().householderQ() * MatrixF::Identity(18, modes);
    s.variance = VectorD::LinSpaced(modes, double(modes), 1);
    s.total_variance = s.variance.sum();
    return s;
}

// Canonical cloth of a column of y, exchanged left and right.
VectorF mirrorImage(const VectorF& cloth) {
    constexpr int kPartner[] = {0, 2, 1, 3, 5, 4};
    VectorF image(cloth.size());
    for (int v = 0; v < 6; ++v)
        for (int axis = 0; axis < 3; ++axis)
            image[3 * v + axis] = (axis ? 1.0f : -1.0f) * cloth[3 * kPartner[v] + axis];
    return image;
}

LatentClip clipOf(const Motion& motion) {
    LatentClip clip{.name = motion.name};
    clip.roots = rootsOf(motion, *findHipJoints(motion.skeleton));
    clip.joints.resize(Eigen::Index(12 * motion.skeleton.size()),
                       Eigen::Index(motion.frames.size()));
    const std::vector<Affine> inverse = inverseRestMatrices(motion.skeleton);
    for (size_t t = 0; t < motion.frames.size(); ++t) {
        std::vector<Affine> matrices = worldFromJoints(motion.skeleton, motion.frames[t]);
        for (size_t j = 0; j < matrices.size(); ++j) matrices[j] = matrices[j] * inverse[j];
        canonicalJoints(matrices, clip.roots[t], clip.joints.col(Eigen::Index(t)).data());
    }
    return clip;
}

TEST(Mirror, JointsAndRootsAreThoseOfTheMirroredMotion) {
    const Skeleton skeleton = mannequinSkeleton(Sex::kFemale);
    const Motion motion = resampled(*makeMotion("train_09_turn_90_left_walk", skeleton), 10);
    LatentClip clip = clipOf(motion);
    clip.cloth = noise(4, clip.joints.cols(), 3);
    const auto partners = mirrorPartners(skeleton, symmetricCloth());
    ASSERT_TRUE(partners);
    const auto twins = mirroredClips({clip}, symmetric(someSubspace(4), *partners, 4), *partners);
    ASSERT_EQ(twins.size(), 1u);
    const LatentClip expected = clipOf(mirrored(motion));
    EXPECT_EQ(twins[0].name, expected.name);
    EXPECT_LT((twins[0].joints - expected.joints).cwiseAbs().maxCoeff(), 1e-4f);
    for (size_t t = 0; t < expected.roots.size(); ++t) {
        EXPECT_NEAR(twins[0].roots[t].heading, expected.roots[t].heading, 1e-4);
        EXPECT_LT(distance(twins[0].roots[t].position, expected.roots[t].position), 1e-5f);
    }
}

TEST(Mirror, ClothIsTheMirrorImageOfTheCloth) {
    const auto partners = mirrorPartners(mannequinSkeleton(Sex::kFemale), symmetricCloth());
    ASSERT_TRUE(partners);
    const Subspace s = symmetric(someSubspace(4), *partners, 9);
    EXPECT_LT((s.basis.transpose() * s.basis - MatrixF::Identity(9, 9)).norm(), 1e-4f);
    LatentClip clip{.name = "walk"};
    clip.cloth = noise(9, 3, 4);
    clip.joints.setZero(Eigen::Index(12 * partners->joints.size()), 3);
    clip.roots.resize(3);
    const LatentClip twin = mirroredClips({clip}, s, *partners)[0];
    for (Eigen::Index t = 0; t < 3; ++t) {
        const VectorF cloth = s.basis * clip.cloth.col(t) + s.mean;
        const VectorF image = s.basis * twin.cloth.col(t) + s.mean;
        EXPECT_LT((image - mirrorImage(cloth)).norm(), 1e-4f);
    }
}

// What is recorded lies in the plain subspace: all of it and of its image is in the symmetric one.
TEST(Mirror, SymmetricSubspaceHoldsTheRecordingsAndTheirImages) {
    const auto partners = mirrorPartners(mannequinSkeleton(Sex::kFemale), symmetricCloth());
    ASSERT_TRUE(partners);
    const Subspace plain = someSubspace(3), both = symmetric(plain, *partners, 7);
    ASSERT_EQ(both.modes(), 7u);
    for (uint64_t seed = 5; seed < 8; ++seed) {
        const VectorF cloth = plain.basis * noise(3, 1, seed) + plain.mean;
        for (const VectorF& shape : {cloth, mirrorImage(cloth)}) {
            const VectorF off = shape - both.mean;
            EXPECT_LT((off - both.basis * (both.basis.transpose() * off)).norm(), 1e-4f);
        }
    }
    EXPECT_NEAR(both.variance.sum(), both.total_variance, 1e-4 * both.total_variance);
}

// Also where an even and an odd mode vary alike, so that any mixture of them would.
TEST(Mirror, EverySymmetricModeIsItsOwnImageOrTheOpposite) {
    const auto partners = mirrorPartners(mannequinSkeleton(Sex::kFemale), symmetricCloth());
    ASSERT_TRUE(partners);
    Subspace lopsided = someSubspace(1);
    const VectorF image = mirrorImage(lopsided.basis.col(0));
    const VectorF even = (lopsided.basis.col(0) + image).normalized(),
                  odd = (lopsided.basis.col(0) - image).normalized();
    lopsided.basis.col(0) = (even + odd).normalized();  // as much of both
    lopsided.mean = mirrorImage(lopsided.mean) + lopsided.mean;
    for (const Subspace& plain : {lopsided, someSubspace(4)}) {
        const Subspace s = symmetric(plain, *partners, 9);
        EXPECT_GE(s.modes(), 2u);
        for (size_t m = 0; m < s.modes(); ++m) {
            const VectorF mode = s.basis.col(Eigen::Index(m)), other = mirrorImage(mode);
            EXPECT_LT(std::min((mode - other).norm(), (mode + other).norm()), 1e-5f);
            if (m) EXPECT_LE(s.variance[Eigen::Index(m)], s.variance[Eigen::Index(m) - 1]);
        }
    }
}

TEST(Mirror, LopsidedGarmentsHaveNoPartners) {
    const Skeleton skeleton = mannequinSkeleton(Sex::kFemale);
    Mesh cloth = symmetricCloth();
    cloth.positions[4].y += 0.01f;
    EXPECT_FALSE(mirrorPartners(skeleton, cloth));
    cloth = symmetricCloth();
    cloth.positions.push_back(cloth.positions[1]);
    EXPECT_FALSE(mirrorPartners(skeleton, cloth)) << "two vertices in one place";
}

TEST(Mirror, ClipsWhoseTwinWasSimulatedAreLeftAlone) {
    const auto partners = mirrorPartners(mannequinSkeleton(Sex::kFemale), symmetricCloth());
    ASSERT_TRUE(partners);
    const auto named = [&](const std::string& name, const std::string& of = "") {
        LatentClip clip{.name = name, .is_stop = !of.empty(), .of = of};
        clip.cloth.setZero(4, 1);
        clip.joints.setZero(Eigen::Index(12 * partners->joints.size()), 1);
        clip.roots.resize(1);
        return clip;
    };
    const auto twins = mirroredClips({named("walk"), named("walk.stop1", "walk"), named("run"),
                                      named("run.stop1", "run"), named("walk_mirrored")},
                                     symmetric(someSubspace(4), *partners, 4), *partners);
    ASSERT_EQ(twins.size(), 2u);
    EXPECT_EQ(twins[0].name, "run_mirrored");
    EXPECT_EQ(twins[1].of, "run_mirrored");
}

TEST(Mirror, DerivedClipsAreOfTheMotionThatTheyWereMadeOf) {
    for (const char* clip : {"walk", "walk_mirrored", "walk_varied1", "walk_mirrored_varied12",
                             "walk_varied3_mirrored"})
        EXPECT_EQ(motionOf(clip), "walk");
    for (const char* clip : {"mirrored_walk", "walk_varied", "walk_varied2b"})
        EXPECT_EQ(motionOf(clip), clip);
}

}  // namespace
}  // namespace hem
