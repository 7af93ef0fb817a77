// SPDX-License-Identifier: Apache-2.0
#include "hem/subspace/subspace.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <numeric>

#include "hem/subspace/canonical.h"
#include "hem/subspace/latent_clip.h"
#include "tests/subspace/waving_set.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

class WavingSet : public testing::Test {
protected:
    WavingSet() : scene(wavingScene(20, 15)) {
        auto made = RecordingSet::create(folder.path("set"), scene, "");
        EXPECT_TRUE(made) << made.error().message;
        set.emplace(std::move(*made));
        for (const auto& [name, frames] : {std::pair{"walk", 170}, {"run", 90}, {"jump", 41}}) {
            const Status added = set->add(wavingClip(scene, name, size_t(frames)));
            EXPECT_TRUE(added) << added.error().message;
        }
    }

    const TemporaryFolder folder;
    const ClothScene scene;
    std::optional<RecordingSet> set;
    const std::vector<std::string> clips{"walk", "run", "jump"};
};

// Canonical cloth of all frames at once, in double.
MatrixD allFrames(const RecordingSet& set, const std::vector<std::string>& clips) {
    std::vector<MatrixF> blocks;
    Eigen::Index columns = 0;
    EXPECT_TRUE(forEachBlock(set, clips, 64, [&](Eigen::Ref<MatrixF> block) {
        blocks.push_back(block);
        columns += block.cols();
    }));
    MatrixD all(blocks[0].rows(), columns);
    columns = 0;
    for (const MatrixF& block : blocks) {
        all.middleCols(columns, block.cols()) = block.cast<double>();
        columns += block.cols();
    }
    return all;
}

// Variance that `modes` directions of a dense, exact PCA hold, and all there is.
std::pair<double, double> denseVariance(MatrixD frames, int modes) {
    frames.colwise() -= VectorD(frames.rowwise().mean());
    const MatrixD covariance = frames.rows() < frames.cols() ? MatrixD(frames * frames.transpose())
                                                             : MatrixD(frames.transpose() * frames);
    const VectorD values =
        Eigen::SelfAdjointEigenSolver<MatrixD>(covariance, Eigen::EigenvaluesOnly).eigenvalues() /
        double(frames.cols());
    return {values.tail(modes).sum(), values.sum()};
}

// What the columns of `basis` hold of the frames, computed from the frames themselves.
double variancesHeld(MatrixD frames, const Subspace& subspace) {
    frames.colwise() -= subspace.mean.cast<double>();
    return (subspace.basis.cast<double>().transpose() * frames).squaredNorm() /
           double(frames.cols());
}

TEST_F(WavingSet, StreamingPcaHoldsAsMuchVarianceAsADenseOne) {
    const MatrixD frames = allFrames(*set, clips);
    for (int modes : {4, 16, 32}) {
        const auto subspace = fitSubspace(*set, clips, {.modes = modes, .block_mib = 1});
        ASSERT_TRUE(subspace) << subspace.error().message;
        const auto [exact, total] = denseVariance(frames, modes);
        EXPECT_NEAR(variancesHeld(frames, *subspace), exact, 1e-4 * exact) << modes;
        EXPECT_NEAR(subspace->variance.sum(), exact, 1e-4 * exact) << modes;
        EXPECT_NEAR(subspace->total_variance, total, 1e-5 * total) << modes;
        EXPECT_LT(exact, 0.999 * total) << "the set is too easy to tell";
    }
}

TEST_F(WavingSet, TheBasisIsOrthonormalAndTheMeanIsTheMean) {
    const auto subspace = fitSubspace(*set, clips, {.modes = 24});
    ASSERT_TRUE(subspace) << subspace.error().message;
    const MatrixF gram = subspace->basis.transpose() * subspace->basis;
    EXPECT_LT((gram - MatrixF::Identity(24, 24)).cwiseAbs().maxCoeff(), 1e-5f);
    const VectorD mean = allFrames(*set, clips).rowwise().mean();
    EXPECT_LT((subspace->mean.cast<double>() - mean).cwiseAbs().maxCoeff(), 1e-6);
    for (Eigen::Index m = 1; m < 24; ++m)
        EXPECT_GE(subspace->variance[m - 1], subspace->variance[m]);
}

TEST_F(WavingSet, TheSizeOfTheBlocksDoesNotMatter) {
    const auto whole = fitSubspace(*set, clips, {.modes = 8, .block_mib = 64});
    const auto pieces = fitSubspace(*set, clips, {.modes = 8, .block_mib = 0});
    ASSERT_TRUE(whole && pieces);
    for (Eigen::Index m = 0; m < 8; ++m)
        EXPECT_NEAR(whole->variance[m], pieces->variance[m], 1e-5 * whole->variance[0]);
    EXPECT_LT((whole->mean - pieces->mean).cwiseAbs().maxCoeff(), 1e-6f);
}

TEST_F(WavingSet, ProjectedClipsGiveTheClothBackUpToTheResidual) {
    const auto subspace = fitSubspace(*set, clips, {.modes = 24});
    ASSERT_TRUE(subspace) << subspace.error().message;
    const auto latent = projectClips(*set, *subspace, {"run"});
    ASSERT_TRUE(latent) << latent.error().message;
    const LatentClip& clip = (*latent)[0];
    ASSERT_EQ(clip.frames(), 90u);
    const MatrixD frames = allFrames(*set, {"run"});
    const MatrixD rebuilt =
        ((subspace->basis * clip.cloth).colwise() + subspace->mean).cast<double>();
    for (Eigen::Index f = 0; f < frames.cols(); ++f) {
        const double left = (frames.col(f) - rebuilt.col(f)).squaredNorm();
        EXPECT_NEAR(left, double(clip.residual[f]), 1e-5 * left + 1e-9);
        EXPECT_GT(left, 0);
    }
    const LatentClip fewer = truncated(clip, 10);
    const auto few = projectClips(*set, truncated(*subspace, 10), {"run"});
    ASSERT_TRUE(few);
    EXPECT_LT((fewer.cloth - (*few)[0].cloth).cwiseAbs().maxCoeff(), 1e-6f);
    EXPECT_LT((fewer.residual - (*few)[0].residual).cwiseAbs().maxCoeff(), 1e-5f);
}

TEST_F(WavingSet, CanonicalClothDoesNotKnowWhereTheBodyIsOrFaces) {
    // the tube is carried rigidly by the pelvis: without waves it stands still about the root
    ASSERT_TRUE(set->add(wavingClip(scene, "still", 30, 0, 0)));
    const MatrixD frames = allFrames(*set, {"still"});
    for (Eigen::Index f = 1; f < frames.cols(); ++f)
        EXPECT_LT((frames.col(f) - frames.col(0)).cwiseAbs().maxCoeff(), 2e-6);
}

TEST_F(WavingSet, TooFewFramesAreRefusedWithTheCure) {
    const auto subspace = fitSubspace(*set, {"jump"}, {.modes = 42});
    ASSERT_FALSE(subspace);
    EXPECT_NE(subspace.error().message.find("41 frames"), std::string::npos);
    EXPECT_NE(subspace.error().message.find("fewer modes"), std::string::npos);
    EXPECT_FALSE(fitSubspace(*set, {}, {.modes = 1}));
}

TEST_F(WavingSet, ANumberThatIsNotFiniteNamesItsClipAndFrame) {
    {
        std::fstream file(set->clipFolder("run") + "/positions.npy",
                          std::ios::in | std::ios::out | std::ios::binary);
        const float nan = std::numeric_limits<float>::quiet_NaN();
        file.seekp(-std::streamoff(sizeof nan), std::ios::end);
        file.write(reinterpret_cast<const char*>(&nan), sizeof nan);
    }
    const auto subspace = fitSubspace(*set, clips, {.modes = 4});
    ASSERT_FALSE(subspace);
    EXPECT_NE(subspace.error().message.find("clip run: frame 89"), std::string::npos)
        << subspace.error().message;
}

TEST_F(WavingSet, StopsAreListedAfterTheirClips) {
    for (const char* name : {"walk.stop1", "walk.stop3", "run.stop1"}) {
        RecordedClip stop = wavingClip(scene, name, 12);
        stop.meta.is_stop = true;
        stop.meta.stop = {.of = name[0] == 'w' ? "walk" : "run", .frame = 7};
        ASSERT_TRUE(set->add(stop));
    }
    EXPECT_EQ(clipsWithoutStops(*set), (std::vector<std::string>{"jump", "run", "walk"}));
    EXPECT_EQ(withStops(*set, {"walk", "jump"}),
              (std::vector<std::string>{"walk", "walk.stop1", "walk.stop3", "jump"}));
}

TEST_F(WavingSet, AStopWithItsRunUpGoesOnWithoutAJump) {
    RecordedClip stop = wavingClip(scene, "walk.stop1", 12);
    const RecordedClip walk = wavingClip(scene, "walk", 170);
    for (Pose& pose : stop.poses) pose = walk.poses[100];
    stop.meta.is_stop = true;
    stop.meta.stop = {.of = "walk", .frame = 100};
    ASSERT_TRUE(set->add(stop));
    const auto subspace = fitSubspace(*set, clips, {.modes = 8});
    const auto latent = projectClips(*set, *subspace, {"walk", "walk.stop1"});
    ASSERT_TRUE(latent) << latent.error().message;
    const LatentClip joined = withRunUp((*latent)[0], (*latent)[1], 5);
    ASSERT_EQ(joined.frames(), 17u);
    EXPECT_EQ(joined.cloth.col(4), (*latent)[0].cloth.col(99));
    EXPECT_EQ(joined.cloth.col(5), (*latent)[1].cloth.col(0));
    // the body turns by 0.1 a frame, past whole turns that the stop by itself does not know of
    for (size_t f = 1; f < joined.frames(); ++f)
        EXPECT_NEAR(joined.roots[f].heading - joined.roots[f - 1].heading, f <= 5 ? 0.1 : 0, 1e-4);
}

// On a set of your own: HEM_RECORDINGS=recordings/dress build/release/tests/subspace_tests
//     --gtest_filter='*Recordings*'
TEST(Recordings, StreamingPcaHoldsAsMuchVarianceAsADenseOneSlow) {
    const char* folder = std::getenv("HEM_RECORDINGS");
    if (!folder) GTEST_SKIP() << "needs HEM_RECORDINGS, the folder of a recording set";
    const auto set = RecordingSet::open(folder);
    ASSERT_TRUE(set) << set.error().message;
    std::vector<std::string> clips;
    for (const std::string& name : clipsWithoutStops(*set))
        if (!name.starts_with("test_")) clips.push_back(name);
    const MatrixD frames = allFrames(*set, clips);
    for (int modes : {10, 64, 128}) {
        const auto subspace = fitSubspace(*set, clips, {.modes = modes});
        ASSERT_TRUE(subspace) << subspace.error().message;
        const auto [exact, total] = denseVariance(frames, modes);
        const double held = variancesHeld(frames, *subspace);
        std::printf("%d modes: %.6f %% of the variance; dense %.6f %%, %.6f %% less\n", modes,
                    100 * held / total, 100 * exact / total, 100 * (1 - held / exact));
        EXPECT_NEAR(held, exact, 1e-4 * exact) << modes;
    }
}

}  // namespace
}  // namespace hem
