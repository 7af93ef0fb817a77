// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/pose_path.h"

#include "hem/core/portable_math.h"

namespace hem::built_in {
namespace {

constexpr double kSameAngle = 1e-3;  // radians: a straight line serves as well

double angleOf(Quat a, Quat b) {
    const double c = std::min(1.0, std::abs(double(dot(a, b))));
    return c > 1 - kSameAngle * kSameAngle / 2 ? 0 : portable::acos(c);
}

Quat along(Quat a, Quat b, double angle, double t) {
    b = nearest(b, a);
    double wa = 1 - t, wb = t;
    if (angle > 0) {
        const double s = portable::sin(angle);
        wa = portable::sin((1 - t) * angle) / s;
        wb = portable::sin(t * angle) / s;
    }
    const auto fa = float(wa), fb = float(wb);
    return normalized(
        Quat{fa * a.w + fb * b.w, fa * a.x + fb * b.x, fa * a.y + fb * b.y, fa * a.z + fb * b.z});
}

}  // namespace

PosePath::PosePath(const Character& character)
    : character_(character), matrices_(character.skeleton.size()) {
    now_ = restPose(character.skeleton);
    set(now_, now_);
}

void PosePath::set(const Pose& from, const Pose& to) {
    from_ = from;
    to_ = to;
    angles_.resize(from.rotations.size());
    for (size_t j = 0; j < angles_.size(); ++j)
        angles_[j] = angleOf(from.rotations[j], to.rotations[j]);
}

const std::vector<Affine>& PosePath::matricesAt(float t) {
    if (t <= 0 || t >= 1) {
        now_ = t <= 0 ? from_ : to_;
    } else {
        now_.root_position = lerp(from_.root_position, to_.root_position, t);
        for (size_t j = 0; j < angles_.size(); ++j)
            now_.rotations[j] = along(from_.rotations[j], to_.rotations[j], angles_[j], double(t));
    }
    skinningMatrices(character_.skeleton, now_, character_.skin.joint_from_rest.data(),
                     matrices_.data());
    return matrices_;
}

Pose portableInterpolate(const Pose& a, const Pose& b, float t) {
    Pose pose = a;
    pose.root_position = lerp(a.root_position, b.root_position, t);
    for (size_t j = 0; j < a.rotations.size(); ++j)
        pose.rotations[j] = along(a.rotations[j], b.rotations[j],
                                  angleOf(a.rotations[j], b.rotations[j]), double(t));
    return pose;
}

}  // namespace hem::built_in
