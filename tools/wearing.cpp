// SPDX-License-Identifier: Apache-2.0
#include "tools/wearing.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "hem/character/by_name.h"
#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem::tools {
namespace {

Status checkJoints(const hem_Garment* garment, const Skeleton& skeleton, const WearingOptions& o) {
    if (hem_jointCount(garment) != skeleton.size())
        return errorf("%s has %zu joints, %s was trained on %zu: --on must name its character",
                      o.on.c_str(), skeleton.size(), o.file.c_str(), hem_jointCount(garment));
    for (size_t j = 0; j < skeleton.size(); ++j)
        if (skeleton.joints[j].name != hem_jointName(garment, j))
            return errorf(
                "joint %zu of %s is %s, %s was trained with %s: --on must name its character", j,
                o.on.c_str(), skeleton.joints[j].name.c_str(), o.file.c_str(),
                hem_jointName(garment, j));
    return Done{};
}

}  // namespace

void WearingOptions::addTo(CLI::App* verb) {
    verb->add_option("--motion", motion, "A built-in clip or a .bvh file");
    verb->add_option("--on", on, "The character that the garment was trained on")
        ->capture_default_str();
    verb->add_option("--rate", rate, "Steps a second")
        ->check(CLI::Range(15.0, 240.0))
        ->capture_default_str();
    verb->add_option("--dial", dial, "Swing and sway: -1 none, 0 as trained, 1 twice")
        ->check(CLI::Range(-1.0, 1.0))
        ->capture_default_str();
}

void remarkOnCharacter(const hem_Garment* garment, const std::string& file,
                       const Character& character, const Common& common) {
    const auto info = nlohmann::json::parse(hem_info(garment), nullptr, false);
    if (common.quiet || !info.is_object() || !info.contains("character")) return;
    const auto& trained_on = info["character"];
    if (!trained_on.is_string() || trained_on == character.name) return;
    std::fprintf(stderr, "hemline: %s was trained on %s; on %s the cloth will not fit\n",
                 file.c_str(), quoteForMessage(trained_on.get<std::string>()).c_str(),
                 quoteForMessage(character.name).c_str());
}

Result<Wearing> loadWearing(const WearingOptions& o) {
    Wearing wearing;
    auto bytes = readFile(o.file);
    if (!bytes) return bytes.error();
    wearing.bytes = std::move(*bytes);
    hem_Error reason = HEM_OK;
    wearing.garment = hem_open(wearing.bytes.data(), wearing.bytes.size(), &reason);
    if (!wearing.garment) return errorf("%s: %s", o.file.c_str(), hem_errorText(reason));
    auto character = characterByName(o.on);
    if (!character) return character.error();
    if (const Status good = checkJoints(wearing.garment, character->skeleton, o); !good)
        return good.error();
    const auto motion = motionFor(*character, o.motion);
    if (!motion) return motion.error();
    const auto hips = findHipJoints(character->skeleton);
    if (!hips) return hips.error();
    wearing.character = std::move(*character);
    wearing.motion = resampled(*motion, o.rate);
    wearing.hips = *hips;
    return wearing;
}

}  // namespace hem::tools
