// SPDX-License-Identifier: Apache-2.0
// Light that varies slowly is gathered once a pixel with few rays and smoothed over the neighbours
// that lie on the same surface; edges and texture are sampled several times a pixel, with the
// smoothed light. Interleaved sampling: Keller and Heidrich 2001. Every pixel of a 4 by 4 tile owns
// another part of one low-discrepancy set (Sobol's (0,2)-sequence), so smoothing over a tile sees
// the whole set.
#include "hem/picture/render.h"

#include <array>

#include "hem/core/parallel.h"
#include "hem/core/text.h"
#include "hem/picture/ray_scene.h"

namespace hem {
namespace {

constexpr int kTile = 4;  // pixels a side
constexpr size_t kRowsPerTask = 8;

struct Effort {
    int edge_samples;  // primary rays a pixel
    int light_rays;    // to the key light, and as many to the sky; a power of two
};
Effort effortOf(Quality quality) {
    switch (quality) {
        case Quality::kDraft:
            return {2, 4};
        case Quality::kNormal:
            return {6, 16};
        case Quality::kHigh:
            return {16, 32};
    }
    return {};
}

// The first two dimensions of Sobol's sequence, 0 to 1.
Vec2 sobol(uint32_t index) {
    uint32_t x = 0, y = 0;
    uint32_t vx = 1u << 31, vy = 1u << 31;
    for (uint32_t i = index; i; i >>= 1, vx >>= 1, vy ^= vy >> 1)
        if (i & 1) x ^= vx, y ^= vy;
    return {float(x >> 8) * 0x1p-24f, float(y >> 8) * 0x1p-24f};
}

struct Frame {
    Vec3 a, b, c;  // orthonormal
    explicit Frame(Vec3 unit) : a(anyPerpendicular(unit)), b(cross(unit, a)), c(unit) {}
    Vec3 operator()(Vec3 local) const { return a * local.x + b * local.y + c * local.z; }
};

// Directions to the lights, per pixel of a tile.
struct LightSamples {
    int count;
    std::vector<Vec3> key;  // in the world
    std::vector<Vec3> sky;  // cosine-weighted about +z

    LightSamples(const Lights& lights, int rays) : count(rays) {
        const Frame key_frame(lights.key_direction);
        const float spread = std::sin(lights.key_radius);
        for (uint32_t i = 0; i < uint32_t(kTile * kTile * rays); ++i) {
            const Vec2 u = sobol(i);
            const float radius = std::sqrt(u.x), angle = 2 * kPi * u.y;
            const Vec3 on_disk{radius * std::cos(angle), radius * std::sin(angle), 0};
            key.push_back(normalized(key_frame(on_disk * spread + Vec3{0, 0, 1})));
            sky.push_back({on_disk.x, on_disk.y, std::sqrt(std::max(0.0f, 1 - u.x))});
        }
    }
    size_t first(int x, int y) const {
        return size_t((y % kTile) * kTile + x % kTile) * size_t(count);
    }
};

// What arrives at a point, before the surface's colour.
struct Light {
    float key = 0;       // share of the key light that is seen
    float occluded = 0;  // share of the cosine-weighted sky that meshes cover
    Vec3 ambient;        // mean radiance of the rest

    void add(const Light& o, float weight) {
        key += o.key * weight;
        occluded += o.occluded * weight;
        ambient += o.ambient * weight;
    }
    void scale(float s) { key *= s, occluded *= s, ambient *= s; }
};

// What has to be known of a pixel's centre to share its light.
struct Pixel {
    int object = Surface::kSky;
    Vec3 position, normal;
    Light light;

    Pixel() = default;
    explicit Pixel(const Surface& surface)
        : object(surface.object), position(surface.position), normal(surface.normal) {}
};

class Renderer {
public:
    Renderer(const Scene& scene, const Camera& camera, const RenderOptions& options)
        : scene_(scene),
          camera_(camera),
          width_(options.width),
          height_(options.height),
          effort_(effortOf(options.quality)),
          rays_(scene),
          samples_(scene.lights, effort_.light_rays),
          pixel_angle_(2 * camera.tan_half_height / float(options.height)) {}

    Image run() {
        std::vector<Pixel> gathered(size_t(width_) * size_t(height_));
        forEachPixel([&](int x, int y) { gathered[indexOf(x, y)] = gather(x, y); });
        std::vector<Light> smoothed(gathered.size());
        forEachPixel([&](int x, int y) { smoothed[indexOf(x, y)] = smooth(gathered, x, y); });
        for (size_t i = 0; i < smoothed.size(); ++i) gathered[i].light = smoothed[i];
        Image image(width_, height_);
        forEachPixel([&](int x, int y) { image.at(x, y) = resolve(gathered, x, y); });
        return image;
    }

private:
    template <class Body>
    void forEachPixel(const Body& body) const {
        parallelFor(size_t(height_), kRowsPerTask, [&](size_t begin, size_t count) {
            for (size_t y = begin; y < begin + count; ++y)
                for (int x = 0; x < width_; ++x) body(x, int(y));
        });
    }
    size_t indexOf(int x, int y) const { return size_t(y) * size_t(width_) + size_t(x); }

    Vec3 directionThrough(float x, float y) const {
        const float scale = pixel_angle_;
        return normalized(camera_.forward + camera_.right * ((x - float(width_) / 2) * scale) -
                          camera_.up * ((y - float(height_) / 2) * scale));
    }

    Vec3 skyRadiance(Vec3 direction) const {
        const Lights& lights = scene_.lights;
        const float rim = std::max(0.0f, dot(direction, lights.rim_direction));
        const float rim4 = rim * rim * rim * rim;
        return lerp(lights.horizon_color, lights.sky_color, std::max(0.0f, direction.y)) +
               lights.rim_color * (rim4 * rim4);
    }
    // What a ray that misses the meshes brings: sky, or light from the ground, less where the
    // ground is so near that the object itself darkens it.
    Vec3 missRadiance(Vec3 origin, Vec3 direction) const {
        if (!scene_.ground || direction.y >= 0) return skyRadiance(direction);
        const float way = std::max(0.0f, scene_.ground_height - origin.y) / direction.y +
                          std::max(0.0f, origin.y - scene_.ground_height) / -direction.y;
        return scene_.background * (0.5f * way / (way + 0.12f * rays_.size()));
    }

    Light gatherLight(const Surface& surface, size_t first_sample) const {
        Light light;
        const Frame frame(surface.normal);
        for (int i = 0; i < samples_.count; ++i) {
            const Vec3 to_key = samples_.key[first_sample + size_t(i)];
            if (dot(surface.normal, to_key) > 0 && !rays_.occluded(surface.ray_origin, to_key))
                light.key += 1;
            Vec3 to_sky = frame(samples_.sky[first_sample + size_t(i)]);
            // below the flat facet but above the smooth surface: reflected up
            const float height = dot(to_sky, surface.facet_normal);
            if (height < 0) to_sky -= surface.facet_normal * (2 * height);
            if (rays_.occluded(surface.ray_origin, to_sky))
                light.occluded += 1;
            else
                light.ambient += missRadiance(surface.ray_origin, to_sky);
        }
        light.scale(1 / float(samples_.count));
        return light;
    }

    Pixel gather(int x, int y) const {
        const Vec3 direction = directionThrough(float(x) + 0.5f, float(y) + 0.5f);
        const Surface surface = rays_.trace(camera_.eye, direction, pixel_angle_);
        Pixel pixel(surface);
        if (pixel.object != Surface::kSky) pixel.light = gatherLight(surface, samples_.first(x, y));
        return pixel;
    }

    // Whether light may be shared between two points a few pixels apart.
    bool sameSurface(const Pixel& a, const Pixel& b) const {
        if (a.object != b.object) return false;
        if (a.object < 0) return true;
        const float tolerance = 3 * pixel_angle_ * distance(a.position, camera_.eye);
        return dot(a.normal, b.normal) > 0.8f &&
               std::abs(dot(a.normal, b.position - a.position)) < tolerance;
    }

    // Over 5 by 5 pixels, the border ones at half weight: every member of a tile counts once.
    Light smooth(const std::vector<Pixel>& pixels, int x, int y) const {
        const Pixel& centre = pixels[indexOf(x, y)];
        Light sum;
        float total = 0;
        if (centre.object == Surface::kSky) return sum;
        for (int dy = -2; dy <= 2; ++dy)
            for (int dx = -2; dx <= 2; ++dx) {
                if (x + dx < 0 || x + dx >= width_ || y + dy < 0 || y + dy >= height_) continue;
                const Pixel& other = pixels[indexOf(x + dx, y + dy)];
                if (!sameSurface(centre, other)) continue;
                const float weight =
                    (std::abs(dx) == 2 ? 0.5f : 1.0f) * (std::abs(dy) == 2 ? 0.5f : 1.0f);
                sum.add(other.light, weight);
                total += weight;
            }
        sum.scale(1 / total);
        return sum;
    }

    // The smoothed light at a point between pixel centres; gathered afresh where no neighbour lies
    // on the same surface.
    Light lightAt(const std::vector<Pixel>& pixels, const Surface& surface, float x,
                  float y) const {
        const int x0 = int(std::floor(x - 0.5f)), y0 = int(std::floor(y - 0.5f));
        const Pixel here(surface);
        Light sum;
        float total = 0;
        for (int k = 0; k < 4; ++k) {
            const int px = x0 + (k & 1), py = y0 + (k >> 1);
            if (px < 0 || px >= width_ || py < 0 || py >= height_) continue;
            const Pixel& pixel = pixels[indexOf(px, py)];
            if (!sameSurface(here, pixel)) continue;
            const float weight =
                (1 - std::abs(x - 0.5f - float(px))) * (1 - std::abs(y - 0.5f - float(py)));
            sum.add(pixel.light, weight);
            total += weight;
        }
        if (total < 1e-3f) return gatherLight(surface, samples_.first(int(x), int(y)));
        sum.scale(1 / total);
        return sum;
    }

    // Off-white paper, a little darker towards the corners.
    Vec3 backdrop(float x, float y) const {
        const float u = 2 * x / float(width_) - 1, v = 2 * y / float(height_) - 1.1f;
        const float away = std::min(1.0f, (u * u * 0.7f + v * v) / 2);
        return scene_.background * (1 - scene_.background_shading * away);
    }

    // Darker on the ground's dots, whose edges are soft; those far away, which would flicker, fade.
    float dotShade(Vec3 position) const {
        const float spacing = scene_.ground_dots;
        if (spacing <= 0) return 1;
        const auto toNearest = [&](float x) { return x - spacing * std::round(x / spacing); };
        const float way = distance(position, camera_.eye), pixel = pixel_angle_ * way;
        const float x = toNearest(position.x), z = toNearest(position.z);
        const float radius = 0.04f * spacing, edge = std::max(0.01f * spacing, pixel);
        const float inside =
            std::clamp((radius - std::sqrt(x * x + z * z)) / edge + 0.5f, 0.0f, 1.0f);
        const float rows = spacing * (camera_.eye.y - position.y) / (way * pixel);  // pixels apart
        return 1 - 0.3f * inside * std::clamp((rows - 5) / 10, 0.0f, 1.0f);
    }

    float groundShade(const Light& light) const {
        const Lights& lights = scene_.lights;
        const float key = luminance(lights.key_color) * std::max(0.0f, lights.key_direction.y);
        const float sky = luminance(lights.sky_color);
        return 1 - (key * (1 - light.key) + sky * light.occluded) / (key + sky);
    }

    Vec3 shade(const Surface& surface, const Light& light, Vec3 direction) const;
    Rgb resolve(const std::vector<Pixel>& pixels, int x, int y) const;

    const Scene& scene_;
    const Camera& camera_;
    int width_, height_;
    Effort effort_;
    RayScene rays_;
    LightSamples samples_;
    float pixel_angle_;
};

Vec3 times(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

// Straight up to three quarters of white, then a soft shoulder.
float toneMapped(float x) { return x < 0.75f ? x : 1 - 0.25f * std::exp(3 - 4 * x); }

Vec3 Renderer::shade(const Surface& surface, const Light& light, Vec3 direction) const {
    const Lights& lights = scene_.lights;
    const Material& material = scene_.objects[size_t(surface.object)].material;
    const Vec3 n = surface.normal, to_eye = -direction;
    const float facing = std::clamp(dot(n, to_eye), 0.0f, 1.0f);
    const Vec3 key = lights.key_color * (light.key * std::max(0.0f, dot(n, lights.key_direction)));

    // light that left the same object once before: grey occlusion would look dirty
    const Vec3 bounced =
        surface.color * (light.occluded * 0.25f * luminance(lights.key_color + lights.sky_color));
    Vec3 color = times(surface.color, key + light.ambient + bounced);

    // highlight: normalised Blinn-Phong, its lobe widened by the size of the light
    const float roughness = std::max(0.05f, material.roughness + 0.3f * lights.key_radius);
    const float exponent = 2 / (roughness * roughness * roughness * roughness);
    const Vec3 half = normalized(lights.key_direction + to_eye);
    const float lobe = (exponent + 8) / 8 * std::pow(std::max(0.0f, dot(n, half)), exponent);
    const float grazing = std::pow(1 - facing, 5.0f);
    const float fresnel = material.gloss + (1 - material.gloss) * grazing * (1 - roughness);
    color += key * (material.gloss * lobe);
    const Vec3 mirrored = direction + n * (2 * dot(n, to_eye));
    if (material.gloss > 0) color += skyRadiance(mirrored) * (fresnel * (1 - light.occluded));

    const float edge = material.sheen * std::pow(1 - facing, 3.0f);
    color += times(lerp(surface.color, {1, 1, 1}, 0.3f), key + light.ambient) * edge;
    for (int c = 0; c < 3; ++c) color[c] = toneMapped(color[c]);
    return lerp(color, surface.color, material.unlit);
}

Rgb Renderer::resolve(const std::vector<Pixel>& pixels, int x, int y) const {
    Vec3 sum;
    for (int s = 0; s < effort_.edge_samples; ++s) {
        const Vec2 u = sobol(uint32_t(s));
        const float half_cell = 0.5f / float(effort_.edge_samples);
        const float sx = float(x) + std::min(0.999f, u.x + half_cell),
                    sy = float(y) + std::min(0.999f, u.y + half_cell);
        const Vec3 direction = directionThrough(sx, sy);
        const Surface surface = rays_.trace(camera_.eye, direction, pixel_angle_);
        if (surface.object == Surface::kSky)
            sum += backdrop(sx, sy);
        else if (surface.object == Surface::kGround)
            sum += backdrop(sx, sy) * dotShade(surface.position) *
                   groundShade(lightAt(pixels, surface, sx, sy));
        else
            sum += shade(surface, lightAt(pixels, surface, sx, sy), direction);
    }
    return srgbFromLinear(sum / float(effort_.edge_samples));
}

}  // namespace

Material mannequinMaterial() { return {}; }

Material clothMaterial(Vec3 base_color) {
    return {.base_color = base_color, .gloss = 0.0f, .roughness = 0.9f, .sheen = 0.35f};
}

Material dataMaterial() { return {.gloss = 0, .roughness = 1, .unlit = 0.4f}; }

Lights studioLights(const Camera& camera) {
    const Vec3 level_forward = normalized(cross({0, 1, 0}, camera.right), camera.forward);
    Lights lights;
    lights.key_direction =
        normalized(camera.right * -0.55f + Vec3{0, 1, 0} - level_forward * 0.62f);
    lights.rim_direction =
        normalized(camera.right * 0.75f + Vec3{0, 0.45f, 0} + level_forward * 0.8f);
    return lights;
}

float lowestPoint(const Scene& scene) {
    float lowest = std::numeric_limits<float>::infinity();
    for (const SceneObject& object : scene.objects)
        for (Vec3 p : object.mesh.positions) lowest = std::min(lowest, p.y);
    return std::isfinite(lowest) ? lowest : 0;
}

Result<Quality> parseQuality(std::string_view text) {
    if (text == "draft") return Quality::kDraft;
    if (text == "normal") return Quality::kNormal;
    if (text == "high") return Quality::kHigh;
    return errorf("no such quality: %s; use draft, normal or high", quoteForMessage(text).c_str());
}

Image render(const Scene& scene, const Camera& camera, const RenderOptions& options) {
    CHECK(options.width >= 1 && options.width <= kMaxRenderSide);
    CHECK(options.height >= 1 && options.height <= kMaxRenderSide);
    return Renderer(scene, camera, options).run();
}

}  // namespace hem
