// SPDX-License-Identifier: Apache-2.0
// Dresses and skirts: a bodice that follows the trunk, and a skirt that flares from the waist.
#include <algorithm>

#include "hem/core/portable_math.h"
#include "hem/garment/pattern.h"

namespace hem {
namespace {

Trim above(float y) {
    return [y](Vec3 p) { return double(p.y - y); };
}

Vec3 insideWaist(const Block& block) {
    const float y = block.body().waist;
    return {block.body().middle + 0.001f, y - 0.01f, block.sideSeam(y)};
}

// A skirt alone, from a waistband at `top`.
Cut skirtCut(const Block& block, const SkirtShape& shape, float ease, float top) {
    const Outline outline = skirtOutline(fittedOutline(block, ease), shape);
    const float side = float(shape.hem_girth / (2 * portable::kPi)) + block.cm(14);
    Cut cut = block.boxed(shape.hem - 0.05f, top + 0.05f, side, side);
    cut.inside = insideWaist(block);
    cut.field = [=, &body = block.body()](Vec3 p) {
        return outline.distance(p) - flutesAt(body, shape, p);
    };
    cut.trims = {block.hem(shape.hem), above(top)};
    return cut;
}

Pattern skirtPattern(const Block& block, const SkirtShape& shape) {
    Pattern pattern;
    const float top = block.body().waist + block.cm(1);
    pattern.layers = {skirtCut(block, shape, block.leastEase(), top)};
    pattern.pin = [=](int, Vec3 p) { return p.y > top - 0.004f ? 1.0f : 0.0f; };
    pattern.panel = [&block](int, Vec3 p) { return block.panelAt(p, false); };
    return pattern;
}

// Bodice and skirt in one, without the trims of its upper edge.
Cut dressCut(const Block& block, const SkirtShape& shape, const Outline& outline) {
    const BodySizes& body = block.body();
    const float side = std::max(float(shape.hem_girth / (2 * portable::kPi)) + block.cm(14),
                                body.shoulder_joint.x - body.middle + block.cm(12));
    Cut cut = block.boxed(shape.hem - 0.05f, body.neck + 0.02f, side, side);
    cut.inside = insideWaist(block);
    const ScalarField skin = block.skin(block.cm(14));
    const float ease = block.leastEase(), low = body.armpit - block.cm(10);
    cut.field = [=, &body](Vec3 p) {
        const double loft = outline.distance(p) - flutesAt(body, shape, p);
        // below the arms the sections alone have the shape: the skin would print through
        const double below = 0.1 * ramp(low + 0.05, low, p.y);
        if (loft < -0.06 || below >= 0.1) return loft;
        return smoothMin(loft, skin(p) - ease + below, 0.02);
    };
    cut.trims = {block.hem(shape.hem)};
    return cut;
}

struct Straps {
    float width;        // of the neckline, from the side of the neck
    float front, back;  // depth of the neckline
    float inset;        // of the armholes
};

Pattern strappedDress(const Block& block, const SkirtShape& shape, const Straps& straps) {
    Cut cut = dressCut(block, shape, skirtOutline(fittedOutline(block, block.leastEase()), shape));
    const float half_width = block.body().neck_half_width + straps.width;
    cut.trims.push_back(block.neckline(half_width, straps.front, straps.back, block.leastEase()));
    cut.trims.push_back(block.armhole(straps.inset, block.cm(3)));
    Pattern pattern;
    pattern.layers = {cut};
    pattern.pin = [pin = block.shoulderPins(half_width, block.cm(4))](int, Vec3 p) {
        return pin(p);
    };
    pattern.panel = [&block](int, Vec3 p) { return block.panelAt(p, false); };
    return pattern;
}

}  // namespace

Pattern cutDress(const Block& block) {
    const BodySizes& body = block.body();
    return strappedDress(
        block,
        {.from = body.waist,
         .hem = body.knee + block.cm(1),
         .hem_girth = block.cm(175),
         .flutes = 8,
         .depth = block.cm(2.5f)},
        {.width = block.cm(3), .front = block.cm(9), .back = block.cm(3), .inset = block.cm(0.5f)});
}

Pattern cutSkirt(const Block& block) {
    const BodySizes& body = block.body();
    return skirtPattern(block, {.from = body.waist,
                                .hem = body.knee + block.cm(4),
                                .hem_girth = block.cm(185),
                                .flutes = 10,
                                .depth = block.cm(2.2f)});
}

Pattern cutLongSkirt(const Block& block) {
    const BodySizes& body = block.body();
    return skirtPattern(block, {.from = body.waist,
                                .hem = body.ankle + block.cm(5),
                                .hem_girth = block.cm(225),
                                .flutes = 9,
                                .depth = block.cm(3)});
}

// No waist: a cone from the bust.
Pattern cutOscarDress(const Block& block) {
    const BodySizes& body = block.body();
    return strappedDress(
        block,
        {.from = body.bust - block.cm(2),
         .hem = body.knee - block.cm(6),
         .hem_girth = block.cm(190),
         .flutes = 8,
         .depth = block.cm(2.5f)},
        {.width = block.cm(4), .front = block.cm(4), .back = block.cm(2), .inset = block.cm(0)});
}

// Strapless: ends over the bust, lower at the back.
Pattern cutEveningDress(const Block& block) {
    const BodySizes& body = block.body();
    const SkirtShape shape{.from = body.waist - block.cm(4),
                           .hem = body.ankle + block.cm(2),
                           .hem_girth = block.cm(262),
                           .flutes = 9,
                           .depth = block.cm(3),
                           .curve = 2};
    // long edges over the bust need more ease than elsewhere
    const Outline fitted = fittedOutline(block, block.leastEase() + block.cm(0.4f));
    Cut cut = dressCut(block, shape, skirtOutline(fitted, shape));
    const float front = std::min(body.bust + block.cm(6), body.armpit + block.cm(1)),
                side = body.armpit - block.cm(3.5f), back = body.armpit - block.cm(7);
    const float z = block.sideSeam(body.bust), reach = float(block.trunk().reach(body.bust, 0, 1));
    const Trim top = [=](Vec3 p) {
        const double at_front = ramp(z, reach, p.z), at_back = ramp(z, -reach, p.z);
        return p.y - (side + (front - side) * at_front + (back - side) * at_back);
    };
    cut.trims.push_back(top);
    Pattern pattern;
    pattern.layers = {cut};
    // under the arms it must give way to them
    pattern.pin = [=](int, Vec3 p) {
        const bool under_arm = std::max(ramp(z, reach, p.z), ramp(z, -reach, p.z)) < 0.4;
        return top(p) < -0.004 ? 0.0f : under_arm ? 0.9f : 1.0f;
    };
    pattern.panel = [&block](int, Vec3 p) { return block.panelAt(p, false); };
    return pattern;
}

// A short dress under a wide overskirt that is held at the waist.
Pattern cutCocktailDress(const Block& block) {
    const BodySizes& body = block.body();
    const SkirtShape under{.from = body.waist,
                           .hem = body.knee + block.cm(4),
                           .hem_girth = block.cm(150),
                           .flutes = 8,
                           .depth = block.cm(1.5f)};
    Pattern pattern = strappedDress(block, under,
                                    {.width = block.cm(5),
                                     .front = block.cm(10),
                                     .back = block.cm(8),
                                     .inset = block.cm(0.5f)});
    SkirtShape over = under;
    over.hem = body.knee + block.cm(9);
    over.hem_girth = block.cm(205);
    over.depth = block.cm(2);
    const float top = body.waist;
    pattern.layers.push_back(skirtCut(block, over, block.leastEase() + block.cm(1.2f), top));
    const auto straps = pattern.pin;
    pattern.pin = [=](int layer, Vec3 p) {
        return layer == 0 ? straps(0, p) : p.y > top - 0.004f ? 1.0f : 0.0f;
    };
    return pattern;
}

}  // namespace hem
