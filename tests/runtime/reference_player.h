// SPDX-License-Identifier: Apache-2.0
// format.h played by plain double arithmetic, a tick a call: what the player is held against.
#pragma once

#include <cmath>
#include <deque>

#include "tests/runtime/toy_garment.h"

namespace hem {

class ReferencePlayer {
public:
    ReferencePlayer(const Toy& toy, double rate) : toy_(toy), rate_(rate) {}

    // Both give the canonical cloth's weights, and leave the vertices of the world in `positions`.
    VectorD reset(const std::vector<float>& joints) {
        read(joints);
        for (int k = 0; k < 8; ++k) roots_.push_back(root_);
        if (const auto* d = std::get_if<LinearDynamics>(&toy_.model.dynamics)) {
            const VectorD u = normalised(linearInputs(*d));
            const VectorD rest = staticWeights(*d, u);
            for (int k = 0; k < 8; ++k) history_.push_back(rest);
            for (int k = 0; k < (d->order ? d->warm_up : 1); ++k) history_.push_front(next(*d, u));
            return finish(history_[0]);
        }
        const auto& d = std::get<ModalDynamics>(toy_.model.dynamics);
        last_g_ = motionFeatures();
        const VectorD u = normalised(modalInputs());
        const VectorD drive = apply(d.drive, hidden(d, u));
        h_ = VectorD::Zero(drive.size());
        const Eigen::Index n = drive.size() / 2;
        for (Eigen::Index i = 0; i < n; ++i) {
            const auto h = std::complex<double>(drive[i], drive[n + i]) / (1.0 - lambda(d, i));
            h_[i] = h.real(), h_[n + i] = h.imag();
        }
        return finish(output(d, u));
    }

    VectorD tick(const std::vector<float>& joints) {
        read(joints);
        roots_.push_front(root_);
        if (const auto* d = std::get_if<LinearDynamics>(&toy_.model.dynamics)) {
            const VectorD u = normalised(linearInputs(*d));
            const bool first = d->warm_up == 0 && ++ticks_ < d->order;
            history_.push_front(first ? staticWeights(*d, u) : next(*d, u));
            return finish(history_[0]);
        }
        const auto& d = std::get<ModalDynamics>(toy_.model.dynamics);
        const VectorD u = normalised(modalInputs());
        last_g_ = motionFeatures();
        const VectorD drive = apply(d.drive, hidden(d, u));
        const Eigen::Index n = drive.size() / 2;
        for (Eigen::Index i = 0; i < n; ++i) {
            const auto h = lambda(d, i) * std::complex<double>(h_[i], h_[n + i]) +
                           std::complex<double>(drive[i], drive[n + i]);
            h_[i] = h.real(), h_[n + i] = h.imag();
        }
        return finish(output(d, u));
    }

    std::vector<float> positions;

private:
    struct RootD {
        Eigen::Vector3d p;
        double r;
    };
    static Eigen::Matrix3d turn(double r) {
        return Eigen::AngleAxisd(r, Eigen::Vector3d::UnitY()).toRotationMatrix();
    }
    static VectorD silu(const VectorD& z) {
        return z.unaryExpr([](double x) { return x / (1 + std::exp(-x)); });
    }
    static VectorD apply(const Layer& layer, const VectorD& x) {
        return layer.weights.cast<double>() * x + layer.bias.cast<double>();
    }
    static std::complex<double> lambda(const ModalDynamics& d, Eigen::Index i) {
        return std::exp(std::complex<double>(-std::exp(double(d.log_decay[i])), d.angle[i]));
    }

    void read(const std::vector<float>& joints) {
        const auto matrix = [&](size_t j) {
            Eigen::Matrix<double, 3, 4> m;
            for (int i = 0; i < 12; ++i) m(i / 4, i % 4) = joints[12 * j + size_t(i)];
            return m;
        };
        const auto rest =
            worldFromJoints(toy_.character.skeleton, restPose(toy_.character.skeleton));
        const auto place = [&](size_t j) -> Eigen::Vector3d {
            const Vec3 p = rest[j].translation();
            return matrix(j) * Eigen::Vector4d(p.x, p.y, p.z, 1);
        };
        const Skeleton& s = toy_.character.skeleton;
        const Eigen::Vector3d hip =
            place(size_t(s.find("LeftUpLeg"))) - place(size_t(s.find("RightUpLeg")));
        const double formula = std::atan2(-hip.z(), hip.x());
        root_.r = root_.r + std::remainder(formula - root_.r, 2 * std::acos(-1.0));
        root_.p = place(0);
        const PoseFeatures& pose = toy_.model.pose;
        VectorD k(12 * pose.joints.size());
        for (size_t i = 0; i < pose.joints.size(); ++i) {
            Eigen::Matrix<double, 3, 4> m = matrix(pose.joints[i]);
            m.col(3) -= root_.p;
            m = turn(-root_.r) * m;
            for (int c = 0; c < 12; ++c) k[Eigen::Index(12 * i) + c] = m(c / 4, c % 4);
        }
        f_ = pose.from_joints.cast<double>() * k + pose.offset.cast<double>();
    }

    VectorD normalised(const VectorD& i) const {
        const InputRange& r = toy_.model.range;
        return ((i - r.offset.cast<double>()).array() * r.scale.cast<double>().array())
            .max(r.low.cast<double>().array())
            .min(r.high.cast<double>().array());
    }

    VectorD linearInputs(const LinearDynamics& d) const {
        VectorD i(toy_.model.range.offset.size());
        i.head(f_.size()) = f_;
        for (int k = 0; k < d.order && d.uses_root; ++k) {
            const RootD &now = roots_[size_t(k)], &base = roots_[size_t(d.order)];
            i.segment(f_.size() + 5 * k, 3) = turn(-base.r) * (now.p - base.p);
            i[f_.size() + 5 * k + 3] = std::sin(now.r - base.r);
            i[f_.size() + 5 * k + 4] = std::cos(now.r - base.r);
        }
        return i;
    }
    VectorD staticWeights(const LinearDynamics& d, const VectorD& u) const {
        return limited(d.static_weights.cast<double>() * u.head(f_.size()) +
                       d.static_bias.cast<double>());
    }
    VectorD next(const LinearDynamics& d, const VectorD& u) const {
        VectorD x(d.weights.cols());
        x.head(u.size()) = u;
        for (int k = 0; k < d.order; ++k)
            x.segment(u.size() + k * d.bias.size(), d.bias.size()) = history_[size_t(k)];
        return limited(d.weights.cast<double>() * x + d.bias.cast<double>());
    }
    VectorD limited(const VectorD& y) const {
        const VectorD limit = toy_.model.output_limit.cast<double>();
        return y.cwiseMin(limit).cwiseMax(-limit);
    }

    VectorD motionFeatures() const {
        VectorD g(f_.size() + 4);
        g << f_, turn(-roots_[0].r) * (roots_[0].p - roots_[1].p) * rate_,
            (roots_[0].r - roots_[1].r) * rate_;
        return g;
    }
    VectorD modalInputs() const {
        const VectorD g = motionFeatures();
        const Eigen::Vector3d v = g.segment(f_.size(), 3);
        const double w = g[f_.size() + 3];
        VectorD i(2 * g.size() + 7);
        i << g, g - last_g_, v.cwiseProduct(v.cwiseAbs()), w * w, w * v;
        return i;
    }
    // [a]
    VectorD hidden(const ModalDynamics& d, const VectorD& u) const {
        const VectorD first = silu(apply(d.input, u));
        return first + silu(apply(d.input_residual, first));
    }
    VectorD output(const ModalDynamics& d, const VectorD& u) const {
        VectorD ah(d.input.bias.size() + h_.size());
        ah << hidden(d, u), h_;
        const VectorD first = silu(apply(d.outer, ah));
        const VectorD e = first + silu(apply(d.outer_residual, first));
        VectorD all(u.size() + h_.size() + e.size());
        all << u, h_, e;
        return limited(apply(d.output, all));
    }

    VectorD finish(const VectorD& y) {
        const VectorD flat =
            toy_.subspace.basis.cast<double>() * y + toy_.subspace.mean.cast<double>();
        positions.resize(size_t(flat.size()));
        for (Eigen::Index v = 0; v < flat.size() / 3; ++v) {
            const Eigen::Vector3d x = turn(root_.r) * flat.segment(3 * v, 3) + root_.p;
            for (int i = 0; i < 3; ++i) positions[size_t(3 * v + i)] = float(x[i]);
        }
        return y;
    }

    const Toy& toy_;
    double rate_;
    RootD root_{Eigen::Vector3d::Zero(), 0};
    VectorD f_, last_g_, h_;
    std::deque<RootD> roots_;
    std::deque<VectorD> history_;
    int ticks_ = 0;
};

}  // namespace hem
