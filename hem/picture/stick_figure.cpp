// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/stick_figure.h"

#include "hem/character/joint_names.h"

namespace hem {
namespace {

constexpr int kAround = 12;  // vertices of a ring

Vec3 colorFor(std::string_view joint_name) {
    switch (takeApart(joint_name).side) {
        case Side::kLeft:
            return {0.20f, 0.36f, 0.52f};
        case Side::kRight:
            return {0.60f, 0.27f, 0.18f};
        case Side::kCentre:
            break;
    }
    return {0.42f, 0.40f, 0.37f};
}

struct FigureBuilder {
    Mesh mesh;
    std::vector<std::vector<Influence>> influences;

    uint32_t addVertex(Vec3 position, Vec3 color, int joint) {
        mesh.positions.push_back(position);
        mesh.colors.push_back(color);
        influences.push_back({{joint, 1}});
        return uint32_t(mesh.positions.size() - 1);
    }

    // A surface of revolution about the line from a to b: (way along it from 0 to 1, radius) from
    // end to end, both ends of radius nought.
    void addSpindle(Vec3 a, Vec3 b, const std::vector<Vec2>& profile, Vec3 color, int joint) {
        const Vec3 axis = normalized(b - a, {0, 1, 0});
        const Vec3 u = anyPerpendicular(axis), v = cross(axis, u);
        std::vector<uint32_t> before;
        for (const Vec2 station : profile) {
            std::vector<uint32_t> ring;
            const bool tip = station.y == 0;
            for (int k = 0; k < (tip ? 1 : kAround); ++k) {
                const float angle = 2 * kPi * float(k) / kAround;
                const Vec3 around = u * std::cos(angle) + v * std::sin(angle);
                ring.push_back(addVertex(lerp(a, b, station.x) + around * station.y, color, joint));
            }
            if (!before.empty()) joinRings(before, ring);
            before = ring;
        }
    }

    void joinRings(const std::vector<uint32_t>& low, const std::vector<uint32_t>& high) {
        for (size_t k = 0; k < kAround; ++k) {
            const size_t next = (k + 1) % kAround;
            if (low.size() > 1)
                mesh.triangles.push_back({low[k], low[next], high[k % high.size()]});
            if (high.size() > 1)
                mesh.triangles.push_back({low[next % low.size()], high[next], high[k]});
        }
    }

    void addBall(Vec3 centre, float radius, Vec3 color, int joint) {
        constexpr int kRings = 8;
        std::vector<Vec2> profile;
        for (int i = 0; i <= kRings; ++i) {
            const float angle = kPi * float(i) / kRings;
            const bool tip = i == 0 || i == kRings;
            profile.push_back({(1 - std::cos(angle)) / 2, tip ? 0 : radius * std::sin(angle)});
        }
        addSpindle(centre - Vec3{0, radius, 0}, centre + Vec3{0, radius, 0}, profile, color, joint);
    }
};

}  // namespace

Character stickFigure(const Skeleton& skeleton, std::string name) {
    const std::vector<Affine> rest = worldFromJoints(skeleton, restPose(skeleton));
    std::vector<Vec3> places;
    places.reserve(rest.size());
    for (const Affine& world_from_joint : rest) places.push_back(world_from_joint.translation());
    const float thick = 0.011f * std::max(1e-3f, length(boundsOf(places).size()));

    FigureBuilder builder;
    for (size_t j = 0; j < skeleton.size(); ++j) {
        const Vec3 color = colorFor(skeleton.joints[j].name);
        builder.addBall(places[j], thick * 0.9f, color, int(j));
        const int parent = skeleton.joints[j].parent;
        if (parent == kNoParent) continue;
        const Vec3 from = places[size_t(parent)];
        const float bone = std::min(thick * 1.3f, 0.25f * distance(from, places[j]));
        if (bone > 0.05f * thick)
            builder.addSpindle(from, places[j],
                               {{0, 0},
                                {0.04f, bone * 0.5f},
                                {0.18f, bone},
                                {0.5f, bone * 0.85f},
                                {0.96f, bone * 0.4f},
                                {1, 0}},
                               color, parent);
    }
    Character figure{
        .name = std::move(name), .skeleton = skeleton, .mesh = std::move(builder.mesh)};
    figure.skin = makeSkin(builder.influences, inverseRestMatrices(skeleton), 1);
    return figure;
}

}  // namespace hem
