// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/make_pose_set.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "hem/cloth/judge.h"
#include "hem/cloth/skin_attachment.h"
#include "hem/core/files.h"
#include "hem/core/parallel.h"
#include "hem/core/text.h"
#include "hem/poses/draw_pose.h"
#include "hem/poses/outliers.h"
#include "hem/poses/shards.h"
#include "hem/recording/checksum.h"
#include "hem/recording/clip_writer.h"
#include "hem/recording/recording.h"
#include "hem/runtime/hem.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

// Simulators that no thread is using.
class SimulatorPool {
public:
    explicit SimulatorPool(const ClothScene& scene) : scene_(scene) {}

    Result<std::unique_ptr<Simulator>> take() {
        {
            const std::lock_guard guard(mutex_);
            if (!idle_.empty()) {
                auto simulator = std::move(idle_.back());
                idle_.pop_back();
                return simulator;
            }
        }
        return makeBuiltInSimulator(scene_);
    }
    void giveBack(std::unique_ptr<Simulator> simulator) {
        const std::lock_guard guard(mutex_);
        idle_.push_back(std::move(simulator));
    }

private:
    const ClothScene& scene_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Simulator>> idle_;
};

double meanSquaredDistance(std::span<const Vec3> a, std::span<const Vec3> b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += double(lengthSquared(a[i] - b[i]));
    return sum / double(a.size());
}

class Maker {
public:
    Maker(const ClothScene& scene, std::string folder, const PoseSetOptions& options,
          PoseDrawer drawer)
        : scene_(scene),
          folder_(std::move(folder)),
          options_(options),
          drawer_(std::move(drawer)),
          rest_(joinedMesh(scene.garments).positions),
          skin_(attachToSkin(scene.character, rest_)),
          masses_(vertexMasses(scene.garments)),
          shape_{options.count, scene.character.skeleton.size(), rest_.size()},
          shards_(folder_, shape_),
          pool_(scene_) {
        file_.shape = shape_;
        PoseSetMeta& meta = file_.meta;
        meta.seed = options.seed;
        meta.count = options.count;
        meta.reach = options.reach;
        meta.settle = options.settle;
        for (int joint : drawer_.joints())
            meta.joints.push_back(scene.character.skeleton.joints[size_t(joint)].name);
    }

    Result<PoseSetReport> run();

private:
    Status checkPlan(const std::string& path, const Json& there) const;
    Status takeUpWhole(const std::string& path);
    Status takeUpShards();
    Status simulateShards();
    Status simulateShard(size_t shard);
    Status simulatePose(size_t pose, std::span<float> row);
    Status assemble();
    Status writeSkin();
    Status classify();
    bool cancelled() const { return options_.cancel && *options_.cancel; }
    bool failed() {
        const std::lock_guard guard(mutex_);
        return fault_.has_value();
    }

    const ClothScene& scene_;
    std::string folder_;
    const PoseSetOptions& options_;
    PoseDrawer drawer_;
    std::vector<Vec3> rest_;  // of all garments
    Skin skin_;
    std::vector<float> masses_;
    PoseShape shape_;
    Shards shards_;
    SimulatorPool pool_;
    ClothState start_;  // at rest on the rest pose
    PoseSetFile file_;
    PoseSetReport report_;
    std::mutex mutex_;  // of the report and the first fault
    std::optional<Error> fault_;
};

Status Maker::checkPlan(const std::string& path, const Json& there) const {
    const Json now = planJson(file_.meta);
    for (const auto& [key, value] : now.items()) {
        const std::string old = there.contains(key) ? there[key].dump() : "not there";
        if (old == value.dump()) continue;
        return errorf(
            "%s: says that %s is %s, now it is %s: choose another folder, or remove this one",
            path.c_str(), key.c_str(), old.c_str(), value.dump().c_str());
    }
    return Done{};
}

// The numbers of a row, from what a pose has.
void fillRow(std::span<float> row, const PoseShape& shape, const DrawnPose& drawn,
             const std::vector<Affine>& matrices, const std::vector<Vec3>& skinned,
             const SettledCloth& settled) {
    auto put = [&](PoseArray array, const void* numbers) {
        std::memcpy(row.data() + offsetOf(array, shape), numbers,
                    numbersPerPose(array, shape) * sizeof(float));
    };
    auto putOne = [&](PoseArray array, double number) {
        const auto single = float(number);
        put(array, &single);
    };
    put(PoseArray::kRotations, drawn.pose.rotations.data());
    put(PoseArray::kRoot, &drawn.pose.root_position);
    put(PoseArray::kMatrices, matrices.data());
    put(PoseArray::kSkinned, skinned.data());
    put(PoseArray::kRestCloth, settled.positions.data());
    putOne(PoseArray::kDistances, meanSquaredDistance(settled.positions, skinned));
    putOne(PoseArray::kEnergies, settled.energy);
    putOne(PoseArray::kFrames, settled.frames);
    putOne(PoseArray::kRejected, drawn.rejected);
}

Status Maker::simulatePose(size_t pose, std::span<float> row) {
    const auto drawn = drawer_.draw(options_.seed, pose);
    if (!drawn) return drawn.error();
    std::vector<Affine> matrices(shape_.joints);
    skinningMatrices(scene_.character.skeleton, drawn->pose,
                     scene_.character.skin.joint_from_rest.data(), matrices.data());
    std::vector<Vec3> skinned(shape_.vertices);
    skinLinear(skin_, rest_.data(), matrices.data(), skinned.data());
    auto simulator = pool_.take();
    if (!simulator) return simulator.error();
    auto settled = settleOnPose(**simulator, scene_, masses_, start_, drawn->pose, options_.settle);
    pool_.giveBack(std::move(*simulator));
    const std::lock_guard guard(mutex_);
    if (settled) {
        report_.frames += settled->frames;
    } else {
        report_.failures.push_back(format("pose %zu: %s", pose, settled.error().message.c_str()));
        settled = SettledCloth{.positions = skinned};
    }
    fillRow(row, shape_, *drawn, matrices, skinned, *settled);
    return Done{};
}

Status Maker::simulateShard(size_t shard) {
    const size_t row = rowSize(shape_), first = shards_.firstPose(shard);
    std::vector<float> rows(shards_.poses(shard) * row);
    parallelFor(shards_.poses(shard), 1, [&](size_t i, size_t) {
        if (cancelled() || failed()) return;
        const Status done = simulatePose(first + i, std::span(rows).subspan(i * row, row));
        if (done && options_.progress) options_.progress(1);
        const std::lock_guard guard(mutex_);
        if (!done && !fault_) fault_ = done.error();
    });
    if (fault_) return *fault_;
    if (cancelled()) return Done{};
    report_.simulated += shards_.poses(shard);
    return shards_.write(shard, rows);
}

Status Maker::simulateShards() {
    std::vector<size_t> missing;
    size_t poses = 0;
    for (size_t shard = 0; shard < shards_.count(); ++shard) {
        if (shards_.has(shard)) continue;
        missing.push_back(shard);
        poses += shards_.poses(shard);
    }
    report_.there = shape_.poses - poses;
    if (options_.started) options_.started(poses);
    if (missing.empty()) return Done{};
    auto simulator = pool_.take();
    if (!simulator) return simulator.error();
    auto start = (*simulator)->drape(restPose(scene_.character.skeleton));
    if (!start) return inContext("on the rest pose", start.error());
    start_ = std::move(*start);
    pool_.giveBack(std::move(*simulator));
    for (size_t shard : missing) {
        if (const Status done = simulateShard(shard); !done) return done;
        if (cancelled()) break;
    }
    return Done{};
}

Status Maker::writeSkin() {
    const std::vector<uint32_t> joints(skin_.joints.begin(), skin_.joints.end());
    const std::vector<size_t> shape{shape_.vertices, size_t(skin_.influences)};
    const auto joint_bytes = npyBytes({NpyType::kUint32, shape}, std::as_bytes(std::span(joints)));
    const auto weight_bytes =
        npyBytes({NpyType::kFloat32, shape}, std::as_bytes(std::span(skin_.weights)));
    file_.skin_joints_checksum = checksumOf(joint_bytes);
    file_.skin_weights_checksum = checksumOf(weight_bytes);
    const Status written = writeFile(folder_ + "/" + kSkinJointsFile, joint_bytes);
    return written ? writeFile(folder_ + "/" + kSkinWeightsFile, weight_bytes) : written;
}

Status Maker::assemble() {
    if (const Status written = writeSkin(); !written) return written;
    for (size_t i = 0; i < kSimulatedArrays; ++i) {
        auto checksum = shards_.assemble(PoseArray(i), folder_ + "/" + kPoseArrayNames[i]);
        if (!checksum) return checksum.error();
        file_.checksums[i] = std::move(*checksum);
    }
    return Done{};
}

// Tells outliers apart and splits the rest; then the set is whole.
Status Maker::classify() {
    const auto distances = MappedNpy::open(folder_ + "/distances.npy"),
               frames = MappedNpy::open(folder_ + "/frames.npy");
    if (!distances) return distances.error();
    if (!frames) return frames.error();
    if (distances->header() != headerOf(PoseArray::kDistances, shape_) ||
        frames->header() != headerOf(PoseArray::kFrames, shape_))
        return errorf(
            "%s: distances.npy and frames.npy are not of %zu poses; remove the folder "
            "and make the set again",
            folder_.c_str(), shape_.poses);
    PoseSetMeta& meta = file_.meta;
    meta.outlier_distance = options_.outlier_distance
                                ? *options_.outlier_distance
                                : outlierDistance(distances->floats(), frames->integers());
    const auto split = splitPoses(distances->floats(), frames->integers(), meta.outlier_distance);
    std::vector<uint8_t> kept, parts;
    size_t counts[4] = {};
    for (const PoseSplit part : split) {
        kept.push_back(part != PoseSplit::kNotKept);
        parts.push_back(uint8_t(part));
        ++counts[size_t(part)];
    }
    meta.failed = 0;
    for (uint32_t n : frames->integers()) meta.failed += n == 0;
    meta.outliers = counts[3] - meta.failed;
    meta.training = counts[0], meta.validation = counts[1], meta.test = counts[2];
    for (const auto& [array, bytes] :
         {std::pair(PoseArray::kKept, &kept), std::pair(PoseArray::kSplit, &parts)}) {
        const auto file = npyBytes(headerOf(array, shape_), std::as_bytes(std::span(*bytes)));
        file_.checksums[size_t(array)] = checksumOf(file);
        const Status written = writeFile(folder_ + "/" + kPoseArrayNames[size_t(array)], file);
        if (!written) return written;
    }
    if (const Status written = writeFile(folder_ + "/poses.json", poseSetText(file_)); !written)
        return written;
    return syncFolder(folder_);
}

// A set that has been made already.
Status Maker::takeUpWhole(const std::string& path) {
    const auto text = readTextFile(path);
    if (!text) return text.error();
    const auto there = parsePoseSet(*text, path);
    if (!there) return there.error();
    if (const Status same = checkPlan(path, planJson(there->meta)); !same) return same;
    file_ = *there;
    report_.there = shape_.poses;
    if (options_.started) options_.started(0);
    return Done{};
}

// A set that is yet to be made, or whose making was interrupted.
Status Maker::takeUpShards() {
    const std::string path = folder_ + "/shards/plan.json";
    if (const Status made = makeFolders(folder_ + "/shards"); !made) return made;
    if (!fs::exists(path)) return writeFile(path, jsonText(planJson(file_.meta)));
    const auto there = loadJson(path);
    return there ? checkPlan(path, *there) : Status(there.error());
}

Result<PoseSetReport> Maker::run() {
    auto simulator = pool_.take();
    if (!simulator) return simulator.error();
    file_.meta.simulator = (*simulator)->name() + " " + hem_version();
    pool_.giveBack(std::move(*simulator));
    const std::string whole = folder_ + "/poses.json";
    if (fs::exists(whole)) {
        if (const Status good = takeUpWhole(whole); !good) return good.error();
    } else {
        if (const Status good = takeUpShards(); !good) return good.error();
        if (const Status done = simulateShards(); !done) return done.error();
        report_.cancelled = cancelled();
        if (report_.cancelled) return report_;
        if (const Status done = assemble(); !done) return done.error();
    }
    if (const Status done = classify(); !done) return done.error();
    shards_.remove();
    std::sort(report_.failures.begin(), report_.failures.end());
    return report_;
}

}  // namespace

Result<PoseSetReport> makePoseSet(const ClothScene& scene, const std::string& folder,
                                  const PoseSetOptions& options) {
    CHECK_GT(options.count, 0u);
    // the body and the garments are kept as recordings keep them; the lock lasts while `set` does
    std::error_code ignored;
    if (fs::exists(folder + "/clips") && !fs::is_empty(folder + "/clips", ignored))
        return errorf("%s: holds recordings (hemline simulate), not poses; name another folder",
                      folder.c_str());
    const auto set = RecordingSet::create(folder, scene, "");
    if (!set) return set.error();
    fs::remove(folder + "/clips", ignored);  // an empty folder: a set of poses has none
    auto drawer = PoseDrawer::make(set->scene().character, options.reach);
    if (!drawer) return drawer.error();
    return Maker(set->scene(), folder, options, std::move(*drawer)).run();
}

}  // namespace hem
