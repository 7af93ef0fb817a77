// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/pose_files.h"

#include "hem/core/check.h"

namespace hem {
namespace {

constexpr const char* kFormat = "hemline poses";
constexpr uint64_t kMost = 100000000;  // poses, vertices, joints

PoseSetMeta readPlan(const Json& plan, const std::string& where, std::optional<Error>& fault) {
    JsonFields fields(plan, where);
    PoseSetMeta meta;
    meta.seed = fields.count("seed");
    meta.count = fields.count("count", kMost);
    meta.reach = fields.single("reach", 0, 1);
    meta.simulator = fields.text("simulator");
    for (const Json& joint : fields.array("joints"))
        meta.joints.push_back(joint.is_string() ? joint.get<std::string>() : "");
    JsonFields settle(fields.object("settle"), where + "settle.");
    meta.settle.way_frames = int(settle.count("way_frames", 1000000));
    meta.settle.least_frames = int(settle.count("least_frames", 1000000));
    meta.settle.most_frames = int(settle.count("most_frames", 1000000));
    meta.settle.keep = settle.single("keep", 0, 1);
    meta.settle.at_rest = settle.number("at_rest", 0, 1e9);
    if (fields.fault()) fault = fields.fault();
    if (!fault && settle.fault()) fault = settle.fault();
    return meta;
}

}  // namespace

NpyHeader headerOf(PoseArray array, const PoseShape& s) {
    constexpr NpyType kFloat = NpyType::kFloat32;
    switch (array) {
        case PoseArray::kRotations:
            return {kFloat, {s.poses, s.joints, 4}};
        case PoseArray::kRoot:
            return {kFloat, {s.poses, 3}};
        case PoseArray::kMatrices:
            return {kFloat, {s.poses, s.joints, 3, 4}};
        case PoseArray::kSkinned:
        case PoseArray::kRestCloth:
            return {kFloat, {s.poses, s.vertices, 3}};
        case PoseArray::kDistances:
        case PoseArray::kEnergies:
            return {kFloat, {s.poses}};
        case PoseArray::kFrames:
        case PoseArray::kRejected:
            return {NpyType::kUint32, {s.poses}};
        default:
            return {NpyType::kUint8, {s.poses}};
    }
}

size_t numbersPerPose(PoseArray array, const PoseShape& shape) {
    const NpyHeader one = headerOf(array, {1, shape.joints, shape.vertices});
    return dataSize(one) / sizeOf(one.type);
}

Json planJson(const PoseSetMeta& meta) {
    return {{"seed", meta.seed},
            {"count", meta.count},
            {"reach", jsonNumber(meta.reach)},
            {"joints", meta.joints},
            {"simulator", meta.simulator},
            {"settle",
             {{"way_frames", meta.settle.way_frames},
              {"least_frames", meta.settle.least_frames},
              {"most_frames", meta.settle.most_frames},
              {"keep", jsonNumber(meta.settle.keep)},
              {"at_rest", meta.settle.at_rest}}}};
}

std::string poseSetText(const PoseSetFile& file) {
    const PoseSetMeta& meta = file.meta;
    Json files = Json::object();
    files[kSkinJointsFile] = file.skin_joints_checksum;
    files[kSkinWeightsFile] = file.skin_weights_checksum;
    for (size_t i = 0; i < kPoseArrays; ++i) files[kPoseArrayNames[i]] = file.checksums[i];
    return jsonText({{"format", kFormat},
                     {"version", kPoseSetVersion},
                     {"plan", planJson(meta)},
                     {"vertices", file.shape.vertices},
                     {"skeleton_joints", file.shape.joints},
                     {"outlier_distance", meta.outlier_distance},
                     {"failed", meta.failed},
                     {"outliers", meta.outliers},
                     {"training", meta.training},
                     {"validation", meta.validation},
                     {"test", meta.test},
                     {"files", files}});
}

Result<PoseSetFile> parsePoseSet(std::string_view text, const std::string& name) {
    const auto document = parseJson(text, name);
    if (!document) return document.error();
    JsonFields fields(*document, name + ": ");
    if (fields.text("format") != kFormat || fields.fault())
        return errorf("%s: is not a set of poses of hemline's", name.c_str());
    if (fields.count("version") != kPoseSetVersion)
        return errorf(
            "%s: is of another version of the format (this hemline reads version %d); make it "
            "again with hemline poses",
            name.c_str(), kPoseSetVersion);
    PoseSetFile file;
    std::optional<Error> fault;
    file.meta = readPlan(fields.object("plan"), name + ": plan.", fault);
    if (fault) return *fault;
    PoseSetMeta& meta = file.meta;
    file.shape = {meta.count, fields.count("skeleton_joints", kMost),
                  fields.count("vertices", kMost)};
    meta.outlier_distance = fields.number("outlier_distance", 0, 1e30);
    meta.failed = fields.count("failed", kMost);
    meta.outliers = fields.count("outliers", kMost);
    meta.training = fields.count("training", kMost);
    meta.validation = fields.count("validation", kMost);
    meta.test = fields.count("test", kMost);
    JsonFields files(fields.object("files"), name + ": files.");
    file.skin_joints_checksum = files.text(kSkinJointsFile);
    file.skin_weights_checksum = files.text(kSkinWeightsFile);
    for (size_t i = 0; i < kPoseArrays; ++i) file.checksums[i] = files.text(kPoseArrayNames[i]);
    if (fields.fault()) return *fields.fault();
    if (files.fault()) return *files.fault();
    return file;
}

}  // namespace hem
