// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/moving_picture.h"

#include <webp/encode.h>
#include <webp/mux.h>

#include <cmath>

#include "hem/core/check.h"

namespace hem {

struct MovingPicture::Encoder {
    int width, height;
    MovingPictureOptions options;
    WebPAnimEncoder* webp = nullptr;
    WebPConfig config{};
    int frames = 0;

    int millisecondsAt(int frame) const { return int(std::lround(frame * 1000 / options.rate)); }
    Error fault() const { return errorf("cannot encode WebP: %s", WebPAnimEncoderGetError(webp)); }
};

MovingPicture::MovingPicture(int width, int height, const MovingPictureOptions& options)
    : encoder_(new Encoder{width, height, options}) {
    CHECK(width >= 1 && width <= WEBP_MAX_DIMENSION && height >= 1 && height <= WEBP_MAX_DIMENSION);
    WebPAnimEncoderOptions animation;
    CHECK(WebPAnimEncoderOptionsInit(&animation));
    animation.minimize_size = 1;
    CHECK(WebPConfigInit(&encoder_->config));
    encoder_->config.quality = options.quality;
    encoder_->config.method = 5;
    CHECK(WebPValidateConfig(&encoder_->config));
    encoder_->webp = WebPAnimEncoderNew(width, height, &animation);
    CHECK(encoder_->webp);
}

MovingPicture::~MovingPicture() { WebPAnimEncoderDelete(encoder_->webp); }

Status MovingPicture::add(const Image& frame) {
    Encoder& e = *encoder_;
    CHECK_EQ(frame.width, e.width);
    CHECK_EQ(frame.height, e.height);
    static_assert(sizeof(Rgb) == 3);
    WebPPicture picture;
    CHECK(WebPPictureInit(&picture));
    picture.width = frame.width;
    picture.height = frame.height;
    picture.use_argb = 1;
    const bool added = WebPPictureImportRGB(&picture, &frame.pixels[0].r, 3 * frame.width) &&
                       WebPAnimEncoderAdd(e.webp, &picture, e.millisecondsAt(e.frames), &e.config);
    WebPPictureFree(&picture);
    if (!added) return e.fault();
    ++e.frames;
    return Done{};
}

Result<std::vector<std::byte>> MovingPicture::finish() {
    Encoder& e = *encoder_;
    CHECK_GE(e.frames, 1);
    WebPData data;
    WebPDataInit(&data);
    // the last frame lasts as long as the others
    if (!WebPAnimEncoderAdd(e.webp, nullptr, e.millisecondsAt(e.frames), nullptr) ||
        !WebPAnimEncoderAssemble(e.webp, &data))
        return e.fault();
    const auto* begin = reinterpret_cast<const std::byte*>(data.bytes);
    std::vector<std::byte> bytes(begin, begin + data.size);
    WebPDataClear(&data);
    return bytes;
}

}  // namespace hem
