// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/contacts.h"

#include <gtest/gtest.h>

#include "hem/character/formats/bvh.h"
#include "hem/character/mannequin/mannequin.h"
#include "tests/character/synthetic_walk.h"
#include "tests/shared_data.h"

namespace hem {
namespace {

// The share of frames, but for those beside a change, in which contact and truth disagree.
double disagreement(const std::vector<uint8_t>& contact, const std::vector<uint8_t>& truth,
                    size_t margin) {
    size_t counted = 0, wrong = 0;
    for (size_t f = margin; f + margin < truth.size(); ++f) {
        bool steady = true;
        for (size_t g = f - margin; g <= f + margin; ++g) steady &= truth[g] == truth[f];
        if (!steady) continue;
        ++counted;
        wrong += contact[f] != truth[f];
    }
    return double(wrong) / double(counted);
}

class ContactsAtRate : public testing::TestWithParam<double> {};

TEST_P(ContactsAtRate, AgreeWithAWalkWhoseFeetStandExactly) {
    const SyntheticWalk walk = syntheticWalk(mannequinSkeleton(Sex::kFemale), GetParam(), 6);
    const Contacts contacts = detectContacts(walk.motion, *recognise(walk.motion.skeleton));
    const size_t margin = size_t(std::lround(0.07 * GetParam()));
    for (size_t foot = 0; foot < 2; ++foot) {
        EXPECT_EQ(disagreement(contacts.feet[foot].heel, walk.stands[foot], margin), 0) << foot;
        EXPECT_EQ(disagreement(contacts.feet[foot].ball, walk.stands[foot], margin), 0) << foot;
    }
    EXPECT_NEAR(contacts.floor, 0, 0.002f);
    EXPECT_TRUE(spansOf(contacts.flight).empty());
}

TEST_P(ContactsAtRate, FindTheFloorWhereverItIs) {
    const Skeleton skeleton = mannequinSkeleton(Sex::kMale);
    const SyntheticWalk level = syntheticWalk(skeleton, GetParam(), 5);
    for (float floor : {-0.06f, 0.05f}) {
        const SyntheticWalk walk = syntheticWalk(skeleton, GetParam(), 5, floor);
        const Contacts contacts = detectContacts(walk.motion, *recognise(skeleton));
        EXPECT_NEAR(contacts.floor, floor, 0.003f);
        const Contacts other = detectContacts(level.motion, *recognise(skeleton));
        EXPECT_EQ(contacts.feet[0].heel, other.feet[0].heel);
    }
}

INSTANTIATE_TEST_SUITE_P(Rates, ContactsAtRate, testing::Values(30.0, 60.0, 120.0),
                         [](const auto& rate) { return std::to_string(int(rate.param)) + "Hz"; });

TEST(Contacts, OfAJumpHaveAFlightBetweenTwoStances) {
    Motion motion{.name = "jump", .skeleton = mannequinSkeleton(Sex::kFemale), .rate = 60};
    for (int f = 0; f < 120; ++f) {
        Pose pose = restPose(motion.skeleton);
        const double time = (f - 45) / 60.0;  // aloft for 0.5 s from frame 45
        if (time > 0 && time < 0.5) pose.root_position.y += float(4.905 * time * (0.5 - time));
        motion.frames.push_back(pose);
    }
    const Contacts contacts = detectContacts(motion, *recognise(motion.skeleton));
    const std::vector<Span> flights = spansOf(contacts.flight);
    ASSERT_EQ(flights.size(), 1u);
    EXPECT_NEAR(double(flights[0].begin), 46, 4);
    EXPECT_NEAR(double(flights[0].end), 75, 4);
    EXPECT_EQ(spansOf(contacts.feet[0].stance()).size(), 2u);
}

TEST(Contacts, OfAFootThatIsDraggedEndWhereItDriftsAway) {
    Motion motion{.name = "drag", .skeleton = mannequinSkeleton(Sex::kFemale), .rate = 30};
    for (int f = 0; f < 90; ++f) {
        Pose pose = restPose(motion.skeleton);
        pose.root_position.z += 0.2f * float(f) / 30;  // 0.2 m/s: slow enough to be standing
        motion.frames.push_back(pose);
    }
    const Contacts contacts = detectContacts(motion, *recognise(motion.skeleton));
    EXPECT_GE(spansOf(contacts.feet[0].heel).size(), 5u);  // 0.6 m in stretches of 6 cm
}

TEST(Contacts, SplitIntoRunsOfOnes) {
    const std::vector<Span> spans = spansOf({1, 1, 0, 0, 1, 0, 1});
    ASSERT_EQ(spans.size(), 3u);
    EXPECT_EQ(spans[0].end, 2u);
    EXPECT_EQ(spans[1].begin, 4u);
    EXPECT_EQ(spans[2].end, 7u);
    EXPECT_TRUE(spansOf({}).empty());
}

TEST(Contacts, OfCapturedWalksAndRunsAlternateBetweenTheFeet) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    const Motion walk = *loadBvh(sharedData() + "/mocap/train/16_18.bvh");
    const Contacts contacts = detectContacts(walk, *recognise(walk.skeleton));
    for (const FootContacts& foot : contacts.feet) {
        EXPECT_NEAR(double(spansOf(foot.stance()).size()), 4.5, 0.6);  // counted by eye: 4 and 5
    }
    EXPECT_TRUE(spansOf(contacts.flight).empty());
    const Motion run = *loadBvh(sharedData() + "/mocap/train/16_36.bvh");
    const Contacts running = detectContacts(run, *recognise(run.skeleton));
    EXPECT_GE(spansOf(running.flight).size(), 3u);
}

}  // namespace
}  // namespace hem
