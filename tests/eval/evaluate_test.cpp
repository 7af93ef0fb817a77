// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/evaluate.h"

#include "tests/eval/known_garment.h"

namespace hem {
namespace {

const EvaluateOptions kNoChaos{.chaos_clips = 0};

class Evaluate : public testing::Test {
protected:
    template <class... Clips>
    Result<Score> scoreOf(const Clips&... clips) {
        auto set = RecordingSet::create(folder_.path("set"), knownScene(), "");
        if (!set) return set.error();
        for (const RecordedClip* clip : {&clips...})
            if (const Status added = set->add(*clip); !added) return added.error();
        return evaluate(garment_, *set, kNoChaos);
    }

    TemporaryFolder folder_;
    std::vector<std::byte> garment_ = knownGarment();
};

TEST_F(Evaluate, MeansLargestAndShareAreThoseOfTheDistances) {
    // every fourth vertex 4 cm off, in one half of the frames: 0.5 cm in the mean
    const auto clip = offClip("walk", straightWalk(40), [](size_t t, size_t v) {
        return Vec3{0, 0, t % 2 && v % 4 == 0 ? 0.04f : 0};
    });
    const auto score = scoreOf(clip);
    ASSERT_TRUE(score) << score.error().message;
    EXPECT_EQ(score->all.frames, 40);
    EXPECT_NEAR(score->all.mean_cm, 0.5, 1e-4);
    EXPECT_NEAR(score->all.max_cm, 4, 1e-3);
    // one in eight is off, so 95 % reach into those
    EXPECT_NEAR(score->all.p95_cm, 4, 0.011);
    EXPECT_NEAR(score->all.confidence, 1, 1e-6);
    EXPECT_EQ(score->lambda, 0.25);
    EXPECT_EQ(score->energy_bound, 4);
    EXPECT_FALSE(score->all.after_stops_cm);
    EXPECT_FALSE(score->chaos_floor_cm);
    EXPECT_GT(score->time.plain_us, 0);
    EXPECT_GT(score->time.latent_us, 0);
}

TEST_F(Evaluate, VelocityIsTheErrorOfTheWayFromFrameToFrame) {
    const auto drift = offClip("drift", straightWalk(30), [](size_t t, size_t) {
        return Vec3{0, 0, 0.002f * float(t)};
    });
    const auto score = scoreOf(drift);
    ASSERT_TRUE(score) << score.error().message;
    EXPECT_NEAR(score->all.velocity_cm, 0.2, 1e-4);
    EXPECT_NEAR(score->all.mean_cm, 0.2 * 29 / 2, 1e-4);
}

TEST_F(Evaluate, TheThirtyFramesAfterAStopCountAloneAndApart) {
    const auto clip = offClip("walk", straightWalk(40), [](size_t, size_t) { return Vec3{}; });
    // 2 cm off for 30 frames, then far off; frame 0 is the clip's
    const auto stop = offStop(clip, 1, 20, 60, [](size_t t, size_t) {
        return Vec3{0, t == 0 ? 0 : t <= 30 ? 0.02f : 0.5f, 0};
    });
    const auto score = scoreOf(clip, stop);
    ASSERT_TRUE(score) << score.error().message;
    ASSERT_TRUE(score->all.after_stops_cm);
    EXPECT_NEAR(*score->all.after_stops_cm, 2, 1e-3);
    EXPECT_NEAR(score->all.mean_cm, 0, 1e-4);
    EXPECT_EQ(score->all.frames, 40);
    EXPECT_EQ(score->clips.size(), 1);
}

TEST_F(Evaluate, TheFloorIsWhatTheSubspaceCannotReach) {
    // 3 cm along x is the one mode; 1 cm along z is not
    const auto clip = offClip("walk", straightWalk(20), [](size_t, size_t) {
        return Vec3{0.03f, 0, 0.01f};
    });
    const auto score = scoreOf(clip);
    ASSERT_TRUE(score) << score.error().message;
    EXPECT_NEAR(score->all.pca_floor_cm, 1, 1e-3);
    EXPECT_NEAR(score->all.mean_cm, std::sqrt(10.0), 1e-3);
}

TEST_F(Evaluate, ClipsCountByFramesInOneMeanAndAlikeInTheOther) {
    const auto off = [](float size) { return [size](size_t, size_t) { return Vec3{0, size, 0}; }; };
    const auto score = scoreOf(offClip("long", straightWalk(90), off(0.01f)),
                               offClip("short", straightWalk(30), off(0.05f)));
    ASSERT_TRUE(score) << score.error().message;
    EXPECT_NEAR(score->all.mean_cm, (90 * 1 + 30 * 5) / 120.0, 1e-3);
    EXPECT_NEAR(score->clip_mean_cm, 3, 1e-3);
    ASSERT_EQ(score->clips.size(), 2);
    EXPECT_NEAR(score->clips[1].errors.mean_cm, 5, 1e-3);
}

TEST_F(Evaluate, CountsVerticesInsideTheBodyWhatTheRecordingSays) {
    const auto clip = offClip("walk", straightWalk(20), [](size_t, size_t v) {
        return Vec3{0, v == 3 ? 0.1f : 0, 0};
    });
    const auto score = scoreOf(clip);
    ASSERT_TRUE(score) << score.error().message;
    ASSERT_TRUE(score->all.penetration_rate_1mm);
    EXPECT_EQ(*score->all.penetration_rate_1mm, 0);  // the tube is around the box

    // a smaller tube, all of whose vertices are inside but the ring at its top
    ClothScene narrow = knownScene();
    size_t inside = 0;
    auto set = RecordingSet::create(folder_.path("narrow"), knownScene(), "");
    ASSERT_TRUE(set);
    ASSERT_TRUE(set->add(clip));
    std::vector<std::byte> bytes = knownGarment(0.25f);
    for (const Vec3& p : narrow.garments[0].mesh.positions) inside += p.y < 1.19f;
    const auto deep = evaluate(bytes, *set, kNoChaos);
    ASSERT_TRUE(deep) << deep.error().message;
    EXPECT_NEAR(*deep->all.penetration_rate_1mm, double(inside) / (kAround * kRows), 1e-9);
    EXPECT_EQ(*deep->all.penetration_in_folds_1mm, 0);  // a box has none
}

TEST_F(Evaluate, PlainSkinningFollowsTheBodyAndNothingElse) {
    auto set = RecordingSet::create(folder_.path("set"), knownScene(), "");
    ASSERT_TRUE(set);
    const auto clip = offClip("walk", straightWalk(40), [](size_t t, size_t) {
        return Vec3{0, t < 20 ? 0 : 0.03f, 0};
    });
    ASSERT_TRUE(set->add(clip));
    const auto score = evaluateSkinning(*set, kNoChaos);
    ASSERT_TRUE(score) << score.error().message;
    EXPECT_NEAR(score->all.mean_cm, 1.5, 1e-3);
    EXPECT_NEAR(score->all.max_cm, 3, 1e-3);
    EXPECT_NEAR(score->all.velocity_cm, 3.0 / 39, 1e-3);
}

TEST_F(Evaluate, RefusesRecordingsOfAnotherGarment) {
    auto set = RecordingSet::create(folder_.path("other"), toyScene(), "");
    ASSERT_TRUE(set);
    ASSERT_TRUE(set->add(toyClip("walk", 5)));
    const auto score = evaluate(garment_, *set, kNoChaos);
    ASSERT_FALSE(score);
    EXPECT_NE(score.error().message.find("vertices"), std::string::npos) << score.error().message;
    EXPECT_FALSE(evaluate(std::vector<std::byte>(64), *set, kNoChaos));
}

}  // namespace
}  // namespace hem
