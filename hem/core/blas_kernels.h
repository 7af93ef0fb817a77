// SPDX-License-Identifier: Apache-2.0
// startAgainForBlas: OpenBLAS with the kernels that the processor can run.
#pragma once

namespace hem {

// To be called first in main(). OpenBLAS takes an Intel processor that is newer than itself for a
// Pentium 4 and is then several times slower than it could be. Where it has done so, and the user
// has not chosen by OPENBLAS_CORETYPE, the program is started once more, in the same process, with
// better ones asked for: OpenBLAS chooses while it is loaded. Linux on x86 alone; elsewhere, and
// where that cannot be done, nothing happens.
void startAgainForBlas(char** arguments);

}  // namespace hem
