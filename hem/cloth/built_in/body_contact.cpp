// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/body_contact.h"

#include <algorithm>
#include <numbers>
#include <span>

#include "hem/core/portable_math.h"

namespace hem::built_in {
namespace {

constexpr float kSkin = 0.002f;  // metres of air between skin and cloth
constexpr float kMostSag = 0.010f;
// Garments fit close that have less than this room, metres, for the most part; or sleeves: that
// share of their vertices worn on arms.
constexpr float kCloseFit = 0.03f;
constexpr double kSleeves = 0.1;
constexpr float kCloser = 0.001f;  // more than the rest shape's distance is not asked for
constexpr float kMargin = 0.012f;  // beyond what cloth and body move by themselves
// Nearer than this, metres, the point that a neighbour's leads to is the part's nearest: but for
// arms, no part comes that near to itself.
constexpr float kSure = 0.02f;
constexpr float kDeepest = 0.06f;  // metres inside: beyond it is another side of the body
constexpr float kGripFrom = 1.04f, kGripTo = 1.45f;  // stretch of edges
constexpr float kGripsUpTo = 0.03f;                  // metres a second of an arm
// How often in a second an arm halves the velocity along it of cloth that is not worn on it.
constexpr float kHalvings = 480;
// Cosines of two parts' normals: up to the first one moves cloth along the other, from the second
// on it lifts it off.
constexpr float kAlong = 0.1f, kLifts = 0.5f;
constexpr float kSlide = 0.0002f;  // metres, so that an arm that moves cloth along can do so
constexpr int kLongestSkip = 6;    // substeps
// How deep, metres, an arm is looked for in cloth that is not worn on it, and may be in it.
constexpr float kArmReach = 0.04f, kArmDeepest = 0.005f;
// What is inside comes out no faster than this, metres a second, and so many times the body's
// speed.
constexpr float kPushSpeed = 0.5f, kPushShare = 3;

}  // namespace

BodyContact::BodyContact(const ClothMesh& mesh, const Character& character, bool arms_pass)
    : mesh_(mesh),
      body_(character),
      search_(body_),
      skin_before_(body_),
      skin_(body_),
      arms_pass_(arms_pass) {
    const std::vector<Affine> rest(character.skeleton.size());
    skin_.pose(rest);
    search_.begin(rest, rest, rest);
    chooseOffsets();
    chooseOrder();
    watches_.resize(mesh.size());
}

// An edge of length l over a body of radius r sinks by l^2 / 8r in its middle, a triangle by
// l^2 / 6r: coarse cloth keeps that much more distance, unless it is cut closer than that.
void BodyContact::chooseOffsets() {
    const size_t count = mesh_.size();
    std::vector<float> sums(count, 0), edges(count, 0);
    for (const auto& [a, b] : mesh_.edges) {
        const float l = distance(mesh_.rest[a], mesh_.rest[b]);
        sums[a] += l, sums[b] += l, ++edges[a], ++edges[b];
    }
    std::vector<size_t> near(mesh_.garments.size()), far(near), on_arms(near);
    for (size_t v = 0; v < count; ++v) {
        const Fabric& fabric = mesh_.garments[mesh_.garment_of_vertex[v]].fabric;
        const float l = sums[v] / std::max(edges[v], 1.0f);
        float layers = 0;  // worn beneath
        for (uint32_t g = 0; g < mesh_.garment_of_vertex[v]; ++g)
            layers += mesh_.garments[g].fabric.thickness + kSkin;
        offsets_.push_back(kSkin + layers + fabric.thickness / 2);
        sags_.push_back(l * l / 7);
        const BodyPoint point = search_.nearest(mesh_.rest[v], skin_);
        home_.push_back(uint8_t(body_.partOf(point.triangle)));
        on_arms[mesh_.garment_of_vertex[v]] += body_.isArm(home_.back());
        const float room = std::sqrt(point.squared);
        (room < kCloseFit + layers ? near : far)[mesh_.garment_of_vertex[v]] += 1;
        const float gap = std::min(room, kMostSag + layers);
        most_.push_back(std::max(offsets_.back(), gap + kCloser));
    }
    for (size_t g = 0; g < near.size(); ++g)
        fits_close_.push_back(near[g] > far[g] ||
                              double(on_arms[g]) > kSleeves * double(near[g] + far[g]));
}

void BodyContact::chooseOrder() {
    std::vector<uint8_t> seen(mesh_.size(), 0);
    earlier_.resize(mesh_.size());
    for (uint32_t seed = 0; seed < mesh_.size(); ++seed) {
        if (seen[seed]) continue;
        seen[seed] = 1;
        earlier_[seed] = seed;
        order_.push_back(seed);
        for (size_t next = order_.size() - 1; next < order_.size(); ++next) {
            const uint32_t v = order_[next];
            for (uint32_t i = mesh_.fan_begin[v]; i < mesh_.fan_begin[v + 1]; ++i) {
                for (const uint32_t w : mesh_.triangles[mesh_.fan[i]]) {
                    if (seen[w]) continue;
                    seen[w] = 1;
                    earlier_[w] = v;
                    order_.push_back(w);
                }
            }
        }
    }
}

void BodyContact::begin(const Particles& x, const Particles& v, const std::vector<Affine>& start,
                        const std::vector<Affine>& middle, const std::vector<Affine>& end,
                        float seconds, int substeps) {
    substeps_ = substeps;
    const float dt = seconds / float(substeps);
    most_push_ = kPushSpeed * dt;
    most_grip_ = kGripsUpTo * dt;
    kept_by_arm_ = float(portable::exp(-std::numbers::ln2 * double(kHalvings * dt)));
    skin_.pose(start);
    search_.begin(start, middle, end);
    hints_.assign(body_.parts() * mesh_.size(), UINT32_MAX);
    touches_.clear();
    for (const uint32_t i : order_)
        if (x[i][3] > 0) look(i, toVec3(x[i]), toVec3(v[i]) * dt, 0);
}

// How far an arm at `depth` pushes a vertex whose edges have stretched to s: q with
//     q = depth (kGripTo - s') / (kGripTo - kGripFrom),  s' = s + q / l
// the stretch that it leaves behind, l the edge's length; all of the depth below kGripFrom.
float BodyContact::givingWay(uint32_t vertex, float depth, const Particles& x) const {
    float stretch = 0, edge = 1;
    for (uint32_t i = mesh_.fan_begin[vertex]; i < mesh_.fan_begin[vertex + 1]; ++i) {
        for (const uint32_t w : mesh_.triangles[mesh_.fan[i]]) {
            if (w == vertex) continue;
            const float rest = distance(mesh_.rest[vertex], mesh_.rest[w]);
            const float now = length(toVec3(x[vertex] - x[w])) / rest;
            if (now > stretch) stretch = now, edge = rest;
        }
    }
    const float left = std::max(0.0f, kGripTo - stretch);
    return std::min(depth, depth * left / (kGripTo - kGripFrom + depth / edge));
}

// Whether arms touch the vertex as what it is not worn on. Where they pass, skin of theirs that is
// followed from the trunk, over a shoulder, is skin like any other.
bool BodyContact::armsAreForeign(uint32_t vertex) const {
    return !arms_pass_ && !body_.isArm(home_[vertex]);
}

// From now on, the body being posed for the start of `substep`, with the vertex moving by `step`.
void BodyContact::look(uint32_t vertex, Vec3 p, Vec3 step, int substep) {
    Watch& watch = watches_[vertex];
    watch.start = p;
    watch.step = step;
    watch.since = substep;
    watch.count = 0;
    const auto left = float(substeps_ - substep);
    BodySearch::Query query{p, step * left, most_[vertex] + kMargin};
    const float way = length(query.motion);
    const uint32_t* hints = &hints_[earlier_[vertex] * body_.parts()];
    for (size_t part = 0; part < body_.parts() && watch.count < kMostContacts; ++part) {
        const bool foreign = body_.isArm(part) && armsAreForeign(vertex);
        if (arms_pass_ && body_.isArm(part) && !body_.isArm(home_[vertex])) continue;
        // a neighbour has met that arm: it may be deep in this vertex already
        const bool deep = foreign && hints[part] != UINT32_MAX;
        query.margin = std::max(most_[vertex] + kMargin, deep ? kArmReach : 0);
        if (!search_.mayReach(part, query, way)) continue;
        BodyPoint hint;
        if (hints[part] != UINT32_MAX) hint = body_.walk(p, hints[part], skin_);
        const bool strayed = hint.triangle != UINT32_MAX && body_.partOf(hint.triangle) != part;
        if (strayed) hint = body_.onTriangle(p, hints[part], skin_);
        const bool sure = hint.triangle != UINT32_MAX && hint.squared < kSure * kSure && !strayed &&
                          !body_.isArm(part);
        const auto [nearest, motion] =
            sure ? search_.followed(query, hint) : search_.nearest(part, query, hint, skin_);
        if (nearest.triangle == UINT32_MAX) continue;
        hints_[vertex * body_.parts() + part] = nearest.triangle;
        // the part's border is no surface: where the body goes on nearer, another part has it
        const bool walked = nearest.triangle == hint.triangle && !strayed;
        const BodyPoint point = walked ? nearest : body_.walk(p, nearest.triangle, skin_);
        const float approach = 1.5f * (kMargin + motion) / std::max(left, 1.0f);
        follow(watch, p, point, approach);
        // between fingers, or in a bent elbow: both sides
        const bool other_side = foreign && hint.triangle != UINT32_MAX && !walked && !strayed &&
                                hint.squared < query.margin * query.margin;
        if (other_side) follow(watch, p, hint, approach);
    }
}

// Has the vertex at `p` follow `point`, unless it does already. Where the skins of two parts touch,
// the other's is no repetition.
void BodyContact::follow(Watch& watch, Vec3 p, const BodyPoint& point, float approach) {
    if (watch.count == kMostContacts) return;
    const Vec3 outwards = body_.outwards(point, skin_);
    const bool inside = dot(p - point.position, outwards) < 0;
    if (inside && point.squared > kDeepest * kDeepest) return;
    for (int i = 0; i < watch.count; ++i) {
        const bool same = lengthSquared(seen_[i].position - point.position) < 1e-6f &&
                          dot(seen_[i].outwards, outwards) > 0;
        if (same) return;
    }
    seen_[watch.count] = {point.position, outwards};
    watch.contacts[watch.count++] = {point.triangle, 0, approach};
}

// What is followed over an arm may have become the far side of a bend, or the wrong bone: each
// contact that is near goes to the nearest point of all arms.
void BodyContact::lookAtArms(uint32_t vertex, Vec3 p, int substep) {
    const BodySearch::Query query{p, {}, kArmReach};
    Watch& watch = watches_[vertex];
    for (Contact& contact : std::span(watch.contacts, size_t(watch.count))) {
        if (!body_.isArm(body_.partOf(contact.triangle)) || contact.next_look > substep) continue;
        BodyPoint best = body_.walk(p, contact.triangle, skin_);
        for (size_t part = 0; part < body_.parts(); ++part) {
            if (!body_.isArm(part) || !search_.mayReach(part, query, 0)) continue;
            BodyPoint hint = best;
            if (body_.partOf(hint.triangle) != part) hint.triangle = UINT32_MAX;
            BodyPoint found = search_.nearest(part, query, hint, skin_).point;
            if (found.triangle == UINT32_MAX || found.squared >= best.squared) continue;
            found = body_.walk(p, found.triangle, skin_);
            // at an armpit the body may go on as no arm
            if (body_.isArm(body_.partOf(found.triangle))) best = found;
        }
        contact.triangle = best.triangle;
    }
}

bool BodyContact::offCourse(const Watch& watch, Vec3 p, int substep) const {
    const Vec3 expected = watch.start + watch.step * float(substep + 1 - watch.since);
    return lengthSquared(p - expected) > kMargin * kMargin;
}

// Whether the vertex at `p` is nearer than its offset, and what the contact then asks for. No more
// than `most_sag` of the offset is for the sag of edges.
bool BodyContact::press(uint32_t v, Contact& contact, Vec3 p, int substep, float most_sag,
                        Press& out) {
    const BodyPoint point = body_.walk(p, contact.triangle, skin_);
    contact.triangle = point.triangle;
    const float sag = std::min(sags_[v] * body_.curvatureAt(point), most_sag);
    const float offset = std::min(offsets_[v] + sag, most_[v]);
    const float gap = std::sqrt(point.squared);
    const Vec3 away = p - point.position, outwards = body_.outwards(point, skin_);
    const bool inside = dot(away, outwards) < 0;
    if (gap > 1e-5f)
        out.normal = away / (inside ? -gap : gap);
    else
        out.normal = normalized(outwards, {0, 1, 0});
    out.depth = inside ? offset + gap : offset - gap;
    out.arm = body_.isArm(body_.partOf(point.triangle));
    if (!inside && gap >= offset) {
        // an arm matters a little before it touches: see gather()
        const float spare = gap - offset - (out.arm ? 2 * kMostSag : 0);
        const int skip = int(std::max(0.0f, spare) / contact.approach);
        contact.next_look = substep + 1 + std::min(skip, kLongestSkip);
        return false;
    }
    if (inside && gap > kDeepest) return false;
    const auto [i, j, k] = body_.triangles()[point.triangle];
    out.body_step = point.position - (skin_before_[i] * point.a + skin_before_[j] * point.b +
                                      skin_before_[k] * point.c);
    return true;
}

// 1 where the body does not move, 0 from kGripsUpTo on.
float BodyContact::still(Vec3 body_step) const {
    return std::max(0.0f, 1 - length(body_step) / most_grip_);
}

void BodyContact::resolve(uint32_t vertex, Vec3& p, Vec3 before, const Press* presses, int count,
                          bool held) {
    bool pinched = false;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j) pinched |= dot(presses[i].normal, presses[j].normal) < -0.2f;
    const Vec3 start = p;
    for (int i = 0; i < count; ++i) {
        // what earlier contacts have done already counts
        const float done = pinched ? 0 : dot(p - start, presses[i].normal);
        const float came = dot(before + presses[i].body_step - start, presses[i].normal);
        const float most =
            std::max(0.0f, came) + most_push_ + kPushShare * length(presses[i].body_step);
        const float left = std::clamp(presses[i].depth - done, 0.0f, most);
        p += presses[i].normal * (pinched ? left / float(count) : left);
    }
    const float friction = mesh_.garments[mesh_.garment_of_vertex[vertex]].fabric.friction;
    for (int i = 0; i < count; ++i) {
        const Press& press = presses[i];
        Vec3 slip = p - before - press.body_step;
        slip -= press.normal * dot(slip, press.normal);
        const bool by_arm = press.arm && armsAreForeign(vertex);
        const float grip = by_arm ? still(press.body_step) : 1;
        const float most = pinched ? 0 : grip * friction * press.depth;
        const float size = length(slip);
        p -= size > most ? slip * (most / size) : slip;
        const float keep = held || pinched ? 0 : by_arm ? kept_by_arm_ : 1;
        const bool close = fits_close_[mesh_.garment_of_vertex[vertex]];
        touches_.push_back({vertex, press.normal, press.body_step, keep, close});
    }
}

// Of the arms that cloth worn elsewhere is in, the one whose skin is nearest: to be inside an elbow
// is to be inside both its bones, and one way out is enough. `room`: how far off an arm still is,
// metres, as far as it was before.
bool BodyContact::armPress(uint32_t vertex, Vec3 p, int substep, Press& arm, float& room) {
    bool pressing = false;
    for (Contact& contact : std::span(watches_[vertex].contacts, size_t(watches_[vertex].count))) {
        if (!body_.isArm(body_.partOf(contact.triangle)) || contact.next_look > substep) continue;
        Press next;
        const bool presses = press(vertex, contact, p, substep, kMostSag, next);
        if (!next.arm) continue;
        room = std::clamp(-next.depth, 0.0f, room);
        if (presses && (!pressing || next.depth < arm.depth)) arm = next;
        pressing |= presses;
    }
    return pressing;
}

// What the contacts of a vertex ask for; `held` where an arm has had to give
// way. An arm moves cloth that is not worn on it only as far as there is room above what it is worn
// on, and never off it; but it is never in it by more than kArmDeepest. What distance is kept for
// the sag of edges gives way to it, by as much as the arm is near, so that there is no jump. By
// half of that: by all of it, the vertex would bounce between the two.
int BodyContact::gather(uint32_t vertex, const Particles& x, int substep, Press* presses,
                        bool& held) {
    const Vec3 p = toVec3(x[vertex]);
    const bool foreign = armsAreForeign(vertex);
    Press arm;
    float room_by_arm = 2 * kMostSag, least = 0;
    const bool by_arm = foreign && armPress(vertex, p, substep, arm, room_by_arm);
    if (by_arm) {
        least = std::max(0.0f, arm.depth - offsets_[vertex] - kArmDeepest);
        arm.depth = givingWay(vertex, arm.depth, x);
    }
    int count = 0;
    for (Contact& contact : std::span(watches_[vertex].contacts, size_t(watches_[vertex].count))) {
        if (foreign && body_.isArm(body_.partOf(contact.triangle))) continue;
        if (contact.next_look > substep && !by_arm) continue;
        Press& next = presses[count];
        count += press(vertex, contact, p, substep, room_by_arm / 2, next);
        if (!by_arm) continue;
        const float towards = dot(arm.normal, next.normal);
        const float room = std::max(0.0f, -next.depth) + kSlide;
        if (towards < 0) arm.depth = std::min(arm.depth, -room / towards);
        if (towards > kAlong)
            arm.depth *= std::clamp((kLifts - towards) / (kLifts - kAlong), 0.0f, 1.0f);
    }
    if (!by_arm) return count;
    held = arm.depth == 0;
    arm.depth = std::max(arm.depth, least);
    if (arm.depth > 0 && count < kMostContacts) presses[count++] = arm;
    return count;
}

void BodyContact::solve(Particles& x, const Particles& before, const std::vector<Affine>& matrices,
                        int substep) {
    std::swap(skin_before_, skin_);
    skin_.pose(matrices);
    search_.setTime(float(substep + 1) / float(substeps_));
    touches_.clear();
    for (uint32_t vertex = 0; vertex < mesh_.size(); ++vertex) {
        if (x[vertex][3] == 0) continue;
        Vec3 p = toVec3(x[vertex]);
        const Vec3 start = toVec3(before[vertex]);
        if (offCourse(watches_[vertex], p, substep))
            look(vertex, p, p - start, substep + 1);
        else if (substep + 1 == substeps_ && armsAreForeign(vertex))
            lookAtArms(vertex, p, substep);
        if (watches_[vertex].count == 0) continue;
        Press presses[kMostContacts];
        bool held = false;
        const int count = gather(vertex, x, substep, presses, held);
        if (count == 0) continue;
        resolve(vertex, p, start, presses, count, held);
        x[vertex] = toFloat4(p, x[vertex][3]);
    }
}

void BodyContact::settle(Particles& v, float dt) const {
    for (const Touch& touch : touches_) {
        const Vec3 body = touch.body_step / dt;
        Vec3 velocity = (toVec3(v[touch.vertex]) - body) * touch.keep;
        velocity -= touch.normal * std::max(0.0f, dot(velocity, touch.normal));
        v[touch.vertex] = toFloat4(body + velocity, v[touch.vertex][3]);
    }
}

}  // namespace hem::built_in
