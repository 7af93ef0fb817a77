// SPDX-License-Identifier: Apache-2.0
#include "tools/tables_moving.h"

#include <algorithm>
#include <filesystem>

#include "hem/core/files.h"
#include "hem/core/progress.h"
#include "hem/eval/equal_cost.h"
#include "hem/eval/evaluate.h"
#include "hem/eval/evaluate_poses.h"
#include "hem/eval/score_json.h"
#include "tools/tables_sheet.h"

namespace hem::tools {
namespace {

constexpr const char* kSkinning = "skinning";
constexpr const char* kStableSpaces[] = {"A", "C", "S"};
constexpr int kPenetrationEvery = 50;  // frames: looking is dear, and 200 of them are enough

// A garment of a row.
struct Entrant {
    ModelChoice choice;
    bool of_poses = false;
    std::string file;  // or kSkinning
    Json info, score, at_rest, time;

    const char* learnedFrom() const { return of_poses ? "resting poses" : "recordings"; }
    std::string title() const {
        return choice.model + " of " + std::to_string(choice.modes) +
               (choice.model == "N" ? std::string(" (") + learnedFrom() + ")" : "");
    }
};

// Those of one cost.
struct Block {
    std::string title;
    std::vector<Entrant> entrants;
};

// What the section is made of, each thing once. Networks, too, are what `hemline train` makes.
class Bench {
public:
    Bench(Workshop& recordings, const TablesPlan& tables)
        : plan_(movingPlan(tables.quick)),
          recordings_(recordings),
          poses_({.folder = (std::filesystem::path(recordings.options().folder).parent_path() /
                             (tables.quick ? "poses-quick" : "poses"))
                                .string(),
                  .poses = plan_.poses.poses,
                  .vertices = plan_.poses.vertices,
                  .again = recordings.options().again,
                  .quiet = recordings.options().quiet}),
          cells_(recordings.options().folder + "/cells") {}

    const MovingPlan& plan() const { return plan_; }

    // Whether poses and recordings are of one garment on one body: vertices, triangles and skin.
    Status checkSameGarment() {
        const auto set = poses_.set();
        if (!set) return set.error();
        for (const char* name : {"train", "test"}) {
            const auto group = recordings_.group(plan_.coat, name);
            if (!group) return group.error();
            const ClothScene& scene = (*group)->set.scene();
            const Mesh mesh = joinedMesh(scene.garments);
            const auto &a = scene.character.skin, &b = (*set)->character().skin;
            if (mesh.positions == (*set)->garmentRest() &&
                mesh.triangles == (*set)->garmentTriangles() && a.joints == b.joints &&
                a.weights == b.weights)
                continue;
            return errorf(
                "%s and %s are not of one garment on one body; make the one that is older anew",
                (*set)->folder().c_str(), (*group)->set.folder().c_str());
        }
        return Done{};
    }

    // Fills in file and info.
    Status train(Entrant& entrant) {
        auto info = entrant.of_poses ? poses_.trained(networkOf(entrant.choice.modes))
                                     : recordings_.trained(plan_.coat, entrant.choice);
        if (!info) return info.error();
        entrant.info = std::move(*info);
        const std::string name = entrant.info["name"];
        entrant.file = entrant.of_poses ? poses_.options().folder + "/models/" + name + ".hem"
                                        : recordings_.fileOf(name);
        return Done{};
    }

    // As `hemline evaluate --json` on the test clips, without chaos floor and HEM_PUSH_OUT.
    Result<Json> score(const std::string& file) {
        const auto test = recordings_.group(plan_.coat, "test");
        if (!test) return test.error();
        const std::string name = file == kSkinning ? file : stemOf(file);
        const Json key{{"model", name},
                       {"recordings", (*test)->checksum},
                       {"penetration_every", kPenetrationEvery}};
        const auto make = [&]() -> Result<Json> {
            std::vector<std::byte> bytes;
            if (file != kSkinning) {
                auto read = readFile(file);
                if (!read) return read.error();
                bytes = std::move(*read);
            }
            Progress progress("playing " + name, (*test)->frames);
            const EvaluateOptions options{.clips = (*test)->clips,
                                          .push_out = false,
                                          .penetration_every = kPenetrationEvery,
                                          .chaos_clips = 0,
                                          .progress = [&](size_t n) { progress.advance(n); }};
            const auto result = file == kSkinning ? evaluateSkinning((*test)->set, options)
                                                  : evaluate(bytes, (*test)->set, options);
            if (!result) return result.error();
            return scoreJson(*result);
        };
        return cells_.get("moving." + name + ".on.test", key, make, recordings_.options().again);
    }

    // mean_cm on the poses kept for tests, and skinning_mean_cm there.
    Result<Json> restScore(const std::string& file) {
        const auto set = poses_.set();
        if (!set) return set.error();
        const auto about = readTextFile((*set)->folder() + "/poses.json");
        if (!about) return about.error();
        const Json key{{"model", stemOf(file)}, {"poses", hashText(*about)}};
        const auto make = [&]() -> Result<Json> {
            const auto bytes = readFile(file);
            if (!bytes) return bytes.error();
            const auto score = evaluatePoses(*bytes, **set, PoseSplit::kTest);
            if (!score) return score.error();
            return Json{{"mean_cm", score->mean_cm}, {"skinning_mean_cm", score->skinning_mean_cm}};
        };
        return cells_.get("moving." + stemOf(file) + ".on.poses", key, make,
                          recordings_.options().again);
    }

    // alone_us and batch_us of every file, measured in turn on the first test clip.
    Result<Json> times(const std::string& title, const std::vector<std::string>& files) {
        const auto test = recordings_.group(plan_.coat, "test");
        if (!test) return test.error();
        Json key{{"recordings", (*test)->checksum}, {"files", Json::array()}};
        for (const std::string& file : files) key["files"].push_back(stemOf(file));
        return cells_.get(
            "moving." + title, key, [&] { return measured(files, **test); },
            recordings_.options().again);
    }

private:
    NetworkChoice networkOf(int modes) const {
        NetworkChoice choice = plan_.poses.network3();
        choice.name = format("moving.N%d", modes);
        choice.options.network.modes = modes;
        choice.options.mirror = true;
        choice.options.body = plan_.shipped;
        return choice;
    }

    Result<Json> measured(const std::vector<std::string>& files, const Workshop::Group& test) {
        std::vector<std::vector<std::byte>> bytes;
        std::vector<const hem_Garment*> garments;
        for (const std::string& file : files) {
            auto read = readFile(file);
            if (!read) return read.error();
            bytes.push_back(std::move(*read));
            hem_Error reason = HEM_OK;
            garments.push_back(hem_open(bytes.back().data(), bytes.back().size(), &reason));
            if (!garments.back()) return errorf("%s: %s", file.c_str(), hem_errorText(reason));
        }
        const auto clip = test.set.clip(test.clips[0]);
        if (!clip) return clip.error();
        Json all = Json::array();
        for (const PlayerTime& time : playerTimes(garments, *clip))
            all.push_back({{"alone_us", time.plain_us}, {"batch_us", time.crowd_plain_us}});
        return all;
    }

    MovingPlan plan_;
    Workshop& recordings_;
    PoseWorkshop poses_;
    Cells cells_;
};

// --- Equal cost ----------------------------------------------------------------------------------

// What a wearer costs in a batch by the model's dimensions, of stand-ins timed in turn.
struct CostCurves {
    struct Curve {
        std::string model;
        std::vector<int> dimensions;
        std::vector<double> us;
    };
    std::vector<Curve> curves;

    const Curve& of(const std::string& model) const {
        for (const Curve& curve : curves)
            if (curve.model == model) return curve;
        return curves.back();
    }
};

Result<CostCurves> costCurves(Bench& bench) {
    CostCurves costs;
    for (const char* model : kStableSpaces)
        costs.curves.push_back({model, bench.plan().dimensions, {}});
    costs.curves.push_back({"N", bench.plan().network_modes, {}});
    std::vector<std::string> files;
    for (const CostCurves::Curve& curve : costs.curves)
        for (const int dimensions : curve.dimensions) {
            Entrant entrant{.choice = {curve.model, dimensions}};
            entrant.choice.stand_in = true;
            if (const Status done = bench.train(entrant); !done) return done.error();
            files.push_back(entrant.file);
        }
    const auto times = bench.times("stand_ins", files);
    if (!times) return times.error();
    size_t at = 0;
    for (CostCurves::Curve& curve : costs.curves)
        for (size_t i = 0; i < curve.dimensions.size(); ++i)
            curve.us.push_back((*times)[at++]["batch_us"]);
    return costs;
}

Block blockAt(double cost, const CostCurves& costs, const MovingPlan& plan, std::string title) {
    Block block{std::move(title), {}};
    const auto add = [&](const std::string& model, int most, bool of_poses) {
        const CostCurves::Curve& curve = costs.of(model);
        ModelChoice choice{model, dimensionsAt(cost, curve.dimensions, curve.us, most)};
        choice.shipped = plan.shipped;
        block.entrants.push_back({.choice = choice, .of_poses = of_poses});
    };
    const int network = plan.network_modes.back();
    add("N", network, true);
    add("N", network, false);
    for (const char* model : kStableSpaces) add(model, plan.coat.modes, false);
    return block;
}

std::vector<Block> blocksOf(const CostCurves& costs, const MovingPlan& plan) {
    const CostCurves::Curve &n = costs.of("N"), &s = costs.of("S");
    const auto usual = std::find(s.dimensions.begin(), s.dimensions.end(), plan.usual);
    const double cost_of_s = s.us[size_t(usual - s.dimensions.begin())];
    return {blockAt(cost_of_s, costs, plan,
                    format("as S of its usual %d dimensions costs", plan.usual)),
            blockAt(n.us.back(), costs, plan,
                    format("as network 3 costs, of %d coefficients", n.dimensions.back()))};
}

// --- The table -----------------------------------------------------------------------------------

std::string percentOf(double share) { return figure(100 * share, "%.1f"); }

void tableRow(Sheet& sheet, const std::string& model, const std::string& from,
              const std::string& dimensions, const Entrant& e) {
    const Json& s = e.score;
    sheet.row({model, from, dimensions, figure(number(s, "mean_cm")),
               figure(number(s, "after_stops_cm")), figure(number(s, "velocity_cm")),
               figure(number(s, "p95_cm"), "%.1f"), percentOf(number(s, "penetration_rate_1mm")),
               figure(number(s, "pca_floor_cm")), figure(number(e.at_rest, "mean_cm")),
               figure(number(e.time, "alone_us"), "%.1f"),
               figure(number(e.time, "batch_us"), "%.1f"),
               figure(number(e.info, "bytes") / 1000, "%.0f")});
}

// How far apart the costs of a block are, of the least.
double spreadOf(const Block& block) {
    double least = 1e30, most = 0;
    for (const Entrant& e : block.entrants) {
        least = std::min(least, number(e.time, "batch_us"));
        most = std::max(most, number(e.time, "batch_us"));
    }
    return most / least - 1;
}

void remarks(Sheet& sheet, const Block& block) {
    const auto against = [&](size_t i, size_t j) {
        const Entrant &a = block.entrants[i], &b = block.entrants[j];
        const auto change = [&](const char* key) {
            return percent(number(b.score, key), number(a.score, key));
        };
        return format("%s against %s: mean %s, after stops %s, velocity %s", a.title().c_str(),
                      b.title().c_str(), change("mean_cm").c_str(),
                      change("after_stops_cm").c_str(), change("velocity_cm").c_str());
    };
    sheet.line(format("- Costs in a batch, %s, differ by at most %.0f %%. %s. %s. %s. %s.",
                      block.title.c_str(), 100 * spreadOf(block), against(1, 0).c_str(),
                      against(4, 1).c_str(), against(4, 3).c_str(), against(1, 2).c_str()));
}

Status fillIn(Bench& bench, std::vector<Block>& blocks, Entrant& skinning) {
    // models one after the other, for the workshop holds the data of one at a time
    for (const char* model : {"A", "C", "S", "N"})
        for (Block& block : blocks)
            for (Entrant& e : block.entrants)
                if (e.choice.model == model)
                    if (const Status done = bench.train(e); !done) return done;
    std::vector<std::string> files;
    for (const Block& block : blocks)
        for (const Entrant& e : block.entrants) files.push_back(e.file);
    const auto times = bench.times("times", files);
    if (!times) return times.error();
    size_t at = 0;
    for (Block& block : blocks)
        for (Entrant& e : block.entrants) {
            e.time = (*times)[at++];
            auto score = bench.score(e.file);
            if (!score) return score.error();
            e.score = std::move(*score);
            auto at_rest = bench.restScore(e.file);
            if (!at_rest) return at_rest.error();
            e.at_rest = std::move(*at_rest);
        }
    auto score = bench.score(kSkinning);
    if (!score) return score.error();
    skinning.score = std::move(*score);
    const Json& of_any = blocks[0].entrants[0].at_rest;
    skinning.at_rest = {{"mean_cm", of_any["skinning_mean_cm"]}};
    return Done{};
}

void writeTable(Sheet& sheet, const std::vector<Block>& blocks, const Entrant& skinning) {
    sheet.heading({"model", "learned from", "dimensions", "mean [cm]", "after stops", "velocity",
                   "95 % below", "inside by 1 mm [%]", "floor of the dimensions",
                   "on resting poses", "alone [us]", "in a batch [us]", "file [kB]"});
    tableRow(sheet, "skinning", "-", "-", skinning);
    for (const Block& block : blocks) {
        sheet.row({"*" + block.title + "*", "", "", "", "", "", "", "", "", "", "", "", ""});
        for (const Entrant& e : block.entrants) {
            tableRow(sheet, e.choice.model, e.learnedFrom(), std::to_string(e.choice.modes), e);
            sheet.data()[block.title].push_back({{"model", e.choice.model},
                                                 {"of_poses", e.of_poses},
                                                 {"dimensions", e.choice.modes},
                                                 {"file", e.file},
                                                 {"trained", e.info},
                                                 {"score", e.score},
                                                 {"at_rest", e.at_rest},
                                                 {"time", e.time}});
        }
    }
    sheet.line("");
    for (const Block& block : blocks) remarks(sheet, block);
}

}  // namespace

MovingPlan movingPlan(bool quick) {
    MovingPlan plan{.coat = {"coat", "coat", "female", "wool", 2170}, .poses = posePlan(quick)};
    plan.coat.modes = 208;
    plan.dimensions = {64, 128, 144};  // past 128 a dimension costs more than before
    plan.network_modes = {48, 88, 128};
    if (quick) {
        plan.coat = {"coat-every11", "coat", "female", "wool", plan.poses.vertices, 11, 1, 48};
        plan.dimensions = {16, 32}, plan.network_modes = {8, 16}, plan.usual = 16;
        plan.shipped = false;
    }
    return plan;
}

Result<Section> movingSection(Workshop& workshop, const TablesPlan& tables) {
    Sheet sheet("moving", workshop);
    Bench bench(workshop, tables);
    const MovingPlan& plan = bench.plan();
    if (const Status good = bench.checkSameGarment(); !good) return good.error();
    const auto costs = costCurves(bench);
    if (!costs) return costs.error();
    std::vector<Block> blocks = blocksOf(*costs, plan);
    Entrant skinning;
    skinning.file = kSkinning;
    if (const Status done = fillIn(bench, blocks, skinning); !done) return done.error();
    const Json simulation = sheet.ask([&](Workshop& w) { return w.simulation(plan.coat); });
    const std::string extent = sheet.extent(plan.coat);
    if (sheet.failed()) return sheet.finish();
    sheet.line(format(
        "The coat, %s vertices: %s; %s resting poses. Two simulations that start "
        "almost alike end %s cm apart. Cost of simulating: %s ms a frame.\n",
        withCommas(size_t(number(simulation, "vertices"))).c_str(), extent.c_str(),
        withCommas(plan.poses.poses).c_str(), figure(number(simulation, "chaos_floor_cm")).c_str(),
        figure(number(simulation, "cpu_ms_per_frame"), "%.1f").c_str()));
    writeTable(sheet, blocks, skinning);
    sheet.data()["skinning"] = skinning.score;
    sheet.data()["simulation"] = simulation;
    for (const auto& curve : costs->curves)
        sheet.data()["costs"][curve.model] = {{"dimensions", curve.dimensions},
                                              {"batch_us", curve.us}};
    return sheet.finish();
}

}  // namespace hem::tools
