// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/silu.h"

#include <cstdint>
#include <cstring>

namespace hem {
namespace {

// exp(x) for -80 <= x <= 80, to 2e-7 of itself: 2^n by the exponent's bits, 2^f by a polynomial
// (Taylor's, of degree 6, on |f| <= 1/2). Without a branch, so that compilers make it wide.
inline float fastExp(float x) {
    const float t = x * 1.44269504f;
    constexpr float kRound = 12582912;  // 1.5 * 2^23: sums with it have no room for a fraction
    const float n = (t + kRound) - kRound;
    const float f = (t - n) * 0.693147181f;
    const float p =
        1 + f * (1 + f * (0.5f + f * (1.0f / 6 + f * (1.0f / 24 + f * (1.0f / 120 + f / 720)))));
    const uint32_t bits = uint32_t(int32_t(n) + 127) << 23;
    float power;
    std::memcpy(&power, &bits, 4);
    return p * power;
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void siluColumn(float* in, const float* bias, float* out, Eigen::Index count) {
    for (Eigen::Index i = 0; i < count; ++i) {
        const float x = in[i] + bias[i];
        const float above = x > -80 ? x : -80, bounded = above < 80 ? above : 80;
        const float sigmoid = 1 / (1 + fastExp(-bounded));
        out[i] = x * sigmoid;
        in[i] = sigmoid * (1 + x * (1 - sigmoid));
    }
}

}  // namespace

void silu(MatrixF& in, const VectorF& bias, Eigen::Ref<MatrixF> out) {
    for (Eigen::Index c = 0; c < in.cols(); ++c)
        siluColumn(in.col(c).data(), bias.data(), out.col(c).data(), in.rows());
}

}  // namespace hem
