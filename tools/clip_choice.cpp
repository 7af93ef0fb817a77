// SPDX-License-Identifier: Apache-2.0
#include "tools/clip_choice.h"

#include <fnmatch.h>

#include <algorithm>

#include "hem/subspace/latent_clip.h"

namespace hem::tools {
namespace {

std::vector<std::string> defaultClips(const std::vector<std::string>& all, Purpose purpose) {
    std::vector<std::string> test, train;
    for (const std::string& name : all) (isTestClip(name) ? test : train).push_back(name);
    if (purpose == Purpose::kTraining) return train;
    return test.empty() ? all : test;
}

}  // namespace

bool isTestClip(const std::string& name) { return name.starts_with("test_"); }

Result<std::vector<std::string>> chooseClips(const RecordingSet& set,
                                             const std::vector<std::string>& patterns,
                                             Purpose purpose) {
    const std::vector<std::string> all = clipsWithoutStops(set);
    std::vector<std::string> chosen = patterns.empty() ? defaultClips(all, purpose) : patterns;
    if (!patterns.empty()) chosen.clear();
    for (const std::string& pattern : patterns) {
        const size_t before = chosen.size();
        bool matched = false;
        for (const std::string& name : all) {
            if (::fnmatch(pattern.c_str(), name.c_str(), 0)) continue;
            matched = true;
            if (std::find(chosen.begin(), chosen.end(), name) == chosen.end())
                chosen.push_back(name);
        }
        if (!matched && chosen.size() == before)
            return errorf("%s: no clip matches \"%s\"; hemline inspect --per-clip lists them",
                          set.folder().c_str(), pattern.c_str());
    }
    if (chosen.empty())
        return errorf("%s: there are no clips to %s", set.folder().c_str(),
                      purpose == Purpose::kTraining ? "train on" : "test on");
    return chosen;
}

}  // namespace hem::tools
