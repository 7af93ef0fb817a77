// SPDX-License-Identifier: Apache-2.0
// Writes BVH. With W the world rest rotations and G the world rotations of a frame, the file's
// world rotations are G W^-1 and its offsets W_parent t: p_joint = p_parent + G_parent t, as
// before.
#include <algorithm>
#include <cmath>

#include "hem/character/formats/bvh.h"
#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

constexpr double kDegrees = 180 / 3.14159265358979323846;

struct Writer {
    const Motion& motion;
    double units_per_metre;
    std::vector<Quat> world_rest;
    std::vector<std::vector<size_t>> children;
    std::vector<size_t> order;  // of the joints that have channels
    std::string text;

    bool isEndSite(size_t j) const {
        const Joint& joint = motion.skeleton.joints[j];
        return joint.parent >= 0 && children[j].empty() &&
               joint.name == motion.skeleton.joints[size_t(joint.parent)].name + "_end";
    }
    Vec3 offsetOf(size_t j) const {
        const Joint& joint = motion.skeleton.joints[j];
        return joint.parent < 0
                   ? Vec3{}
                   : rotate(world_rest[size_t(joint.parent)], joint.parent_from_rest.translation);
    }
    void writeJoint(size_t j, size_t depth);
    void writeFrame(const Pose& pose, std::vector<double>& angles);
};

void Writer::writeJoint(size_t j, size_t depth) {
    const std::string indent(depth, '\t');
    const bool end = isEndSite(j);
    const Vec3 o = offsetOf(j);
    const double s = units_per_metre;
    text += indent +
            (end ? "End Site" : (depth ? "JOINT " : "ROOT ") + motion.skeleton.joints[j].name) +
            "\n";
    text += indent + "{\n";
    text += indent + format("\tOFFSET %.7f %.7f %.7f\n", o.x * s, o.y * s, o.z * s);
    if (!end) {
        const char* position = depth ? "3" : "6 Xposition Yposition Zposition";
        text += indent + format("\tCHANNELS %s Zrotation Yrotation Xrotation\n", position);
        order.push_back(j);
        for (size_t child : children[j]) writeJoint(child, depth + 1);
        if (children[j].empty())
            text += indent + "\tEnd Site\n" + indent + "\t{\n" + indent + "\t\tOFFSET 0 0 0\n" +
                    indent + "\t}\n";
    }
    text += indent + "}\n";
}

// Angles z, y, x with q = Rz Ry Rx, in degrees. Robust at y = 90 degrees: x is found from what is
// left once z has been taken out.
void eulerAngles(Quat q, double out[3]) {
    const double w = q.w, x = q.x, y = q.y, z = q.z;
    const double m00 = 1 - 2 * (y * y + z * z), m10 = 2 * (x * y + w * z),
                 m20 = 2 * (x * z - w * y);
    const double m01 = 2 * (x * y - w * z), m11 = 1 - 2 * (x * x + z * z);
    const double m02 = 2 * (x * z + w * y), m12 = 2 * (y * z - w * x);
    const double az = std::atan2(m10, m00), s = std::sin(az), c = std::cos(az);
    out[0] = az * kDegrees;
    out[1] = std::atan2(-m20, c * m00 + s * m10) * kDegrees;
    out[2] = std::atan2(s * m02 - c * m12, c * m11 - s * m01) * kDegrees;
}

// `angles` has the frame before: each angle is written on the turn nearest to it.
void Writer::writeFrame(const Pose& pose, std::vector<double>& angles) {
    const auto world = worldTransforms(motion.skeleton, pose);
    const auto fromRest = [&](size_t j) { return world[j].rotation * conjugate(world_rest[j]); };
    const double s = units_per_metre;
    const Vec3 p = pose.root_position;
    text += format("%.7f %.7f %.7f", p.x * s, p.y * s, p.z * s);
    for (size_t i = 0; i < order.size(); ++i) {
        const int parent = motion.skeleton.joints[order[i]].parent;
        const Quat above = parent < 0 ? Quat{} : fromRest(size_t(parent));
        double now[3];
        eulerAngles(normalized(conjugate(above) * fromRest(order[i])), now);
        for (size_t k = 0; k < 3; ++k) {
            double& angle = angles[3 * i + k];
            angle = now[k] + 360 * std::round((angle - now[k]) / 360);
            text += format(" %.6f", angle);
        }
    }
    text += "\n";
}

Status writable(const std::string& path, const Motion& motion) {
    if (motion.frames.empty())
        return errorf("%s: a motion without frames cannot be written", path.c_str());
    for (const Joint& joint : motion.skeleton.joints)
        if (joint.name.find_first_of("{}\r\n") != std::string::npos)
            return errorf("%s: joint %s cannot be named in a BVH file; rename it", path.c_str(),
                          quoteForMessage(joint.name).c_str());
    return Done{};
}

}  // namespace

Status saveBvh(const std::string& path, const Motion& motion, const BvhWriteOptions& options) {
    CHECK_GT(options.metres_per_unit, 0);
    if (Status s = writable(path, motion); !s) return s;
    const Skeleton& skeleton = motion.skeleton;
    Writer writer{motion, 1 / options.metres_per_unit, {}, {}, {}, {}};
    for (const Transform& t : worldTransforms(skeleton, restPose(skeleton)))
        writer.world_rest.push_back(t.rotation);
    writer.children.resize(skeleton.size());
    for (size_t j = 1; j < skeleton.size(); ++j)
        writer.children[size_t(skeleton.joints[j].parent)].push_back(j);
    writer.text = "HIERARCHY\n";
    writer.writeJoint(0, 0);
    writer.text +=
        format("MOTION\nFrames: %zu\nFrame Time: %.12f\n", motion.frames.size(), 1 / motion.rate);
    std::vector<double> angles(3 * writer.order.size());
    for (const Pose& pose : motion.frames) writer.writeFrame(pose, angles);
    return writeFile(path, writer.text);
}

}  // namespace hem
