// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/report.h"

#include <nlohmann/json.hpp>

#include "hem/core/text.h"
#include "hem/eval/report/worst.h"
#include "hem/eval/score_json.h"
#include "tests/eval/known_garment.h"

namespace hem {
namespace {

using Json = nlohmann::json;

const EvaluateOptions kNoChaos{.chaos_clips = 0};
const ReportOptions kSmall{.pictures = 1, .picture_width = 48};

size_t countOf(const std::string& text, const std::string& what) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++count;
    return count;
}

// What is between the opening tag with this id and the end of the script.
Json dataOf(const std::string& page, const std::string& id) {
    const std::string open = "id=\"" + id + "\">";
    const size_t from = page.find(open) + open.size();
    return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

// Two clips with a stop, 2 cm off at frame 25 of the second, and the garment and plain skinning
// played on them.
class ReportPage : public testing::Test {
protected:
    void SetUp() override {
        auto set = RecordingSet::create(folder_.path("set"), knownScene(), "");
        ASSERT_TRUE(set) << set.error().message;
        const auto walk = offClip("walk", straightWalk(40), [](size_t, size_t) {
            return Vec3{0, 0.005f, 0};
        });
        ASSERT_TRUE(set->add(walk));
        ASSERT_TRUE(set->add(offStop(walk, 1, 20, 40, [](size_t, size_t) { return Vec3{}; })));
        ASSERT_TRUE(set->add(offClip("worse", straightWalk(60), [](size_t t, size_t) {
            return Vec3{0, t == 25 ? 0.02f : 0.01f, 0};
        })));
        set_ = std::make_unique<RecordingSet>(*set);
        const auto learned = evaluate(knownGarment(), *set, kNoChaos);
        const auto skinned = evaluateSkinning(*set, kNoChaos);
        ASSERT_TRUE(learned && skinned);
        entrants_ = {{"known.hem", knownGarment(), *learned}, {"skinning", {}, *skinned}};
    }

    std::string page() {
        const auto made = reportPage(*set_, entrants_, kSmall);
        EXPECT_TRUE(made) << made.error().message;
        return made ? *made : "";
    }

    TemporaryFolder folder_;
    std::unique_ptr<RecordingSet> set_;
    std::vector<Entrant> entrants_;
};

TEST_F(ReportPage, HasAllSectionsAndClosesWhatItOpens) {
    const std::string made = page();
    for (const char* id : {"scores", "trained", "view", "frames", "time", "stops", "modes",
                           "stability", "speed", "clips"})
        EXPECT_EQ(countOf(made, format("<section id=\"%s\"", id)), 1) << id;
    for (const char* tag : {"section", "table", "tr", "figure", "svg", "details", "script", "main",
                            "div", "p", "ul", "g", "header", "nav", "select"})
        EXPECT_EQ(countOf(made, format("<%s>", tag)) + countOf(made, format("<%s ", tag)),
                  countOf(made, format("</%s>", tag)))
            << tag;
    EXPECT_EQ(countOf(made, "<img src=\"data:image/png;base64,"), 3);
    // a text alternative for every plot
    EXPECT_EQ(countOf(made, "role=\"img\" aria-label=\"\""), 0);
    EXPECT_EQ(countOf(made, "<svg viewBox") - countOf(made, "aria-hidden"),
              countOf(made, "<desc>"));
}

TEST_F(ReportPage, HasNoFiguresOfStabilityOfModelN) {
    const auto neural = evaluate(knownNeuralGarment(), *set_, kNoChaos);
    ASSERT_TRUE(neural) << neural.error().message;
    EXPECT_NEAR(neural->all.mean_cm, entrants_[0].score.all.mean_cm, 1e-3);
    entrants_.push_back({"n.hem", knownNeuralGarment(), *neural});
    const std::string of_both = page();
    EXPECT_GT(countOf(of_both, "bound of A"), 0);
    EXPECT_EQ(countOf(of_both, "bound of N"), 0);
    EXPECT_GT(countOf(of_both, "Eigenvalues of A in"), 0);
    EXPECT_EQ(countOf(of_both, "Eigenvalues of N in"), 0);
    EXPECT_EQ(countOf(of_both, "<b>N</b> has no memory"), 1);
    EXPECT_TRUE(dataOf(of_both, "scores-data")[2]["lambda"].is_null());
    EXPECT_EQ(dataOf(of_both, "scores-data")[0]["lambda"], 0.25);
    entrants_.erase(entrants_.begin());
    std::swap(entrants_[0], entrants_[1]);  // N and skinning: nobody has anything to die out
    const std::string made = page();
    EXPECT_EQ(countOf(made, "stability"), 0);
    EXPECT_EQ(countOf(made, "λ"), 0);
    for (const char* id : {"scores", "trained", "view", "frames", "time", "modes", "speed"})
        EXPECT_EQ(countOf(made, format("<section id=\"%s\"", id)), 1) << id;
}

TEST_F(ReportPage, SaysThatModelNWasTrainedOnPoses) {
    const auto neural = evaluate(knownNeuralGarment(), *set_, kNoChaos);
    ASSERT_TRUE(neural) << neural.error().message;
    entrants_.insert(entrants_.begin(), {"n.hem", knownNeuralGarment(), *neural});
    const std::string made = page();
    EXPECT_NE(made.find("It was trained on poses, and on no motion."), made.npos);
    EXPECT_EQ(countOf(made, "clips that the file does not name"), 1);  // of A's file
}

TEST_F(ReportPage, ShowsTheNumbersOfTheScores) {
    const std::string made = page();
    const Json scores = dataOf(made, "scores-data");
    ASSERT_EQ(scores.size(), 2);
    for (size_t i = 0; i < 2; ++i) {
        const Score& score = entrants_[i].score;
        Json expected = Json::parse(scoreJson(score).dump());
        expected["file"] = entrants_[i].file;
        expected["label"] = i ? "skinning" : "A";
        EXPECT_EQ(scores[i], expected);
        for (const double cm : {score.all.mean_cm, score.clip_mean_cm, *score.all.after_stops_cm})
            EXPECT_NE(made.find(">" + format("%.3f", cm) + "<"), made.npos) << cm;
        for (const ClipScore& clip : score.clips)
            EXPECT_NE(made.find("<td>" + format("%.3f", clip.errors.mean_cm) + "</td>"), made.npos)
                << clip.name;
    }
}

TEST_F(ReportPage, LoadsNothingFromAnywhere) {
    const std::string made = page();
    EXPECT_EQ(countOf(made, "http://") + countOf(made, "https://"), 0);
    EXPECT_EQ(countOf(made, "@import") + countOf(made, "url(") + countOf(made, "<link"), 0);
    EXPECT_EQ(countOf(made, " src=\""), countOf(made, " src=\"data:"));
    EXPECT_NE(made.find("default-src 'none'"), made.npos);
}

TEST_F(ReportPage, HostileNamesAreTextAndNothingElse) {
    const std::string hostile = "</script><script>alert(1)</script>\"'<img onerror=x>\xff\x01.hem";
    entrants_[0].file = hostile;
    entrants_.push_back(entrants_[0]);  // two of a kind: the file's name becomes the label
    const std::string plain = page();
    EXPECT_EQ(plain.find("<script>alert"), plain.npos);
    EXPECT_EQ(plain.find("<img onerror"), plain.npos);
    EXPECT_EQ(plain.find('\xff'), plain.npos);
    EXPECT_EQ(plain.find('\x01'), plain.npos);
    EXPECT_NE(plain.find("&lt;script&gt;alert(1)&lt;/script&gt;"), plain.npos);
    EXPECT_EQ(countOf(plain, "<script"), 3);  // two of data, one of code
    EXPECT_EQ(dataOf(plain, "scores-data").size(), 3);
}

TEST_F(ReportPage, TheViewHoldsTheWorstClipAroundItsWorstFrame) {
    const Json view = dataOf(page(), "view-data");
    EXPECT_EQ(view["clip"], "worse");
    EXPECT_EQ(size_t(view["first"]) + size_t(view["worst"]), 25);
    EXPECT_EQ(view["frames"], 60);
    ASSERT_EQ(view["tracks"].size(), 3);  // the simulation, A, skinning
    const size_t bytes = 60 * kAround * kRows * 3 * 2;
    EXPECT_EQ(view["tracks"][1]["positions"].get<std::string>().size(), (bytes + 2) / 3 * 4);
}

TEST_F(ReportPage, ALongClipIsCutToWhatFits) {
    ReportOptions tight = kSmall;
    tight.view_bytes = 20 * 2 * kAround * kRows * 6;  // 20 frames of two tracks
    const auto made = reportPage(*set_, entrants_, tight);
    ASSERT_TRUE(made) << made.error().message;
    const Json view = dataOf(*made, "view-data");
    EXPECT_EQ(view["frames"], 20);
    EXPECT_EQ(view["tracks"].size(), 2);  // skinning would have left less
    EXPECT_GE(size_t(view["worst"]), 0);
    EXPECT_LT(size_t(view["worst"]), 20);
    EXPECT_EQ(size_t(view["first"]) + size_t(view["worst"]), 25);
}

TEST_F(ReportPage, ProgressIsToldAsOftenAsPromised) {
    size_t told = 0;
    ReportOptions options = kSmall;
    options.progress = [&] { ++told; };
    ASSERT_TRUE(reportPage(*set_, entrants_, options));
    EXPECT_EQ(told, reportSteps(entrants_, options));
}

TEST_F(ReportPage, FailsWithoutModelsAndOnFilesOfAnotherGarment) {
    EXPECT_FALSE(reportPage(*set_, {}, kSmall));
    entrants_[0].bytes.resize(64);
    const auto made = reportPage(*set_, entrants_, kSmall);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("known.hem"), std::string::npos) << made.error().message;
}

TEST(WorstFrames, AreApartAndTheWorstFirst) {
    Score score;
    score.clips.resize(2);
    score.clips[0].frames.assign(100, {1, 2, 3});
    score.clips[1].frames.assign(100, {1, 2, 3});
    score.clips[0].frames[50].mean_cm = 9;
    score.clips[0].frames[52].mean_cm = 8;  // of the same moment
    score.clips[1].frames[51].mean_cm = 7;
    const auto worst = worstFrames(score, 2);
    ASSERT_EQ(worst.size(), 2);
    EXPECT_EQ(worst[0].frame, 50);
    EXPECT_EQ(worst[1].clip, 1);
    EXPECT_EQ(worst[1].frame, 51);
}

}  // namespace
}  // namespace hem
