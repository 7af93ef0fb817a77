// SPDX-License-Identifier: Apache-2.0
// A BodyProxy as the section kBody of a .hem file.
#pragma once

#include "hem/pack/body_proxy.h"
#include "hem/pack/file_writer.h"

namespace hem {

void addBody(FileWriter& file, const BodyProxy& proxy);

}  // namespace hem
