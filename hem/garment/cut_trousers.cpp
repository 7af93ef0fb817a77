// SPDX-License-Identifier: Apache-2.0
// Pants and jeans: a trunk down to the crotch, and two legs.
#include <algorithm>

#include "hem/garment/pattern.h"

namespace hem {
namespace {

struct LegShape {
    float thigh, knee, hem_ease;  // ease around the leg at these heights
    float hem;                    // height of the hem
    bool straight;                // taut from thigh to hem, instead of following the calf
};

Pattern trouserPattern(const Block& block, const LegShape& shape) {
    const BodySizes& body = block.body();
    Outline trunk = block.trunk();
    const float ease = block.leastEase();
    trunk.widen([=](float) { return ease; });
    trunk.smooth(block.cm(3));
    Outline leg(
        body,
        [&](uint32_t t) {
            return body.partIs(t, BodyPart::kLeg) || body.partIs(t, BodyPart::kTrunk);
        },
        0, false);
    leg.widen([=, &body](float y) {
        return y > body.knee
                   ? shape.knee + (shape.thigh - shape.knee) * ramp(body.knee, body.crotch, y)
                   : shape.hem_ease + (shape.knee - shape.hem_ease) * ramp(shape.hem, body.knee, y);
    });
    leg.span(shape.straight ? shape.hem : body.crotch - block.cm(18), body.hips);
    leg.smooth(block.cm(3));
    const float fork = body.crotch - block.cm(1.5f), top = body.waist - block.cm(1);
    const float cap = std::max(body.hips, fork + 0.05f);
    // wide and steep enough to be seen in the sampled field
    const float gap = 0.010f, middle = body.middle;
    Cut cut = block.boxed(shape.hem - 0.05f, top + 0.05f, block.cm(45), block.cm(35));
    cut.inside = {middle + 0.001f, body.waist - 0.03f, block.sideSeam(body.waist)};
    const double fillet = block.cm(3);
    cut.field = [=](Vec3 p) {
        const double one_leg =
            smoothMax(leg.distance(p), std::max(2 * (gap - (p.x - middle)), p.y - cap), 0.01);
        const double seat = smoothMax(trunk.distance(p), double(fork - p.y), 0.05);
        return smoothMin(one_leg, seat, fillet);
    };
    cut.trims = {block.hem(shape.hem), [=](Vec3 p) { return double(p.y - top); }};
    Pattern pattern;
    pattern.layers = {cut};
    pattern.middle_seams = true;
    pattern.pin = [=](int, Vec3 p) { return p.y > top - 0.004f ? 1.0f : 0.0f; };
    const Vec3 hip = body.hip_joint;
    pattern.panel = [=, &block, &body](int, Vec3 p) {
        return Panel{p.z > block.sideSeam(std::max(p.y, fork)) ? 0 : 1,
                     {(hip.x + middle) / 2, body.waist, block.sideSeam(body.waist)},
                     {0, 1, 0}};
    };
    return pattern;
}

}  // namespace

Pattern cutPants(const Block& block) {
    const BodySizes& body = block.body();
    const float ease = block.leastEase();
    return trouserPattern(block, {.thigh = ease + block.cm(1.6f),
                                  .knee = ease + block.cm(2.8f),
                                  .hem_ease = ease + block.cm(2.5f),
                                  .hem = body.ankle + block.cm(1),
                                  .straight = true});
}

Pattern cutJeans(const Block& block) {
    const BodySizes& body = block.body();
    const float ease = block.leastEase();
    return trouserPattern(block, {.thigh = ease + block.cm(0.9f),
                                  .knee = ease + block.cm(1.8f),
                                  .hem_ease = ease + block.cm(1.5f),
                                  .hem = body.ankle + block.cm(1),
                                  .straight = false});
}

}  // namespace hem
