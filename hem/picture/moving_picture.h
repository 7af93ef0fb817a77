// SPDX-License-Identifier: Apache-2.0
// MovingPicture: frames as an animated WebP, which browsers and code forges show as they show a
// picture. Against GIF it has all colours, against APNG a tenth of the bytes.
//
//     MovingPicture film(480, 640, {.rate = 30});
//     for (const Image& frame : frames) if (Status s = film.add(frame); !s) return s;
//     writeFile("film.webp", *film.finish());
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "hem/picture/image.h"

namespace hem {

struct MovingPictureOptions {
    double rate = 30;    // frames a second; times are rounded to milliseconds
    float quality = 80;  // of WebP's lossy pictures, 0 to 100: below 75 soft shadows are patchy
};

// Plays for ever, again and again. Memory is that of what is encoded. Frames cost tens of
// milliseconds of one core each.
class MovingPicture {
public:
    // Sides from 1 to 16383.
    MovingPicture(int width, int height, const MovingPictureOptions& options = {});
    ~MovingPicture();
    MovingPicture(const MovingPicture&) = delete;
    MovingPicture& operator=(const MovingPicture&) = delete;

    // Of the size given.
    Status add(const Image& frame);
    // The file's bytes, once, after at least one frame.
    Result<std::vector<std::byte>> finish();

private:
    struct Encoder;
    std::unique_ptr<Encoder> encoder_;
};

}  // namespace hem
