// SPDX-License-Identifier: Apache-2.0
// Dresses and skirts: a bodice that follows the trunk, and a skirt that flares from the waist.
#include <algorithm>

#include "hem/core/portable_math.h"
#include "hem/garment/pattern.h"

namespace hem {
namespace {

struct SkirtShape {
    float from;       // height that it hangs from
    float hem;        // height of the hem
    float hem_girth;  // without the flutes
    int flutes = 8;   // folds around
    float depth = 0;  // of the flutes at the hem, metres
    float curve = 1;  // 1: a straight cone; more: flares late
};

// Sections of the skirt: those of the body at the waist, let out downwards.
Outline skirtOutline(const Outline& fitted, const SkirtShape& shape) {
    Outline skirt = fitted;
    const double let_out = (shape.hem_girth - fitted.girth(shape.from)) / (2 * portable::kPi);
    skirt.hangFrom(shape.from, [=](float y) {
        double t = std::max(0.0, double(shape.from - y) / (shape.from - shape.hem));
        if (shape.curve == 2) t *= t;
        if (shape.curve == 3) t *= t * t;
        return let_out * t;
    });
    skirt.unite(fitted);
    skirt.smooth(0.02f);
    return skirt;
}

double flutes(const BodySizes& body, const SkirtShape& shape, Vec3 p) {
    const double t = std::clamp(double(shape.from - p.y) / (shape.from - shape.hem), 0.0, 1.1);
    return shape.depth * t * t * portable::cos(shape.flutes * angleAround(body, p));
}

// The trunk with ease, taut from the bust to the waist.
Outline fittedOutline(const Block& block, float ease) {
    Outline fitted = block.trunk();
    const BodySizes& body = block.body();
    fitted.widen([=](float) { return ease; });
    fitted.span(body.waist, body.bust);
    fitted.smooth(block.cm(3));
    return fitted;
}

int frontOrBack(const Block& block, Vec3 p) { return p.z > block.sideSeam(p.y) ? 0 : 1; }

}  // namespace

Pattern cutDress(const Block& block) {
    const BodySizes& body = block.body();
    const float ease = block.leastEase();
    const SkirtShape shape{.from = body.waist,
                           .hem = body.knee + block.cm(1),
                           .hem_girth = block.cm(165),
                           .flutes = 8,
                           .depth = block.cm(2.2f)};
    const Outline outline = skirtOutline(fittedOutline(block, ease), shape);
    Cut cut = block.boxed(shape.hem - 0.05f, body.neck + 0.02f, block.cm(48), block.cm(48));
    cut.inside = {body.middle + 0.001f, body.waist, block.sideSeam(body.waist)};
    const ScalarField skin = block.skin(block.cm(14));
    cut.field = [=, body = body](Vec3 p) {
        const double loft = outline.distance(p) - flutes(body, shape, p);
        if (loft < -0.06) return loft;
        return smoothMin(loft, skin(p) - ease, 0.02);
    };
    const float neck = body.neck_half_width + block.cm(3);
    cut.trims = {block.hem(shape.hem), block.neckline(neck, block.cm(9), block.cm(3), ease),
                 block.armhole(block.cm(0.5f), block.cm(3))};
    Pattern pattern;
    pattern.layers = {cut};
    const float shoulder_line = topOfShoulder(body, neck) - block.cm(4);
    pattern.pin = [=](int, Vec3 p) { return p.y > shoulder_line ? 1.0f : 0.0f; };
    pattern.panel = [block](int, Vec3 p) { return frontOrBack(block, p); };
    return pattern;
}

Pattern cutSkirt(const Block& block) {
    const BodySizes& body = block.body();
    const float ease = block.leastEase();
    const SkirtShape shape{.from = body.waist,
                           .hem = body.knee + block.cm(4),
                           .hem_girth = block.cm(185),
                           .flutes = 10,
                           .depth = block.cm(2.2f)};
    const Outline outline = skirtOutline(fittedOutline(block, ease), shape);
    Cut cut = block.boxed(shape.hem - 0.05f, body.waist + 0.05f, block.cm(50), block.cm(50));
    cut.inside = {body.middle + 0.001f, body.waist, block.sideSeam(body.waist)};
    cut.field = [=, body = body](Vec3 p) { return outline.distance(p) - flutes(body, shape, p); };
    const float top = body.waist + block.cm(1);
    cut.trims = {block.hem(shape.hem), [=](Vec3 p) { return double(p.y - top); }};
    Pattern pattern;
    pattern.layers = {cut};
    pattern.pin = [=](int, Vec3 p) { return p.y > top - 0.001f ? 1.0f : 0.0f; };
    pattern.panel = [block](int, Vec3 p) { return frontOrBack(block, p); };
    return pattern;
}

}  // namespace hem
