// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/scene_clips.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "hem/character/by_name.h"
#include "hem/character/motions/motion_sets.h"
#include "hem/character/retarget/retarget.h"
#include "hem/character/vary.h"
#include "hem/core/files.h"
#include "hem/core/parallel.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"

namespace hem {
namespace {

constexpr const char* kMirrored = "_mirrored";
constexpr const char* kVaried = "_varied";

bool isFile(const std::string& clip) { return extensionOf(clip) == "bvh" || isCharacterFile(clip); }

bool isGlob(const std::string& clip) { return clip.find_first_of("*?[") != clip.npos; }

// A file's stem with everything that is not fit for a folder's name replaced.
std::string clipNameOf(const std::string& path) {
    std::string name = stemOf(path);
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '+' && c != '.')
            c = '_';
    if (name.empty() || name[0] == '.') name = "clip" + name;
    return name.substr(0, 150);
}

std::string inFolder(const std::string& folder, const std::string& path) {
    return folder.empty() || std::filesystem::path(path).is_absolute() ? path : folder + "/" + path;
}

Result<std::vector<ClipSource>> filesMatching(const std::string& pattern) {
    glob_t found{};
    const int fault = ::glob(pattern.c_str(), 0, nullptr, &found);
    std::vector<ClipSource> sources;
    for (size_t i = 0; fault == 0 && i < found.gl_pathc; ++i)
        if (isFile(found.gl_pathv[i]))
            sources.push_back({found.gl_pathv[i], clipNameOf(found.gl_pathv[i])});
    ::globfree(&found);
    if (sources.empty())
        return errorf("%s: no .bvh, .glb, .gltf, .vrm or .fbx file matches", pattern.c_str());
    return sources;
}

// What one entry of the list stands for.
Result<std::vector<ClipSource>> resolve(const std::string& clip, const std::string& folder,
                                        const Character& character) {
    const auto& sets = motionSetNames();
    if (std::find(sets.begin(), sets.end(), clip) != sets.end()) {
        std::vector<ClipSource> sources;
        const auto infos = motionSet(clip);
        for (const ClipInfo& info : infos.value()) sources.push_back({info.name, info.name});
        return sources;
    }
    if (isGlob(clip)) return filesMatching(inFolder(folder, clip));
    if (isFile(clip)) {
        const std::string path = inFolder(folder, clip);
        if (!std::filesystem::exists(path))
            return errorf("%s: there is no such file", path.c_str());
        return std::vector<ClipSource>{{path, clipNameOf(path)}};
    }
    for (const Motion& own : character.motions)
        if (own.name == clip) return std::vector<ClipSource>{{clip, clipNameOf(clip + ".")}};
    if (clipInfo(clip)) return std::vector<ClipSource>{{clip, clip}};
    std::vector<std::string> names = builtInClipNames();
    names.insert(names.end(), sets.begin(), sets.end());
    for (const Motion& own : character.motions) names.push_back(own.name);
    return errorf("%s is no set, clip or file%s (hemline motions lists the built-in ones)",
                  quoteForMessage(clip).c_str(), suggestionFor(clip, names).c_str());
}

Result<Motion> loadClip(const ClipSource& source, const Character& character, double rate) {
    auto ready = [&](Motion motion) {
        Motion at_rate = motion.rate == rate ? std::move(motion) : resampled(motion, rate);
        at_rate.skeleton = character.skeleton;
        at_rate.name = source.name;
        return source.variation ? varied(at_rate, {.seed = uint64_t(source.variation)}) : at_rate;
    };
    for (const Motion& own : character.motions)
        if (own.name == source.motion && !source.mirror) return ready(own);
    const bool built_in = !isFile(source.motion);
    auto motion = sourceMotion(
        character, source.mirror && built_in ? source.motion + kMirrored : source.motion);
    if (!motion) return motion.error();
    if (source.mirror && !built_in) motion = mirrored(*motion);
    auto carried = retarget(*motion, character);
    if (!carried) return inContext(source.motion, carried.error());
    if (carried->frames.empty()) return errorf("%s: has no frames", source.motion.c_str());
    return ready(std::move(*carried));
}

}  // namespace

Result<std::vector<ClipSource>> resolveClips(const std::vector<std::string>& clips,
                                             const std::string& folder,
                                             const Character& character) {
    std::vector<ClipSource> sources;
    for (const std::string& clip : clips) {
        auto more = resolve(clip, folder, character);
        if (!more) return more.error();
        sources.insert(sources.end(), more->begin(), more->end());
    }
    std::map<std::string, std::string> motions;
    for (const ClipSource& source : sources) {
        const auto [first, is_new] = motions.emplace(source.name, source.motion);
        if (!is_new)
            return errorf("%s and %s would both be the clip %s; leave one out or rename a file",
                          first->second.c_str(), source.motion.c_str(),
                          quoteForMessage(source.name).c_str());
    }
    return sources;
}

std::vector<ClipSource> withMirrored(const std::vector<ClipSource>& sources) {
    std::vector<ClipSource> all = sources;
    for (const ClipSource& source : sources)
        if (!source.name.ends_with(kMirrored))
            all.push_back({source.motion, source.name + kMirrored, true});
    return all;
}

std::vector<ClipSource> withVariations(const std::vector<ClipSource>& sources, int variations) {
    std::vector<ClipSource> all = sources;
    for (const ClipSource& source : sources)
        for (int i = 1; i <= variations; ++i)
            all.push_back(
                {source.motion, source.name + kVaried + std::to_string(i), source.mirror, i});
    return all;
}

Result<std::vector<Motion>> loadClips(const std::vector<ClipSource>& sources,
                                      const Character& character, double rate) {
    std::vector<Motion> motions(sources.size());
    std::vector<std::optional<Error>> faults(sources.size());
    Progress progress("making motions", sources.size());
    parallelFor(sources.size(), 1, [&](size_t i, size_t) {
        auto motion = loadClip(sources[i], character, rate);
        if (motion)
            motions[i] = std::move(*motion);
        else
            faults[i] = motion.error();
        progress.advance();
    });
    for (const auto& fault : faults)
        if (fault) return *fault;
    return motions;
}

}  // namespace hem
