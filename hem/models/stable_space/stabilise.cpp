// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/stabilise.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hem/core/check.h"
#include "hem/core/text.h"
#include "hem/models/stable_space/stability.h"

namespace hem {

namespace {

constexpr double kLeastRidge = 1e-11;
constexpr int kConstraintsARound = 16;

// The least-squares problem split into its inputs u and its past h, the ridge added.
struct Split {
    MatrixD uu, uh, hh;  // blocks of the Gram matrix
    MatrixD uy;          // of the products with y
    int order;
};

Split splitOf(const NormalEquations& equations, int inputs, int order, double ridge) {
    const MatrixD gram = ridgedGram(equations, ridge);
    const Eigen::Index past = gram.rows() - inputs;
    return {gram.topLeftCorner(inputs, inputs), gram.topRightCorner(inputs, past),
            gram.bottomRightCorner(past, past), equations.cross.topRows(inputs), order};
}

// The best weights of the inputs for given B (modes by past), in front of it.
MatrixD refitted(const Split& split, const MatrixD& b) {
    const MatrixD inputs = split.uu.ldlt().solve(split.uy - split.uh * b.transpose()).transpose();
    MatrixD weights(b.rows(), inputs.cols() + b.cols());
    weights << inputs, b;
    return weights;
}

MatrixD companionOf(const MatrixD& b) {
    MatrixD m = MatrixD::Zero(b.cols(), b.cols());
    m.topRows(b.rows()) = b;
    m.bottomLeftCorner(b.cols() - b.rows(), b.cols() - b.rows()).setIdentity();
    return m;
}

MatrixD contracted(const MatrixD& b, double g) {
    MatrixD scaled = b;
    double factor = g;
    for (Eigen::Index k = 0; k < b.cols(); k += b.rows(), factor *= g)
        scaled.middleCols(k, b.rows()) *= factor;
    return scaled;
}

// T with |T A T^-1| < 1 for A of spectral radius below 1: P = sum (A^k)^T A^k, by doubling, is
// T^T T, and A^T P A = P - 1.
MatrixD contractionNorm(MatrixD a) {
    MatrixD p = MatrixD::Identity(a.rows(), a.cols());
    for (int i = 0; i < 40 && a.norm() > 1e-12; ++i) {
        p += a.transpose() * p * a;
        a = a * a;
    }
    return Eigen::LLT<MatrixD>(p).matrixU();
}

// min 1/2 tr((B - B0) H (B - B0)^T) with a_k^T B b_k <= d_k, by its dual, coordinate by coordinate
// (Hildreth 1957): B = B0 - sum mu_k a_k (H^-1 b_k)^T, mu >= 0.
class ConstrainedFit {
public:
    ConstrainedFit(MatrixD b0, const MatrixD& h) : b0_(std::move(b0)), h_(h) {}

    void constrain(const VectorD& a, const VectorD& b, double d) {
        const Eigen::Index last = Eigen::Index(a_.size());
        a_.push_back(a);
        b_.push_back(b);
        hb_.push_back(h_.solve(b));
        slope_.push_back(a.dot(b0_ * b) - d);
        mu_.push_back(0);
        s_.conservativeResize(last + 1, last + 1);
        for (Eigen::Index i = 0; i <= last; ++i)
            s_(i, last) = s_(last, i) = a_[size_t(i)].dot(a) * b_[size_t(i)].dot(hb_.back());
        for (Eigen::Index i = 0; i < last; ++i) slope_.back() -= s_(last, i) * mu_[size_t(i)];
    }

    MatrixD solve() {
        for (int sweep = 0; sweep < 200; ++sweep) {
            double change = 0;
            for (size_t i = 0; i < mu_.size(); ++i) {
                const double pivot = s_(Eigen::Index(i), Eigen::Index(i));
                const double step = std::max(0.0, mu_[i] + slope_[i] / pivot) - mu_[i];
                if (step == 0) continue;
                mu_[i] += step;
                for (size_t j = 0; j < mu_.size(); ++j)
                    slope_[j] -= s_(Eigen::Index(j), Eigen::Index(i)) * step;
                change = std::max(change, std::abs(step) * pivot);
            }
            if (change < 1e-6) break;
        }
        MatrixD b = b0_;
        for (size_t i = 0; i < mu_.size(); ++i) b -= mu_[i] * a_[i] * hb_[i].transpose();
        return b;
    }

private:
    MatrixD b0_;
    Eigen::LDLT<MatrixD> h_;
    std::vector<VectorD> a_, b_, hb_;
    std::vector<double> mu_;
    std::vector<double> slope_;  // a_k^T B b_k - d_k at the present mu
    MatrixD s_;                  // (a_i . a_j) (b_i . H^-1 b_j)
};

// Between a stable B and an unstable one, as near to the unstable as the limit allows.
MatrixD towards(const MatrixD& stable, const MatrixD& unstable, double largest_lambda) {
    double good = 0, bad = 1;
    for (int i = 0; i < 12; ++i) {
        const double middle = (good + bad) / 2;
        const bool holds =
            spectralRadius(companionOf(stable + middle * (unstable - stable))) <= largest_lambda;
        (holds ? good : bad) = middle;
    }
    return stable + good * (unstable - stable);
}

struct Generated {
    MatrixD b;
    int constraints = 0;
    bool stable_by_itself = false;  // false: taken back towards the contracted fit
};

// Siddiqi's constraints bound singular values, and the companion matrix has one of at least 1
// whatever its eigenvalues are. So they are put on T M T^-1, T the norm in which the contracted fit
// shrinks: there is a stable M within the constraints, then. The rounds end when the fit is stable,
// or soon enough: the answer lies between the contracted fit and where they got to, as near to the
// latter as is stable. The error falls all the way along, for it is convex, and no constrained fit
// has more of it than the contracted one.
Generated generateConstraints(const Split& split, const MatrixD& b0, double largest_lambda) {
    const double lambda = spectralRadius(companionOf(b0));
    const MatrixD inside = contracted(b0, 0.99 * largest_lambda / lambda);
    const MatrixD t = contractionNorm(companionOf(inside) / largest_lambda);
    const MatrixD t_inverse = t.inverse();
    const MatrixD schur = split.hh - split.uh.transpose() * split.uu.ldlt().solve(split.uh);
    ConstrainedFit fit(b0, schur);
    Generated out{.b = b0};
    const Eigen::Index modes = b0.rows(), rest = b0.cols() - modes;
    for (int round = 0; round < 40; ++round) {
        const MatrixD turned = t * companionOf(out.b) * t_inverse;
        const Eigen::BDCSVD<MatrixD> svd(turned, Eigen::ComputeThinU | Eigen::ComputeThinV);
        const Eigen::Index most = std::min<Eigen::Index>(kConstraintsARound, turned.rows());
        for (Eigen::Index i = 0; i < most && svd.singularValues()[i] > largest_lambda; ++i) {
            const VectorD a = t.transpose() * svd.matrixU().col(i),
                          b = t_inverse * svd.matrixV().col(i);
            fit.constrain(a.head(modes), b, largest_lambda - a.tail(rest).dot(b.head(rest)));
            ++out.constraints;
        }
        out.b = fit.solve();
        out.stable_by_itself = spectralRadius(companionOf(out.b)) <= largest_lambda;
        if (out.stable_by_itself) return out;
    }
    out.b = towards(inside, out.b, largest_lambda);
    return out;
}

// The first `kept` modes alone have a past.
NormalEquations withoutPastOf(const NormalEquations& equations, int inputs, int order, int kept) {
    const Eigen::Index modes = equations.cross.cols();
    std::vector<Eigen::Index> columns;
    for (Eigen::Index i = 0; i < inputs; ++i) columns.push_back(i);
    for (Eigen::Index k = 0; k < order; ++k)
        for (Eigen::Index m = 0; m < kept; ++m) columns.push_back(inputs + k * modes + m);
    return {equations.gram(columns, columns), equations.cross(columns, Eigen::all),
            equations.square, equations.weight, equations.alike};
}

MatrixD padded(const MatrixD& weights, int inputs, int order, int kept) {
    const Eigen::Index modes = weights.rows();
    MatrixD all = MatrixD::Zero(modes, inputs + order * modes);
    all.leftCols(inputs) = weights.leftCols(inputs);
    for (Eigen::Index k = 0; k < order; ++k)
        all.middleCols(inputs + k * modes, kept) = weights.middleCols(inputs + k * kept, kept);
    return all;
}

Stabilised withFewerModes(const NormalEquations& equations, int inputs, int order, double ridge,
                          double largest_lambda) {
    const int modes = int(equations.cross.cols());
    for (int kept = modes - 1; kept > 0; kept -= std::max(1, kept / 16)) {
        const MatrixD weights = padded(solve(withoutPastOf(equations, inputs, order, kept), ridge),
                                       inputs, order, kept);
        const double lambda = spectralRadius(companionOf(weights.rightCols(order * modes)));
        if (lambda > largest_lambda) continue;
        return {weights, lambda, format("a past of %d of the %d modes only", kept, modes)};
    }
    const MatrixD none =
        padded(solve(withoutPastOf(equations, inputs, order, 0), ridge), inputs, order, 0);
    return {none, 0, "no past at all: no number of modes was stable"};
}

}  // namespace

const char* nameOf(Stabiliser stabiliser) {
    switch (stabiliser) {
        case Stabiliser::kContraction:
            return "contraction";
        case Stabiliser::kConstraintGeneration:
            return "constraint generation";
        default:
            return "fewer modes";
    }
}

void NormalEquations::add(const MatrixF& r, const MatrixF& y) {
    const MatrixD rd = r.cast<double>(), yd = y.cast<double>();
    if (gram.size() == 0) {
        gram.setZero(rd.rows(), rd.rows());
        cross.setZero(rd.rows(), yd.rows());
    }
    gram.noalias() += rd * rd.transpose();
    cross.noalias() += rd * yd.transpose();
    square += yd.squaredNorm();
    weight += double(r.cols());
}

void NormalEquations::add(const NormalEquations& other, double factor) {
    if (other.gram.size() == 0) return;
    if (gram.size() == 0) {
        gram.setZero(other.gram.rows(), other.gram.cols());
        cross.setZero(other.cross.rows(), other.cross.cols());
    }
    gram += factor * other.gram;
    cross += factor * other.cross;
    alike = other.alike;
    square += factor * other.square;
    weight += factor * other.weight;
}

MatrixD ridgedGram(const NormalEquations& equations, double ridge) {
    MatrixD gram = equations.gram;
    VectorD size = gram.diagonal();
    size.head(equations.alike).setConstant(size.head(equations.alike).mean());
    gram.diagonal() += std::max(ridge, kLeastRidge) * size.cwiseMax(1e-30);
    return gram;
}

MatrixD solve(const NormalEquations& equations, double ridge) {
    MatrixD gram = ridgedGram(equations, ridge);
    // millimetres stand beside metres: with a diagonal of ones the condition is that of the problem
    const VectorD scale = gram.diagonal().cwiseSqrt().cwiseInverse();
    gram = scale.asDiagonal() * gram * scale.asDiagonal();
    const MatrixD right = scale.asDiagonal() * equations.cross;
    return (scale.asDiagonal() * gram.llt().solve(right)).transpose();
}

double residual(const NormalEquations& equations, const MatrixD& weights) {
    CHECK_GT(equations.weight, 0);
    const double fitted = (weights * equations.cross).trace();
    const double twice = (weights * equations.gram * weights.transpose()).trace();
    return std::max(0.0, equations.square - 2 * fitted + twice) / equations.weight;
}

Stabilised stabilise(const NormalEquations& equations, const MatrixD& weights, int inputs,
                     int order, double ridge, double largest_lambda, Stabiliser how) {
    CHECK_GT(order, 0);
    const Split split = splitOf(equations, inputs, order, ridge);
    const MatrixD b = weights.rightCols(weights.cols() - inputs);
    const double lambda = spectralRadius(companionOf(b));
    Stabilised out;
    if (how == Stabiliser::kFewerModes) {
        out = withFewerModes(equations, inputs, order, ridge, largest_lambda);
    } else {
        const double g = largest_lambda / lambda * (1 - 1e-6);
        MatrixD stable = contracted(b, g);
        out.report = format("B_k times g^k, g = %.5f, and A and C fitted again", g);
        if (how == Stabiliser::kConstraintGeneration) {
            const Generated generated = generateConstraints(split, b, largest_lambda);
            stable = generated.b;
            out.report = format("%d constraints", generated.constraints);
            if (!generated.stable_by_itself)
                out.report += ", which were not enough: taken back towards the contracted fit";
        }
        out.weights = refitted(split, stable);
        out.lambda = spectralRadius(companionOf(stable));
    }
    out.report = format("The fit was %s (lambda %.4f, at most %g is asked for); changed by %s: ",
                        lambda < 1 ? "stable, but too slow to settle" : "unstable", lambda,
                        largest_lambda, nameOf(how)) +
                 out.report + format("; lambda %.4f.", out.lambda);
    return out;
}

}  // namespace hem
