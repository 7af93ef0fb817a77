// SPDX-License-Identifier: Apache-2.0
// Cape and poncho: cloth that lies on the shoulders and hangs from them.
#include <algorithm>

#include "hem/core/portable_math.h"
#include "hem/garment/pattern.h"

namespace hem {

// Hangs behind the arms; its edges run from the collar over the shoulders to behind the arms.
Pattern cutCape(const Block& block) {
    const BodySizes& body = block.body();
    const float ease = block.leastEase() + block.cm(0.6f);
    const SkirtShape shape{.from = body.armpit,
                           .hem = body.knee - block.cm(8),
                           .hem_girth = block.cm(290),
                           .flutes = 14,
                           .depth = block.cm(3)};
    Outline fitted = fittedOutline(block, ease);
    fitted.span(body.hips, body.armpit);
    const Outline outline = skirtOutline(fitted, shape);
    const float side = float(shape.hem_girth / (2 * portable::kPi)) + block.cm(14);
    Cut cut = block.boxed(shape.hem - 0.05f, body.neck + 0.02f, side, side);
    cut.inside = {body.middle + 0.001f, body.waist, block.sideSeam(body.waist)};
    const ScalarField skin = block.skin(block.cm(16));
    cut.field = [=, &body](Vec3 p) {
        const double f = outline.distance(p) - flutesAt(body, shape, p);
        return f < -0.06 ? f : smoothMin(f, skin(p) - ease, 0.03);
    };
    const float half_width = body.neck_half_width + block.cm(2);
    const float behind =
        std::min(body.shoulder_joint.z, body.elbow.z) - body.upper_arm_radius - block.cm(2.5f);
    const float front = body.neck_centre.z + block.cm(4);
    const float low = body.armpit - block.cm(2), high = body.shoulder - block.cm(3);
    cut.trims = {block.hem(shape.hem),
                 block.neckline(half_width, block.cm(2), block.cm(0.5f), ease),
                 [=](Vec3 p) { return p.z - (behind + (front - behind) * ramp(low, high, p.y)); }};
    Pattern pattern;
    pattern.layers = {cut};
    pattern.pin = [pin = block.shoulderPins(half_width, block.cm(5))](int, Vec3 p) {
        return pin(p);
    };
    pattern.panel = [&block](int, Vec3) {
        return Panel{0,
                     {block.body().middle, block.body().waist, block.sideSeam(block.body().waist)}};
    };
    return pattern;
}

// A tent from the neck over the arms.
Pattern cutPoncho(const Block& block) {
    const BodySizes& body = block.body();
    const float ease = block.leastEase() + block.cm(1);
    const float hem = body.waist - block.cm(4);
    Outline outline(body, [&](uint32_t t) { return !body.partIs(t, BodyPart::kHead); });
    outline.widen([=](float) { return ease; });
    outline.span(hem - 0.3f, body.neck);
    outline.smooth(block.cm(3));
    const float side = float(outline.reach(hem, 1, 0)) + block.cm(8);
    Cut cut = block.boxed(hem - block.cm(30), body.neck + 0.02f, side, block.cm(40));
    cut.inside = {body.middle + 0.001f, body.waist, block.sideSeam(body.waist)};
    const ScalarField skin = block.skin(10);
    cut.field = [=](Vec3 p) {
        const double f = outline.distance(p);
        return f < -0.06 ? f : smoothMin(f, skin(p) - ease, 0.03);
    };
    const float half_width = body.neck_half_width + block.cm(2.5f), middle = body.middle;
    cut.trims = {[=](Vec3 p) {
                     // lower in the middle, where the corners of the cloth hang
                     const double x = std::min((p.x - middle) / (0.7 * side), 1.0);
                     return hem - 0.14 * (1 - x * x) - p.y;
                 },
                 block.neckline(half_width, block.cm(5), block.cm(2), ease)};
    Pattern pattern;
    pattern.layers = {cut};
    pattern.pin = [pin = block.shoulderPins(half_width, block.cm(2.5f))](int, Vec3 p) {
        return pin(p);
    };
    pattern.panel = [&block](int, Vec3 p) { return block.panelAt(p, false); };
    return pattern;
}

}  // namespace hem
