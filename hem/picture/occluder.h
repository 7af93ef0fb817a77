// SPDX-License-Identifier: Apache-2.0
// Occluder: a mesh that stands in the way of rays. The same answers on every machine.
#pragma once

#include <memory>
#include <vector>

#include "hem/core/mesh.h"

namespace hem {

class Occluder {
public:
    // A few milliseconds for ten thousand triangles.
    Occluder(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles);
    Occluder(Occluder&&) noexcept;
    ~Occluder();

    // Whether a ray without end meets it, from either side. From any thread; about a microsecond.
    bool blocks(Vec3 origin, Vec3 direction) const;

private:
    struct Scene;
    std::unique_ptr<Scene> scene_;
};

}  // namespace hem
