// SPDX-License-Identifier: Apache-2.0
#include "hem/core/matrix.h"

// Of OpenBLAS, which the build asks for by name.
extern "C" {
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);
}

namespace hem {

OneBlasThread::OneBlasThread() : before_(openblas_get_num_threads()) {
    openblas_set_num_threads(1);
}
OneBlasThread::~OneBlasThread() { openblas_set_num_threads(before_); }

}  // namespace hem
