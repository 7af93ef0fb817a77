// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/curves.h"

#include <algorithm>
#include <cmath>

#include "hem/core/check.h"
#include "hem/core/portable_math.h"

namespace hem {

double smoothRamp(double u) {
    u = std::clamp(u, 0.0, 1.0);
    return u * u * u * (10 + u * (6 * u - 15));
}

double easedRamp(double u, double ease) {
    u = std::clamp(u, 0.0, 1.0);
    if (u > 0.5) return 1 - easedRamp(1 - u, ease);
    const double slope = 1 / (1 - ease);
    if (u >= ease) return slope * (u - ease / 2);
    // the integral of 3w^2 - 2w^3, which takes the slope from nought to its full value
    const double w = u / ease;
    return slope * ease * w * w * w * (1 - w / 2);
}

double smoothBump(double u) {
    u = std::clamp(u, 0.0, 1.0);
    const double p = 4 * u * (1 - u);
    return p * p * p;
}

double skewedBump(double u, double peak) {
    u = std::clamp(u, 0.0, 1.0);
    // bend the time axis by a quadratic that keeps both ends and takes `peak` to 1/2
    const double bend = (0.5 - peak) / (peak * (1 - peak));
    return smoothBump(u + bend * u * (1 - u));
}

double quintic(const Knot& a, const Knot& b, double seconds, double time) {
    const double u = time / seconds, u2 = u * u, u3 = u2 * u, u4 = u3 * u, u5 = u4 * u;
    const double va = a.velocity * seconds, vb = b.velocity * seconds;
    const double aa = a.acceleration * seconds * seconds, ab = b.acceleration * seconds * seconds;
    return a.value + (b.value - a.value) * (10 * u3 - 15 * u4 + 6 * u5) +
           va * (u - 6 * u3 + 8 * u4 - 3 * u5) + vb * (-4 * u3 + 7 * u4 - 3 * u5) +
           aa * (0.5 * u2 - 1.5 * u3 + 1.5 * u4 - 0.5 * u5) + ab * (0.5 * u3 - u4 + 0.5 * u5);
}

Knot knotAt(const Channel& channel, int at, double rate) {
    const double before = channel[size_t(at - 1)], here = channel[size_t(at)];
    const double after = channel[size_t(at + 1)];
    return {here, (after - before) * rate / 2, (after - 2 * here + before) * rate * rate};
}

Channel smoothed(const Channel& channel, double sigma) {
    const int reach = int(std::ceil(3.5 * sigma)), count = int(channel.size());
    if (reach == 0 || count == 0) return channel;
    std::vector<double> weights;
    double sum = 0;
    for (int k = -reach; k <= reach; ++k) {
        weights.push_back(portable::exp(-0.5 * k * k / (sigma * sigma)));
        sum += weights.back();
    }
    Channel result(channel.size());
    for (int i = 0; i < count; ++i) {
        double total = 0;
        for (int k = -reach; k <= reach; ++k)
            total += weights[size_t(k + reach)] * channel[size_t(std::clamp(i + k, 0, count - 1))];
        result[size_t(i)] = total / sum;
    }
    return result;
}

Channel smoothCover(const Channel& channel, int reach) {
    const int count = int(channel.size()), half = std::max(1, reach / 2);
    if (*std::max_element(channel.begin(), channel.end()) <= 0) return Channel(channel.size(), 0.0);
    // the largest within `half`, then an average with weights of that same width: never below
    Channel widened(channel.size());
    for (int i = 0; i < count; ++i) {
        const auto first = channel.begin() + std::max(0, i - half);
        widened[size_t(i)] =
            *std::max_element(first, channel.begin() + std::min(count, i + half + 1));
    }
    Channel result(channel.size(), 0.0);
    double sum = 0;
    std::vector<double> weights;
    for (int k = -half; k <= half; ++k) {
        weights.push_back(smoothBump(0.5 + 0.5 * k / (half + 1)));
        sum += weights.back();
    }
    for (int i = 0; i < count; ++i)
        for (int k = -half; k <= half; ++k)
            result[size_t(i)] +=
                weights[size_t(k + half)] / sum * widened[size_t(std::clamp(i + k, 0, count - 1))];
    return result;
}

Channel derivative(const Channel& channel, double rate) {
    const int last = int(channel.size()) - 1;
    Channel result(channel.size(), 0.0);
    for (int i = 0; i <= last; ++i) {
        const int a = std::max(0, i - 1), b = std::min(last, i + 1);
        if (b > a) result[size_t(i)] = (channel[size_t(b)] - channel[size_t(a)]) * rate / (b - a);
    }
    return result;
}

SlowNoise::SlowNoise(Random& random, double low, double high) {
    for (size_t i = 0; i < frequencies_.size(); ++i) {
        // one in each fifth of the band, so that no two beat slowly
        const double band = (double(i) + random.uniform()) / double(frequencies_.size());
        frequencies_[i] = low + (high - low) * band;
        phases_[i] = 2 * portable::kPi * random.uniform();
    }
}

double SlowNoise::operator()(double seconds) const {
    double sum = 0;
    for (size_t i = 0; i < frequencies_.size(); ++i)
        sum += portable::sin(2 * portable::kPi * frequencies_[i] * seconds + phases_[i]);
    return sum * 0.632455532;  // sqrt(2 / 5)
}

}  // namespace hem
