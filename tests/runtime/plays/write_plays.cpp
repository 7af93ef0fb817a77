// SPDX-License-Identifier: Apache-2.0
// Writes plays of toy garments (play_file.h), or of one of your own, as this machine plays them.
//
//     write_plays plain|fused FOLDER [GARMENT.hem]
//
// `plain` plays with the scalar kernels, `fused` with the best of those that fuse multiplication and
// addition; the player's bits are the same within each of the two (hem.h).
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "hem/core/files.h"
#include "hem/runtime/kernels.h"
#include "tests/runtime/neural_toy.h"
#include "tests/runtime/plays/play_file.h"

namespace hem {
namespace {

constexpr uint32_t kFrames = 40;

struct PlayOptions {
    const char* name;
    ToyOptions toy;
    unsigned flags = 0, modes = 0;
    uint32_t wearers = 13;    // fills tiles of 8, of 4 and of 1
    bool is_hostile = false;  // joints that are not finite, jumps, steps of all sizes
    std::optional<NeuralToyOptions> neural = {};  // in place of `toy`
};

std::vector<PlayOptions> allPlays() {
    constexpr BasisEncoding kHalf = BasisEncoding::kFloat16, kMixed = BasisEncoding::kMixed;
    const ToyOptions large{
        .vertices = 300, .modes = 64, .features = 20, .hidden = 70, .states = 40};
    ToyOptions large_mixed = large;
    large_mixed.encoding = kMixed;
    const ToyOptions mirrored_mixed{
        .modal = false, .vertices = 131, .modes = 21, .encoding = kMixed, .mirrored = true};
    const NeuralToyOptions neural_mixed{.vertices = 130, .modes = 21, .encoding = kMixed};
    return {
        {"s_float32", {}},
        {"s_float16", {.encoding = kHalf}},
        {"s_mixed", {.encoding = kMixed}},
        {"s_mixed_approximate", {.encoding = kMixed}, HEM_APPROXIMATE},
        {"s_float32_approximate", {}, HEM_APPROXIMATE},
        {"s_pushed_out", {.body = true}, HEM_PUSH_OUT},
        {"s_hostile", {.range = 2, .body = true}, HEM_PUSH_OUT, 0, 5, true},
        {"s_large", large, HEM_CANONICAL},
        {"s_large_fewer_modes", large_mixed, 0, 33},
        {"s_alone", large_mixed, 0, 0, 1},
        {"c_float32", {.modal = false}},
        {"c_order_5_pushed_out", {.modal = false, .order = 5, .body = true}, HEM_PUSH_OUT},
        {"c_hostile", {.modal = false, .range = 2}, 0, 0, 5, true},
        {"s_mirrored", {.encoding = kMixed, .body = true, .mirrored = true}, HEM_PUSH_OUT},
        {"s_mirrored_alone", mirrored_mixed, 0, 0, 1},
        {"c_mirrored", {.modal = false, .mirrored = true}, 0, 5},
        {"c_mirrored_approximate", mirrored_mixed, HEM_APPROXIMATE},
        {"n_float32", {}, 0, 0, 13, false, NeuralToyOptions{}},
        {"n_mixed", {}, 0, 0, 13, false, neural_mixed},
        {"n_alone", {}, 0, 0, 1, false, neural_mixed},
        {"n_mixed_approximate", {}, HEM_APPROXIMATE, 5, 13, false, neural_mixed},
        {"n_hostile", {}, HEM_PUSH_OUT, 0, 5, true, NeuralToyOptions{.range = 2, .body = true}},
    };
}

const runtime::Kernels* kernelsOf(const std::string& family) {
    const runtime::Kernels* found = nullptr;
    for (size_t i = 0; const runtime::Kernels* k = runtime::kernelsNumber(i); ++i) {
        const std::string name = k->name;
        const bool is_fused = name.starts_with("AVX") || name == "NEON";
        if (is_fused == (family == "fused") && (!found || family == "plain")) found = k;
    }
    return found;
}

void setMotion(const Skeleton& skeleton, const PlayOptions& options, uint32_t number,
               PlayFrame* frame) {
    constexpr float kSteps[] = {1.0f / 60, 1.0f / 144, 1.0f / 30, 0.02f};
    constexpr float kHostileSteps[] = {1.0f / 60, -1, 0, 0.2f, 1e9f, 0.0041f};
    frame->seconds = options.is_hostile ? kHostileSteps[number % 6] : kSteps[number % 4];
    frame->joints.clear();
    for (uint32_t w = 0; w < options.wearers; ++w) {
        const double jump = options.is_hostile && number % 11 == 7 ? 40.0 * w : 0;
        const auto joints = toyJoints(skeleton, 0.018 * number + jump, 0.7 * w);
        frame->joints.insert(frame->joints.end(), joints.begin(), joints.end());
    }
    if (options.is_hostile)
        frame->joints[number * 17 % frame->joints.size()] =
            number % 2 ? std::numeric_limits<float>::quiet_NaN() : 1e30f;
}

template <class T>
void append(std::vector<std::byte>* bytes, const T* from, size_t count) {
    const auto* start = reinterpret_cast<const std::byte*>(from);
    bytes->insert(bytes->end(), start, start + count * sizeof(T));
}

using SetMotion = std::function<void(uint32_t number, PlayFrame* frame)>;

Status writePlay(const std::vector<std::byte>& file, const hem_Garment* garment, PlayHeader header,
                 const SetMotion& set_motion, const std::filesystem::path& path) {
    std::vector<std::byte> bytes;
    append(&bytes, &header, 1);
    PlayFrame frame;
    for (uint32_t i = 0; i < header.frames; ++i) {
        set_motion(i, &frame);
        playFrame(garment, header, i == 0, &frame);
        append(&bytes, &frame.seconds, 1);
        append(&bytes, frame.joints.data(), frame.joints.size());
        append(&bytes, frame.outputs.data(), frame.outputs.size());
        append(&bytes, frame.states.data(), frame.states.size());
    }
    if (Status status = writeFile(path.string() + ".hem", file); !status) return status;
    return writeFile(path.string() + ".play", bytes);
}

template <class AnyToy>
Status writeToyPlay(const AnyToy& toy, const PlayOptions& options,
                    const std::filesystem::path& folder) {
    PlayHeader header = playHeader(toy.open(), options.wearers, kFrames);
    header.flags = options.flags;
    header.modes = options.modes;
    const auto set_motion = [&](uint32_t i, PlayFrame* frame) {
        setMotion(toy.character.skeleton, options, i, frame);
    };
    return writePlay(toy.file, toy.open(), header, set_motion, folder / options.name);
}

// Nine wearers of the garment, pushed out of the body, who sway with each joint a little by itself.
Status writeOwnPlay(const std::string& path, const std::filesystem::path& folder) {
    const auto file = readFile(path);
    if (!file) return file.error();
    hem_Error error;
    const hem_Garment* garment = hem_open(file->data(), file->size(), &error);
    if (!garment) return Error{path + ": " + hem_errorText(error)};
    PlayHeader header = playHeader(garment, 9, kFrames);
    header.flags = HEM_PUSH_OUT;
    const auto set_motion = [&](uint32_t number, PlayFrame* frame) {
        frame->seconds = 1.0f / 60;
        frame->joints.clear();
        for (uint32_t i = 0; i < header.joints / 12; ++i) {
            const double wearer = double(i / hem_jointCount(garment)), time = number / 60.0;
            const double angle =
                0.3 * portable::sin(4 * time + wearer) + 0.05 * portable::sin(i + 6 * time);
            const auto c = float(portable::cos(angle)), s = float(portable::sin(angle));
            const float matrix[] = {1, 0, 0, 0, 0, c, -s, 0, 0, s, c, float(time)};
            frame->joints.insert(frame->joints.end(), matrix, matrix + 12);
        }
    };
    return writePlay(*file, garment, header, set_motion, folder / "own");
}

Status writeAll(const std::filesystem::path& folder, const char* own) {
    if (own) return writeOwnPlay(own, folder);
    for (const PlayOptions& options : allPlays())
        if (Status status = options.neural
                                ? writeToyPlay(makeNeuralToy(*options.neural), options, folder)
                                : writeToyPlay(makeToy(options.toy), options, folder);
            !status)
            return status;
    return Done{};
}

int run(const std::string& family, const std::filesystem::path& folder, const char* own) {
    const runtime::Kernels* kernels = kernelsOf(family);
    if (!kernels) {
        std::fprintf(stderr, "this processor has no kernels that fuse: AVX2 or NEON is needed\n");
        return 1;
    }
    runtime::forceKernels(kernels);
    std::filesystem::create_directories(folder);
    if (const Status status = writeAll(folder, own); !status) {
        std::fprintf(stderr, "%s\n", status.error().message.c_str());
        return 1;
    }
    std::printf("%zu plays of %u frames by %s in %s\n", own ? 1 : allPlays().size(), kFrames,
                kernels->name, folder.c_str());
    return 0;
}

}  // namespace
}  // namespace hem

int main(int count, char** arguments) {
    const std::string family = count == 3 || count == 4 ? arguments[1] : "";
    if (family == "plain" || family == "fused")
        return hem::run(family, arguments[2], count == 4 ? arguments[3] : nullptr);
    std::fprintf(stderr, "usage: write_plays plain|fused FOLDER [GARMENT.hem]\n");
    return 2;
}
