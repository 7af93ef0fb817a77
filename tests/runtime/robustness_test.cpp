// SPDX-License-Identifier: Apache-2.0
// Nothing fails after hem_open(): whatever comes in, what goes out is finite and bounded.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "hem/core/random.h"
#include "hem/runtime/format.h"
#include "hem/runtime/kernels.h"
#include "hem/runtime/state.h"
#include "tests/runtime/toy_garment.h"

namespace hem {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool allFinite(const std::vector<float>& values) {
    for (float v : values)
        if (!std::isfinite(v)) return false;
    return true;
}

TEST(Robustness, JointsThatAreNotFiniteAreReplacedByTheLastGoodOnes) {
    const Toy toy = makeToy();
    for (float bad : {kNan, kInfinity, -kInfinity, 1e20f}) {
        ToyWearer wearer(toy.open()), other(toy.open());
        const auto joints = toyJoints(toy.character.skeleton, 0);
        wearer.reset(joints);
        other.reset(joints);
        auto broken = joints;
        broken[12 * 3 + 5] = bad;
        for (int i = 0; i < 5; ++i) {
            wearer.step(broken, 1 / 60.0f);
            other.step(joints, 1 / 60.0f);
            EXPECT_EQ(wearer.report, HEM_BAD_JOINTS);
            EXPECT_LT(largestDifference(wearer.positions, other.positions), 1e-6);
        }
        wearer.step(joints, 1 / 60.0f);
        EXPECT_EQ(wearer.report, 0);
    }
}

TEST(Robustness, AResetWithoutGoodJointsStandsAtRest) {
    const Toy toy = makeToy();
    ToyWearer wearer(toy.open()), rest(toy.open());
    wearer.reset(std::vector<float>(wearer.joints.size(), kNan));
    EXPECT_EQ(wearer.report & HEM_BAD_JOINTS, HEM_BAD_JOINTS);
    std::vector<float> identity(rest.joints.size());
    for (size_t i = 0; i < identity.size(); ++i) identity[i] = i % 12 % 5 == 0;
    rest.reset(identity);
    EXPECT_EQ(rest.report & HEM_BAD_JOINTS, 0);
    EXPECT_EQ(wearer.positions, rest.positions);
}

TEST(Robustness, AStateThatIsNotOneIsReset) {
    const Toy toy = makeToy(), another = makeToy({.seed = 2});
    ToyWearer expected(toy.open());
    const auto joints = toyJoints(toy.character.skeleton, 0.5);
    expected.reset(joints);
    ToyWearer never(toy.open());
    never.step(joints, 1 / 30.0f);
    EXPECT_EQ(never.report & HEM_BAD_STATE, HEM_BAD_STATE);
    EXPECT_LT(largestDifference(never.positions, expected.positions), 1e-5);
    never.step(joints, 1 / 30.0f);
    EXPECT_EQ(never.report & HEM_BAD_STATE, 0);

    ToyWearer foreign(another.open()), visitor(toy.open());
    foreign.reset(joints);
    visitor.state = foreign.state;
    visitor.step(joints, 1 / 30.0f);
    EXPECT_EQ(visitor.report & HEM_BAD_STATE, HEM_BAD_STATE);

    // every float of it, spoilt one by one
    for (size_t i = 0; i < expected.state.size() / 4; ++i) {
        ToyWearer spoilt(toy.open());
        spoilt.reset(joints);
        std::memcpy(&spoilt.state[4 * i], &kNan, 4);
        spoilt.step(joints, 1 / 30.0f);
        EXPECT_TRUE(allFinite(spoilt.positions)) << i;
        EXPECT_EQ(spoilt.report & HEM_BAD_STATE, HEM_BAD_STATE) << i;
    }
}

TEST(Robustness, NoTimeStepDoesHarm) {
    for (bool modal : {true, false}) {
        const Toy toy = makeToy({.modal = modal});
        ToyWearer wearer(toy.open());
        const auto joints = toyJoints(toy.character.skeleton, 0);
        wearer.reset(joints);
        wearer.step(toyJoints(toy.character.skeleton, 0.05), 0.05f);
        const std::vector<float> before = wearer.positions;
        for (float seconds : {0.0f, -1.0f, kNan, kInfinity, -kInfinity}) {
            wearer.step(wearer.joints, seconds);
            EXPECT_LT(largestDifference(wearer.positions, before), 1e-6) << seconds;
        }
        // a very long step counts as a quarter of a second
        ToyWearer quarter(toy.open());
        quarter.state = wearer.state;
        wearer.step(joints, 1e9f);
        quarter.step(joints, 0.25f);
        EXPECT_EQ(wearer.positions, quarter.positions);
        for (float seconds : {1e-30f, 1e-6f, 1e-3f}) {
            wearer.step(joints, seconds);
            EXPECT_TRUE(allFinite(wearer.positions));
        }
    }
}

TEST(Robustness, NothingToDoIsNoHarm) {
    const Toy toy = makeToy();
    const hem_Garment* garment = toy.open();
    hem_step(garment, hem_Batch{}, 0.1f);
    hem_reset(garment, hem_Batch{});
    ToyWearer wearer(garment);
    hem_Batch batch{};
    batch.count = 1;
    batch.states = wearer.state.data();
    batch.joints = wearer.joints.data();
    hem_step(garment, batch, kNan);
}

// |h| <= largest drive / (1 - |lambda|), the largest drive over the box that the inputs are clamped
// to; silu is never larger than its input.
std::vector<double> boundsOf(const Toy& toy) {
    const auto& d = std::get<ModalDynamics>(toy.model.dynamics);
    const VectorF box = toy.model.range.low.cwiseAbs().cwiseMax(toy.model.range.high.cwiseAbs());
    const VectorF first = d.input.weights.cwiseAbs() * box + d.input.bias.cwiseAbs();
    const VectorF a =
        first + d.input_residual.weights.cwiseAbs() * first + d.input_residual.bias.cwiseAbs();
    const VectorF drive = d.drive.weights.cwiseAbs() * a + d.drive.bias.cwiseAbs();
    std::vector<double> bounds;
    const Eigen::Index n = drive.size() / 2;
    for (Eigen::Index i = 0; i < n; ++i)
        bounds.push_back(std::hypot(drive[i], drive[n + i]) /
                         (1 - std::exp(-std::exp(double(d.log_decay[i])))));
    return bounds;
}

// Spins, teleports without reset, joints that are not finite or far away, and time steps of any
// kind.
class Adversary {
public:
    Adversary(const Toy& toy, uint64_t seed) : random_(seed) {
        for (int i = 0; i < 64; ++i) poses_.push_back(toyJoints(toy.character.skeleton, 0.1 * i));
    }

    void disturb(float* joints, size_t count) {
        const std::vector<float>& pose = poses_[size_t(random_.integer(0, 63))];
        std::copy(pose.begin(), pose.begin() + std::ptrdiff_t(count), joints);
        const int what = random_.integer(0, 9);
        const float size = std::bit_cast<float>(uint32_t(random_.integer(100, 140)) << 23);
        const auto one = size_t(random_.integer(0, int(count) - 1));
        if (what == 0) joints[one] = kNan;
        if (what == 1) joints[one] = random_.chance(0.5f) ? kInfinity : -kInfinity;
        if (what == 2) joints[one] = std::bit_cast<float>(random_.bits());
        if (what == 3)
            for (size_t j = 0; j < count; ++j) joints[j] = size * random_.normal();
        if (what == 4)
            for (size_t j = 3; j < count; j += 4) joints[j] += size;
        if (what == 5) std::fill(joints, joints + count, 0.0f);
    }
    float seconds() {
        switch (random_.integer(0, 7)) {
            case 0:
                return 0;
            case 1:
                return -1;
            case 2:
                return kNan;
            case 3:
                return 1e30f;
            case 4:
                return random_.uniform(0, 0.3f);
            default:
                return random_.uniform(1 / 240.0f, 1 / 15.0f);
        }
    }

private:
    Random random_;
    std::vector<std::vector<float>> poses_;
};

void runAdversary(const Toy& toy, size_t wearer_frames, uint64_t seed) {
    const hem_Garment* garment = toy.open();
    constexpr size_t kCrowd = 100;
    const size_t ns = hem_stateSize(garment), nj = 12 * hem_jointCount(garment),
                 nv = 3 * hem_vertexCount(garment);
    std::vector<std::byte> states(kCrowd * ns);
    std::vector<float> joints(kCrowd * nj), positions(kCrowd * nv), weights(kCrowd * 7),
        confidence(kCrowd);
    hem_Batch batch{};
    batch.count = kCrowd;
    batch.states = states.data();
    batch.joints = joints.data();
    batch.positions = positions.data();
    batch.weights = weights.data();
    batch.confidence = confidence.data();
    batch.flags = HEM_CANONICAL | HEM_PUSH_OUT;
    const bool modal = std::holds_alternative<ModalDynamics>(toy.model.dynamics);
    const std::vector<double> bounds = modal ? boundsOf(toy) : std::vector<double>();
    const runtime::StateLayout layout = runtime::stateLayout(runtime::garmentOf(garment));
    Adversary adversary(toy, seed);
    for (size_t frame = 0; frame * kCrowd < wearer_frames; ++frame) {
        for (size_t i = 0; i < kCrowd; ++i) adversary.disturb(&joints[i * nj], nj);
        hem_step(garment, batch, adversary.seconds());
        float largest_position = 0, largest_weight = 0;
        for (float p : positions) largest_position += std::abs(p) < 1e6f ? 0 : 1;
        for (float w : weights) largest_weight += std::abs(w) <= 20 ? 0 : 1;
        for (float c : confidence) largest_weight += c >= 0 && c <= 1 ? 0 : 1;
        ASSERT_EQ(largest_position, 0);
        ASSERT_EQ(largest_weight, 0);
        for (size_t i = 0; i < kCrowd; ++i) {
            const auto* h = reinterpret_cast<const float*>(&states[i * ns]) + layout.h;
            for (size_t k = 0; k < bounds.size(); ++k)
                ASSERT_LE(std::hypot(h[k], h[bounds.size() + k]), bounds[k] * 1.0001);
        }
    }
}

TEST(Robustness, AdversariesLeaveNoNanAndNoStatePastItsBound) {
    for (auto [modal, mirrored] : {std::pair(true, false), {false, false}, {true, true}})
        runAdversary(makeToy({.modal = modal, .range = 3, .body = true, .mirrored = mirrored}),
                     20000, 1);
}

// Ten million wearer-frames.
TEST(Robustness, SlowTenMillionFramesOfAdversariesLeaveNoNanAndNoStatePastItsBound) {
    runAdversary(makeToy({.vertices = 20, .range = 3, .body = true}), 5000000, 2);
    runAdversary(makeToy({.modal = false, .vertices = 20, .range = 3}), 5000000, 3);
}

}  // namespace
}  // namespace hem
