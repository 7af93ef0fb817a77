// SPDX-License-Identifier: Apache-2.0
// The player's bits, pinned: a change of these is a change of what every game shows, and of saved
// states, and belongs in CHANGES.md.
#include <gtest/gtest.h>

#include <thread>

#include "hem/core/files.h"
#include "hem/runtime/kernels.h"
#include "tests/runtime/neural_toy.h"

namespace hem {
namespace {

// Of the state (without the file's mark) and the positions after two seconds.
template <class AnyToy>
uint64_t playedHash(const AnyToy& toy, unsigned flags = 0) {
    ToyWearer wearer(toy.open());
    wearer.flags = flags;
    wearer.reset(toyJoints(toy.character.skeleton, 0));
    for (int i = 1; i <= 100; ++i) {
        wearer.step(toyJoints(toy.character.skeleton, 0.02 * i), 0.02f);
    }
    const uint64_t hash = hashBytes(wearer.state.data() + 4, wearer.state.size() - 4);
    return hashBytes(wearer.positions.data(), wearer.positions.size() * sizeof(float), hash);
}

bool isFused() {
    const std::string name = runtime::kernels().name;
    return name.starts_with("AVX") || name == "NEON";
}

TEST(PinnedBits, AreTheSameOnEveryMachine) {
    for (size_t i = 0; const runtime::Kernels* kernels = runtime::kernelsNumber(i); ++i) {
        runtime::forceKernels(kernels);
        EXPECT_EQ(playedHash(makeToy()), isFused() ? 0xcc05988093508c09u : 0xc2459223b970355au)
            << kernels->name;
        EXPECT_EQ(playedHash(makeToy({.modal = false})),
                  isFused() ? 0x13c6bb4509dce13bu : 0x2fc84e557bb49f86u)
            << kernels->name;
        EXPECT_EQ(playedHash(makeToy({.mirrored = true})),
                  isFused() ? 0xc0b782d99f090f44u : 0x9bd104999bce1642u)
            << kernels->name;
        EXPECT_EQ(playedHash(makeToy({.body = true}), HEM_PUSH_OUT),
                  isFused() ? 0x3a7d4a93558716d2u : 0x5c09db16d32064ddu)
            << kernels->name;
        EXPECT_EQ(playedHash(makeNeuralToy({.body = true}), HEM_PUSH_OUT),
                  isFused() ? 0xccb0015e373eb7c2u : 0x287bac46188e6b86u)
            << kernels->name;
    }
    runtime::forceKernels(nullptr);
}

TEST(PinnedBits, AreTheSameOnEveryThread) {
    const Toy toy = makeToy();
    const uint64_t expected = playedHash(toy);
    std::vector<std::thread> threads;
    std::vector<uint64_t> hashes(4);
    for (uint64_t& hash : hashes) threads.emplace_back([&] { hash = playedHash(toy); });
    for (std::thread& thread : threads) thread.join();
    for (uint64_t hash : hashes) EXPECT_EQ(hash, expected);
}

// examples/toy.hem, which the examples play. HEM_WRITE_TOY=1 writes it anew.
TEST(PinnedBits, TheToyOfTheExamplesIsWhatIsPackedToday) {
    const Toy toy = makeToy();
    if (std::getenv("HEM_WRITE_TOY")) {
        ASSERT_TRUE(writeFile("examples/toy.hem", toy.file));
    }
    const auto file = readFile("examples/toy.hem");
    ASSERT_TRUE(file);
    EXPECT_TRUE(*file == toy.file) << "run this test with HEM_WRITE_TOY=1";
}

}  // namespace
}  // namespace hem
