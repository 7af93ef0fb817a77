// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/lettering.h"

#include <algorithm>
#include <array>
#include <optional>

#include "hem/picture/strokes.h"

namespace hem {
namespace {

// One glyph per printable ASCII character, from the blank on. A glyph is strokes between blanks; a
// stroke is points of two digits, x and y, with the baseline at y = 2, small letters up to 6 and
// capitals up to
// 8. A stroke with ~ in front is a curve: a quadratic B-spline over its points, closed where the
// last point is the first.
constexpr const char* kGlyphs[95] = {
    "",                                  // blank
    "0804 0202",                         // !
    "0806 2826",                         // "
    "1218 3238 0444 0646",               // #
    "~4738080545421203 2921",            // $
    "0248 ~0608282606 ~2224444222",      // %
    "~421618383605022244",               // &
    "0806",                              // '
    "~19070311",                         // (
    "~09171301",                         // )
    "2824 0745 0547",                    // *
    "2723 0545",                         // +
    "1200",                              // ,
    "0535",                              // -
    "0202",                              // .
    "0139",                              // /
    "~0208484202",                       // 0
    "062822 0242",                       // 1
    "~0708484502 0242",                  // 2
    "~0708484525 ~2545420203",           // 3
    "32380444",                          // 4
    "480805 ~051646420203",              // 5
    "~47380804 ~0206464202",             // 6
    "084812",                            // 7
    "~0508484505 ~0205454202",           // 8
    "~0408484404 ~46421203",             // 9
    "0505 0202",                         // :
    "1515 1200",                         // ;
    "370533",                            // <
    "0646 0444",                         // =
    "073503",                            // >
    "~070848452524 2222",                // ?
    "~320208484434 ~1416363414",         // @
    "022842 1434",                       // A
    "0208 ~082838352505 ~052545422202",  // B
    "~473808023243",                     // C
    "0208 ~082848422202",                // D
    "48080242 0535",                     // E
    "480802 0535",                       // F
    "~47380802324245 4525",              // G
    "0208 4248 0545",                    // H
    "0208",                              // I
    "~3834320203",                       // J
    "0208 4804 1542",                    // K
    "080242",                            // L
    "0208244842",                        // M
    "02084248",                          // N
    "~0208585202",                       // O
    "0208 ~082848442404",                // P
    "~0208585202 3452",                  // Q
    "0208 ~082848442404 2442",           // R
    "~4738080545421203",                 // S
    "0848 2822",                         // T
    "~080402424448",                     // U
    "082248",                            // V
    "0812375268",                        // W
    "0248 0842",                         // X
    "082548 2522",                       // Y
    "08480242",                          // Z
    "19090111",                          // [
    "0931",                              // backslash
    "09191101",                          // ]
    "061826",                            // ^
    "0141",                              // _
    "0817",                              // `
    "~0206363202 3632",                  // a
    "0802 ~0206363202",                  // b
    "~352606022233",                     // c
    "3832 ~0206363202",                  // d
    "0434 ~343606022233",                // e
    "~28181512 0626",                    // f
    "~0206363202 ~3632300001",           // g
    "0802 ~0406363432",                  // h
    "0602 0808",                         // i
    "~16121000 1818",                    // j
    "0802 3603 1432",                    // k
    "~08030212",                         // l
    "0602 ~0406262422 ~2426464442",      // m
    "0602 ~0406363432",                  // n
    "~0206363202",                       // o
    "0600 ~0206363202",                  // p
    "3630 ~0206363202",                  // q
    "0602 ~040626",                      // r
    "~3526060434321203",                 // s
    "~18131222 0626",                    // t
    "~0604023234 3632",                  // u
    "062246",                            // v
    "0612253246",                        // w
    "0632 0236",                         // x
    "0622 4610",                         // y
    "06360232",                          // z
    "~29191605 ~05141121",               // {
    "0901",                              // |
    "~09191625 ~25141101",               // }
    "~04163446",                         // ~
};
constexpr const char* kUnknownGlyph = "0208484202";
constexpr float kCapTop = 8, kCapUnits = 6, kLetterGap = 2, kBlankWidth = 1.2f;

const char* glyphOf(char c) { return c >= ' ' && c <= '~' ? kGlyphs[c - ' '] : kUnknownGlyph; }

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// In grid units, without the gap to the next letter.
float glyphWidth(char c) {
    int width = 0;
    bool is_x = true;
    for (const char* p = glyphOf(c); *p; ++p)
        if (isDigit(*p)) {
            if (is_x) width = std::max(width, *p - '0');
            is_x = !is_x;
        }
    return c == ' ' ? kBlankWidth : float(width);
}

Vec2 between(Vec2 a, Vec2 b, float t) { return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t}; }

// The quadratic B-spline over `points` as short lines.
Stroke curved(const Stroke& points) {
    constexpr int kSteps = 6;
    const bool closed = points.size() > 2 && points.front() == points.back();
    const size_t controls = points.size() - (closed ? 1 : 0);
    const size_t first = closed ? 0 : 1, last = closed ? controls : controls - 1;
    Stroke lines;
    for (size_t i = first; i < last; ++i) {
        const Vec2 before = points[(i + controls - 1) % controls], at = points[i];
        const Vec2 after = points[(i + 1) % controls];
        const Vec2 begin = !closed && i == first ? before : between(before, at, 0.5f);
        const Vec2 end = !closed && i + 1 == last ? after : between(at, after, 0.5f);
        for (int k = lines.empty() ? 0 : 1; k <= kSteps; ++k) {
            const float t = float(k) / kSteps;
            lines.push_back(between(between(begin, at, t), between(at, end, t), t));
        }
    }
    return lines;
}

std::vector<Stroke> strokesOf(char c) {
    std::vector<Stroke> strokes;
    for (const char* p = glyphOf(c); *p;) {
        const bool curve = *p == '~';
        if (curve) ++p;
        Stroke points;
        for (; isDigit(p[0]) && isDigit(p[1]); p += 2)
            points.push_back({float(p[0] - '0'), float(p[1] - '0')});
        strokes.push_back(curve ? curved(points) : points);
        if (*p == ' ') ++p;
    }
    return strokes;
}

// (x, y) is the glyph's left end and the top of capitals.
void drawGlyph(Image& image, float x, float y, char c, const TextStyle& style) {
    const float unit = style.cap_height / kCapUnits;
    std::vector<Stroke> strokes = strokesOf(c);
    for (Stroke& stroke : strokes)
        for (Vec2& p : stroke) p = {x + p.x * unit, y + (kCapTop - p.y) * unit};
    drawStrokes(image, strokes, style.weight * style.cap_height, style.color);
}

}  // namespace

float textWidth(std::string_view text, const TextStyle& style) {
    float units = 0;
    for (char c : text) units += glyphWidth(c) + kLetterGap;
    return text.empty() ? 0 : (units - kLetterGap) * style.cap_height / kCapUnits;
}

void drawText(Image& image, float x, float y, std::string_view text, const TextStyle& style) {
    for (char c : text) {
        if (c != ' ') drawGlyph(image, x, y, c, style);
        x += (glyphWidth(c) + kLetterGap) * style.cap_height / kCapUnits;
    }
}

std::string fittedText(std::string_view text, float width, const TextStyle& style) {
    if (textWidth(text, style) <= width) return std::string(text);
    while (!text.empty() && textWidth(std::string(text) + "..", style) > width)
        text.remove_suffix(1);
    return std::string(text) + "..";
}

}  // namespace hem
