// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/body_section.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

namespace hem {
namespace {

using namespace format;
using Point = BodyProxy::Point;

// 16 points; what is left of the last panel repeats its last point.
using Panel = std::array<const Point*, kLanes>;

void addPanels(std::span<const Point> points, std::vector<Panel>& panels) {
    for (size_t k = 0; k < points.size(); k += kLanes) {
        Panel& panel = panels.emplace_back();
        for (size_t i = 0; i < kLanes; ++i) panel[i] = &points[std::min(k + i, points.size() - 1)];
    }
}

template <class T>
void addPart(FileWriter& file, const std::vector<T>& values) {
    file.align();
    file.addArray(std::span<const T>(values));
}

// The weights of a panel's points, by joint.
using Influences = std::map<int, std::array<float, kLanes>>;

Influences influencesOf(const Panel& panel) {
    Influences influences;
    for (size_t i = 0; i < kLanes; ++i)
        for (const Influence& by : panel[i]->influences)
            influences[by.joint][i] = std::min(1.0f, by.weight);
    return influences;
}

void addInfluences(FileWriter& file, const std::vector<Influences>& panels,
                   const std::map<int, uint16_t>& joints) {
    std::vector<uint32_t> first = {0};
    std::vector<uint16_t> numbers;
    std::vector<float> weights;
    for (const Influences& panel : panels) {
        for (const auto& [joint, lanes] : panel) {
            numbers.push_back(joints.at(joint));
            weights.insert(weights.end(), lanes.begin(), lanes.end());
        }
        first.push_back(uint32_t(numbers.size()));
    }
    addPart(file, first);
    addPart(file, numbers);
    addPart(file, weights);
}

void addPoints(FileWriter& file, const std::vector<Panel>& panels) {
    std::vector<float> numbers;
    for (const Panel& panel : panels)
        for (size_t number = 0; number < 7; ++number)
            for (const Point* p : panel) {
                const float values[7] = {p->centre.x, p->centre.y, p->centre.z, p->normal.x,
                                         p->normal.y, p->normal.z, p->offset};
                numbers.push_back(values[number]);
            }
    addPart(file, numbers);
}

void addTiles(FileWriter& file, const std::vector<BodyProxy::Tile>& tiles) {
    std::vector<uint32_t> vertices;
    for (const BodyProxy::Tile& tile : tiles)
        for (size_t i = 0; i < kTileVertices; ++i)
            vertices.push_back(tile[std::min(i, tile.size() - 1)]);
    addPart(file, vertices);
}

}  // namespace

void addBody(FileWriter& file, const BodyProxy& proxy) {
    const std::span<const Point> points(proxy.points);
    std::vector<Panel> panels;
    addPanels(points.first(proxy.common_points), panels);
    addPanels(points.subspan(proxy.common_points), panels);
    std::vector<Influences> influences;
    std::map<int, uint16_t> joints;  // to their numbers in the section
    size_t influence_count = 0;
    for (const Panel& panel : panels) {
        influences.push_back(influencesOf(panel));
        influence_count += influences.back().size();
        for (const auto& [joint, lanes] : influences.back()) joints[joint] = 0;
    }
    std::vector<uint16_t> joint_list;
    for (auto& [joint, number] : joints) {
        number = uint16_t(joint_list.size());
        joint_list.push_back(uint16_t(joint));
    }

    file.startSection(kBody);
    file.add(BodyHeader{uint32_t(joints.size()),
                        uint32_t(proxy.common_points),
                        uint32_t(points.size() - proxy.common_points),
                        uint32_t(influence_count),
                        uint32_t(proxy.tiles.size()),
                        uint32_t(proxy.worn_tiles),
                        proxy.reach,
                        proxy.distance,
                        proxy.most,
                        {}});
    addPart(file, joint_list);
    addInfluences(file, influences, joints);
    addPoints(file, panels);
    addTiles(file, proxy.tiles);
}

}  // namespace hem
