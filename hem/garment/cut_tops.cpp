// SPDX-License-Identifier: Apache-2.0
// Shirt, vest, coat and robe: a loose trunk, sleeves, an opening in front or a hood.
#include <algorithm>

#include "hem/core/portable_math.h"
#include "hem/garment/pattern.h"

namespace hem {
namespace {

struct SleeveShape {
    float length;               // metres along the arm from the shoulder's joint
    float upper, elbow, wrist;  // ease over the arm's radius there
};

// The trunk with `ease`, hanging straight from the bust: by `share` of the way between fitted and
// straight.
Outline looseOutline(const Block& block, float ease, double share) {
    Outline fitted = fittedOutline(block, ease);
    Outline straight = fitted;
    straight.fallStraight(block.body().bust, block.body().floor);
    fitted.blend(straight, [=](float) { return share; });
    fitted.smooth(block.cm(3));
    return fitted;
}

ScalarField sleeveField(const Block& block, const SleeveShape& shape) {
    const BodySizes& body = block.body();
    const double upper = body.upper_arm_radius + shape.upper,
                 elbow = body.elbow_radius + shape.elbow, wrist = body.wrist_radius + shape.wrist;
    return [=, &block](Vec3 p) { return block.sleeve(p, upper, elbow, wrist); };
}

// Trunk, skirt and sleeves in one. Trims: hem, and the cuffs where there are sleeves.
Cut topCut(const Block& block, const Outline& outline, const SkirtShape& shape,
           const SleeveShape* sleeves) {
    const BodySizes& body = block.body();
    const float reach = std::max(body.wrist.x, body.shoulder_joint.x) - body.middle;
    const float depth = float(shape.hem_girth / (2 * portable::kPi)) + block.cm(16);
    const float side = std::max(depth, sleeves ? reach + block.cm(16) : block.cm(34));
    Cut cut = block.boxed(shape.hem - 0.05f, body.neck + 0.02f, side, depth);
    cut.low.z = std::min(cut.low.z, body.wrist.z - block.cm(16));
    cut.high.z = std::max(cut.high.z, body.wrist.z + block.cm(16));
    cut.inside = {body.middle + 0.001f, body.waist, block.sideSeam(body.waist)};
    const float ease = block.leastEase();
    const ScalarField skin = block.skin(sleeves ? sleeves->length + block.cm(8) : block.cm(14));
    const ScalarField tube = sleeves ? sleeveField(block, *sleeves) : ScalarField();
    const double fillet = block.cm(4);
    cut.field = [=, &body](Vec3 p) {
        double f = outline.distance(p) - flutesAt(body, shape, p);
        if (tube) f = smoothMin(f, tube(p), fillet);
        return f < -0.06 ? f : smoothMin(f, skin(p) - ease, 0.02);
    };
    cut.trims = {block.hem(shape.hem)};
    if (sleeves) cut.trims.push_back(block.cuff(sleeves->length));
    return cut;
}

// In front, what is nearer to the middle than `half_width` at a height.
Trim frontOpening(const Block& block, std::function<double(float y)> half_width) {
    const float middle = block.body().middle;
    return [=, &block](Vec3 p) {
        return std::min(half_width(p.y) - (p.x - middle), 5.0 * (p.z - block.sideSeam(p.y)));
    };
}

float armLength(const BodySizes& body) {
    return distance(body.shoulder_joint, body.elbow) + distance(body.elbow, body.wrist);
}

}  // namespace

Pattern cutShirt(const Block& block) {
    const BodySizes& body = block.body();
    const SleeveShape sleeves{.length = armLength(body) + block.cm(1),
                              .upper = block.cm(2.6f),
                              .elbow = block.cm(2.6f),
                              .wrist = block.cm(2)};
    const Outline outline = looseOutline(block, block.leastEase() + block.cm(1.6f), 0.6);
    const SkirtShape shape{.from = body.waist,
                           .hem = body.crotch + block.cm(1),
                           .hem_girth = float(outline.girth(body.hips)),
                           .depth = 0};
    Cut cut = topCut(block, outline, shape, &sleeves);
    const float half_width = body.neck_half_width + block.cm(1.5f);
    cut.trims.push_back(block.neckline(half_width, block.cm(5), block.cm(1.5f), block.leastEase()));
    Pattern pattern;
    pattern.layers = {cut};
    pattern.pin = [pin = block.shoulderPins(half_width, block.cm(3))](int, Vec3 p) {
        return pin(p);
    };
    pattern.panel = [&block](int, Vec3 p) { return block.panelAt(p, true); };
    return pattern;
}

Pattern cutVest(const Block& block) {
    const BodySizes& body = block.body();
    const Outline outline = looseOutline(block, block.leastEase() + block.cm(0.8f), 0.35);
    const SkirtShape shape{.from = body.waist,
                           .hem = body.hips + block.cm(3),
                           .hem_girth = float(outline.girth(body.hips)),
                           .depth = 0};
    Cut cut = topCut(block, outline, shape, nullptr);
    const float half_width = body.neck_half_width + block.cm(2.5f);
    const float top = topOfShoulder(body, half_width);
    const float meets = body.bust - block.cm(4);  // where the fronts come together
    cut.trims.push_back(block.neckline(half_width, block.cm(6), block.cm(2), block.leastEase()));
    cut.trims.push_back(block.armhole(block.cm(1), block.cm(4)));
    cut.trims.push_back(frontOpening(block, [=, &body](float y) {
        return 0.012 + half_width * 0.8 * ramp(meets, top, y) +
               0.15 * std::max(0.0f, body.waist - y);
    }));
    Pattern pattern;
    pattern.layers = {cut};
    pattern.pin = [pin = block.shoulderPins(half_width, block.cm(4))](int, Vec3 p) {
        return pin(p);
    };
    pattern.panel = [&block](int, Vec3 p) { return block.panelAt(p, false); };
    return pattern;
}

Pattern cutCoat(const Block& block) {
    const BodySizes& body = block.body();
    const SleeveShape sleeves{.length = armLength(body) + block.cm(1),
                              .upper = block.cm(3.4f),
                              .elbow = block.cm(3.4f),
                              .wrist = block.cm(3.2f)};
    const SkirtShape shape{.from = body.waist,
                           .hem = (body.knee + body.ankle) / 2,
                           .hem_girth = block.cm(195),
                           .flutes = 8,
                           .depth = block.cm(2)};
    const Outline outline =
        skirtOutline(looseOutline(block, block.leastEase() + block.cm(2), 0.35), shape);
    Cut cut = topCut(block, outline, shape, &sleeves);
    const float half_width = body.neck_half_width + block.cm(2);
    const float top = topOfShoulder(body, half_width), meets = body.bust - block.cm(2);
    cut.trims.push_back(block.neckline(half_width, block.cm(4), block.cm(0.5f), block.leastEase()));
    cut.trims.push_back(frontOpening(block, [=, &body](float y) {
        return 0.015 + half_width * 0.75 * ramp(meets, top, y) +
               0.14 * std::max(0.0f, body.waist - y);
    }));
    // a vent at the back, so that there are tails
    const float vent = body.crotch, middle = body.middle;
    cut.trims.push_back([=, &block](Vec3 p) {
        return smoothMin(0.10 * (vent - p.y) - (p.x - middle), block.sideSeam(p.y) - double(p.z),
                         0.01);
    });
    Pattern pattern;
    pattern.layers = {cut};
    pattern.pin = [pin = block.shoulderPins(half_width, block.cm(4))](int, Vec3 p) {
        return pin(p);
    };
    pattern.panel = [&block](int, Vec3 p) { return block.panelAt(p, true); };
    return pattern;
}

Pattern cutRobe(const Block& block) {
    const BodySizes& body = block.body();
    const SleeveShape sleeves{.length = armLength(body) + block.cm(1),
                              .upper = block.cm(4),
                              .elbow = block.cm(5.5f),
                              .wrist = block.cm(8.5f)};
    const SkirtShape shape{.from = body.waist,
                           .hem = body.ankle - block.cm(1),
                           .hem_girth = block.cm(230),
                           .flutes = 9,
                           .depth = block.cm(3)};
    const Outline outline =
        skirtOutline(looseOutline(block, block.leastEase() + block.cm(2.5f), 0.7), shape);
    Cut cut = topCut(block, outline, shape, &sleeves);
    const float hood_ease = block.cm(3.5f);
    cut.high.y = body.crown + 3 * hood_ease;
    // the hood falls straight from the widest part of the head onto the shoulders
    Outline head(body, [&](uint32_t t) { return body.isAboveNeck(t); });
    const float widest = (body.neck + body.crown) / 2;
    head.fallStraight(widest, body.floor);
    head.widen([=](float) { return hood_ease; });
    head.smooth(block.cm(4));
    const float face = float(head.reach(widest, 0, 1) - head.reach(widest, 0, -1)) / 2 +
                       0.35f * float(head.reach(widest, 0, 1) + head.reach(widest, 0, -1)) / 2;
    const ScalarField skull = block.head(), trunk = cut.field;
    const float low = body.neck - block.cm(7), neck = body.neck;
    const double fillet = block.cm(5);
    cut.field = [=](Vec3 p) {
        // below the shoulders there is no hood, above the widest part of the head only the skull's
        const double band = std::max(double(low - p.y), double(p.y - widest));
        const double drop = smoothMax(head.distance(p), band, 0.06);
        const double hood = smoothMin(drop, skull(p) - hood_ease, 0.02);
        return smoothMin(std::max(trunk(p), double(p.y - neck)), hood, fillet);
    };
    // open in front of the face and down to the throat
    const float throat = body.neck - block.cm(5), middle = body.middle;
    cut.trims.push_back([=](Vec3 p) {
        const double x = p.x - middle;
        return smoothMin(p.z - face, p.y - throat - 4 * x * x, 0.05);
    });
    Pattern pattern;
    pattern.layers = {cut};
    pattern.pin = [pin = block.shoulderPins(body.neck_half_width + block.cm(2), block.cm(3)),
                   top = body.neck + block.cm(3)](int, Vec3 p) {
        return p.y < top ? pin(p) : 0.0f;
    };
    pattern.panel = [&block](int, Vec3 p) {
        Panel panel = block.panelAt(p, true);
        return panel;
    };
    return pattern;
}

}  // namespace hem
