// SPDX-License-Identifier: Apache-2.0
// Simulates a dress, learns how it moves, packs it and plays it to a motion that it has not seen.
//
//     train_cpp [FOLDER]        (keeps the recordings and dress.hem there; ./train_example if none
//                                is given)
//
// Small and short so that it takes seconds: give it more clips, vertices, modes and iterations, or
// a character of your own (characterByName("hero.glb")), and it is the real thing.
#include <cstdio>
#include <string>

#include "hem/character/by_name.h"
#include "hem/cloth/simulator.h"
#include "hem/core/files.h"
#include "hem/eval/evaluate.h"
#include "hem/garment/made_to_measure.h"
#include "hem/models/stable_space/joints_that_matter.h"
#include "hem/models/stable_space/modal_training.h"
#include "hem/pack/pack.h"
#include "hem/recording/record.h"
#include "hem/subspace/latent_clip.h"

using namespace hem;

int main(int argument_count, char** arguments) {
    const std::string folder = argument_count > 1 ? arguments[1] : "train_example";

    // Who wears what, and how they move.
    ClothScene scene{.character = orExit(characterByName("female"))};
    scene.garments = {orExit(makeGarment(scene.character, "dress", {.vertices = 300}))};
    std::vector<Motion> motions;
    for (const char* clip : {"train_02_walk_normal", "train_05_run_normal", "test_01_combination"})
        motions.push_back(resampled(orExit(motionFor(scene.character, clip)), scene.rate));

    // Record: what is there already from an earlier run is left alone.
    const RecordingSet set = orExit(RecordingSet::create(folder + "/recordings", scene, ""));
    const SimulatorFactory simulator = [](const ClothScene& s) {
        return makeSimulator(s, "hemline", "");
    };
    const RecordReport report = orExit(record(set, motions, simulator, {.stops = 1}));
    std::printf("recorded %zu frames\n", report.frames);

    // Learn: a subspace of the shapes, then Model S in it.
    const std::vector<std::string> training = {motions[0].name, motions[1].name};
    const Subspace subspace = orExit(fitSubspace(set, training, {.modes = 24}));
    const auto clips = orExit(projectClips(set, subspace, withStops(set, training)));
    const Mesh& mesh = scene.garments[0].mesh;
    const std::vector<uint16_t> joints = jointsThatMatter(scene.character, mesh);
    const ModalOptions options{
        .joints = joints, .ends = boneEnds(scene.character, joints), .iterations = 100};
    const StableSpace model = orExit(trainModal(clips, subspace.basis, options));

    // Pack, and play the bytes as a game would.
    const std::vector<std::byte> garment =
        orExit(pack(scene.character, mesh, subspace, model, clips[0].cloth));
    orExit(writeFile(folder + "/dress.hem", garment));
    const Score score =
        orExit(evaluate(garment, set, {.clips = {motions[2].name}, .chaos_clips = 0}));
    std::printf("dress.hem: %zu bytes, lambda %.3f; %.2f cm off on %zu frames of unseen motion\n",
                garment.size(), score.lambda, score.all.mean_cm, score.all.frames);
}
