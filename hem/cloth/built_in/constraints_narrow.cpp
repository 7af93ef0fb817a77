// SPDX-License-Identifier: Apache-2.0
// Four lanes: SSE, NEON, or whatever the compiler makes of them.

#define HEM_SET narrow
#define HEM_SET_NAME "four lanes"
#define HEM_WIDTH 4
#include "hem/cloth/built_in/constraints_impl.h"
