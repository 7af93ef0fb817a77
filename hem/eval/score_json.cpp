// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/score_json.h"

namespace hem {
namespace {

using Json = nlohmann::ordered_json;

Json orNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json asJson(const Errors& e) {
    return {{"frames", e.frames},
            {"mean_cm", e.mean_cm},
            {"p95_cm", e.p95_cm},
            {"max_cm", e.max_cm},
            {"after_stops_cm", orNull(e.after_stops_cm)},
            {"velocity_cm", e.velocity_cm},
            {"penetration_rate_1mm", orNull(e.penetration_rate_1mm)},
            {"penetration_in_folds_1mm", orNull(e.penetration_in_folds_1mm)},
            {"pca_floor_cm", e.pca_floor_cm},
            {"confidence", e.confidence}};
}

}  // namespace

Json scoreJson(const Score& score) {
    Json json = asJson(score.all);
    json["clip_mean_cm"] = score.clip_mean_cm;
    json["chaos_floor_cm"] = orNull(score.chaos_floor_cm);
    json["lambda"] = score.lambda;
    json["energy_bound"] = score.energy_bound;
    json["player_us"] = score.time.plain_us;
    json["player_crowd_us"] = score.time.crowd_plain_us;
    json["latent_step_us"] = score.time.latent_us;
    json["push_out"] = Json();
    if (score.pushed_out) {
        json["push_out"] = asJson(*score.pushed_out);
        json["push_out"]["player_us"] = score.time.push_out_us;
        json["push_out"]["player_crowd_us"] = score.time.crowd_push_out_us;
    }
    json["clips"] = Json::array();
    for (const ClipScore& clip : score.clips) {
        Json entry{{"name", clip.name}};
        entry.update(asJson(clip.errors));
        json["clips"].push_back(std::move(entry));
    }
    if (!score.learned)
        for (const char* key : {"pca_floor_cm", "confidence", "lambda", "energy_bound", "player_us",
                                "player_crowd_us", "latent_step_us"})
            json[key] = Json();
    if (!score.remembers) json["lambda"] = json["energy_bound"] = Json();
    return json;
}

Json scoreJson(const PoseScore& s) {
    return {{"poses", s.poses},
            {"cost", s.cost},
            {"skinning_cost", s.skinning_cost},
            {"floor_cost", s.floor_cost},
            {"mean_cm", s.mean_cm},
            {"skinning_mean_cm", s.skinning_mean_cm},
            {"p95_cm", s.p95_cm},
            {"max_cm", s.max_cm},
            {"best_pose", s.best.pose},
            {"best_square", s.best.square},
            {"worst_pose", s.worst.pose},
            {"worst_square", s.worst.square},
            {"confidence", s.confidence}};
}

}  // namespace hem
