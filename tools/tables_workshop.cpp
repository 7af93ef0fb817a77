// SPDX-License-Identifier: Apache-2.0
#include "tools/tables_workshop.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "hem/character/motions/motion_sets.h"
#include "hem/core/files.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "hem/eval/score_json.h"
#include "hem/eval/stop_curve.h"
#include "hem/recording/inspect.h"
#include "tools/simulate.h"
#include "tools/train_neural.h"

namespace hem::tools {
namespace {

// Holds nothing back; keeps the equations solvable where two inputs say the same.
constexpr double kLeastRidge = 1e-9;
// Of stand-ins: any will do.
constexpr double kStandInRidge = 1e-3;
constexpr int kStandInEpochs = 4;

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string sceneText(const Outfit& outfit, const std::vector<std::string>& clips) {
    return format("character = \"%s\"\nclips = %s\nstops = %d\n\n[[garment]]\n", outfit.on.c_str(),
                  Json(clips).dump().c_str(), outfit.stops) +
           format("kind = \"%s\"\nvertices = %d\nfabric = \"%s\"\n", outfit.kind.c_str(),
                  outfit.vertices, outfit.fabric.c_str());
}

Json orNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

std::string ModelChoice::title() const {
    std::string text = model + std::to_string(modes);
    if (order != 2) text += ".order" + std::to_string(order);
    if (plain) text += ".plain";
    if (shipped) text += ".shipped";
    return stand_in ? text + ".stand_in" : text;
}

std::string Workshop::fileOf(const std::string& model) const {
    return options_.folder + "/models/" + model + ".hem";
}

void Workshop::say(const std::string& text) const {
    if (!options_.quiet) std::fprintf(stderr, "hemline: %s\n", text.c_str());
}

// --- Recordings ----------------------------------------------------------------------------------

Result<std::vector<std::string>> Workshop::clipsOf(const Outfit& outfit,
                                                   const std::string& group) const {
    std::vector<std::string> all, chosen;
    if (options_.mocap.empty()) {
        const auto infos = motionSet(group);
        if (!infos) return infos.error();
        for (const ClipInfo& info : *infos) all.push_back(info.name);
    } else {
        const std::string folder = options_.mocap + "/" + group;
        const auto files = listFiles(folder, ".bvh");
        if (!files) return files.error();
        for (const std::string& file : *files)
            all.push_back(std::filesystem::absolute(folder + "/" + stemOf(file) + ".bvh"));
    }
    const bool thinned = group == "train" || group == "test";
    for (size_t i = 0; i < all.size(); i += thinned ? size_t(outfit.every) : 1)
        chosen.push_back(all[i]);
    if (chosen.empty())
        return errorf(
            "%s: holds no .bvh files; give --mocap a folder with train, test, atomic and "
            "novel in it",
            (options_.mocap + "/" + group).c_str());
    return chosen;
}

Result<Workshop::Group> Workshop::openGroup(const std::string& folder,
                                            const std::vector<std::string>& names) const {
    auto set = RecordingSet::open(folder);
    if (!set) return set.error();
    Group group{std::move(*set), names, 0, {}};
    std::string all;
    for (const std::string& name : withStops(group.set, names)) {
        const auto clip = group.set.clip(name);
        if (!clip) return clip.error();
        const auto meta = readTextFile(group.set.clipFolder(name) + "/meta.json");
        if (!meta) return meta.error();
        all += *meta;
        if (!clip->meta().is_stop) group.frames += clip->frames();
    }
    const auto about = readTextFile(folder + "/set.json");
    if (!about) return about.error();
    group.checksum = hashText(all + *about);
    return group;
}

// Leaves a folder alone that has everything already.
Status Workshop::record(const Outfit& outfit, const std::string& folder,
                        const std::vector<std::string>& clips) {
    const auto scene = parseScene(sceneText(outfit, clips), folder);
    if (!scene) return scene.error();
    if (std::filesystem::exists(folder + "/set.json")) {
        if (const Status good = RecordingSet::check(folder, scene->scene); !good) return good;
        const auto set = RecordingSet::open(folder);
        if (!set) return set.error();
        const auto plan =
            planRecording(*set, scene->motions, scene->simulator,
                          {.stops = scene->stops, .stop_seconds = scene->stop_seconds});
        if (!plan) return plan.error();
        if (plan->frames == 0) return Done{};
    }
    say("recording " + folder);
    if (const Status made = makeFolders(folder); !made) return made;
    const auto report = recordScene(*scene, folder);
    if (!report) return report.error();
    if (!report->failures.empty()) return report->failures[0];
    if (report->cancelled) return interrupted();
    return Done{};
}

Result<const Workshop::Group*> Workshop::group(const Outfit& outfit, const std::string& name) {
    const std::string folder = options_.folder + "/" + outfit.name + "/" + name;
    if (const auto known = groups_.find(folder); known != groups_.end()) return &known->second;
    const auto clips = clipsOf(outfit, name);
    if (!clips) return clips.error();
    // That all is there is kept too: finding out means making the motions.
    const auto whole = cells_.get(
        outfit.name + "." + name + ".recorded", {{"scene", sceneText(outfit, *clips)}},
        [&]() -> Result<Json> {
            if (const Status done = record(outfit, folder, *clips); !done) return done.error();
            return Json(true);
        },
        false);
    if (!whole) return whole.error();
    std::vector<std::string> names;
    for (const std::string& clip : *clips) names.push_back(stemOf(clip));
    auto opened = openGroup(folder, names);
    if (!opened) return opened.error();
    return &groups_.emplace(folder, std::move(*opened)).first->second;
}

// --- Training ------------------------------------------------------------------------------------

Result<const TrainingData*> Workshop::trainingData(const Outfit& outfit, const Group& train,
                                                   bool mirror) {
    const std::string of =
        train.checksum + "." + std::to_string(outfit.modes) + (mirror ? ".mirrored" : "");
    if (data_of_ != of) {
        auto data =
            readTrainingData(train.set, train.clips, {.modes = outfit.modes, .mirror = mirror});
        if (!data) return data.error();
        data_ = std::move(*data);
        data_of_ = of;
    }
    return &*data_;
}

Result<Workshop::TrainedFile> Workshop::train(const Outfit& outfit, const ModelChoice& choice,
                                              const Group& group, const std::string& checkpoint) {
    const auto data = trainingData(outfit, group, choice.model == "S");
    if (!data) return data.error();
    TrainOptions options{.model = choice.model,
                         .modes = choice.modes,
                         .order = choice.order,
                         .body = choice.shipped,
                         .hidden = choice.shipped};
    if (choice.plain) options.ridge = kLeastRidge, options.stop_weight = 1;
    options.modal.iterations = options_.iterations;
    if (choice.stand_in)
        options.ridge = kStandInRidge, options.stop_weight = 1, options.modal.iterations = 1;
    options.checkpoint = checkpoint;
    auto garment = trainGarment(
        group.set, choice.modes == outfit.modes ? **data : truncated(**data, choice.modes),
        options);
    if (!garment) return garment.error();
    return TrainedFile{std::move(garment->bytes), std::move(garment->info)};
}

Result<Workshop::TrainedFile> Workshop::trainNetwork(const ModelChoice& choice, const Group& group,
                                                     const std::string& checkpoint) {
    const auto data = readNeuralData(group.set, group.clips, {}, true);
    if (!data) return data.error();
    NeuralTrainOptions options;
    options.network.modes = choice.modes;
    options.network.epochs = choice.stand_in ? kStandInEpochs : kMovingEpochs;
    options.network.rate = kMovingRate;
    options.network.weight_decay = kMovingDecay;
    options.network.checkpoint = checkpoint;
    options.body = choice.shipped;
    options.losses = !options_.quiet && !choice.stand_in;
    auto garment = trainNeuralGarment(*data, options);
    if (!garment) return garment.error();
    return TrainedFile{std::move(garment->bytes), std::move(garment->info)};
}

Result<Json> Workshop::trained(const Outfit& outfit, const ModelChoice& choice) {
    const auto train_group = group(outfit, "train");
    if (!train_group) return train_group.error();
    Json key{{"recordings", (*train_group)->checksum},
             {"clips", (*train_group)->clips},
             {"subspace", outfit.modes},
             {"model", choice.model},
             {"modes", choice.modes},
             {"order", choice.order}};
    if (choice.model == "S") key["iterations"] = options_.iterations;
    if (choice.plain) key["ridge"] = kLeastRidge;
    const std::string title = outfit.name + "." + choice.title();
    const std::string name = title + "-" + hashText(key.dump());
    const std::string file = fileOf(name);
    const auto train_it = [&]() -> Result<Json> {
        say("training " + title);
        const auto start = Clock::now();
        if (const Status good = makeFolders(options_.folder + "/models"); !good)
            return good.error();
        auto made = choice.model == "N"
                        ? trainNetwork(choice, **train_group, file + ".checkpoint")
                        : train(outfit, choice, **train_group, file + ".checkpoint");
        if (!made) return made.error();
        if (const Status good = writeGarment(file, made->bytes); !good) return good.error();
        Json info = std::move(made->info);
        info["bytes"] = made->bytes.size();
        info["seconds"] = secondsSince(start);
        info["name"] = name;
        return info;
    };
    return cells_.get(title + ".trained", key, train_it,
                      options_.again || !std::filesystem::exists(file));
}

// --- Playing -------------------------------------------------------------------------------------

Result<Json> Workshop::score(const Outfit& outfit, const ModelChoice& choice,
                             const std::string& name, const Outfit& played) {
    const auto model = trained(outfit, choice);
    if (!model) return model.error();
    const auto against = group(played, name);
    if (!against) return against.error();
    const std::string title = outfit.name + "." + choice.title() + ".on." + name +
                              (played.name == outfit.name ? "" : "." + played.name);
    const std::string name_of_model = (*model)["name"];
    const Json key{{"model", name_of_model}, {"recordings", (*against)->checksum}};
    return cell(title, key, [&]() -> Result<Json> {
        const auto bytes = readFile(fileOf(name_of_model));
        if (!bytes) return bytes.error();
        Progress progress("playing " + title, (*against)->frames);
        const auto result = evaluate(*bytes, (*against)->set,
                                     {.clips = (*against)->clips,
                                      .push_out = false,
                                      .penetration_every = 0,
                                      .chaos_clips = 0,
                                      .progress = [&](size_t n) { progress.advance(n); }});
        if (!result) return result.error();
        return scoreJson(*result);
    });
}

Result<Json> Workshop::stopCurve(const Outfit& outfit, const ModelChoice& choice) {
    const auto model = trained(outfit, choice);
    if (!model) return model.error();
    const auto test = group(outfit, "test");
    if (!test) return test.error();
    const std::string name = (*model)["name"];
    const Json key{{"model", name}, {"recordings", (*test)->checksum}};
    return cell(outfit.name + "." + choice.title() + ".stops", key, [&]() -> Result<Json> {
        const auto bytes = readFile(fileOf(name));
        if (!bytes) return bytes.error();
        const auto curve = hem::stopCurve(*bytes, (*test)->set, {.clips = (*test)->clips});
        if (!curve) return curve.error();
        return Json{{"before", curve->before},
                    {"stops", curve->stops},
                    {"error_cm", curve->error_cm},
                    {"moved_cm", curve->moved_cm},
                    {"recorded_moved_cm", curve->recorded_moved_cm}};
    });
}

Result<Json> Workshop::simulation(const Outfit& outfit) {
    const auto test = group(outfit, "test");
    if (!test) return test.error();
    const RecordingSet& set = (*test)->set;
    const Mesh mesh = joinedMesh(set.scene().garments);
    // fewer seconds of finer cloth: about the same cost
    const double vertices = double(mesh.positions.size());
    const double seconds = std::clamp(7660 / vertices, 2.0, 10.0);
    const Json key{{"recordings", (*test)->checksum}, {"seconds", seconds}};
    return cell(outfit.name + ".simulation", key, [&]() -> Result<Json> {
        say("simulating a little of " + outfit.name + " again, for its cost and chaos floor");
        InspectOptions options{.resimulate = 3, .resimulate_seconds = seconds};
        options.clips = (*test)->clips;
        const auto again = resimulate(set, options);
        if (!again) return again.error();
        return Json{{"vertices", mesh.positions.size()},
                    {"triangles", mesh.triangles.size()},
                    {"chaos_floor_cm", orNull(again->chaos_floor_cm)},
                    {"cpu_ms_per_frame", orNull(again->cpu_ms_per_frame)}};
    });
}

}  // namespace hem::tools
