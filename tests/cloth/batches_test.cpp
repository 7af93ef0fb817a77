// SPDX-License-Identifier: Apache-2.0
// Batches of constraints, and their loops on every set of instructions.
#include "hem/cloth/built_in/batches.h"

#include <gtest/gtest.h>

#include <set>

#include "hem/character/mannequin/mannequin.h"
#include "hem/cloth/built_in/constraints.h"
#include "hem/cloth/simulator.h"
#include "hem/core/random.h"
#include "hem/garment/made_to_measure.h"

namespace hem {
namespace {

using built_in::BatchLanes;

// A strip of triangles, each of which shares two vertices with the next.
std::vector<uint32_t> strip(uint32_t triangles) {
    std::vector<uint32_t> corners;
    for (uint32_t t = 0; t < triangles; ++t) corners.insert(corners.end(), {t, t + 1, t + 2});
    return corners;
}

std::vector<uint32_t> anyhow(size_t constraints, size_t arity, uint32_t particles) {
    Random random(7, "batches");
    std::vector<uint32_t> result;
    while (result.size() < constraints * arity) {
        std::set<uint32_t> corners;
        while (corners.size() < arity)
            corners.insert(std::min(uint32_t(random.uniform(0, float(particles))), particles - 1));
        result.insert(result.end(), corners.begin(), corners.end());
    }
    return result;
}

void expectGoodBatches(const std::vector<uint32_t>& particles, size_t arity) {
    const std::vector<BatchLanes> batches = built_in::makeBatches(particles, arity);
    std::vector<int> times(particles.size() / arity, 0);
    for (const BatchLanes& batch : batches) {
        std::set<uint32_t> met;
        size_t lanes = 0;
        for (const uint32_t constraint : batch) {
            if (constraint == built_in::kEmptyLane) continue;
            ++lanes;
            ASSERT_LT(constraint, times.size());
            ++times[constraint];
            for (size_t k = 0; k < arity; ++k) met.insert(particles[constraint * arity + k]);
        }
        EXPECT_GT(lanes, 0u);
        EXPECT_EQ(met.size(), lanes * arity) << "two constraints of a batch share a particle";
    }
    for (size_t c = 0; c < times.size(); ++c) EXPECT_EQ(times[c], 1) << "constraint " << c;
}

TEST(Batches, HoldEveryConstraintOnceAndNoParticleTwice) {
    expectGoodBatches({}, 3);
    expectGoodBatches(strip(1), 3);
    expectGoodBatches(strip(1000), 3);
    expectGoodBatches(anyhow(2000, 4, 300), 4);
    expectGoodBatches(anyhow(500, 2, 3), 2);
}

TEST(Batches, OfAMeshAreNearlyFull) {
    std::vector<uint32_t> corners;
    for (uint32_t y = 0; y < 40; ++y)
        for (uint32_t x = 0; x < 40; ++x) {
            const uint32_t i = 41 * y + x;
            corners.insert(corners.end(), {i, i + 1, i + 41, i + 1, i + 42, i + 41});
        }
    const double full = double(corners.size() / 3) / double(built_in::kLanes);
    EXPECT_LT(double(built_in::makeBatches(corners, 3).size()), 1.2 * full);
}

TEST(Constraints, HaveTheSameBitsOnEverySetOfInstructions) {
    ClothScene scene{mannequin(Sex::kFemale), {}};
    scene.garments.push_back(orExit(makeGarment(scene.character, "dress", {766, "cotton"})));
    Pose bent = restPose(scene.character.skeleton);
    bent.rotations[1] = normalized(Quat{1, 0.3f, 0.1f, 0});
    std::vector<ClothState> draped;
    for (const built_in::Constraints* set : built_in::allConstraints()) {
        built_in::forceConstraints(set);
        draped.push_back(orExit(orExit(makeBuiltInSimulator(scene))->drape(bent)));
    }
    built_in::forceConstraints(nullptr);
    for (size_t i = 1; i < draped.size(); ++i)
        EXPECT_EQ(draped[i], draped[0]) << built_in::allConstraints()[i]->name;
    if (draped.size() == 1) GTEST_SKIP() << "this processor has but one set";
}

}  // namespace
}  // namespace hem
