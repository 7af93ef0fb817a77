// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/pelvis_path.h"

#include <algorithm>

namespace hem {
namespace {

constexpr int kIterations = 20;
constexpr float kWeight = 200;      // of a constraint, in radians^2 of leg turning per m^2
constexpr float kMostPull = 0.01f;  // metres, the multiplier of a standing foot downwards
constexpr float kUnfelt = 1e-5f;    // metres

constexpr Mat3 kAllWays{{{kWeight, 0, 0}, {0, kWeight, 0}, {0, 0, kWeight}}};
constexpr Mat3 kUpwards{{{0, 0, 0}, {0, kWeight, 0}, {0, 0, 0}}};

// Squared radians that thigh and shank turn by, per squared metre that the ankle moves relative to
// the hip. Along an almost straight leg it bends the knee by a lot, across it turns little.
Mat3 turningPrice(const Leg& leg) {
    const Vec3 thigh = normalized(leg.knee - leg.hip), shank = normalized(leg.ankle - leg.knee);
    const Vec3 axis = normalized(leg.ankle - leg.hip, {0, -1, 0});
    const float bend = std::max(length(cross(thigh, shank)), 0.12f);  // sine of the knee's angle
    const float along = leg.reach() / (2 * leg.thigh() * leg.shank() * bend);
    const float across = 1 / leg.reach();
    Mat3 price;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            price.m[r][c] = across * across * float(r == c) +
                            (along * along - across * across) * axis[r] * axis[c];
    return price;
}

class PelvisSolver {
public:
    explicit PelvisSolver(const PelvisTask& task) : task_(task), body_(frames(), 0.0f) {
        for (auto& legs : legs_) legs.assign(frames(), {});
        for (size_t i = 0; i < 2; ++i)
            for (size_t f = 0; f < frames(); ++f)
                if (task_.feet[i].stands(f))
                    wishes_.push_back(
                        {f, task_.shifts[i][f], turningPrice(task_.feet[i].legAt(f))});
    }

    std::vector<Vec3> solve(const PathPrice& price) {
        const size_t own = wishes_.size();
        std::vector<Vec3> path = smoothPath(frames(), task_.rate, wishes_, price);
        for (int i = 0; i < kIterations; ++i) {
            wishes_.resize(own);
            for (size_t f = 0; f < frames(); ++f) {
                for (size_t foot = 0; foot < 2; ++foot)
                    task_.feet[foot].stands(f) ? askStanding(foot, f, path[f])
                                               : askAloft(foot, f, path[f].y);
                askBody(f, path[f].y);
            }
            path = smoothPath(frames(), task_.rate, wishes_, price);
        }
        return path;
    }

private:
    size_t frames() const { return task_.least_rise.size(); }

    // The nearest to `shift`, against the pelvis, that the leg can do.
    Vec3 reachable(size_t foot, size_t f, Vec3 shift) const {
        return task_.feet[foot].reach(f, shift, {}).ankle - task_.feet[foot].ankle(f);
    }

    void askStanding(size_t foot, size_t f, Vec3 pelvis) {
        Vec3& multiplier = legs_[foot][f];
        const Vec3 wanted = task_.shifts[foot][f] - pelvis;
        const Vec3 done = reachable(foot, f, wanted + multiplier);
        multiplier += wanted - done;
        multiplier.y = std::max(multiplier.y, -kMostPull);
        wishes_.push_back({f, task_.shifts[foot][f] - done + multiplier, kAllWays});
    }

    void askAloft(size_t foot, size_t f, float rise) {
        const FootPlan& plan = task_.feet[foot];
        float& multiplier = legs_[foot][f].y;
        Vec3 wanted = task_.shifts[foot][f] - task_.made_for[f];
        const float lift = plan.clearance(f) - plan.ankle(f).y;  // onto the floor
        const float excess = lift - rise + multiplier - wanted.y;
        if (excess <= 0) {
            multiplier = 0;
            return;
        }
        wanted.y = lift - rise;
        const Vec3 done = reachable(foot, f, wanted + Vec3{0, multiplier, 0});
        multiplier = std::max(0.0f, multiplier + wanted.y - done.y);
        if (multiplier > kUnfelt)
            wishes_.push_back({f, {0, lift - done.y + multiplier, 0}, kUpwards});
    }

    void askBody(size_t f, float rise) {
        float& multiplier = body_[f];
        const float done = std::max(rise - multiplier, task_.least_rise[f]);
        multiplier += done - rise;
        if (multiplier > kUnfelt) wishes_.push_back({f, {0, done + multiplier, 0}, kUpwards});
    }

    const PelvisTask& task_;
    std::vector<Wish> wishes_;
    std::array<std::vector<Vec3>, 2> legs_;  // multipliers, per foot and frame
    std::vector<float> body_;                // and per frame
};

}  // namespace

std::vector<Vec3> pelvisPath(const PelvisTask& task, const PathPrice& price) {
    return PelvisSolver(task).solve(price);
}

}  // namespace hem
