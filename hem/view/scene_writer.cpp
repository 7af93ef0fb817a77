// SPDX-License-Identifier: Apache-2.0
#include "hem/view/scene_writer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "hem/models/stable_space/baselines.h"
#include "hem/pack/unpack.h"

namespace hem {
namespace {

using Turn = std::array<float, 4>;  // x, y, z, w

template <class T>
Content npyContent(NpyType type, std::vector<size_t> shape, const std::vector<T>& values) {
    return Content::of(npyBytes({type, std::move(shape)}, std::as_bytes(std::span(values))),
                       "application/octet-stream");
}

std::vector<Turn> turnsOf(const std::vector<Pose>& poses) {
    std::vector<Turn> turns;
    for (const Pose& pose : poses)
        for (const Quat& q : pose.rotations) turns.push_back({q.x, q.y, q.z, q.w});
    return turns;
}
std::vector<Vec3> rootsOf(const std::vector<Pose>& poses) {
    std::vector<Vec3> roots;
    for (const Pose& pose : poses) roots.push_back(pose.root_position);
    return roots;
}

// The `count` largest influences of a vertex, their weights summing to 1.
void largestInfluences(const Skin& skin, size_t vertex, size_t count, uint16_t* joints,
                       float* weights) {
    std::vector<Influence> all;
    for (size_t i = 0; i < size_t(skin.influences); ++i) {
        const size_t at = vertex * size_t(skin.influences) + i;
        all.push_back({skin.joints[at], skin.weights[at]});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
    all.resize(count, {0, 0});
    float sum = 0;
    for (const Influence& influence : all) sum += influence.weight;
    for (size_t i = 0; i < count; ++i) {
        joints[i] = uint16_t(all[i].joint);
        weights[i] = all[i].weight / sum;
    }
}

// Standard deviations of the latent weights in training: what the file says; where it says nothing,
// a third of the largest weight, by the limit that the player clamps to.
std::vector<float> modeSigma(const hem_Garment* garment) {
    const size_t modes = hem_modeCount(garment);
    const auto info = nlohmann::json::parse(hem_info(garment), nullptr, false);
    std::vector<float> sigma;
    if (info.is_object() && info.contains("mode_sigma") && info["mode_sigma"].is_array())
        for (const auto& value : info["mode_sigma"])
            if (value.is_number()) sigma.push_back(value.get<float>());
    if (sigma.size() == modes) return sigma;
    const VectorF thirds = outputLimitOf(garment) / 3.3f;
    sigma.assign(thirds.begin(), thirds.end());
    return sigma;
}

bool isOf(const RecordingSet& set, const hem_Garment* garment) {
    const Mesh mesh = joinedMesh(set.scene().garments);
    return mesh.positions.size() == hem_vertexCount(garment) &&
           mesh.triangles.size() == hem_triangleCount(garment) &&
           !std::memcmp(mesh.triangles.data(), hem_triangles(garment),
                        mesh.triangles.size() * sizeof(Triangle));
}
const RecordingSet* setOf(const ViewInput& input, const WornGarment& garment) {
    for (const RecordingSet& set : input.recordings)
        if (isOf(set, garment.garment())) return &set;
    return nullptr;
}

std::vector<Pose> posesOf(const Recording& clip) {
    std::vector<Pose> poses;
    for (size_t t = 0; t < clip.frames(); ++t) poses.push_back(clip.pose(t));
    return poses;
}

}  // namespace

template <class T>
std::string SceneWriter::addArray(const std::string& address, NpyType type,
                                  std::vector<size_t> shape, const std::vector<T>& values) {
    const Content content = npyContent(type, std::move(shape), values);
    return addLazily(address, [content] { return content; });
}

std::string SceneWriter::addLazily(const std::string& address, std::function<Content()> make) {
    const bool is_new = scene_.contents_.emplace(address, std::move(make)).second;
    CHECK(is_new);
    return address;
}

// Adds skin_joints and skin_weights, `each` influences a vertex.
ViewJson SceneWriter::skinOf(const std::string& folder, const Skin& skin, size_t each) {
    const size_t n = skin.vertexCount();
    std::vector<uint16_t> joints(n * each);
    std::vector<float> weights(n * each);
    for (size_t v = 0; v < n; ++v)
        largestInfluences(skin, v, each, &joints[v * each], &weights[v * each]);
    return {
        {"skin_joints", addArray(folder + "/skin_joints.npy", NpyType::kUint16, {n, each}, joints)},
        {"skin_weights",
         addArray(folder + "/skin_weights.npy", NpyType::kFloat32, {n, each}, weights)}};
}

// How the joints carry the garment, where the model says so: all influences, for the page's cloth
// is to be the player's.
ViewJson SceneWriter::carried(const std::string& folder, const hem_Garment* garment) {
    if (!isNeural(garment)) return nullptr;
    const CarriedGarment by = carriedOf(garment);
    ViewJson json = skinOf(folder, by.skin, Skin::kMaxInfluences);
    json["rest"] = addArray(folder + "/rest.npy", NpyType::kFloat32, {by.rest.size(), 3}, by.rest);
    return json;
}

// What any of the garments always hides.
ViewJson SceneWriter::hidden(const ViewInput& input) {
    const size_t count = input.character.mesh.triangles.size();
    std::vector<uint8_t> hidden(count);
    bool known = false;
    for (const WornGarment& worn : input.garments)
        for (const GarmentModel& m : worn.models) {
            const uint8_t* bits = hem_hiddenTriangles(m.garment());
            if (!bits || hem_bodyTriangleCount(m.garment()) != count) continue;
            for (size_t t = 0; t < count; ++t) hidden[t] |= bits[t / 8] >> t % 8 & 1;
            known = true;
            break;  // the models of a garment were trained on the same recordings
        }
    if (!known) return nullptr;
    return addArray("/data/body/hidden.npy", NpyType::kUint8, {count}, hidden);
}

ViewJson SceneWriter::body(const ViewInput& input) {
    const Character& c = input.character;
    ViewJson joints = ViewJson::array();
    for (const Joint& joint : c.skeleton.joints) {
        const Vec3 t = joint.parent_from_rest.translation;
        joints.push_back(
            {{"name", joint.name}, {"parent", joint.parent}, {"translation", {t.x, t.y, t.z}}});
    }
    const std::string folder = "/data/body";
    ViewJson body = {{"name", c.name},
                     {"joints", joints},
                     {"inverse_bind", addArray(folder + "/inverse_bind.npy", NpyType::kFloat32,
                                               {c.skeleton.size(), 12}, c.skin.joint_from_rest)},
                     {"positions", addArray(folder + "/positions.npy", NpyType::kFloat32,
                                            {c.mesh.positions.size(), 3}, c.mesh.positions)},
                     {"triangles", addArray(folder + "/triangles.npy", NpyType::kUint32,
                                            {c.mesh.triangles.size(), 3}, c.mesh.triangles)}};
    body.update(skinOf(folder, c.skin));
    body["hidden"] = hidden(input);
    return body;
}

void SceneWriter::addPoses(const std::string& folder, std::function<std::vector<Pose>()> poses,
                           ViewJson& clip) {
    clip["rotations"] = addLazily(folder + "/rotations.npy", [poses] {
        const std::vector<Pose> all = poses();
        return npyContent(NpyType::kFloat32, {all.size(), all[0].rotations.size(), 4},
                          turnsOf(all));
    });
    clip["root"] = addLazily(folder + "/root.npy", [poses] {
        const std::vector<Pose> all = poses();
        return npyContent(NpyType::kFloat32, {all.size(), 3}, rootsOf(all));
    });
}

ViewJson SceneWriter::kitClip(const KitClip& clip) {
    ViewJson json = {{"name", clip.name},   {"rate", clip.rate},
                     {"loop", clip.loop},   {"frames", clip.frames.size()},
                     {"speed", clip.speed}, {"turn", clip.turn},
                     {"hold", nullptr}};
    if (clip.hold) json["hold"] = {clip.hold->first, clip.hold->last};
    addPoses(
        "/data/kit/" + clip.name, [frames = clip.frames] { return frames; }, json);
    return json;
}

// The recorded cloth of each garment that has been recorded in that clip.
ViewJson SceneWriter::recorded(const ViewInput& input, const std::string& name,
                               uint64_t motion_hash) {
    ViewJson all = ViewJson::object();
    for (const WornGarment& garment : input.garments) {
        const RecordingSet* set = setOf(input, garment);
        if (!set || !set->has(name)) continue;
        const auto clip = set->clip(name);
        if (!clip || clip->meta().motion_hash != motion_hash) continue;
        const std::string file = set->clipFolder(name) + "/positions.npy";
        all[garment.key] =
            addLazily("/data/clips/" + name + "/" + garment.key + ".npy", [file]() -> Content {
                const auto mapped = MappedNpy::open(file);
                if (!mapped) return {};
                return {mapped->file(), std::make_shared<MappedNpy>(*mapped),
                        "application/octet-stream"};
            });
    }
    return all;
}

Result<ViewJson> SceneWriter::recordedClip(const ViewInput& input, const std::string& name) {
    const RecordingSet* set = nullptr;
    for (const RecordingSet& candidate : input.recordings)
        if (!set && candidate.has(name)) set = &candidate;
    if (!set) return errorf("none of the recordings has a clip %s", name.c_str());
    const auto clip = set->clip(name);
    if (!clip) return clip.error();
    ViewJson json = {{"name", name}, {"rate", clip->meta().rate}, {"frames", clip->frames()}};
    addPoses(
        "/data/clips/" + name, [copy = *clip] { return posesOf(copy); }, json);
    json["recorded"] = recorded(input, name, clip->meta().motion_hash);
    json["stops"] = ViewJson::array();
    for (int n = 1; set->has(stopName(name, n)); ++n) {
        const auto stop = set->clip(stopName(name, n));
        if (!stop) return stop.error();
        json["stops"].push_back(
            {{"name", stopName(name, n)},
             {"frame", stop->meta().stop.frame},
             {"frames", stop->frames()},
             {"recorded", recorded(input, stopName(name, n), stop->meta().motion_hash)}});
    }
    return json;
}

ViewJson SceneWriter::madeClip(const std::shared_ptr<const ViewInput>& input, size_t motion) {
    const Motion& m = input->motions[motion];
    ViewJson json = {{"name", m.name}, {"rate", m.rate}, {"frames", m.frames.size()}};
    addPoses(
        "/data/motions/" + std::to_string(motion),
        [input, motion] { return input->motions[motion].frames; }, json);
    json["recorded"] = ViewJson::object();
    json["stops"] = ViewJson::array();
    return json;
}

ViewJson SceneWriter::model(const WornGarment& garment, const GarmentModel& model) {
    const std::string folder = "/data/garments/" + garment.key + "/" + model.key;
    const Subspace subspace = subspaceOf(model.garment());
    const size_t vertices = subspace.vertices(), modes = subspace.modes();
    const float *mean = subspace.mean.data(), *basis = subspace.basis.data();
    // the scene keeps the input, and with it these bytes, for as long as it lives
    const Content file{model.bytes, nullptr, "application/octet-stream"};
    return {{"kind", model.kind},
            {"label", model.label},
            {"fabric", model.fabric},
            {"file", addLazily("/garments/" + garment.key + "/" + model.key + ".hem",
                               [file] { return file; })},
            {"modes", modes},
            {"mean", addArray(folder + "/mean.npy", NpyType::kFloat32, {vertices, 3},
                              std::vector<float>(mean, mean + 3 * vertices))},
            {"basis", addArray(folder + "/basis.npy", NpyType::kFloat32, {modes, vertices, 3},
                               std::vector<float>(basis, basis + 3 * vertices * modes))},
            {"mode_sigma", addArray(folder + "/mode_sigma.npy", NpyType::kFloat32, {modes},
                                    modeSigma(model.garment()))},
            {"carried", carried(folder, model.garment())}};
}

ViewJson SceneWriter::garment(const WornGarment& garment, size_t layer, const ViewInput& input) {
    const hem_Garment* first = garment.garment();
    const std::string folder = "/data/garments/" + garment.key;
    const size_t n = hem_vertexCount(first);
    ViewJson models = ViewJson::array();
    for (const GarmentModel& m : garment.models) models.push_back(model(garment, m));
    ViewJson json = {{"name", garment.key},
                     {"title", garment.name},
                     {"layer", layer},
                     {"vertices", n},
                     {"triangles", hem_triangleCount(first)},
                     {"rate", hem_rate(first)},
                     {"models", models},
                     {"mean", models[0]["mean"]},
                     {"basis", models[0]["basis"]},
                     {"mode_sigma", models[0]["mode_sigma"]},
                     {"carried", models[0]["carried"]},
                     {"uv", nullptr}};  // the page has one a vertex, a seam two
    json["skin_joints"] = json["skin_weights"] = json["rest"] = nullptr;
    for (const ViewJson& each : models)
        if (json["rest"].is_null() && !each["carried"].is_null()) json.update(each["carried"]);
    if (const RecordingSet* set = setOf(input, garment)) {
        const Mesh rest = joinedMesh(set->scene().garments);
        json.update(skinOf(folder, GarmentSkinning(input.character, rest).skin()));
        json["rest"] = addArray(folder + "/rest.npy", NpyType::kFloat32, {n, 3}, rest.positions);
    }
    return json;
}

Result<ViewJson> SceneWriter::describe(const std::shared_ptr<const ViewInput>& input) {
    for (const RecordingSet& set : input->recordings)
        if (std::none_of(input->garments.begin(), input->garments.end(),
                         [&](const WornGarment& g) { return isOf(set, g.garment()); }))
            return errorf(
                "%s: recordings of another garment than %s: leave them out, or view what "
                "was trained on them",
                set.folder().c_str(), input->garments[0].models[0].path.c_str());
    const auto kit = makeMotionKit(input->character);
    if (!kit) return kit.error();
    std::string title;
    for (const WornGarment& g : input->garments)
        for (const GarmentModel& m : g.models)
            title += (title.empty() ? "" : ", ") + m.path.substr(m.path.rfind('/') + 1);
    ViewJson json = {{"version", 1}, {"title", title}, {"character", body(*input)}};
    json["kit"] = json["clips"] = json["garments"] = ViewJson::array();
    for (const KitClip& clip : *kit) json["kit"].push_back(kitClip(clip));
    for (const std::string& name : input->clips) {
        const auto clip = recordedClip(*input, name);
        if (!clip) return clip.error();
        json["clips"].push_back(*clip);
    }
    for (size_t m = 0; m < input->motions.size(); ++m) json["clips"].push_back(madeClip(input, m));
    for (size_t g = 0; g < input->garments.size(); ++g)
        json["garments"].push_back(garment(input->garments[g], g, *input));
    return json;
}

}  // namespace hem
