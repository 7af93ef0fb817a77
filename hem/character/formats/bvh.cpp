// SPDX-License-Identifier: Apache-2.0
// From a BVH file's numbers to a Motion: units, offsets and rotations.
#include "hem/character/formats/bvh.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "hem/character/formats/bvh_file.h"
#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

// The product of the rotation channels, in double: the file's digits are worth more than float's.
Quat rotationOf(const BvhNode& node, const double* numbers) {
    double w = 1, v[3] = {0, 0, 0};
    for (size_t c = 0; c < node.channels.size(); ++c) {
        if (node.channels[c].kind != BvhChannel::kRotation) continue;
        const double half = std::fmod(numbers[c], 720.0) * (3.14159265358979323846 / 360);
        const double s = std::sin(half), k = std::cos(half);
        const int a = node.channels[c].axis, b = (a + 1) % 3, d = (a + 2) % 3;
        const double next_w = w * k - v[a] * s;
        const double va = v[a] * k + w * s, vb = v[b] * k + v[d] * s, vd = v[d] * k - v[b] * s;
        w = next_w, v[a] = va, v[b] = vb, v[d] = vd;
    }
    return {float(w), float(v[0]), float(v[1]), float(v[2])};
}

// Position channels replace the offset, axis by axis.
std::array<double, 3> positionOf(const BvhNode& node, const double* numbers) {
    auto position = node.offset;
    for (size_t c = 0; c < node.channels.size(); ++c)
        if (node.channels[c].kind == BvhChannel::kPosition)
            position[size_t(node.channels[c].axis)] = numbers[c];
    return position;
}

double distanceBetween(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
double lengthOf(const std::array<double, 3>& a) { return distanceBetween(a, {}); }

bool hasKind(const BvhNode& node, BvhChannel::Kind kind) {
    return std::any_of(node.channels.begin(), node.channels.end(),
                       [kind](BvhChannel c) { return c.kind == kind; });
}

// The rules for position and scale channels of bvh.h; says in `notes` what it left out.
void settleOffsets(BvhFile& file, double metres_per_unit, std::vector<std::string>& notes) {
    std::string stretching, scaled;
    double largest = 0;
    for (size_t n = 0; n < file.nodes.size(); ++n) {
        BvhNode& node = file.nodes[n];
        if (hasKind(node, BvhChannel::kScale)) scaled += (scaled.empty() ? "" : ", ") + node.name;
        if (n == 0 || !hasKind(node, BvhChannel::kPosition)) continue;
        const auto first = positionOf(node, &file.frames[0][node.first_channel]);
        double changes = 0, from_offset = 0;
        for (const auto& frame : file.frames) {
            const auto here = positionOf(node, &frame[node.first_channel]);
            changes = std::max(changes, distanceBetween(here, first));
            from_offset =
                std::max(from_offset, std::min(lengthOf(here), distanceBetween(here, node.offset)));
        }
        if (lengthOf(node.offset) == 0 && changes * metres_per_unit < 1e-4) {
            node.offset = first;
        } else if (from_offset * metres_per_unit > 1e-3) {
            largest = std::max(largest, from_offset * metres_per_unit);
            stretching += (stretching.empty() ? "" : ", ") + node.name;
        }
    }
    if (!stretching.empty())
        notes.push_back(
            format("Position channels of %s differ from their OFFSET by up to %.3f m; bones do "
                   "not stretch here, so OFFSET was used.",
                   quoteForMessage(stretching, 200).c_str(), largest));
    if (!scaled.empty())
        notes.push_back("Scale channels were left out, of " + quoteForMessage(scaled, 200) + ".");
}

Skeleton skeletonOf(const BvhFile& file, double metres_per_unit, bool end_sites,
                    std::vector<size_t>* nodes) {
    Skeleton skeleton;
    std::vector<int> joint_of_node(file.nodes.size(), kNoParent);
    for (size_t n = 0; n < file.nodes.size(); ++n) {
        const BvhNode& node = file.nodes[n];
        if (node.is_end_site && (!end_sites || lengthOf(node.offset) == 0)) continue;
        const double m = metres_per_unit;
        const Vec3 offset{float(node.offset[0] * m), float(node.offset[1] * m),
                          float(node.offset[2] * m)};
        const int parent = node.parent < 0 ? kNoParent : joint_of_node[size_t(node.parent)];
        joint_of_node[n] = int(skeleton.size());
        skeleton.joints.push_back({node.name, parent, {Quat{}, offset}});
        nodes->push_back(n);
    }
    return skeleton;
}

Pose poseOf(const BvhFile& file, const std::vector<size_t>& nodes, const std::vector<double>& frame,
            double metres_per_unit) {
    Pose pose;
    const auto root = positionOf(file.nodes[0], &frame[0]);
    const double m = metres_per_unit;
    pose.root_position = {float(root[0] * m), float(root[1] * m), float(root[2] * m)};
    for (size_t n : nodes)
        pose.rotations.push_back(
            rotationOf(file.nodes[n], frame.data() + file.nodes[n].first_channel));
    return pose;
}

// Height in file units of the joints and end sites in a pose.
double heightOf(const Skeleton& skeleton, const Pose& pose, int up) {
    double low = 1e30, high = -1e30;
    for (const Affine& joint : worldFromJoints(skeleton, pose)) {
        low = std::min(low, double(joint.translation()[up]));
        high = std::max(high, double(joint.translation()[up]));
    }
    return high - low;
}

struct Unit {
    const char* name;
    double metres;
};
constexpr Unit kUnits[] = {{"metres", 1},
                           {"centimetres", 0.01},
                           {"inches", 0.0254},
                           {"CMU units of 5.644 cm", kCmuMetresPerUnit},
                           {"millimetres", 0.001}};

bool isPersonsHeight(double metres) { return metres >= 1.2 && metres <= 2.2; }

// The unit rule of bvh.h.
double guessUnit(const BvhFile& file, bool z_up, std::vector<std::string>& notes) {
    std::vector<size_t> nodes;
    const Skeleton skeleton = skeletonOf(file, 1, true, &nodes);
    const int up = z_up ? 2 : 1;
    const double rest_height = heightOf(skeleton, restPose(skeleton), up);
    // wide limits: children are among the subjects, and metres are far below
    const double cmu_height = rest_height * kCmuMetresPerUnit;
    bool cmu = cmu_height > 0.8 && cmu_height < 2.6;
    for (const char* joint : {"LHipJoint", "LowerBack", "LThumb"})
        cmu = cmu && skeleton.find(joint) >= 0;
    if (cmu) {
        notes.push_back("Lengths are taken to be in CMU units of 5.644 cm, by the joints' names.");
        return kCmuMetresPerUnit;
    }
    double height = 0;
    const size_t step = std::max<size_t>(1, file.frames.size() / 16);
    for (size_t f = 0; f < file.frames.size(); f += step)
        height = std::max(height, heightOf(skeleton, poseOf(file, nodes, file.frames[f], 1), up));
    const Unit* best = kUnits;
    for (const Unit& unit : kUnits) {
        const auto misfit = [&](const Unit& u) {
            return std::abs(std::log(std::max(height, 1e-9) * u.metres / 1.65));
        };
        if (misfit(unit) < misfit(*best)) best = &unit;
    }
    const bool fits = isPersonsHeight(height * best->metres);
    notes.push_back(
        format("Lengths are taken to be in %s: the joints then span a height of %.2f m%s.",
               best->name, height * best->metres,
               fits ? "" : ", which is unusual for a person; give metres_per_unit if it is wrong"));
    return best->metres;
}

bool isCalibrationPose(const BvhFile& file, const std::vector<double>& frame) {
    size_t angles = 0, zeros = 0;
    for (const BvhNode& node : file.nodes)
        for (size_t c = 0; c < node.channels.size(); ++c) {
            if (node.channels[c].kind != BvhChannel::kRotation) continue;
            ++angles;
            zeros += frame[node.first_channel + c] == 0;
        }
    return angles > 0 && 3 * zeros >= 2 * angles;
}

void turnUpright(Motion& motion) {
    const Quat turn = fromAxisAngle({1, 0, 0}, -kPi / 2);
    Transform& root = motion.skeleton.joints[0].parent_from_rest;
    root = {turn, rotate(turn, root.translation)};
    for (Pose& pose : motion.frames) {
        pose.root_position = rotate(turn, pose.root_position);
        pose.rotations[0] = normalized(turn * pose.rotations[0]);
    }
}

void makeContinuous(Motion& motion) {
    for (size_t f = 1; f < motion.frames.size(); ++f)
        for (size_t j = 0; j < motion.skeleton.size(); ++j)
            motion.frames[f].rotations[j] =
                nearest(motion.frames[f].rotations[j], motion.frames[f - 1].rotations[j]);
}

Result<Motion> toMotion(BvhFile file, const std::string& name, const BvhOptions& options) {
    Motion motion;
    motion.name = stemOf(name);
    motion.rate = file.rate;
    if (options.drop_t_pose && file.frames.size() > 1 && isCalibrationPose(file, file.frames[0]) &&
        !isCalibrationPose(file, file.frames[1])) {
        file.frames.erase(file.frames.begin());
        motion.notes.push_back("The first frame, a calibration pose, was left out.");
    }
    const double metres = options.metres_per_unit > 0 ? options.metres_per_unit
                                                      : guessUnit(file, options.z_up, motion.notes);
    settleOffsets(file, metres, motion.notes);
    std::vector<size_t> nodes;
    motion.skeleton = skeletonOf(file, metres, options.end_sites, &nodes);
    if (Status s = validate(motion.skeleton); !s) return inContext(name, s.error());
    motion.frames.reserve(file.frames.size());
    for (auto& frame : file.frames) motion.frames.push_back(poseOf(file, nodes, frame, metres));
    if (options.z_up) {
        turnUpright(motion);
        motion.notes.push_back("The Z axis, which is up in the file, was turned to Y.");
    }
    makeContinuous(motion);
    return motion;
}

}  // namespace

Result<Motion> parseBvh(std::string_view text, const std::string& name, const BvhOptions& options) {
    CHECK(options.metres_per_unit >= 0 && std::isfinite(options.metres_per_unit));
    auto file = parseBvhFile(text, name);
    if (!file) return file.error();
    return toMotion(std::move(*file), name, options);
}

Result<Motion> loadBvh(const std::string& path, const BvhOptions& options) {
    const auto text = readTextFile(path);
    if (!text) return text.error();
    return parseBvh(*text, path, options);
}

}  // namespace hem
