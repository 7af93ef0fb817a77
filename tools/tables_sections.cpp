// SPDX-License-Identifier: Apache-2.0
// The plan, and the sections that are the 2010 paper's Tables 1 to 4.
#include "tools/tables_sections.h"

#include <algorithm>
#include <numeric>

#include "tools/tables_moving.h"
#include "tools/tables_paper.h"
#include "tools/tables_sheet.h"

namespace hem::tools {
namespace {

constexpr const char* kAsThePaper = "ours, fitted as the paper";

// In the order of the paper's Table 1.
const std::vector<Outfit>& wardrobe() {
    static const std::vector<Outfit> outfits = {
        {"dress", "dress", "female", "cotton", 766},
        {"dress_3410", "dress", "female", "cotton", 3410},
        {"dress_5178", "dress", "female", "cotton", 5178},
        {"dress_20530", "dress", "female", "cotton", 20530},
        {"skirt_silk", "skirt", "female", "silk", 820},
        {"skirt_denim", "skirt", "female", "denim", 820},
        {"long_skirt", "long_skirt", "female", "cotton", 766},
        {"oscar_dress", "oscar_dress", "female", "silk", 820},
        {"cape", "cape", "male", "wool", 2242},
        {"shirt", "shirt", "male", "cotton", 3329},
        {"pants", "pants", "male", "cotton", 560},
        {"poncho", "poncho", "male", "wool", 2450},
    };
    return outfits;
}

Outfit thinned(Outfit outfit, int every, int stops) {
    outfit.every = every;
    outfit.stops = stops;
    if (every > 1) outfit.name += format("-every%d", every);
    return outfit;
}

std::vector<double> means(const std::vector<Json>& scores) {
    std::vector<double> values;
    for (const Json& score : scores) values.push_back(number(score, "mean_cm"));
    return values;
}

template <class List>
std::vector<double> listOf(const List& values) {
    return {values.begin(), values.end()};
}

// --- Table 1 -------------------------------------------------------------------------------------

// What a row is made of.
struct GarmentCells {
    std::string extent;
    Json simulation, on_a, on_c, on_s;

    double lambdaC() const { return number(on_c, "lambda"); }
    double lambdaS() const { return number(on_s, "lambda"); }
    // How many times the player (C) is faster than the simulator.
    double faster() const {
        return 1000 * number(simulation, "cpu_ms_per_frame") / number(on_c, "player_us");
    }
};

GarmentCells garmentCells(Sheet& sheet, const Outfit& outfit, const TablesPlan& plan) {
    const int modes = std::min(64, plan.dress().modes);
    GarmentCells cells{.extent = sheet.extent(outfit),
                       .simulation = sheet.ask([&](Workshop& w) { return w.simulation(outfit); }),
                       .on_a = sheet.score(outfit, {"A", modes}, "test"),
                       .on_c = sheet.score(outfit, {"C", modes}, "test"),
                       .on_s = sheet.score(outfit, {"S", modes}, "test")};
    sheet.data()[outfit.name] = {
        {"simulation", cells.simulation}, {"A", cells.on_a}, {"C", cells.on_c}, {"S", cells.on_s}};
    return cells;
}

void errorRow(Sheet& sheet, const Outfit& outfit, const GarmentCells& g,
              const paper::GarmentRow& theirs) {
    std::vector<std::string> row{theirs.name, outfit.fabric,
                                 withCommas(size_t(number(g.simulation, "vertices"))),
                                 withCommas(size_t(number(g.simulation, "triangles"))), g.extent};
    for (const double lambda : {theirs.lambda, g.lambdaC(), g.lambdaS()})
        row.push_back(figure(lambda, "%.4f"));
    for (const Json* score : {&g.on_a, &g.on_c, &g.on_s})
        row.push_back(figure(number(*score, "mean_cm")));
    row.push_back(figure(number(g.on_s, "pca_floor_cm")));
    row.push_back(figure(number(g.simulation, "chaos_floor_cm")));
    sheet.row(row);
}

void costRow(Sheet& sheet, const GarmentCells& g, const paper::GarmentRow& theirs) {
    std::vector<std::string> row{theirs.name, figure(1e6 * paper::kStepSeconds, "%.3f")};
    for (const Json* score : {&g.on_c, &g.on_s})
        row.push_back(figure(number(*score, "latent_step_us"), "%.2f"));
    row.push_back(figure(1e6 * theirs.total_seconds, "%.0f"));
    for (const Json* score : {&g.on_c, &g.on_s})
        row.push_back(figure(number(*score, "player_us"), "%.1f"));
    row.push_back(figure(1e3 * theirs.maya_seconds, "%.0f"));
    row.push_back(figure(number(g.simulation, "cpu_ms_per_frame"), "%.1f"));
    row.push_back(figure(theirs.maya_seconds / theirs.total_seconds, "%.0f"));
    row.push_back(figure(g.faster(), "%.0f"));
    sheet.row(row);
}

// The names of the two largest of the paper's garments by `values`.
std::string twoLargest(const std::vector<double>& values) {
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t i, size_t j) { return values[i] > values[j]; });
    return std::string(paper::kGarments[order[0]].name) + " and " + paper::kGarments[order[1]].name;
}

void garmentTrends(Sheet& sheet, const std::vector<GarmentCells>& ours) {
    std::vector<double> lambda_paper, lambda, faster_paper, faster;
    size_t stable_c = 0, stable_s = 0;
    for (size_t i = 0; i < ours.size(); ++i) {
        const paper::GarmentRow& theirs = paper::kGarments[i];
        lambda_paper.push_back(theirs.lambda), lambda.push_back(ours[i].lambdaC());
        faster_paper.push_back(theirs.maya_seconds / theirs.total_seconds);
        faster.push_back(ours[i].faster());
        stable_c += ours[i].lambdaC() < 1, stable_s += ours[i].lambdaS() < 1;
    }
    const auto range = [](const std::vector<double>& v) {
        return format("%.0f to %.0f times", *std::min_element(v.begin(), v.end()),
                      *std::max_element(v.begin(), v.end()));
    };
    sheet.line("");
    sheet.line(
        format("- Stable, lambda < 1: 12 of 12 garments in the paper; ours %zu of %zu (C), "
               "%zu of %zu (S).",
               stable_c, ours.size(), stable_s, ours.size()));
    sheet.line(format("- Nearest to unstable: %s in the paper; ours (C) %s.",
                      twoLargest(lambda_paper).c_str(), twoLargest(lambda).c_str()));
    sheet.line(
        format("- Faster than the simulator that it learned from: %s in the paper; ours %s (C).",
               range(faster_paper).c_str(), range(faster).c_str()));
}

Result<Section> garmentsSection(Workshop& workshop, const TablesPlan& plan) {
    Sheet sheet("garments", workshop);
    std::vector<GarmentCells> ours;
    for (const Outfit& outfit : plan.garments) ours.push_back(garmentCells(sheet, outfit, plan));
    if (sheet.failed()) return sheet.finish();
    sheet.heading({"garment", "fabric", "vertices", "triangles", "trained + tested on",
                   "lambda, paper", "C", "S", "test error [cm], A", "C", "S", "PCA floor",
                   "chaos floor"});
    for (size_t i = 0; i < ours.size(); ++i)
        errorRow(sheet, plan.garments[i], ours[i], paper::kGarments[i]);
    sheet.line("");
    sheet.heading({"garment", "latent step [us], paper", "C", "S", "with mesh [us], paper", "C",
                   "S", "simulator [ms], paper", "ours", "player is faster, paper", "C"});
    for (size_t i = 0; i < ours.size(); ++i) costRow(sheet, ours[i], paper::kGarments[i]);
    garmentTrends(sheet, ours);
    return sheet.finish();
}

// --- Table 2 -------------------------------------------------------------------------------------

// One model's errors over the plan's dimensions.
struct ByDimension {
    std::string model;
    bool plain = false;
    std::vector<double> train, test;
};

ByDimension dimensionScores(Sheet& sheet, const TablesPlan& plan, const char* model, bool plain) {
    std::vector<Json> train, test;
    for (const int modes : plan.dimensions) {
        const ModelChoice choice{model, modes, 2, plain};
        train.push_back(sheet.score(plan.dress(), choice, "train"));
        test.push_back(sheet.score(plan.dress(), choice, "test"));
    }
    sheet.data()[std::string(model) + (plain ? " plain" : "")] = {{"train", train}, {"test", test}};
    return {model, plain, means(train), means(test)};
}

std::vector<double> pcaFloors(Sheet& sheet, const TablesPlan& plan) {
    std::vector<double> floors;
    for (const int modes : plan.dimensions)
        floors.push_back(number(sheet.score(plan.dress(), {"A", modes}, "test"), "pca_floor_cm"));
    return floors;
}

// The paper's figures in the plan's columns; NaN where it has none.
std::vector<double> inColumns(const TablesPlan& plan, const std::array<double, 7>& theirs) {
    std::vector<double> values;
    for (const int modes : plan.dimensions) {
        const auto at = std::find(paper::kDimensions.begin(), paper::kDimensions.end(), modes);
        values.push_back(
            at == paper::kDimensions.end() ? NAN : theirs[size_t(at - paper::kDimensions.begin())]);
    }
    return values;
}

void figuresRow(Sheet& sheet, std::vector<std::string> title, const std::vector<double>& values) {
    for (const double value : values) title.push_back(figure(value));
    sheet.row(title);
}

// "A yes, B no" of the models fitted so.
template <class F>
std::string ofEach(const std::vector<ByDimension>& ours, bool plain, const F& say) {
    std::string text;
    for (const ByDimension& one : ours)
        if (one.plain == plain) text += (text.empty() ? "" : ", ") + one.model + " " + say(one);
    return text;
}

void dimensionTrends(Sheet& sheet, const TablesPlan& plan, const std::vector<ByDimension>& ours) {
    const auto falling = [](const ByDimension& one) { return falls(one.train) ? "yes" : "no"; };
    const auto best = [&](const ByDimension& one) {
        return std::to_string(plan.dimensions[indexOfLeast(one.test)]);
    };
    sheet.line("");
    sheet.line(
        "- Training error falls with every step in dimension: A yes, B yes, C yes in the paper; " +
        ofEach(ours, true, falling) + " when fitted as there; " + ofEach(ours, false, falling) +
        " as we fit.");
    sheet.line("- Dimension of the least test error: A 80, B 64, C 64 in the paper; " +
               ofEach(ours, true, best) + " when fitted as there; " + ofEach(ours, false, best) +
               " as we fit.");
    const auto against = [&](const ByDimension& c, const ByDimension& a) {
        std::string text;
        for (size_t i = 0; i < plan.dimensions.size(); ++i)
            text += (i ? ", " : "") + percent(a.test[i], c.test[i]);
        return text;
    };
    sheet.line(
        "- C against A on test, by dimension: +41 %, +26 %, +5 %, -1 %, -4 %, +2 %, +3 % in the "
        "paper; " +
        against(ours[4], ours[0]) + " when fitted as there; " + against(ours[5], ours[1]) +
        " as we fit.");
    sheet.line(format("- S against the best C: %s on test.",
                      percent(*std::min_element(ours[5].test.begin(), ours[5].test.end()),
                              *std::min_element(ours[6].test.begin(), ours[6].test.end()))
                          .c_str()));
}

Result<Section> dimensionsSection(Workshop& workshop, const TablesPlan& plan) {
    Sheet sheet("dimensions", workshop);
    sheet.line("The dress: " + sheet.extent(plan.dress()) + ".\n");
    std::vector<std::string> heading{"error [cm]", "model", ""};
    for (const int modes : plan.dimensions) heading.push_back(std::to_string(modes));
    std::vector<ByDimension> ours;
    for (const char* model : {"A", "B", "C"})
        for (const bool plain : {true, false})
            ours.push_back(dimensionScores(sheet, plan, model, plain));
    ours.push_back(dimensionScores(sheet, plan, "S", false));
    const std::vector<double> floors = pcaFloors(sheet, plan);
    if (sheet.failed()) return sheet.finish();
    sheet.heading(heading);
    for (const bool train : {true, false})
        for (size_t m = 0; m < ours.size(); ++m) {
            const std::string what = train ? "train" : "test";
            const auto& theirs = train ? paper::kTrainByDimension : paper::kTestByDimension;
            if (ours[m].plain)
                figuresRow(sheet, {what, ours[m].model, "paper"}, inColumns(plan, theirs[m / 2]));
            figuresRow(sheet, {what, ours[m].model, ours[m].plain ? kAsThePaper : "ours"},
                       train ? ours[m].train : ours[m].test);
        }
    figuresRow(sheet, {"test", "PCA floor", "ours"}, floors);
    dimensionTrends(sheet, plan, ours);
    return sheet.finish();
}

// --- Table 3 -------------------------------------------------------------------------------------

struct ByOrder {
    std::vector<double> train, test, after_stops, lambda;
};

// A, B, C of every order, and S where not `plain`.
ByOrder orderScores(Sheet& sheet, const TablesPlan& plan, bool plain) {
    const int modes = std::min(64, plan.dress().modes);
    std::vector<ModelChoice> choices = {{"A", modes, 2, plain}, {"B", modes, 2, plain}};
    for (const int order : plan.orders) choices.push_back({"C", modes, order, plain});
    if (!plain) choices.push_back({"S", modes});
    ByOrder by;
    Json& data = sheet.data()[plain ? "fitted as the paper" : "ours"];
    for (const ModelChoice& choice : choices) {
        const Json train = sheet.score(plan.dress(), choice, "train"),
                   test = sheet.score(plan.dress(), choice, "test");
        by.train.push_back(number(train, "mean_cm"));
        by.test.push_back(number(test, "mean_cm"));
        by.after_stops.push_back(number(test, "after_stops_cm"));
        by.lambda.push_back(number(test, "lambda"));
        data[choice.title()] = {{"train", train}, {"test", test}};
    }
    return by;
}

std::vector<double> paperByOrder(const TablesPlan& plan, const std::array<double, 8>& theirs) {
    std::vector<double> values{theirs[0], theirs[1]};
    for (const int order : plan.orders) values.push_back(theirs[size_t(order) + 2]);
    return values;
}

void orderTrends(Sheet& sheet, const TablesPlan& plan, const ByOrder& plain, const ByOrder& ours) {
    const auto of_c = [&](const std::vector<double>& all) {
        return std::vector<double>(all.begin() + 2, all.begin() + 2 + long(plan.orders.size()));
    };
    const auto falling = [&](const ByOrder& by) { return falls(of_c(by.train)) ? "yes" : "no"; };
    const auto best = [&](const ByOrder& by) {
        const std::vector<double> c = of_c(by.test);
        const size_t at = indexOfLeast(c);
        return format("%d (%s against A)", plan.orders[at], percent(by.test[0], c[at]).c_str());
    };
    const auto root = [&](const ByOrder& by) {
        const auto second = std::find(plan.orders.begin(), plan.orders.end(), 2);
        const auto at = size_t(second - plan.orders.begin());
        return percent(by.test[1], of_c(by.test)[at]);
    };
    sheet.line("");
    sheet.line(
        format("- C's training error falls with every order: yes in the paper; %s when fitted "
               "as there; %s as we fit.",
               falling(plain), falling(ours)));
    sheet.line(
        format("- Order of C's least test error: 2 (-4 %% against A) in the paper; %s when "
               "fitted as there; %s as we fit.",
               best(plain).c_str(), best(ours).c_str()));
    sheet.line(
        format("- What the root's motion brings (B to C, 2nd order): %s on test in the paper; "
               "%s when fitted as there; %s as we fit.",
               percent(paper::kTestByOrder[1], paper::kTestByOrder[4]).c_str(), root(plain).c_str(),
               root(ours).c_str()));
}

Result<Section> ordersSection(Workshop& workshop, const TablesPlan& plan) {
    Sheet sheet("orders", workshop);
    const int modes = std::min(64, plan.dress().modes);
    const ByOrder plain = orderScores(sheet, plan, true), ours = orderScores(sheet, plan, false);
    if (sheet.failed()) return sheet.finish();
    std::vector<std::string> heading{"error [cm]", "", "A", "B, order 2"};
    for (const int order : plan.orders) heading.push_back(format("C, order %d", order));
    heading.push_back("S");
    const auto row = [&](const char* what, const char* whose, std::vector<double> values,
                         const char* form = "%.2f") {
        values.resize(heading.size() - 2, NAN);
        std::vector<std::string> cells{what, whose};
        for (const double value : values) cells.push_back(figure(value, form));
        sheet.row(cells);
    };
    sheet.line(format("The dress, %d dimensions: ", modes) + sheet.extent(plan.dress()) + ".\n");
    sheet.heading(heading);
    row("train", "paper", paperByOrder(plan, paper::kTrainByOrder));
    row("train", kAsThePaper, plain.train);
    row("train", "ours", ours.train);
    row("test", "paper", paperByOrder(plan, paper::kTestByOrder));
    row("test", kAsThePaper, plain.test);
    row("test", "ours", ours.test);
    row("test, after stops", kAsThePaper, plain.after_stops);
    row("test, after stops", "ours", ours.after_stops);
    row("lambda", kAsThePaper, plain.lambda, "%.4f");
    row("lambda", "ours", ours.lambda, "%.4f");
    orderTrends(sheet, plan, plain, ours);
    return sheet.finish();
}

// --- Table 4 -------------------------------------------------------------------------------------

Result<Section> resolutionsSection(Workshop& workshop, const TablesPlan& plan) {
    Sheet sheet("resolutions", workshop);
    const int modes = std::min(64, plan.dress().modes);
    std::vector<std::string> heading{"error on test [cm]"};
    std::vector<Json> simulations;
    for (const Outfit& outfit : plan.resolutions) {
        simulations.push_back(sheet.ask([&](Workshop& w) { return w.simulation(outfit); }));
        heading.push_back(figure(number(simulations.back(), "vertices"), "%.0f") + " vertices");
    }
    sheet.line("The same dress, all four on the same: " + sheet.extent(plan.resolutions[0]) +
               ".\n");
    sheet.heading(heading);
    figuresRow(sheet, {"C, paper"}, listOf(paper::kTestByResolution));
    std::vector<double> of_c;
    for (const char* model : {"A", "C", "S"}) {
        std::vector<Json> scores;
        for (const Outfit& outfit : plan.resolutions)
            scores.push_back(sheet.score(outfit, {model, modes}, "test"));
        figuresRow(sheet, {std::string(model) + ", ours"}, means(scores));
        sheet.data()[model] = scores;
        if (model[0] == 'C') of_c = means(scores);
        if (model[0] != 'S') continue;
        std::vector<double> floors;
        for (const Json& score : scores) floors.push_back(number(score, "pca_floor_cm"));
        figuresRow(sheet, {"PCA floor"}, floors);
    }
    std::vector<double> chaos;
    for (const Json& each : simulations) chaos.push_back(number(each, "chaos_floor_cm"));
    figuresRow(sheet, {"chaos floor"}, chaos);
    sheet.data()["simulations"] = simulations;
    sheet.line("");
    sheet.line(
        format("- From the coarsest to the finest C's error changes by %s in the paper; ours "
               "%s.",
               percent(paper::kTestByResolution[0], paper::kTestByResolution[3]).c_str(),
               percent(of_c.front(), of_c.back()).c_str()));
    return sheet.finish();
}

}  // namespace

TablesPlan tablesPlan(int every, bool quick) {
    TablesPlan plan;
    plan.quick = quick;
    const int fine_stops = every == 1 ? 5 : 2;
    std::vector<int> sizes = {766, 3410, 5178, 20530};
    if (quick) sizes = {300, 400, 500, 600};
    for (Outfit outfit : wardrobe()) {
        if (quick) outfit.vertices = 400;
        if (quick)
            outfit = thinned(outfit, 11, 1);
        else if (outfit.vertices > kFine)
            outfit = thinned(outfit, every, fine_stops);
        plan.garments.push_back(outfit);
    }
    plan.garments[0].modes = quick ? 32 : 128;
    if (quick)
        for (Outfit& outfit : plan.garments) outfit.modes = 32;
    for (const int size : sizes) {
        if (size == plan.dress().vertices && !quick && every == 1) {
            plan.resolutions.push_back(plan.dress());
            continue;
        }
        Outfit outfit = wardrobe()[0];
        outfit.vertices = size;
        outfit.name += format("_%d", size);
        outfit = quick ? thinned(outfit, 11, 1) : thinned(outfit, every, fine_stops);
        if (quick) outfit.modes = 32;
        plan.resolutions.push_back(outfit);
    }
    plan.dimensions = {paper::kDimensions.begin(), paper::kDimensions.end()};
    plan.orders = {0, 1, 2, 3, 4, 5};
    plan.atomic_dimensions = {16, 32, 64};
    if (quick)
        plan.dimensions = {10, 16, 32}, plan.orders = {0, 1, 2}, plan.atomic_dimensions = {16, 32};
    return plan;
}

const std::vector<SectionKind>& sectionKinds() {
    static const std::vector<SectionKind> kinds = {
        {"garments", "Table 1: garments", garmentsSection},
        {"dimensions", "Table 2: dimensions of the subspace", dimensionsSection},
        {"orders", "Table 3: orders of the dynamics", ordersSection},
        {"resolutions", "Table 4: resolutions of the mesh", resolutionsSection},
        {"atomic", "Section 7.1: a walk, and a walk with a turn", atomicSection},
        {"novel", "Motions of other kinds than trained on", novelSection},
        {"fabrics", "Two fabrics of one skirt", fabricsSection},
        {"stop", "Figure 3: an abrupt stop", stopSection},
        {"moving", "The coat moves: both papers' models at equal cost", movingSection},
    };
    return kinds;
}

}  // namespace hem::tools
