// SPDX-License-Identifier: Apache-2.0
#include "hem/core/blas_kernels.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

// Of OpenBLAS, which the build asks for by name.
extern "C" char* openblas_get_corename(void);

namespace hem {

#if defined(__linux__) && defined(__x86_64__)

namespace {

constexpr const char* kChoice = "OPENBLAS_CORETYPE";

// The best kernels for the processor among those of every OpenBLAS of the last ten years; null for
// none that are worth it.
const char* bestKernels() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : nullptr;
}

}  // namespace

void startAgainForBlas(char** arguments) {
    if (std::getenv(kChoice) || std::string(openblas_get_corename()) != "Prescott") return;
    const char* kernels = bestKernels();
    std::error_code error;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe", error).string();
    if (!kernels || error || ::setenv(kChoice, kernels, 1) != 0) return;
    ::execv(self.c_str(), arguments);
    ::unsetenv(kChoice);  // it could not be started
}

#else

void startAgainForBlas(char**) {}

#endif

}  // namespace hem
