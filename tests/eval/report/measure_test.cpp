// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/measure.h"

#include "hem/eval/report/html.h"
#include "hem/eval/report/svg_plot.h"
#include "tests/eval/known_garment.h"

namespace hem {
namespace {

// 3 cm along x is the garments' one mode; 4 cm along z is not.
Result<RecordingSet> offSet(const TemporaryFolder& folder) {
    auto set = RecordingSet::create(folder.path("set"), knownScene(), "");
    EXPECT_TRUE(set && set->add(offClip("walk", straightWalk(20), [](size_t, size_t) {
        return Vec3{0.03f, 0, 0.04f};
    })));
    return set;
}

TEST(ErrorByModes, WithAllModesIsThatOfEvaluationAndTheFloorFalls) {
    TemporaryFolder folder;
    const auto set = offSet(folder);
    ASSERT_TRUE(set);
    const auto clips = clipsToPlay(*set, {"walk"});
    ASSERT_TRUE(clips);
    for (const std::vector<std::byte>& bytes : {knownGarment(), knownNeuralGarment()}) {
        const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), nullptr);
        ASSERT_TRUE(garment);
        const ErrorByModes found = errorByModes(garment, *clips, 3);
        ASSERT_EQ(found.modes, std::vector<unsigned>{1});
        EXPECT_NEAR(found.error_cm[0], 5, 1e-3);
        EXPECT_NEAR(found.floor_cm[0], 4, 1e-3);
        EXPECT_TRUE(eigenvaluesOf(garment).empty());
    }
}

TEST(EnergyMeter, SaysNoughtOfStatesThatDoNotMove) {
    TemporaryFolder folder;
    const auto set = offSet(folder);
    ASSERT_TRUE(set);
    const auto clips = clipsToPlay(*set, {"walk"});
    ASSERT_TRUE(clips);
    const std::vector<std::byte> bytes = knownGarment();
    const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), nullptr);
    ASSERT_TRUE(garment);
    const EnergyTrace energy = EnergyMeter(garment).trace((*clips)[0].clip);
    EXPECT_EQ(energy.bound, 4);
    EXPECT_EQ(energy.energy, std::vector<double>(20, 0.0));  // y is nought, always
}

TEST(Html, EscapesAndMendsText) {
    EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
    EXPECT_EQ(escaped("für λ"), "für λ");
    EXPECT_EQ(escaped("\xc3("), "\xEF\xBF\xBD(");                // cut short
    EXPECT_EQ(escaped("\xc0\xaf"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong
    EXPECT_EQ(scriptSafe("\"</script>\""), "\"\\u003c/script>\"");
}

TEST(Html, Base64IsThatOfTheStandard) {
    const auto of = [](std::string_view text) { return base64(std::as_bytes(std::span(text))); };
    EXPECT_EQ(of(""), "");
    EXPECT_EQ(of("f"), "Zg==");
    EXPECT_EQ(of("fo"), "Zm8=");
    EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(Html, ShortNumbersHaveThreeDigits) {
    EXPECT_EQ(shortNumber(23.456), "23.5");
    EXPECT_EQ(shortNumber(4453.2), "4453");
    EXPECT_EQ(shortNumber(29451.9), "2.95 · 10<sup>4</sup>");
}

TEST(SvgPlot, BreaksLinesWhereValuesAreNotNumbersAndSaysWhatItShows) {
    SvgPlot plot{.title = "A <title>", .description = "of three", .x = {"x"}, .y = {"y [cm]"}};
    plot.series.push_back({.name = "s", .x = {0, 1, 2}, .y = {1, NAN, 3}});
    const std::string drawn = drawSvg(plot);
    EXPECT_EQ(drawn.find("nan"), drawn.npos) << drawn;
    EXPECT_NE(drawn.find("<title>A &lt;title&gt;</title><desc>of three</desc>"), drawn.npos);
    const size_t line = drawn.find("class=\"line s0\" d=\"");
    ASSERT_NE(line, drawn.npos);
    const std::string path = drawn.substr(line, drawn.find("/>", line) - line);
    EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2);  // two pieces
    EXPECT_EQ(std::count(path.begin(), path.end(), 'L'), 0);
}

}  // namespace
}  // namespace hem
