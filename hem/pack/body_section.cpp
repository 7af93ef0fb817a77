// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/body_section.h"

#include <algorithm>
#include <map>

namespace hem {
namespace {

using namespace format;
using Point = BodyProxy::Point;

// The influences of up to 16 points, by joint.
using Panel = std::map<int, std::array<float, kLanes>>;

std::vector<Panel> panelsOf(const std::vector<Point>& points) {
    std::vector<Panel> panels((points.size() + kLanes - 1) / kLanes);
    for (size_t k = 0; k < points.size(); ++k)
        for (const Influence& i : points[k].influences)
            panels[k / kLanes][i.joint][k % kLanes] = std::min(1.0f, i.weight);
    return panels;
}

template <class T>
void addPart(FileWriter& file, const std::vector<T>& values) {
    file.align();
    file.addArray(std::span<const T>(values));
}

void addPoints(FileWriter& file, const std::vector<Point>& points, size_t panels) {
    std::vector<float> numbers(panels * 7 * kLanes);
    for (size_t k = 0; k < points.size(); ++k) {
        const Point& p = points[k];
        const float values[7] = {p.centre.x, p.centre.y, p.centre.z, p.normal.x,
                                 p.normal.y, p.normal.z, p.offset};
        for (size_t i = 0; i < 7; ++i)
            numbers[(k / kLanes * 7 + i) * kLanes + k % kLanes] = values[i];
    }
    addPart(file, numbers);
}

void addInfluences(FileWriter& file, const std::vector<Panel>& panels,
                   const std::map<int, uint16_t>& joints) {
    std::vector<uint32_t> first = {0};
    std::vector<uint16_t> numbers;
    std::vector<float> weights;
    for (const Panel& panel : panels) {
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

size_t paddedCount(const BodyProxy::Tile& tile) { return (tile.candidates.size() + 3) / 4 * 4; }

void addTiles(FileWriter& file, const std::vector<BodyProxy::Tile>& tiles, size_t panels) {
    std::vector<uint32_t> first = {0}, vertices;
    std::vector<uint16_t> candidates;
    for (const BodyProxy::Tile& tile : tiles) {
        for (const uint16_t k : tile.candidates)
            candidates.push_back(uint16_t(kPanelNumbers * (k / kLanes) + k % kLanes));
        candidates.resize(first.back() + paddedCount(tile), uint16_t(kPanelNumbers * panels));
        first.push_back(uint32_t(candidates.size()));
        for (size_t i = 0; i < kTileVertices; ++i)
            vertices.push_back(tile.vertices[std::min(i, tile.vertices.size() - 1)]);
    }
    addPart(file, first);
    addPart(file, candidates);
    addPart(file, vertices);
}

}  // namespace

void addBody(FileWriter& file, const BodyProxy& proxy) {
    const std::vector<Panel> panels = panelsOf(proxy.points);
    std::map<int, uint16_t> joints;  // to their numbers in the section
    size_t influences = 0, candidates = 0;
    for (const Panel& panel : panels) {
        influences += panel.size();
        for (const auto& [joint, lanes] : panel) joints[joint] = 0;
    }
    std::vector<uint16_t> joint_list;
    for (auto& [joint, number] : joints) {
        number = uint16_t(joint_list.size());
        joint_list.push_back(uint16_t(joint));
    }
    for (const BodyProxy::Tile& tile : proxy.tiles) candidates += paddedCount(tile);

    file.startSection(kBody);
    file.add(BodyHeader{uint32_t(joints.size()),
                        uint32_t(panels.size()),
                        uint32_t(influences),
                        uint32_t(proxy.tiles.size()),
                        uint32_t(candidates),
                        proxy.reach,
                        proxy.distance,
                        proxy.most,
                        {}});
    addPart(file, joint_list);
    addInfluences(file, panels, joints);
    addPoints(file, proxy.points, panels.size());
    addTiles(file, proxy.tiles, panels.size());
}

}  // namespace hem
