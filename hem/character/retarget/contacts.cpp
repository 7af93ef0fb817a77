// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/contacts.h"

#include <algorithm>

namespace hem {
namespace {

constexpr double kLongestFlight = 1.0;  // seconds

// Metres a second at each frame, by central differences over `reach` frames each way.
std::vector<float> speedsOf(const std::vector<Vec3>& track, double rate) {
    const size_t reach = std::max<size_t>(1, size_t(std::lround(rate / 60)));
    std::vector<float> speeds(track.size(), 0.0f);
    for (size_t f = 0; f < track.size(); ++f) {
        const size_t low = f > reach ? f - reach : 0, high = std::min(f + reach, track.size() - 1);
        if (high > low)
            speeds[f] = distance(track[high], track[low]) * float(rate / double(high - low));
    }
    return speeds;
}

float percentile(std::vector<float> values, double fraction) {
    const auto at = values.begin() + long(fraction * double(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

float standingHeight(const std::vector<Vec3>& track, const std::vector<float>& speeds, double rate,
                     float slow) {
    std::vector<float> all, when_slow;
    for (size_t f = 0; f < track.size(); ++f) {
        all.push_back(track[f].y);
        if (speeds[f] < slow) when_slow.push_back(track[f].y);
    }
    const float low = percentile(all, 0.04);
    // slow at the top of a leap or of a handstand is not standing
    std::erase_if(when_slow, [&](float height) { return height > low + 0.08f; });
    const bool enough = double(when_slow.size()) >= 0.15 * rate;
    return enough ? percentile(when_slow, 0.25) : low;
}

void closeGaps(std::vector<uint8_t>& flags, size_t shortest) {
    const auto flip_short = [&](uint8_t value) {
        for (size_t f = 0; f < flags.size();) {
            size_t end = f;
            while (end < flags.size() && flags[end] == flags[f]) ++end;
            const bool inside = f > 0 && end < flags.size();
            // a gap at either end of the clip is none; a clip that is all contact stays so
            const bool drop = inside || (value == 1 && end - f < flags.size());
            if (flags[f] == value && end - f < shortest && drop)
                std::fill(flags.begin() + long(f), flags.begin() + long(end), uint8_t(!value));
            f = end;
        }
    };
    flip_short(0);
    flip_short(1);
}

std::vector<uint8_t> contactsOf(const std::vector<Vec3>& track, const std::vector<float>& speeds,
                                float standing, float scale, double rate, float height_on,
                                float height_off, const ContactOptions& o) {
    const size_t shortest = std::max<size_t>(2, size_t(std::lround(o.shortest * rate)));
    std::vector<uint8_t> flags(track.size(), 0);
    Vec3 anchor;
    bool on = false;
    size_t earliest = 0;  // a foot that drifted away stands anew, not on
    for (size_t f = 0; f < track.size(); ++f) {
        const float height = (track[f].y - standing) / scale, speed = speeds[f] / scale;
        const Vec3 drift{track[f].x - anchor.x, 0, track[f].z - anchor.z};
        const bool drifted = on && length(drift) > o.drift_off * scale;
        if (drifted) earliest = f + shortest;
        if (on && (drifted || height > height_off || speed > o.speed_off)) on = false;
        if (!on && f >= earliest && height < height_on && speed < o.speed_on) {
            on = true;
            anchor = track[f];
        }
        flags[f] = on;
    }
    closeGaps(flags, shortest);
    return flags;
}

// A body that lies or rolls has its feet off the floor for longer than a jump does.
std::vector<uint8_t> flightsOf(const Contacts& contacts, size_t frames, double rate) {
    std::vector<uint8_t> aloft(frames, 0);
    for (size_t f = 0; f < frames; ++f) {
        const auto& [left, right] = contacts.feet;
        aloft[f] = !(left.heel[f] || left.ball[f] || right.heel[f] || right.ball[f]);
    }
    for (const Span& span : spansOf(aloft)) {
        const bool lands = span.end < frames;
        if (!lands || double(span.length()) > kLongestFlight * rate)
            std::fill(aloft.begin() + long(span.begin), aloft.begin() + long(span.end), uint8_t(0));
    }
    return aloft;
}

}  // namespace

std::vector<uint8_t> FootContacts::stance() const {
    std::vector<uint8_t> flags(heel.size());
    for (size_t f = 0; f < flags.size(); ++f) flags[f] = heel[f] || ball[f];
    return flags;
}

std::vector<Span> spansOf(const std::vector<uint8_t>& flags) {
    std::vector<Span> spans;
    for (size_t f = 0; f < flags.size(); ++f) {
        if (!flags[f]) continue;
        if (f == 0 || !flags[f - 1]) spans.push_back({f, f});
        spans.back().end = f + 1;
    }
    return spans;
}

Contacts detectContacts(const Motion& motion, const Humanoid& humanoid,
                        const ContactOptions& options) {
    CHECK(!motion.frames.empty());
    const Standing standing = standingOf(motion.skeleton, humanoid);
    const float scale = standing.leg_length / 0.8f;
    Contacts contacts;
    for (const Pose& pose : motion.frames) {
        const std::vector<Transform> world = worldTransforms(motion.skeleton, pose);
        for (FootSide side : kBothFeet) {
            const Transform& ankle = world[size_t(legOf(humanoid, side).ankle)];
            FootContacts& foot = contacts.feet[size_t(side)];
            foot.ankle_track.push_back(ankle.translation);
            foot.ball_track.push_back(transformPoint(ankle, standing.ball_in_ankle[size_t(side)]));
        }
    }
    for (FootSide side : kBothFeet) {
        FootContacts& foot = contacts.feet[size_t(side)];
        const float slow = options.speed_on * scale;
        const std::vector<float> ankle_speeds = speedsOf(foot.ankle_track, motion.rate);
        const std::vector<float> ball_speeds = speedsOf(foot.ball_track, motion.rate);
        foot.ankle_height = standingHeight(foot.ankle_track, ankle_speeds, motion.rate, slow);
        foot.ball_height = standingHeight(foot.ball_track, ball_speeds, motion.rate, slow);
        foot.heel =
            contactsOf(foot.ankle_track, ankle_speeds, foot.ankle_height, scale, motion.rate,
                       options.ankle_height_on, options.ankle_height_off, options);
        foot.ball = contactsOf(foot.ball_track, ball_speeds, foot.ball_height, scale, motion.rate,
                               options.ball_height_on, options.ball_height_off, options);
        const Transform& ankle = standing.world[size_t(legOf(humanoid, side).ankle)];
        const Vec3 ball = transformPoint(ankle, standing.ball_in_ankle[size_t(side)]);
        contacts.floor += (foot.ankle_height - (ankle.translation.y - standing.floor)) / 4;
        contacts.floor += (foot.ball_height - (ball.y - standing.floor)) / 4;
    }
    contacts.flight = flightsOf(contacts, motion.frames.size(), motion.rate);
    return contacts;
}

}  // namespace hem
