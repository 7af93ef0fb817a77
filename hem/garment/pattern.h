// SPDX-License-Identifier: Apache-2.0
// Patterns: what the built-in garments' cuts are put together from. Not for users of the library:
// made_to_measure.h is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hem/core/surface_tree.h"
#include "hem/garment/outline.h"
#include "hem/garment/sheet.h"

namespace hem {

// A piece of cloth between seams. It wraps around an axis, along which its warp runs.
struct Panel {
    int number = 0;
    Vec3 origin, axis{0, 1, 0};
};

// A garment's layers, where the body holds it, and where its seams run. Points have x >= middle.
struct Pattern {
    std::vector<Cut> layers;
    std::function<float(int layer, Vec3 p)> pin;    // 0 to 1
    std::function<Panel(int layer, Vec3 p)> panel;  // the panel that a point belongs to
    bool middle_seams = false;                      // left and right are panels of their own
};

// Smaller of two fields, rounded over where they differ by less than k: adds at most k/4.
double smoothMin(double a, double b, double k);
inline double smoothMax(double a, double b, double k) { return -smoothMin(-a, -b, k); }
// 0 below `from`, 1 above `to` (or the reverse for from > to), smooth between.
double ramp(double from, double to, double x);

// The body as a cutter sees it. Fields, trims and patterns that come from a block refer to it.
class Block {
public:
    // `edge` is the expected edge length of the garment: long edges cut corners, so they need more
    // ease.
    Block(const BodySizes& body, float edge);
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    const BodySizes& body() const { return body_; }
    // Metres for a body of 1.70 m, made to this one's measure.
    float cm(float centimetres) const { return centimetres * 0.01f * body_.scale(); }
    // Ease that keeps edges clear of a surface that bends like a limb.
    float leastEase() const { return least_ease_; }

    // Sections of trunk, neck and legs, without arms and head.
    const Outline& trunk() const { return trunk_; }
    // Distance from the skin of trunk, neck and legs, and of the arms up to `sleeve` metres from
    // the shoulder's joint.
    ScalarField skin(float sleeve) const;
    // Distance from the skin above the thinnest place of the neck.
    ScalarField head() const;

    // A box around the trunk from `bottom` to `top`, `side` metres wide from the middle, and as
    // deep as needed for `side` metres off the body's axis.
    Cut boxed(float bottom, float top, float side, float depth) const;

    // How far along the left arm a point is, metres from the shoulder's joint, and the direction
    // of the upper arm.
    float alongArm(Vec3 p) const;
    // Distance from the middle of the arm less a radius that runs from `at_shoulder` over
    // `at_elbow` to `at_wrist`.
    double sleeve(Vec3 p, double at_shoulder, double at_elbow, double at_wrist) const;

    // Neckline: cuts away what lies above a curve that is `half_width` from the middle on the
    // shoulders and `front` and `back` metres deep below it.
    Trim neckline(float half_width, float front, float back, float ease) const;
    // Cuts off the arm: beyond `inset` metres inwards of the shoulder's joint, down to `drop` below
    // the armpit.
    Trim armhole(float inset, float drop) const;
    Trim hem(float y) const;
    Trim cuff(float along_arm) const;

    // z of the side seam at a height.
    float sideSeam(float y) const;
    // Front and back of trunk and skirt, numbers 0 and 1; of a sleeve, 2 and 3.
    Panel panelAt(Vec3 p, bool sleeves) const;
    // 1 on top of the shoulders down to `below` metres under the neckline's ends, where these are
    // `half_width` from the middle; 0 elsewhere and on the arm.
    std::function<float(Vec3)> shoulderPins(float half_width, float below) const;

private:
    const BodySizes body_;
    float least_ease_;
    Outline trunk_;
};

// Angle around the body's axis, 0 in front, for fullness that must be symmetric.
double angleAround(const BodySizes& body, Vec3 p);

struct SkirtShape {
    float from;       // height that it hangs from
    float hem;        // height of the hem
    float hem_girth;  // without the flutes
    int flutes = 8;   // folds around
    float depth = 0;  // of the flutes at the hem, metres
    int curve = 1;    // power of the flare's profile: 1 is a straight cone, more flare late
};
// Sections of a skirt: the fitted ones at `from`, let out downwards, not inside the fitted ones.
Outline skirtOutline(const Outline& fitted, const SkirtShape& shape);
// How far the folds stand out at p.
double flutesAt(const BodySizes& body, const SkirtShape& shape, Vec3 p);
// The trunk with ease, taut from the bust to the waist.
Outline fittedOutline(const Block& block, float ease);

using PatternMaker = Pattern (*)(const Block& block);

Pattern cutDress(const Block& block);
Pattern cutSkirt(const Block& block);
Pattern cutLongSkirt(const Block& block);
Pattern cutOscarDress(const Block& block);
Pattern cutEveningDress(const Block& block);
Pattern cutCocktailDress(const Block& block);
Pattern cutShirt(const Block& block);
Pattern cutVest(const Block& block);
Pattern cutCoat(const Block& block);
Pattern cutRobe(const Block& block);
Pattern cutPants(const Block& block);
Pattern cutJeans(const Block& block);
Pattern cutCape(const Block& block);
Pattern cutPoncho(const Block& block);

}  // namespace hem
