// SPDX-License-Identifier: Apache-2.0
// Recordings as Model N's examples: offsets in canonical axes, stops, mirror images, and the motions
// that are left out.
#include "hem/models/neural/moving_examples.h"

#include <gtest/gtest.h>

#include "hem/character/motions/motion_sets.h"
#include "hem/core/portable_math.h"
#include "tests/recording/toy_scene.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

using Index = Eigen::Index;

// Five vertices beside the body, its own mirror image; each carried by a joint or two.
WornSkin fewVertices(const Character& body) {
    WornSkin worn;
    worn.rest = {{0, 1, 0.2f}, {0.3f, 1, 0}, {-0.3f, 1, 0}, {0.1f, 0.7f, 0}, {-0.1f, 0.7f, 0}};
    const HipJoints hips = *findHipJoints(body.skeleton);
    worn.skin = makeSkin({{{0, 1}},
                          {{0, 0.5f}, {hips.left, 0.5f}},
                          {{0, 0.5f}, {hips.right, 0.5f}},
                          {{hips.left, 1}},
                          {{hips.right, 1}}},
                         body.skin.joint_from_rest, 2);
    worn.joints = {0, std::min(hips.left, hips.right), std::max(hips.left, hips.right)};
    return worn;
}

// A set whose garment is what skinning gives, moved by an offset that is given in canonical axes.
class MovingExamples : public testing::Test {
protected:
    MovingExamples() {
        scene_ = {.character = toyBody(), .garments = {{.name = "few"}}};
        worn_ = fewVertices(scene_.character);
        scene_.garments[0].mesh.positions = worn_.rest;
        scene_.garments[0].mesh.triangles = {{0, 1, 2}, {1, 3, 2}, {3, 4, 2}};
        scene_.garments[0].pins.resize(worn_.rest.size());
        const auto made = RecordingSet::create(folder_.path("set"), scene_, "");
        if (!made) ADD_FAILURE() << made.error().message;
        set_ = *made;
    }

    static Vec3 offset(size_t frame, size_t vertex) {
        return {0.01f * float(frame % 7), 0.02f * float(vertex), -0.005f * float(frame)};
    }

    void record(const std::string& name, size_t first, size_t frames, const Stop* stop = nullptr) {
        const Motion walk =
            resampled(*makeMotion("train_09_turn_90_left_walk", scene_.character.skeleton), 30);
        RecordedClip clip{.meta = {.name = name, .motion = "made up", .simulator = "none"}};
        const auto roots = rootsOf(walk, *findHipJoints(walk.skeleton));
        const auto inverse = inverseRestMatrices(walk.skeleton);
        if (stop) clip.meta.is_stop = true, clip.meta.stop = *stop;
        for (size_t f = 0; f < frames; ++f) {
            const size_t at = stop ? stop->frame : first + f;
            std::vector<Affine> matrices = worldFromJoints(walk.skeleton, walk.frames[at]);
            for (size_t j = 0; j < matrices.size(); ++j) matrices[j] = matrices[j] * inverse[j];
            ClothState state{.positions = std::vector<Vec3>(worn_.rest.size()),
                             .velocities = std::vector<Vec3>(worn_.rest.size())};
            skinLinear(worn_.skin, worn_.rest.data(), matrices.data(), state.positions.data());
            const Affine turn = worldFromCanonical(roots[at]);
            for (size_t v = 0; v < worn_.rest.size(); ++v)
                state.positions[v] += transformVector(turn, offset(f, v));
            clip.poses.push_back(walk.frames[at]);
            clip.states.push_back(std::move(state));
        }
        ASSERT_TRUE(set_->add(clip));
    }

    TemporaryFolder folder_;
    ClothScene scene_;
    WornSkin worn_;
    std::optional<RecordingSet> set_;
};

TEST_F(MovingExamples, OffsetsAreFromTheSkinnedGarmentInCanonicalAxes) {
    record("walk", 0, 60);
    const auto examples = readExamples(*set_, {"walk"}, worn_);
    ASSERT_TRUE(examples) << examples.error().message;
    ASSERT_EQ(examples->offsets.cols(), 60);
    ASSERT_EQ(examples->inputs.rows(), 12);
    for (Index f = 0; f < 60; ++f)
        for (Index v = 0; v < 5; ++v)
            for (int axis = 0; axis < 3; ++axis)
                ASSERT_NEAR(examples->offsets(3 * v + axis, f), offset(size_t(f), size_t(v))[axis],
                            2e-6);
    // rotations are those in the parent: the thighs', as the pose has them
    const Recording clip = *set_->clip("walk");
    for (size_t f = 0; f < 60; f += 10)
        for (size_t i = 1; i < 3; ++i) {
            const Quat q = clip.pose(f).rotations[size_t(worn_.joints[i])];
            const auto read = examples->inputs.col(Index(f)).segment(Index(4 * i), 4);
            EXPECT_NEAR(std::abs(q.w * read[0] + q.x * read[1] + q.y * read[2] + q.z * read[3]), 1,
                        1e-5);
        }
}

TEST_F(MovingExamples, OfAStopAFewFramesOfItsFirstSecondAreTaken) {
    record("walk", 0, 20);
    const Stop stop{.of = "walk", .frame = 7};
    record("walk.stop1", 7, 91, &stop);
    for (const int count : {0, 1, 3, 30}) {
        const auto examples = readExamples(*set_, {"walk"}, worn_, {.stop_frames = count});
        ASSERT_TRUE(examples);
        ASSERT_EQ(examples->offsets.cols(), 20 + count);
        for (Index i = 20; i < 20 + count; ++i) {
            EXPECT_EQ(examples->inputs.col(i), examples->inputs.col(7));
            // z of offset() tells the frame: never the one that the clip has, nor a late one
            const float frame = examples->offsets(2, i) / -0.005f;
            EXPECT_GT(frame, 0.5f);
            EXPECT_LT(frame, 30.5f);
        }
    }
}

TEST_F(MovingExamples, LongRecordingsAreThinned) {
    record("walk", 0, 60);
    const auto some = readExamples(*set_, {"walk"}, worn_, {.most_frames = 25});
    ASSERT_TRUE(some);
    EXPECT_EQ(some->offsets.cols(), 20);  // every third
    EXPECT_NEAR(some->offsets(2, 1), -0.015f, 1e-6);
}

TEST_F(MovingExamples, MirrorImagesAreOfTheMirroredMotion) {
    record("walk", 0, 40);
    const auto partners = mirrorPartners(scene_.character.skeleton, scene_.garments[0].mesh);
    ASSERT_TRUE(partners);
    const auto examples = readExamples(*set_, {"walk"}, worn_, {.partners = &*partners});
    ASSERT_TRUE(examples);
    ASSERT_EQ(examples->offsets.cols(), 80);
    constexpr size_t kPartner[] = {0, 2, 1, 4, 3};
    for (Index f = 0; f < 40; ++f) {
        const auto plain = examples->offsets.col(2 * f), image = examples->offsets.col(2 * f + 1);
        for (Index v = 0; v < 5; ++v) {
            const Index from = 3 * Index(kPartner[v]);
            EXPECT_NEAR(image[3 * v], -plain[from], 2e-6);
            EXPECT_NEAR(image[3 * v + 1], plain[from + 1], 2e-6);
            EXPECT_NEAR(image[3 * v + 2], plain[from + 2], 2e-6);
        }
        // left and right thigh change places, and turn the other way about y and z
        const auto in = examples->inputs.col(2 * f), out = examples->inputs.col(2 * f + 1);
        for (const auto& [to, from] : {std::pair<Index, Index>{4, 8}, {8, 4}}) {
            const float signs[] = {1, 1, -1, -1};
            for (Index i = 0; i < 4; ++i) EXPECT_NEAR(out[to + i], signs[i] * in[from + i], 1e-5);
        }
    }
}

TEST_F(MovingExamples, ClipsWithASimulatedTwinAreNotMirrored) {
    record("walk", 0, 10);
    record("walk_mirrored", 10, 10);
    record("run", 20, 10);
    const auto partners = mirrorPartners(scene_.character.skeleton, scene_.garments[0].mesh);
    const auto examples =
        readExamples(*set_, {"run", "walk", "walk_mirrored"}, worn_, {.partners = &*partners});
    ASSERT_TRUE(examples);
    EXPECT_EQ(examples->offsets.cols(), 20 + 10 + 10);
}

TEST(ClipSplit, EverySixthMotionIsLeftOutWithItsTwin) {
    std::vector<std::string> clips;
    for (char c = 'a'; c < 'a' + 13; ++c) {
        clips.push_back(std::string(1, c));
        clips.push_back(std::string(1, c) + "_mirrored");
    }
    const auto split = leaveMotionsOut(clips);
    ASSERT_TRUE(split);
    EXPECT_EQ(split->validation, (std::vector<std::string>{"f", "f_mirrored", "l", "l_mirrored"}));
    EXPECT_EQ(split->training.size(), 22u);
    const auto two = leaveMotionsOut({"a", "b"});
    ASSERT_TRUE(two);
    EXPECT_EQ(two->validation, std::vector<std::string>{"b"});
    EXPECT_FALSE(leaveMotionsOut({"a", "a_mirrored"}));
}

}  // namespace
}  // namespace hem
