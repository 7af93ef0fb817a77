// SPDX-License-Identifier: Apache-2.0
// The player on one core: crowds and one garment alone, beside what OpenBLAS makes of the same
// products in the same run.
//
//     build/release/bench/player_bench [--csv] [--quick] [--coat] [--worn FILE.hem RECORDINGS]...
//
// --coat: the coat of the 2021 paper's network alone.
//
// --worn adds what HEM_PUSH_OUT costs for a learned garment, each wearer in a pose of its own out of
// the test clips: how much of the cloth is near the body decides it, which random weights do not
// know.
#include <cblas.h>

#include <cstring>

#include "bench/bench.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/cloth/skin_attachment.h"
#include "hem/core/blas_kernels.h"
#include "hem/core/files.h"
#include "hem/core/random.h"
#include "hem/garment/made_to_measure.h"
#include "hem/pack/mirror.h"
#include "hem/pack/pack.h"
#include "hem/pack/pack_neural.h"
#include "hem/recording/recording.h"
#include "hem/runtime/hem.h"
#include "hem/runtime/kernels.h"
#include "hem/runtime/kinds.h"

namespace hem {
namespace {

constexpr size_t kCrowd = 1000;
constexpr int kModes = 64;
double seconds_each = 1.0;

MatrixF randomMatrix(Random& random, int rows, int columns, float size) {
    MatrixF m(rows, columns);
    for (int c = 0; c < columns; ++c)
        for (int r = 0; r < rows; ++r) m(r, c) = size * random.normal();
    return m;
}
Layer randomLayer(Random& random, int out, int in) {
    return {randomMatrix(random, out, in, 0.5f / std::sqrt(float(in))),
            randomMatrix(random, out, 1, 0.1f)};
}

// Model C of order 2 with a body latent of 32, or S with the sizes of docs/stable_space.md.
StableSpace makeModel(Random& random, bool modal) {
    const int features = modal ? 36 : 32, inputs = modal ? 87 : features + 10;
    StableSpace model;
    model.pose.joints = {0, 1, 2, 3, 4, 5, 6, 7};
    model.pose.from_joints = randomMatrix(random, features, 96, 0.1f);
    model.pose.offset = VectorF::Zero(features);
    model.range = {VectorF::Zero(inputs), VectorF::Ones(inputs), VectorF::Constant(inputs, -50),
                   VectorF::Constant(inputs, 50)};
    model.output_limit = VectorF::Constant(kModes, 10);
    if (!modal) {
        LinearDynamics d;
        d.weights = randomMatrix(random, kModes, inputs + 2 * kModes, 0.02f);
        d.bias = VectorF::Zero(kModes);
        d.static_weights = randomMatrix(random, kModes, features, 0.1f);
        d.static_bias = VectorF::Zero(kModes);
        model.dynamics = d;
        return model;
    }
    ModalDynamics d;
    d.log_decay = VectorF::Constant(48, -2);
    d.angle = VectorF::Constant(48, 0.2f);
    d.input = randomLayer(random, 128, inputs);
    d.drive = randomLayer(random, 96, 128);
    d.outer = randomLayer(random, 128, 128 + 96);
    d.output = randomLayer(random, kModes, 87 + 128 + 96 + 128);
    model.dynamics = d;
    return model;
}
// Multiplications and additions of a tick, two for each weight.
double stepFlops(bool modal) {
    const double model =
        modal ? 87 * 128 + 128 * 96 + 224 * 128 + 439 * kModes : (32 + 10 + 2 * kModes) * kModes;
    return 2 * (model + 96 * (modal ? 36 : 32));
}

// A garment and a subspace that are their own mirror images, numbered as built-in ones are: the left
// half, with what is in the middle among it, then the right one in the same order. Every other mode is odd.
void makeMirrored(Mesh& mesh, Subspace& subspace) {
    const int vertices = int(mesh.positions.size()), half = (vertices + vertices / 16) / 2;
    Mirror mirror;
    for (int v = 0, right = half; v < half; ++v) {
        const bool is_middle = v % 8 == 1 && v / 8 < 2 * half - vertices;
        mirror.left.push_back(uint32_t(v));
        mirror.right.push_back(uint32_t(is_middle ? v : right++));
        const Vec3 at{is_middle ? 0 : 0.01f, 0.01f * float(v % 100), 0.01f * float(v / 100)};
        mesh.positions[mirror.right.back()] = {-at.x, at.y, at.z};
        mesh.positions[size_t(v)] = at;
    }
    for (int m = 0; m < kModes; ++m) mirror.is_odd.push_back(m % 2);
    subspace = mirrored(subspace, mirror);
}

std::vector<std::byte> makeGarment(int vertices, bool modal, BasisEncoding encoding,
                                   bool is_mirrored = false) {
    Random random(uint64_t(vertices), modal);
    const Character character = mannequin(Sex::kFemale);
    Mesh mesh;
    mesh.positions.resize(size_t(vertices));
    Subspace subspace;
    subspace.mean = randomMatrix(random, 3 * vertices, 1, 0.5f);
    // as PCA's: columns of length 1
    subspace.basis = randomMatrix(random, 3 * vertices, kModes, 1 / std::sqrt(3 * float(vertices)));
    if (is_mirrored) makeMirrored(mesh, subspace);
    return orExit(pack(character, mesh, subspace, makeModel(random, modal),
                       randomMatrix(random, kModes, 64, 1), {.encoding = encoding}));
}

// At a multiple of 64, as a mapped file is.
struct AlignedBytes {
    explicit AlignedBytes(const std::vector<std::byte>& bytes) : lines(bytes.size() / 64 + 1) {
        std::memcpy(lines.data(), bytes.data(), bytes.size());
    }
    struct alignas(64) Line {
        std::byte bytes[64];
    };
    std::vector<Line> lines;
};

struct Crowd {
    Crowd(const std::vector<std::byte>& bytes, size_t count)
        : file(bytes),
          garment(hem_open(file.lines.data(), bytes.size(), nullptr)),
          states(count * hem_stateSize(garment)),
          joints(count * hem_jointCount(garment) * 12),
          positions(count * hem_vertexCount(garment) * 3),
          weights(count * hem_modeCount(garment)) {
        Random random(7);
        for (size_t i = 0; i < joints.size(); ++i)
            joints[i] = (i % 12 % 5 == 0 ? 1.0f : 0.0f) + 0.05f * random.normal();
        batch.count = count;
        batch.states = states.data();
        batch.joints = joints.data();
        batch.positions = positions.data();
        hem_reset(garment, batch);
    }
    double leastStep(double seconds) {
        return bench::leastSeconds([&] { hem_step(garment, batch, 1 / 30.0f); }, 1, seconds);
    }

    AlignedBytes file;
    const hem_Garment* garment;
    std::vector<std::byte> states;
    std::vector<float> joints, positions, weights;
    hem_Batch batch{};
};

double leastSgemm(int m, int n, int k, double seconds) {
    const MatrixF a = MatrixF::Random(m, k), b = MatrixF::Random(k, n);
    MatrixF c(m, n);
    return bench::leastSeconds(
        [&] {
            cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data(), m,
                        b.data(), k, 0, c.data(), m);
            bench::keep(c);
        },
        1, seconds);
}

void benchCrowd(int vertices, double peak_flops, std::vector<bench::Row>& rows) {
    const double rebuild = 2.0 * 3 * vertices * kModes;
    const double sgemm = leastSgemm(3 * vertices, int(kCrowd), kModes, seconds_each);
    double model_c = 0;
    for (bool modal : {false, true}) {
        Crowd crowd(makeGarment(vertices, modal, BasisEncoding::kFloat32), kCrowd);
        const double flops = kCrowd * (rebuild + stepFlops(modal));
        const double exact = crowd.leastStep(seconds_each);
        const std::string name = std::to_string(vertices) + (modal ? " S" : " C");
        rows.push_back(
            {name + " x 1000", exact, "sgemm of the reconstruction", sgemm, modal ? 0 : sgemm});
        rows.push_back({name + " x 1000", exact, "its products at the rate of large sgemm",
                        flops / peak_flops, flops / peak_flops / 0.85});
        if (modal)
            rows.push_back({name + " x 1000", exact, "Model C", model_c, 1.5 * model_c});
        else
            model_c = exact;
        crowd.batch.flags = HEM_APPROXIMATE;
        rows.push_back({name + " x 1000 approximate", crowd.leastStep(seconds_each), "exact", exact,
                        exact / 1.7});
    }
    for (BasisEncoding encoding : {BasisEncoding::kFloat16, BasisEncoding::kMixed}) {
        Crowd crowd(makeGarment(vertices, false, encoding), kCrowd);
        const std::string name = std::to_string(vertices) +
                                 (encoding == BasisEncoding::kMixed ? " C mixed" : " C float16");
        const double exact = crowd.leastStep(seconds_each);
        rows.push_back({name + " x 1000", exact, "sgemm of the reconstruction", sgemm, 0});
        crowd.batch.flags = HEM_APPROXIMATE;
        rows.push_back({name + " x 1000 approximate", crowd.leastStep(seconds_each), "exact", exact,
                        exact / 1.7});
    }
}

// Of which the file has one half, beside the whole reconstruction.
void benchMirrored(int vertices, std::vector<bench::Row>& rows) {
    const double sgemm = leastSgemm(3 * vertices, int(kCrowd), kModes, seconds_each);
    const char* codes[] = {" float32", " float16", " mixed"};
    for (bool modal : {false, true})
        for (BasisEncoding encoding :
             {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed}) {
            Crowd crowd(makeGarment(vertices, modal, encoding, true), kCrowd);
            CHECK(runtime::garmentOf(crowd.garment).mirror);
            const std::string name = std::to_string(vertices) + (modal ? " S" : " C") +
                                     " mirrored" + codes[int(encoding)] + " x 1000";
            const double exact = crowd.leastStep(seconds_each);
            rows.push_back({name, exact, "sgemm of the reconstruction", sgemm, modal ? 0 : sgemm});
            crowd.batch.flags = HEM_APPROXIMATE;
            rows.push_back(
                {name + " approximate", crowd.leastStep(seconds_each), "exact", exact, 0});
        }
}

void benchAlone(std::vector<bench::Row>& rows) {
    const double sgemv = leastSgemm(3 * 766, 1, kModes, 0.3 * seconds_each);
    double plain_c[3] = {};
    for (auto [modal, is_mirrored] :
         {std::pair(false, false), {true, false}, {false, true}, {true, true}})
        for (BasisEncoding encoding :
             {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed}) {
            Crowd one(makeGarment(766, modal, encoding, is_mirrored), 1);
            const char* codes[] = {" float32", " float16", " mixed"};
            const double time = bench::leastSeconds(
                [&] { hem_step(one.garment, one.batch, 1 / 30.0f); }, 50, 0.3 * seconds_each);
            const std::string name = std::string("766 ") + (modal ? "S" : "C") +
                                     (is_mirrored ? " mirrored" : "") + codes[int(encoding)];
            rows.push_back({name + " alone", time, "sgemm of its reconstruction", sgemv, 10e-6});
            double& plain = plain_c[int(encoding)];
            if (!modal && !is_mirrored) plain = time;
            if (modal)
                rows.push_back({name + " alone", time, "Model C, whole", plain, 1.5 * plain});
        }
}

void benchLatent(double peak_flops, std::vector<bench::Row>& rows) {
    for (bool modal : {false, true}) {
        Crowd crowd(makeGarment(766, modal, BasisEncoding::kFloat32), kCrowd);
        crowd.batch.positions = nullptr;
        crowd.batch.weights = crowd.weights.data();
        rows.push_back({std::string(modal ? "S" : "C") + " x 1000 joints to weights",
                        crowd.leastStep(seconds_each), "its products at the rate of large sgemm",
                        kCrowd * stepFlops(modal) / peak_flops, 0});
    }
}

// Equation 5 of the paper alone, y_t from x_t, z and the y before, in groups as the player has
// them.
void benchEquation(double peak_flops, std::vector<bench::Row>& rows) {
    Crowd crowd(makeGarment(766, false, BasisEncoding::kFloat32), kCrowd);
    const runtime::Garment garment = runtime::garmentOf(crowd.garment);
    const runtime::Context context{garment, runtime::stateLayout(garment), &runtime::kernels(), 0};
    constexpr size_t kGroup = 32;
    std::vector<float> memory(kGroup * runtime::linearScratch(garment) + 16);
    float* scratch = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) / 4;
    const auto stepAll = [&] {
        for (size_t first = 0; first < kCrowd; first += kGroup) {
            runtime::Moment moments[kGroup] = {};
            const size_t count = std::min(kGroup, kCrowd - first);
            for (size_t i = 0; i < count; ++i) {
                auto* state = reinterpret_cast<float*>(crowd.states.data()) +
                              (first + i) * context.layout.size;
                moments[i].state = state;
                moments[i].features = state + context.layout.features;
                moments[i].root = reinterpret_cast<runtime::StateHeader*>(state)->root;
                moments[i].part = 1;
                moments[i].keeps = true;
                moments[i].weights = &crowd.weights[(first + i) * kModes];
            }
            evaluateLinear(context, moments, count, scratch);
        }
    };
    const double flops = 2.0 * kCrowd * (32 + 10 + 2 * kModes) * kModes;
    rows.push_back({"C x 1000 latent step (equation 5)",
                    bench::leastSeconds(stepAll, 1, seconds_each),
                    "its products at the rate of large sgemm", flops / peak_flops, 250e-6});
}

// The coat with network 3 of the 2021 paper: 14 quaternions, 128 and 256 hidden units, 128
// coefficients; the coat's own skin, random weights.
std::vector<std::byte> makeCoat(BasisEncoding encoding) {
    Random random(3);
    const Character character = mannequin(Sex::kFemale);
    const Mesh coat = orExit(makeGarment(character, "coat")).mesh;
    const int vertices = int(coat.positions.size()), modes = 128;
    std::vector<int> joints;
    for (const char* name : {"Hips", "LowerBack", "Spine", "Spine1", "LeftShoulder", "LeftArm",
                             "LeftForeArm", "RightShoulder", "RightArm", "RightForeArm",
                             "LeftUpLeg", "LeftLeg", "RightUpLeg", "RightLeg"})
        joints.push_back(character.skeleton.find(name));
    NeuralModel model;
    model.rotations = jointRotations(character, joints);
    model.range = {VectorF::Zero(56), VectorF::Ones(56), VectorF::Constant(56, -5),
                   VectorF::Constant(56, 5)};
    model.layers = {randomLayer(random, 128, 56), randomLayer(random, 256, 128),
                    randomLayer(random, modes, 256)};
    model.output_limit = VectorF::Constant(modes, 10);
    // as PCA's: columns of length 1, and amplitudes that fall
    model.subspace.mean = randomMatrix(random, 3 * vertices, 1, 0.02f);
    model.subspace.basis =
        randomMatrix(random, 3 * vertices, modes, 1 / std::sqrt(3.0f * float(vertices)));
    MatrixF frames = randomMatrix(random, modes, 64, 1);
    for (int m = 0; m < modes; ++m) {
        const float size = 3 / float(m + 1);
        frames.row(m) *= size;
        model.layers.back().weights.row(m) *= size;
        model.layers.back().bias[m] *= size;
    }
    return orExit(pack(character, coat, attachToSkin(character, coat.positions), model, frames,
                       {.encoding = encoding}));
}

void benchCoat(std::vector<bench::Row>& rows) {
    constexpr int kCoatModes = 128;
    for (BasisEncoding encoding :
         {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed}) {
        const char* codes[] = {" float32", " float16", " mixed"};
        const std::vector<std::byte> file = makeCoat(encoding);
        Crowd one(file, 1), crowd(file, kCrowd);
        const int vertices = int(hem_vertexCount(one.garment));
        const std::string name = std::to_string(vertices) + " N" + codes[int(encoding)];
        const double alone = bench::leastSeconds(
            [&] { hem_step(one.garment, one.batch, 1 / 30.0f); }, 20, 0.3 * seconds_each);
        rows.push_back({name + " alone", alone, "sgemm of its reconstruction",
                        leastSgemm(3 * vertices, 1, kCoatModes, 0.3 * seconds_each), 25e-6});
        const auto addAlone = [&](const char* what, double bar) {
            const double time = bench::leastSeconds(
                [&] { hem_step(one.garment, one.batch, 1 / 30.0f); }, 20, 0.3 * seconds_each);
            rows.push_back({name + what, time, "exact", alone, bar});
        };
        one.batch.flags = HEM_APPROXIMATE;
        addAlone(" alone approximate", 25e-6);
        one.batch.positions = nullptr;
        addAlone(" alone joints to weights", 0);
        const double exact = crowd.leastStep(seconds_each);
        rows.push_back({name + " x 1000", exact, "sgemm of the reconstruction",
                        leastSgemm(3 * vertices, int(kCrowd), kCoatModes, seconds_each),
                        kCrowd * 12e-6});
        crowd.batch.flags = HEM_APPROXIMATE;
        rows.push_back({name + " x 1000 approximate", crowd.leastStep(seconds_each), "exact", exact,
                        kCrowd * 12e-6});
        crowd.batch.positions = nullptr;
        rows.push_back(
            {name + " x 1000 joints to weights", crowd.leastStep(seconds_each), "exact", exact, 0});
    }
}

// Poses of the test clips, `count` of them, 12 floats a joint.
std::vector<float> testPoses(const std::string& folder, size_t count) {
    const RecordingSet set = orExit(RecordingSet::open(folder));
    std::vector<Recording> clips;
    for (const std::string& name : set.clipNames())
        if (name.starts_with("test_")) clips.push_back(orExit(set.clip(name)));
    std::vector<float> poses;
    for (size_t i = 0; i < count && !clips.empty(); ++i) {
        const Recording& clip = clips[i % clips.size()];
        const auto joints = clip.jointMatrices(37 * i % clip.frames());
        poses.insert(poses.end(), &joints[0].m[0][0], &joints[0].m[0][0] + 12 * joints.size());
    }
    return poses;
}

void benchPushOut(const std::string& file, const std::string& folder,
                  std::vector<bench::Row>& rows) {
    const std::vector<std::byte> bytes = orExit(readFile(file));
    Crowd crowd(bytes, kCrowd);
    const std::vector<float> poses = testPoses(folder, kCrowd);
    CHECK_EQ(poses.size(), crowd.joints.size());
    crowd.joints = poses;
    crowd.batch.joints = crowd.joints.data();
    hem_reset(crowd.garment, crowd.batch);
    const auto stepAll = [&](unsigned flags) {
        crowd.batch.flags = flags;
        hem_step(crowd.garment, crowd.batch, 1 / 30.0f);
    };
    const auto stepEach = [&](unsigned flags) {
        const size_t joints = crowd.joints.size() / kCrowd, state = crowd.states.size() / kCrowd;
        for (size_t i = 0; i < kCrowd; ++i) {
            hem_Batch one = crowd.batch;
            one.count = 1;
            one.flags = flags;
            one.states = &crowd.states[i * state];
            one.joints = &crowd.joints[i * joints];
            hem_step(crowd.garment, one, 1 / 30.0f);
        }
    };
    const auto add = [&](const char* what, const auto& step, double share) {
        double plain = 1e30, pushed = 1e30;  // in turn: the machine is not the same all the time
        for (int i = 0; i < 5; ++i) {
            plain = std::min(plain,
                             share * bench::leastSeconds([&] { step(0); }, 1, 0.1 * seconds_each));
            pushed = std::min(pushed, share * bench::leastSeconds([&] { step(HEM_PUSH_OUT); }, 1,
                                                                  0.1 * seconds_each));
        }
        rows.push_back(
            {file.substr(file.rfind('/') + 1) + what, pushed, "without", plain, 2 * plain});
    };
    add(" x 1000 HEM_PUSH_OUT", stepAll, 1);
    add(" alone HEM_PUSH_OUT", stepEach, 1.0 / double(kCrowd));
}

// The largest distance that approximate products move a vertex, and that the vertices are from the mean,
// metres.
struct ApproximateError {
    float largest, reach;
};
ApproximateError approximateError(const std::vector<std::byte>& file) {
    Crowd crowd(file, 100);
    const size_t vertices = hem_vertexCount(crowd.garment);
    crowd.batch.flags = HEM_CANONICAL;
    hem_step(crowd.garment, crowd.batch, 1 / 30.0f);
    const std::vector<float> exact = crowd.positions;
    crowd.batch.flags |= HEM_APPROXIMATE;
    hem_step(crowd.garment, crowd.batch, 0);
    const float* mean = runtime::garmentOf(crowd.garment).bases[0].mean;
    ApproximateError error{};
    for (size_t i = 0; i < exact.size(); i += 3) {
        float moved = 0, away = 0;
        for (size_t axis = 0; axis < 3; ++axis) {
            const size_t vertex = i / 3 % vertices;
            const float m = mean[vertex / 16 * 48 + axis * 16 + vertex % 16];
            const float d = exact[i + axis] - crowd.positions[i + axis], a = exact[i + axis] - m;
            moved += d * d;
            away += a * a;
        }
        error.largest = std::max(error.largest, std::sqrt(moved));
        error.reach = std::max(error.reach, std::sqrt(away));
    }
    return error;
}

}  // namespace
}  // namespace hem

int main(int count, char** arguments) {
    using namespace hem;
    startAgainForBlas(arguments);
    bool csv = false, coat_alone = false;
    std::vector<std::pair<std::string, std::string>> worn;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(arguments[i], "--worn") == 0 && i + 2 < count)
            worn.push_back({arguments[i + 1], arguments[i + 2]});
        csv |= std::strcmp(arguments[i], "--csv") == 0;
        coat_alone |= std::strcmp(arguments[i], "--coat") == 0;
        if (std::strcmp(arguments[i], "--quick") == 0) seconds_each = 0.1;
    }
    openblas_set_num_threads(1);
    const double peak_flops = 2.0 * 1024 * 1024 * 1024 / leastSgemm(1024, 1024, 1024, seconds_each);
    std::vector<bench::Row> rows;
    benchCoat(rows);
    if (!coat_alone) {
        benchCrowd(766, peak_flops, rows);
        benchCrowd(20530, peak_flops, rows);
        benchMirrored(766, rows);
        benchMirrored(20530, rows);
        benchAlone(rows);
        benchLatent(peak_flops, rows);
        benchEquation(peak_flops, rows);
    }
    for (const auto& [file, folder] : worn) benchPushOut(file, folder, rows);
    bench::print(rows, csv);
    if (csv) return 0;
    const ApproximateError error = approximateError(makeGarment(766, false, BasisEncoding::kMixed));
    std::printf(
        "kernels: %s; large sgemm %.1f GFLOP/s; approximate products move a vertex by at most "
        "%.4f mm where the cloth is up to %.0f mm from its mean\n",
        runtime::kernels().name, peak_flops * 1e-9, 1e3 * double(error.largest),
        1e3 * double(error.reach));
    std::printf("... and one of the coat by at most %.4f mm\n",
                1e3 * double(approximateError(makeCoat(BasisEncoding::kMixed)).largest));
    return 0;
}
