// SPDX-License-Identifier: Apache-2.0
// Workshop: what the tables are made of. It records, trains and plays what is asked for, each thing
// once, and keeps the results in its folder, so that a run that was killed goes on:
//
//     FOLDER/dress/train/          recordings, as `hemline simulate` leaves them; test/, ...
//     FOLDER/models/dress.S64-...  trained garments
//     FOLDER/cells/...json         small results: scores, costs, curves
//
// Names of models and cells end in a checksum of the recordings and options that they come from:
// other recordings or options make other files. Nothing tells a change of the code: see `again`.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/tables_cells.h"
#include "tools/train.h"

namespace hem::tools {

// A garment on a body, and how many of a set's motions it is recorded in.
struct Outfit {
    std::string name;              // of its folder
    std::string kind, on, fabric;  // as in scene files
    int vertices = 0;
    int every = 1;   // of the clips of train and test, from the first on
    int stops = 5;   // per clip
    int modes = 64;  // of the subspace that its models are cut from
};

struct ModelChoice {
    std::string model;  // A, B, C, S, or N, the network of the 2021 paper
    int modes = 64;
    int order = 2;
    // Fitted as the paper did: without a ridge, stops like everything else.
    bool plain = false;
    // With all that `hemline train` packs; others leave out the body, which no table looks at.
    bool shipped = false;
    // Hardly trained: of the shape and so of the player's cost of one that is, and no more.
    bool stand_in = false;

    std::string title() const;  // "C64"; "C64.order3.plain" where they are not the usual
};

struct WorkshopOptions {
    std::string folder;
    std::string mocap;  // a folder with train/, test/, atomic/ and novel/ of .bvh files; empty: the
                        // built-in sets
    int iterations = 0;  // of Model S; 0: by the amount of motion, as `hemline train` does
    bool again = false;  // trains and plays anew, whatever is there; recordings stay
    bool quiet = false;
};

class Workshop {
public:
    explicit Workshop(WorkshopOptions options)
        : options_(std::move(options)), cells_(options_.folder + "/cells") {}

    // A group is a set of motions: train, test, atomic or novel.
    struct Group {
        RecordingSet set;
        std::vector<std::string> clips;  // without stops
        size_t frames = 0;               // of those
        std::string checksum;            // of all files, stops too
    };
    // Recorded where it is not there.
    Result<const Group*> group(const Outfit& outfit, const std::string& name);

    // Of a model trained on the outfit's "train" group: lambda, energy_bound, seconds, bytes,
    // report, name (of the .hem file), and what else `hemline train --json` says.
    Result<Json> trained(const Outfit& outfit, const ModelChoice& choice);
    // As `hemline evaluate --json`, without chaos floor and penetration. `played`: the recordings
    // that the model is held against.
    Result<Json> score(const Outfit& outfit, const ModelChoice& choice, const std::string& group,
                       const Outfit& played);
    Result<Json> score(const Outfit& outfit, const ModelChoice& choice, const std::string& group) {
        return score(outfit, choice, group, outfit);
    }
    // StopCurve of the test group: before, stops, error_cm, moved_cm, recorded_moved_cm.
    Result<Json> stopCurve(const Outfit& outfit, const ModelChoice& choice);
    // vertices, triangles, chaos_floor_cm, cpu_ms_per_frame; on the test group.
    Result<Json> simulation(const Outfit& outfit);

    // Where a model of that name is, as trained() gives it.
    std::string fileOf(const std::string& model) const;

    const WorkshopOptions& options() const { return options_; }

private:
    struct TrainedFile {
        std::vector<std::byte> bytes;
        Json info;
    };

    Result<std::vector<std::string>> clipsOf(const Outfit& outfit, const std::string& group) const;
    Result<Group> openGroup(const std::string& folder, const std::vector<std::string>& names) const;
    Status record(const Outfit& outfit, const std::string& folder,
                  const std::vector<std::string>& clips);
    Result<const TrainingData*> trainingData(const Outfit& outfit, const Group& train, bool mirror);
    Result<Json> cell(const std::string& title, const Json& key,
                      const std::function<Result<Json>()>& make) {
        return cells_.get(title, key, make, options_.again);
    }
    Result<TrainedFile> train(const Outfit& outfit, const ModelChoice& choice, const Group& group,
                              const std::string& checkpoint);
    Result<TrainedFile> trainNetwork(const ModelChoice& choice, const Group& group,
                                     const std::string& checkpoint);
    void say(const std::string& text) const;

    WorkshopOptions options_;
    std::map<std::string, Group> groups_;
    Cells cells_;
    std::string data_of_;  // the recordings whose training data is held
    std::optional<TrainingData> data_;
};

}  // namespace hem::tools
