// SPDX-License-Identifier: Apache-2.0
// The kernels one number at a time: the reference for the others, and what runs where there is
// nothing better.
#define HEM_SET scalar
#define HEM_SET_NAME "scalar"
#define HEM_WIDTH 1
#include "hem/runtime/rebuild_integers_impl.h"
