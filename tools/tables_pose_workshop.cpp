// SPDX-License-Identifier: Apache-2.0
#include "tools/tables_pose_workshop.h"

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/cpu_time.h"
#include "hem/core/files.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"
#include "hem/eval/player_time.h"
#include "hem/eval/score_json.h"
#include "hem/garment/made_to_measure.h"
#include "hem/models/neural/component_curve.h"
#include "hem/models/neural/pose_examples.h"
#include "hem/poses/judge_poses.h"
#include "hem/poses/make_pose_set.h"
#include "tools/evaluate_poses.h"
#include "tools/interrupt.h"

namespace hem::tools {
namespace {

// All that a trained network depends on beside the poses.
Json keyOf(const NeuralTrainOptions& o) {
    const NeuralOptions& n = o.network;
    return {{"modes", n.modes},
            {"hidden", n.hidden},
            {"activation", int(n.activation)},
            {"epochs", n.epochs},
            {"patience", n.patience},
            {"batch", n.batch},
            {"rate", n.rate},
            {"cosine", n.cosine},
            {"weight_decay", n.weight_decay},
            {"averaging", n.averaging},
            {"ridge", n.ridge},
            {"seed", n.seed},
            {"numbers", int(o.numbers)},
            {"mirror", o.mirror},
            {"encoding", o.encoding},
            {"tolerance_um", o.tolerance_um},
            {"body", o.body}};
}

const char* nameOf(PoseSplit part) {
    return part == PoseSplit::kTraining     ? "training"
           : part == PoseSplit::kValidation ? "validation"
                                            : "test";
}

}  // namespace

std::string PoseWorkshop::fileOf(const std::string& name) const {
    return options_.folder + "/models/" + name + ".hem";
}

void PoseWorkshop::say(const std::string& text) const {
    if (!options_.quiet) std::fprintf(stderr, "hemline: %s\n", text.c_str());
}

Result<Json> PoseWorkshop::cell(const std::string& title, Json key,
                                const std::function<Result<Json>()>& make, bool anew) {
    if (const auto poses = set(); !poses) return poses.error();
    key["poses"] = checksum_;
    return cells_.get(title, key, make, anew);
}

// --- The poses -----------------------------------------------------------------------------------

Status PoseWorkshop::makeSet(const std::string& folder) {
    say(format("simulating %zu poses into %s", options_.poses, folder.c_str()));
    ClothScene scene;
    scene.character = mannequin(Sex::kFemale);
    auto garment = makeGarment(scene.character, "coat", {.vertices = size_t(options_.vertices)});
    if (!garment) return garment.error();
    scene.garments.push_back(std::move(*garment));
    if (const Status made = makeFolders(folder); !made) return made;
    std::optional<Progress> progress;
    PoseSetOptions options;
    options.count = options_.poses;
    options.cancel = &catchInterrupts();
    options.started = [&](size_t poses) { progress.emplace("simulating poses", poses); };
    options.progress = [&](size_t poses) { progress->advance(poses); };
    const auto report = makePoseSet(scene, folder, options);
    if (!report) return report.error();
    if (report->cancelled) return interrupted();
    return Done{};
}

Result<const PoseSet*> PoseWorkshop::set() {
    if (set_) return &*set_;
    const std::string folder = options_.folder + "/coat";
    if (!std::filesystem::exists(folder + "/poses.json"))
        if (const Status made = makeSet(folder); !made) return made.error();
    auto opened = PoseSet::open(folder);
    if (!opened) return opened.error();
    const auto about = readTextFile(folder + "/poses.json");  // has the arrays' checksums
    if (!about) return about.error();
    checksum_ = hashText(*about);
    set_ = std::move(*opened);
    return &*set_;
}

Result<Json> PoseWorkshop::simulation(size_t count) {
    const auto make = [&]() -> Result<Json> {
        say("simulating a few poses again, for what they cost");
        const auto again = simulateAgain(*set_, std::min(count, set_->count()));
        if (!again) return again.error();
        return Json{{"poses", count},
                    {"cpu_seconds_per_pose", again->cpu_seconds_per_pose},
                    {"noise_cm", again->noise_cm ? Json(*again->noise_cm) : Json()},
                    {"creep_cm", again->creep_cm ? Json(*again->creep_cm) : Json()}};
    };
    return cell("simulation", {{"count", count}}, make, options_.again);
}

Result<Json> PoseWorkshop::components(int modes) {
    const auto make = [&]() -> Result<Json> {
        say("finding the principal components");
        const auto training =
            readExamples(*set_, PoseSplit::kTraining, RotationNumbers::kQuaternion);
        if (!training) return training.error();
        const auto validation =
            readExamples(*set_, PoseSplit::kValidation, RotationNumbers::kQuaternion);
        if (!validation) return validation.error();
        const auto curve = componentCurve(*training, *validation, modes);
        if (!curve) return curve.error();
        return Json{{"explained", curve->explained},
                    {"training_cm", curve->training_cm},
                    {"validation_cm", curve->validation_cm}};
    };
    return cell("components", {{"modes", modes}}, make, options_.again);
}

// --- Networks ------------------------------------------------------------------------------------

Result<Json> PoseWorkshop::train(const NetworkChoice& choice, const std::string& name) {
    say("training " + choice.name);
    if (const Status made = makeFolders(options_.folder + "/models"); !made) return made.error();
    NeuralTrainOptions options = choice.options;
    options.network.checkpoint = fileOf(name) + ".checkpoint";
    options.losses = !options_.quiet;
    const double cpu_start = processCpuSeconds();
    const auto made = trainNeuralGarment(*set_, options);
    if (!made) return made.error();
    if (const Status good = writeGarment(fileOf(name), made->bytes); !good) return good.error();
    Json info = made->info;
    info["cpu_seconds"] = processCpuSeconds() - cpu_start;
    info["bytes"] = made->bytes.size();
    info["name"] = name;
    return info;
}

Result<Json> PoseWorkshop::trained(const NetworkChoice& choice) {
    if (const auto poses = set(); !poses) return poses.error();
    const Json key = keyOf(choice.options);
    const std::string name = choice.name + "-" + hashText(key.dump() + checksum_);
    return cell(
        choice.name + ".trained", key, [&] { return train(choice, name); },
        options_.again || !std::filesystem::exists(fileOf(name)));
}

Result<std::vector<std::byte>> PoseWorkshop::garment(const NetworkChoice& choice) {
    const auto info = trained(choice);
    if (!info) return info.error();
    return readFile(fileOf((*info)["name"]));
}

Result<PoseScore> PoseWorkshop::fullScore(const NetworkChoice& choice, PoseSplit part) {
    const auto bytes = garment(choice);
    if (!bytes) return bytes.error();
    Progress progress("playing " + choice.name, set_->members(part).size());
    return evaluatePoses(*bytes, *set_, part, 0, [&](size_t n) { progress.advance(n); });
}

Result<Json> PoseWorkshop::score(const NetworkChoice& choice, PoseSplit part) {
    const auto info = trained(choice);
    if (!info) return info.error();
    const auto make = [&]() -> Result<Json> {
        const auto score = fullScore(choice, part);
        if (!score) return score.error();
        return scoreJson(*score);
    };
    return cell(choice.name + ".on." + nameOf(part), {{"model", (*info)["name"]}}, make,
                options_.again);
}

Result<Json> PoseWorkshop::playerTime(const NetworkChoice& choice, size_t count, unsigned flags) {
    const auto info = trained(choice);
    if (!info) return info.error();
    const auto make = [&]() -> Result<Json> {
        const auto bytes = garment(choice);
        if (!bytes) return bytes.error();
        hem_Error reason = HEM_OK;
        const hem_Garment* opened = hem_open(bytes->data(), bytes->size(), &reason);
        if (!opened) return errorf("%s: %s", choice.name.c_str(), hem_errorText(reason));
        const PoseTime time = poseTime(opened, *set_, count, flags);
        return Json{{"alone_us", time.alone_us}, {"batch_us", time.batch_us}};
    };
    return cell(choice.name + ".time",
                {{"model", (*info)["name"]}, {"count", count}, {"flags", flags}}, make,
                options_.again);
}

}  // namespace hem::tools
