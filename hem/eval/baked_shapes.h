// SPDX-License-Identifier: Apache-2.0
// Modes of a played motion's own: a mean and as few shapes as a tolerance asks for, whose weighted
// sums are the frames. For files that know no other cloth than such sums, of garments that the
// player does not put together in that way (Model N, which the joints carry).
#pragma once

#include "hem/core/matrix.h"
#include "hem/subspace/subspace.h"

namespace hem {

struct BakedShapes {
    Subspace shapes;           // one mode at least; `variance` of the frames
    MatrixF weights;           // modes by frames
    double largest_error = 0;  // of any vertex in any frame, metres
};

// Principal components of the frames (3 * vertices by frames, metres), in their order, until no
// vertex is further off than `tolerance` [m], or there are `most`. Of more than a thousand frames,
// modes are those of a thousand of them; the error is always of all. Some seconds for 500 frames of
// 2,000 vertices.
BakedShapes bakeShapes(const MatrixF& frames, double tolerance, int most);

}  // namespace hem
