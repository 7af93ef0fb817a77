// SPDX-License-Identifier: Apache-2.0
#include "tools/picture_options.h"

#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem::tools {
namespace {

struct IntegerPair {
    long first, second;
};
std::optional<IntegerPair> parsePair(const std::string& text) {
    const size_t cross = text.find('x');
    if (cross == text.npos) return std::nullopt;
    const auto first = parseInteger(text.substr(0, cross));
    const auto second = parseInteger(text.substr(cross + 1));
    if (!first || !second || *first < 1 || *second < 1) return std::nullopt;
    return IntegerPair{*first, *second};
}

std::optional<Rgb> parseHexColor(const std::string& text) {
    if (text.size() != 7 || text[0] != '#') return std::nullopt;
    if (text.find_first_not_of("0123456789abcdefABCDEF", 1) != text.npos) return std::nullopt;
    const unsigned long code = std::stoul(text.substr(1), nullptr, 16);
    return Rgb{uint8_t(code >> 16), uint8_t(code >> 8), uint8_t(code)};
}

}  // namespace

Result<Size> parseSize(const std::string& text) {
    const auto pair = parsePair(text);
    if (!pair || pair->first > kMaxRenderSide || pair->second > kMaxRenderSide)
        return errorf("--size %s: give WIDTHxHEIGHT in pixels, 1 to %d a side, as in 480x640",
                      quoteForMessage(text).c_str(), kMaxRenderSide);
    return Size{int(pair->first), int(pair->second)};
}

Result<Grid> parseGrid(const std::string& text) {
    const auto pair = parsePair(text);
    if (!pair || pair->first > kMaxCells || pair->second > kMaxCells ||
        pair->first * pair->second > kMaxCells)
        return errorf("--sheet %s: give COLUMNSxROWS, at most %d cells, as in 6x2",
                      quoteForMessage(text).c_str(), kMaxCells);
    return Grid{int(pair->first), int(pair->second)};
}

Result<Range> parseRange(const std::string& text, const char* option) {
    const size_t colon = text.find(':');
    const auto first = parseNumber(text.substr(0, colon));
    const auto last = colon == text.npos ? first : parseNumber(text.substr(colon + 1));
    if (!first || !last || *first > *last)
        return errorf("%s %s: give a number, or FROM:TO with FROM at most TO", option,
                      quoteForMessage(text).c_str());
    return Range{*first, *last};
}

Result<Vec3> parseBackground(const std::string& text) {
    if (text == "paper") return Scene{}.background;
    if (text == "white") return Vec3{1, 1, 1};
    if (text == "grey") return linearFromSrgb(Rgb{150, 150, 152});
    if (text == "black") return linearFromSrgb(Rgb{28, 28, 30});
    const auto color = parseHexColor(text);
    if (!color)
        return errorf("--background %s: use paper, white, grey, black or #rrggbb",
                      quoteForMessage(text).c_str());
    return linearFromSrgb(*color);
}

Result<Unit> parseUnit(const std::string& text) {
    if (text == "m") return Unit{1, " [m]"};
    if (text == "cm") return Unit{100, " [cm]"};
    if (text == "mm") return Unit{1000, " [mm]"};
    if (text == "none") return Unit{1, ""};
    return errorf("--unit %s: use m, cm, mm or none", quoteForMessage(text).c_str());
}

Result<ColorMap> parseColorMap(const std::string& text) {
    if (text == "sequential") return ColorMap::kSequential;
    if (text == "cold-hot") return ColorMap::kColdHot;
    return errorf("--map %s: use sequential or cold-hot", quoteForMessage(text).c_str());
}

// Fills `target` from `parsed`, or keeps the first fault in `fault`.
template <class T, class Target>
void take(const Result<T>& parsed, Target& target, std::optional<Error>& fault) {
    if (parsed)
        target = *parsed;
    else if (!fault)
        fault = parsed.error();
}

Result<PictureRequest> understand(const PictureArguments& arguments) {
    PictureRequest request{.cells = std::max(1, arguments.frames)};
    request.shot.wire = arguments.wire;
    request.shot.follow = arguments.follow;
    std::optional<Error> fault;
    Size size;
    const char* usual_size = arguments.isSheet() ? "200x300" : "480x640";
    take(parseSize(arguments.size.empty() ? usual_size : arguments.size), size, fault);
    request.shot.render = {.width = size.width, .height = size.height};
    take(parseView(arguments.view), request.shot.view, fault);
    take(parseQuality(arguments.quality), request.shot.render.quality, fault);
    take(parseBackground(arguments.background), request.shot.background, fault);
    take(parseUnit(arguments.unit), request.unit, fault);
    take(parseColorMap(arguments.map), request.map, fault);
    if (!arguments.range.empty())
        take(parseRange(arguments.range, "--range"), request.color_range, fault);
    if (!arguments.time.empty()) take(parseRange(arguments.time, "--time"), request.time, fault);
    if (!arguments.frame.empty())
        take(parseRange(arguments.frame, "--frame"), request.frame, fault);
    if (!arguments.sheet.empty()) {
        Grid grid;
        take(parseGrid(arguments.sheet), grid, fault);
        request.columns = grid.columns;
        request.cells = grid.columns * grid.rows;
    }
    if (fault) return *fault;
    if (request.color_range && request.color_range->first == request.color_range->last)
        return errorf("--range %s: give LOW:HIGH", arguments.range.c_str());
    if (extensionOf(arguments.output) != "png")
        return errorf("%s: pictures are written as PNG; end the name in .png",
                      arguments.output.c_str());
    return request;
}

}  // namespace hem::tools
