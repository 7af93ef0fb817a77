// SPDX-License-Identifier: Apache-2.0
// The plan, and the sections that are the 2021 paper's Tables 1 and 2.
#include "tools/tables_pose_sections.h"

#include <algorithm>

#include "hem/runtime/hem.h"
#include "tools/tables_paper.h"
#include "tools/tables_sheet.h"

namespace hem::tools {
namespace {

constexpr double kPaperSkinning = paper2021::kDistanceMean / 3;  // a cost: per axis

std::string cost(double value) { return figure(1e4 * value, "%.3f"); }
std::string share(double part, double whole) { return figure(100 * part / whole, "%.2f"); }

std::string layersOf(const NetworkChoice& choice) {
    const NeuralOptions& network = choice.options.network;
    if (network.hidden.empty()) return "none";
    std::string text = network.activation == NeuralActivation::kSilu ? "silu" : "relu";
    for (const int width : network.hidden) text += format("_%d", width);
    return text;
}

std::string outputOf(const NetworkChoice& choice) {
    const int modes = choice.options.network.modes;
    return modes == 0 ? "offsets" : format("%d coefficients", modes);
}

// --- Table 1 -------------------------------------------------------------------------------------

struct NetworkCells {
    Json info, training, validation, test;

    double of(const Json& score) const { return number(score, "cost"); }
};

NetworkCells networkCells(Page& page, PoseWorkshop& w, const NetworkChoice& choice) {
    NetworkCells cells{
        .info = page.take([&] { return w.trained(choice); }),
        .training = page.take([&] { return w.score(choice, PoseSplit::kTraining); }),
        .validation = page.take([&] { return w.score(choice, PoseSplit::kValidation); }),
        .test = page.take([&] { return w.score(choice, PoseSplit::kTest); })};
    page.data()[choice.name] = {{"trained", cells.info},
                                {"training", cells.training},
                                {"validation", cells.validation},
                                {"test", cells.test}};
    return cells;
}

void costRow(Page& page, const NetworkChoice& choice, const NetworkCells& n,
             const paper2021::NetworkRow* theirs) {
    page.row({choice.title, layersOf(choice), outputOf(choice),
              theirs ? cost(theirs->training) : "-", cost(n.of(n.training)),
              cost(n.of(n.validation)), theirs ? cost(theirs->testing) : "-", cost(n.of(n.test)),
              choice.options.network.modes == 0 ? "-" : cost(number(n.test, "floor_cost"))});
}

void shareRow(Page& page, const NetworkChoice& choice, const NetworkCells& n,
              const paper2021::NetworkRow* theirs) {
    page.row(
        {choice.title, theirs ? share(theirs->training, kPaperSkinning) : "-",
         share(n.of(n.training), number(n.training, "skinning_cost")),
         theirs ? share(theirs->testing, kPaperSkinning) : "-",
         share(n.of(n.test), number(n.test, "skinning_cost")), figure(number(n.test, "mean_cm")),
         figure(number(n.test, "p95_cm"), "%.1f"), figure(number(n.info, "best_epoch"), "%.0f"),
         figure(number(n.info, "seconds"), "%.0f"), figure(number(n.info, "cpu_seconds"), "%.0f")});
}

// Ids of the paper's networks from the least test cost on.
template <class F>
std::string ranked(const F& test_cost) {
    std::vector<size_t> order = {1, 2, 3, 4};
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t i, size_t j) { return test_cost(i) < test_cost(j); });
    std::string text;
    for (const size_t i : order) text += (text.empty() ? "" : ", ") + std::to_string(i);
    return text;
}

void networkTrends(Page& page, const std::vector<NetworkCells>& ours) {
    const auto& theirs = paper2021::kNetworks;
    const auto test = [&](size_t i) { return ours[i].of(ours[i].test); };
    const auto gap = [](double training, double testing) { return percent(training, testing); };
    page.line("");
    page.line(format("- Network 3 against linear regression, on test: %s in the paper; ours %s.",
                     percent(theirs[0].testing, theirs[3].testing).c_str(),
                     percent(test(0), test(3)).c_str()));
    page.line(format("- From the least test cost on: networks %s in the paper; ours %s.",
                     ranked([&](size_t i) { return theirs[i].testing; }).c_str(),
                     ranked(test).c_str()));
    std::string against, paper_against;
    for (const size_t i : {1, 2, 4}) {
        against +=
            format("%s%zu %s", against.empty() ? "" : ", ", i, percent(test(3), test(i)).c_str());
        paper_against += format("%s%zu %s", paper_against.empty() ? "" : ", ", i,
                                percent(theirs[3].testing, theirs[i].testing).c_str());
    }
    page.line(format("- Against network 3, on test: %s in the paper; ours %s.",
                     paper_against.c_str(), against.c_str()));
    page.line(
        format("- From training to test network 3's cost changes by %s in the paper; ours %s.",
               gap(theirs[3].training, theirs[3].testing).c_str(),
               gap(ours[3].of(ours[3].training), test(3)).c_str()));
}

Result<Section> networksSection(PoseWorkshop& workshop, const PosePlan& plan) {
    Page page("networks");
    std::vector<NetworkCells> ours, beyond;
    for (const NetworkChoice& choice : plan.paper)
        ours.push_back(networkCells(page, workshop, choice));
    for (const NetworkChoice& choice : plan.beyond)
        beyond.push_back(networkCells(page, workshop, choice));
    const Json again = page.take([&] { return workshop.simulation(plan.simulated_again); });
    if (page.failed()) return page.finish();
    page.data()["simulation"] = again;
    const auto rows = [&](const auto& write) {
        for (size_t i = 0; i < ours.size(); ++i)
            write(page, plan.paper[i], ours[i], &paper2021::kNetworks[i]);
        for (size_t i = 0; i < beyond.size(); ++i) write(page, plan.beyond[i], beyond[i], nullptr);
    };
    const NetworkCells& any = ours[0];
    page.line(format("%s poses for training, %s for validation, %s for testing.\n",
                     withCommas(any.training["poses"]).c_str(),
                     withCommas(any.validation["poses"]).c_str(),
                     withCommas(any.test["poses"]).c_str()));
    page.heading({"ID", "hidden layers", "output", "training cost [1e-4], paper", "ours [1e-4 m2]",
                  "validation, ours", "testing, paper", "ours", "floor of the coefficients"});
    page.row({"skinning", "", "", cost(kPaperSkinning), cost(number(any.training, "skinning_cost")),
              cost(number(any.validation, "skinning_cost")), cost(kPaperSkinning),
              cost(number(any.test, "skinning_cost")), "-"});
    rows(costRow);
    page.line("");
    page.heading({"ID", "training cost [% of skinning's], paper", "ours", "testing, paper", "ours",
                  "mean error [cm]", "95 % below [cm]", "epoch kept", "trained in [s]", "CPU [s]"});
    page.row({"skinning", "100", "100", "100", "100", figure(number(any.test, "skinning_mean_cm")),
              "-", "-", "-", "-"});
    rows(shareRow);
    networkTrends(page, ours);
    const double noise = number(again, "noise_cm");
    page.line(
        format("- What no function of the pose can learn: coats on poses a hundredth of a "
               "degree apart differ by %.3f cm, a cost of %.3fe-4 m2.",
               noise, 1e4 * noise * noise * 1e-4 / 3));
    return page.finish();
}

// What was tried, on validation alone.
Result<Section> choicesSection(PoseWorkshop& workshop, const PosePlan& plan) {
    Page page("choices");
    std::vector<Json> infos;
    for (const NetworkChoice& choice : plan.grid) {
        infos.push_back(page.take([&] { return workshop.trained(choice); }));
        page.data()[choice.name] = infos.back();
    }
    const Json usual = page.take([&] { return workshop.trained(plan.network3()); });
    if (page.failed()) return page.finish();
    page.heading({"network 3, but for", "training cost [1e-4 m2]", "validation",
                  "against network 3", "epoch kept", "CPU [s]"});
    const double least = number(usual, "validation_cost");
    const auto row = [&](const std::string& what, const Json& info) {
        page.row({what, cost(number(info, "training_cost")), cost(number(info, "validation_cost")),
                  percent(least, number(info, "validation_cost")),
                  figure(number(info, "best_epoch"), "%.0f"),
                  figure(number(info, "cpu_seconds"), "%.0f")});
    };
    row("as it is", usual);
    for (size_t i = 0; i < infos.size(); ++i) row(plan.grid[i].title, infos[i]);
    return page.finish();
}

// --- Table 2 -------------------------------------------------------------------------------------

Result<Section> speedSection(PoseWorkshop& workshop, const PosePlan& plan) {
    Page page("speed");
    const Json again = page.take([&] { return workshop.simulation(plan.simulated_again); });
    const auto time = [&](const NetworkChoice& choice, unsigned flags) {
        return page.take([&] { return workshop.playerTime(choice, plan.batch, flags); });
    };
    const Json linear = time(plan.paper[0], 0), network = time(plan.ours(), 0),
               rough = time(plan.ours(), HEM_APPROXIMATE);
    if (page.failed()) return page.finish();
    page.data() = {
        {"simulation", again}, {"linear", linear}, {"network", network}, {"approximate", rough}};
    const double seconds = number(again, "cpu_seconds_per_pose");
    const auto row = [&](const char* what, const char* how, double theirs, const Json& ours) {
        page.row({what, how, figure(1e6 * theirs, "%.1f"), figure(number(ours, "alone_us"), "%.1f"),
                  figure(number(ours, "batch_us"), "%.1f")});
    };
    page.heading({"method", "paper's", "time [us], paper", "ours, alone",
                  format("ours, each of %s", withCommas(plan.batch).c_str())});
    page.row({"simulator", "PhysBAM, CPU", "180,000,000",
              withCommas(size_t(std::llround(1e6 * seconds))), "-"});
    row("linear regression", "PyTorch, GPU", paper2021::kLinearSeconds, linear);
    row("network 3", "PyTorch, GPU", paper2021::kNetworkSeconds, network);
    row("network 3, `HEM_APPROXIMATE`", "-", NAN, rough);
    const auto faster = [&](const Json& json, const char* name) {
        return withCommas(size_t(std::llround(1e6 * seconds / number(json, name))));
    };
    page.line("");
    page.line(format(
        "- Network 3 is faster than the simulator: %s times in the paper; ours %s "
        "times alone, %s in a batch.",
        withCommas(size_t(std::llround(paper2021::kSimulatorSeconds / paper2021::kNetworkSeconds)))
            .c_str(),
        faster(network, "alone_us").c_str(), faster(network, "batch_us").c_str()));
    page.line(
        format("- What the network costs more than linear regression: %s in the paper; ours "
               "%s alone, %s in a batch.",
               percent(paper2021::kLinearSeconds, paper2021::kNetworkSeconds).c_str(),
               percent(number(linear, "alone_us"), number(network, "alone_us")).c_str(),
               percent(number(linear, "batch_us"), number(network, "batch_us")).c_str()));
    return page.finish();
}

NetworkChoice networkOf(std::string name, std::string title, int modes, bool quick) {
    NetworkChoice choice{std::move(name), std::move(title), {}};
    choice.options.body = false;
    choice.options.mirror = false;
    choice.options.network.modes = modes;
    if (quick) choice.options.network.epochs = 20;
    return choice;
}

}  // namespace

PosePlan posePlan(bool quick) {
    PosePlan plan;
    if (quick)
        plan.poses = 60, plan.vertices = 400, plan.components = 24, plan.batch = 16,
        plan.simulated_again = 2;
    const int modes[5] = {0, 0, quick ? 24 : 256, quick ? 16 : 128, quick ? 8 : 64};
    for (int id = 0; id < 5; ++id)
        plan.paper.push_back(
            networkOf(format("network%d", id), std::to_string(id), modes[id], quick));
    plan.paper[0].options.network.hidden.clear();

    const auto varied = [&](std::vector<NetworkChoice>& list, const char* name, const char* title,
                            const auto& change) {
        list.push_back(networkOf(name, title, modes[3], quick));
        change(list.back().options);
    };
    const auto silu = [](NeuralTrainOptions& o) { o.network.activation = NeuralActivation::kSilu; };
    const auto columns = [](NeuralTrainOptions& o) { o.numbers = RotationNumbers::kTwoColumns; };
    varied(plan.beyond, "network3.mirrored", "3, mirror images", [&](NeuralTrainOptions& o) {
        o.mirror = true;
        o.body = !quick;
    });
    varied(plan.beyond, "network3.columns", "3, 6-D rotations", columns);
    varied(plan.beyond, "network3.mirrored.columns", "3, mirror images, 6-D",
           [&](NeuralTrainOptions& o) { o.mirror = true, columns(o); });
    varied(plan.beyond, "network3.mirrored.silu", "3, mirror images, SiLU",
           [&](NeuralTrainOptions& o) { o.mirror = true, silu(o); });

    varied(plan.grid, "grid.rate1e-3", "rate 0.001",
           [](NeuralTrainOptions& o) { o.network.rate = 1e-3f; });
    varied(plan.grid, "grid.decay0.01", "decay 0.01",
           [](NeuralTrainOptions& o) { o.network.weight_decay = 0.01f; });
    varied(plan.grid, "grid.decay0.3", "decay 0.3",
           [](NeuralTrainOptions& o) { o.network.weight_decay = 0.3f; });
    varied(plan.grid, "grid.epochs100", "100 epochs",
           [](NeuralTrainOptions& o) { o.network.epochs = std::min(o.network.epochs, 100); });
    varied(plan.grid, "grid.silu", "SiLU", silu);
    varied(plan.grid, "grid.256_256", "layers 256, 256", [](NeuralTrainOptions& o) {
        o.network.hidden = {256, 256};
    });
    varied(plan.grid, "grid.as_paper", "rate 0.0001, constant, no decay",
           [](NeuralTrainOptions& o) {
               o.network.rate = 1e-4f;
               o.network.cosine = false;
               o.network.weight_decay = 0;
           });
    return plan;
}

const std::vector<PoseSectionKind>& poseSectionKinds() {
    static const std::vector<PoseSectionKind> kinds = {
        {"distances", "Figure 2: skinned to simulated", distancesSection},
        {"networks", "Table 1: networks", networksSection},
        {"choices", "Settings of network 3, by validation", choicesSection},
        {"speed", "Table 2: speed", speedSection},
        {"components", "Figure 3: principal components", componentsSection},
        {"vertices", "Figure 4: error by vertex", verticesSection},
        {"extremes", "Figure 5: lowest and highest error", extremesSection},
    };
    return kinds;
}

}  // namespace hem::tools
