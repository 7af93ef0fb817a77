/* SPDX-License-Identifier: Apache-2.0
 * Compiled into the module to hold hem.js to hem.h: the places of hem_Batch's members, which hem.js
 * writes as 32-bit words, in 32-bit WebAssembly. By its calling convention a struct goes to hem_reset()
 * and hem_step() as a pointer. */
#include "hem/runtime/hem.h"

#define HEM_WORD(member, word) \
    _Static_assert(offsetof(hem_Batch, member) == 4 * (word), "hem.js: " #member)

HEM_WORD(count, 0);
HEM_WORD(states, 1);
HEM_WORD(joints, 2);
HEM_WORD(positions, 3);
HEM_WORD(normals, 4);
HEM_WORD(weights, 5);
HEM_WORD(confidence, 6);
HEM_WORD(reports, 7);
HEM_WORD(joints_stride, 8);
HEM_WORD(positions_stride, 9);
HEM_WORD(vertex_stride, 10);
HEM_WORD(weights_stride, 11);
HEM_WORD(wearer_modes, 12);
HEM_WORD(modes, 13);
HEM_WORD(dial, 14);
HEM_WORD(flags, 15);
HEM_WORD(root_motion, 16);
_Static_assert(sizeof(hem_Batch) == 4 * 17, "hem.js: hem_Batch has another size");
