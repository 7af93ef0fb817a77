// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/stop_curve.h"

#include "tests/eval/known_garment.h"

namespace hem {
namespace {

TEST(StopCurve, FollowsTheClipUpToTheStopAndTheStopAfterIt) {
    TemporaryFolder folder;
    auto set = RecordingSet::create(folder.path("set"), knownScene(), "");
    ASSERT_TRUE(set);
    // the recorded cloth trails 1 cm behind, and after the stop comes forward by 1 mm a frame
    const auto clip = offClip("walk", straightWalk(40), [](size_t, size_t) {
        return Vec3{-0.01f, 0, 0};
    });
    ASSERT_TRUE(set->add(clip));
    ASSERT_TRUE(set->add(offStop(clip, 1, 20, 31, [](size_t t, size_t) {
        return Vec3{-0.01f + 0.001f * float(t), 0, 0};
    })));
    // too near to the start of its clip
    ASSERT_TRUE(set->add(offStop(clip, 2, 3, 31, [](size_t, size_t) { return Vec3{9, 0, 0}; })));

    const auto curve = stopCurve(knownGarment(), *set, {.before = 10, .after = 30});
    ASSERT_TRUE(curve) << curve.error().message;
    EXPECT_EQ(curve->stops, 1);
    EXPECT_EQ(curve->before, 10);
    ASSERT_EQ(curve->error_cm.size(), 41);
    for (size_t i = 0; i <= 10; ++i) {
        EXPECT_NEAR(curve->error_cm[i], 1, 1e-3);
        EXPECT_NEAR(curve->moved_cm[i], 3, 1e-3);
        EXPECT_NEAR(curve->recorded_moved_cm[i], 3, 1e-3);
    }
    for (size_t i = 11; i < 41; ++i) {
        EXPECT_NEAR(curve->error_cm[i], std::abs(1 - 0.1 * double(i - 10)), 1e-3);
        EXPECT_EQ(curve->moved_cm[i], 0);
        EXPECT_NEAR(curve->recorded_moved_cm[i], 0.1, 1e-3);
    }
}

TEST(StopCurve, SaysWhenThereAreNoStops) {
    TemporaryFolder folder;
    auto set = RecordingSet::create(folder.path("set"), knownScene(), "");
    ASSERT_TRUE(set);
    ASSERT_TRUE(set->add(offClip("walk", straightWalk(40), [](size_t, size_t) { return Vec3{}; })));
    const auto curve = stopCurve(knownGarment(), *set);
    ASSERT_FALSE(curve);
    EXPECT_NE(curve.error().message.find("--stops"), std::string::npos) << curve.error().message;
}

}  // namespace
}  // namespace hem
