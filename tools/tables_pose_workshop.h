// SPDX-License-Identifier: Apache-2.0
// PoseWorkshop: what the 2021 paper's tables are made of. It makes the set of poses, trains and
// plays what is asked for, each thing once, and keeps the results in its folder:
//
//     FOLDER/coat/                 the poses, as `hemline poses` leaves them; a link will do
//     FOLDER/models/network3-....hem    trained garments
//     FOLDER/cells/...json         small results
//
// Names of models and cells end in a checksum of the poses and options that they come from. Nothing
// tells a change of the code: see `again`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hem/eval/evaluate_poses.h"
#include "tools/tables_cells.h"
#include "tools/train_neural.h"

namespace hem::tools {

struct NetworkChoice {
    std::string name;   // of its file: "network3"
    std::string title;  // for people: "3"
    NeuralTrainOptions options;
};

struct PoseWorkshopOptions {
    std::string folder;
    size_t poses = 10000;
    int vertices = 0;  // of the coat, about; 0: the kind's own
    bool again = false;
    bool quiet = false;
};

class PoseWorkshop {
public:
    explicit PoseWorkshop(PoseWorkshopOptions options)
        : options_(std::move(options)), cells_(options_.folder + "/cells") {}

    // Simulated where it is not there. One that is there is taken as it is, whatever it holds.
    Result<const PoseSet*> set();

    // Of a network trained on the set: what `hemline train --json` says without its losses, and
    // file, bytes, seconds, cpu_seconds.
    Result<Json> trained(const NetworkChoice& choice);
    // As `hemline evaluate --json` on that part of the set.
    Result<Json> score(const NetworkChoice& choice, PoseSplit part);
    // All of it, vertices and poses too; not kept. A few seconds.
    Result<PoseScore> fullScore(const NetworkChoice& choice, PoseSplit part);
    // The bytes of its file.
    Result<std::vector<std::byte>> garment(const NetworkChoice& choice);
    // alone_us, batch_us: poseTime() of a batch of `count`.
    Result<Json> playerTime(const NetworkChoice& choice, size_t count, unsigned flags);
    // cpu_seconds_per_pose, noise_cm and creep_cm of `count` poses simulated again.
    Result<Json> simulation(size_t count);
    // explained, training_cm, validation_cm of componentCurve().
    Result<Json> components(int modes);

    const PoseWorkshopOptions& options() const { return options_; }

private:
    // Of the set and of what `key` adds.
    Result<Json> cell(const std::string& title, Json key, const std::function<Result<Json>()>& make,
                      bool anew);
    Result<Json> train(const NetworkChoice& choice, const std::string& name);
    Status makeSet(const std::string& folder);
    std::string fileOf(const std::string& name) const;
    void say(const std::string& text) const;

    PoseWorkshopOptions options_;
    Cells cells_;
    std::optional<PoseSet> set_;
    std::string checksum_;  // of the set
};

}  // namespace hem::tools
