// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/pose_report.h"

#include <nlohmann/json.hpp>

#include "hem/core/text.h"
#include "hem/eval/report/measure.h"
#include "hem/eval/score_json.h"
#include "hem/pack/pack_neural.h"
#include "tests/poses/small_pose_set.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

size_t countOf(const std::string& text, const std::string& what) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++count;
    return count;
}

// Of Model N: the network says nought, so that it is plain skinning.
std::vector<std::byte> skinnedGarment(const PoseSet& set, const std::string& info) {
    const auto n = Eigen::Index(set.vertices());
    NeuralModel model;
    model.rotations = jointRotations(set.character(), set.inputJoints());
    const auto inputs = 4 * Eigen::Index(model.rotations.size());
    model.range = {VectorF::Zero(inputs), VectorF::Ones(inputs), -VectorF::Ones(inputs),
                   VectorF::Ones(inputs)};
    model.layers = {{MatrixF::Zero(2, inputs), VectorF::Zero(2)}};
    model.subspace.mean = VectorF::Zero(3 * n);
    model.subspace.basis = MatrixF::Zero(3 * n, 2);
    model.subspace.basis(0, 0) = model.subspace.basis(1, 1) = 1;
    model.subspace.variance = VectorD::Ones(2);
    model.output_limit = VectorF::Ones(2);
    const Mesh mesh{set.garmentRest(), set.garmentTriangles(), {}, {}};
    const auto bytes = pack(set.character(), mesh, set.garmentSkin(), model, MatrixF::Ones(2, 1),
                            {.encoding = BasisEncoding::kFloat32, .info_json = info});
    EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
    return bytes ? *bytes : std::vector<std::byte>();
}

class PoseReport : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(makePoseSet(smallScene(), folder_.path("set"), quickly(20)));
        auto set = PoseSet::open(folder_.path("set"));
        ASSERT_TRUE(set) << set.error().message;
        set_ = *set;
        bytes_ = skinnedGarment(*set_, R"({"model": "N", "poses": 12, "report": "<b>bold</b>"})");
        const auto score = evaluatePoses(bytes_, *set_, PoseSplit::kTraining);
        ASSERT_TRUE(score) << score.error().message;
        score_ = *score;
    }
    std::string page() {
        size_t steps = 0;
        PoseReportOptions options{.picture_width = 48};
        options.progress = [&] { ++steps; };
        const auto made =
            poseReportPage({"<n>.hem", bytes_, *set_, PoseSplit::kTraining, score_}, options);
        EXPECT_TRUE(made) << made.error().message;
        EXPECT_EQ(steps, kPoseReportSteps);
        return made ? *made : "";
    }

    TemporaryFolder folder_;
    std::optional<PoseSet> set_;
    std::vector<std::byte> bytes_;
    PoseScore score_;
};

TEST_F(PoseReport, ScoresEveryPoseOfThePartInItsOrder) {
    const std::vector<uint32_t> poses = set_->members(PoseSplit::kTraining);
    ASSERT_EQ(score_.each.size(), poses.size());
    for (size_t i = 0; i < poses.size(); ++i) {
        EXPECT_EQ(score_.each[i].pose, poses[i]);
        EXPECT_NEAR(score_.each[i].skinning_square, double(set_->distance(poses[i])), 1e-6);
        EXPECT_NEAR(score_.each[i].square, score_.each[i].skinning_square, 1e-5);
    }
    const auto worst =
        std::max_element(score_.each.begin(), score_.each.end(),
                         [](const auto& a, const auto& b) { return a.square < b.square; });
    EXPECT_EQ(score_.worst.pose, worst->pose);
}

TEST_F(PoseReport, OfModesThatDoNothingEveryNumberIsTheSame) {
    const hem_Garment* garment = hem_open(bytes_.data(), bytes_.size(), nullptr);
    const ErrorByModes by = errorByModes(garment, *set_, set_->members(PoseSplit::kTraining));
    ASSERT_EQ(by.modes, (std::vector<unsigned>{1, 2}));
    for (const double error : by.error_cm) EXPECT_NEAR(error, score_.mean_cm, 1e-3);
    EXPECT_LT(by.floor_cm[1], by.floor_cm[0]);
    EXPECT_LT(by.floor_cm[0], by.error_cm[0]);
}

TEST_F(PoseReport, HasItsSectionsAndTheNumbersOfTheScore) {
    const std::string made = page();
    for (const char* id : {"scores", "trained", "vertices", "by-pose", "poses", "modes", "speed"}) {
        EXPECT_EQ(countOf(made, format("<section id=\"%s\"", id)), 1u) << id;
        EXPECT_EQ(countOf(made, format("<a href=\"#%s\"", id)), 1u) << id;
    }
    EXPECT_EQ(countOf(made, "<section id=\"stability\""), 0u);
    EXPECT_EQ(countOf(made, "<img src=\"data:image/png;base64,"), 2u + 5 * 3);
    for (const char* tag : {"section", "table", "tr", "figure", "svg", "details", "script", "main",
                            "div", "p", "ul", "header", "nav"})
        EXPECT_EQ(countOf(made, format("<%s>", tag)) + countOf(made, format("<%s ", tag)),
                  countOf(made, format("</%s>", tag)))
            << tag;
    for (const double cm : {score_.mean_cm, score_.skinning_mean_cm})
        EXPECT_NE(made.find(">" + format("%.3f", cm) + "<"), made.npos) << cm;
    EXPECT_NE(made.find(format("pose %u:", score_.worst.pose)), made.npos);
    EXPECT_NE(made.find(format("pose %u:", score_.best.pose)), made.npos);

    const std::string open = "id=\"scores-data\">";
    const size_t from = made.find(open) + open.size();
    const auto data = nlohmann::json::parse(made.substr(from, made.find("</script>", from) - from));
    EXPECT_EQ(data["mean_cm"], score_.mean_cm);
    EXPECT_EQ(data["part"], "training");
}

TEST_F(PoseReport, EscapesWhatComesFromOutsideAndLoadsNothing) {
    const std::string made = page();
    EXPECT_EQ(countOf(made, "<n>"), 0u);
    EXPECT_EQ(countOf(made, "<b>bold"), 0u);
    EXPECT_GT(countOf(made, "&lt;b&gt;bold"), 0u);
    EXPECT_GT(countOf(made, "default-src 'none'"), 0u);
    EXPECT_EQ(countOf(made, "http://") + countOf(made, "https://"), 0u);
}

TEST_F(PoseReport, RefusesWhatIsNoGarment) {
    bytes_.resize(100);
    const auto made = poseReportPage({"n.hem", bytes_, *set_, PoseSplit::kTraining, score_}, {});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("n.hem"), std::string::npos);
}

}  // namespace
}  // namespace hem
