// SPDX-License-Identifier: Apache-2.0
// The player on one core: crowds and one garment alone, beside what OpenBLAS makes of the same
// products in the same run.
//
//     build/release/bench/player_bench [--csv] [--quick] [--coat] [--worn FILE.hem RECORDINGS]...
//
// --coat: the coat of the 2021 paper's network alone.
//
// --worn adds what HEM_PUSH_OUT and HEM_APPROXIMATE cost for a learned garment, each wearer in a pose
// of its own out of the test clips: how much of the cloth is near the body decides the one, how fast
// modes fall the other, which random weights do not know.
#include <cblas.h>

#include <cstring>

#include "bench/bench.h"
#include "bench/made_garments.h"
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
constexpr int kModes = MadeGarment{}.modes;
double seconds_each = 1.0;

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
        Crowd crowd(makeGarment({.vertices = vertices, .modal = modal}), kCrowd);
        const double flops = kCrowd * (rebuild + stepFlops(modal, kModes));
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
        rows.push_back(
            {name + " x 1000 approximate", crowd.leastStep(seconds_each), "exact", exact, 0});
    }
    for (BasisEncoding encoding : {BasisEncoding::kFloat16, BasisEncoding::kMixed}) {
        Crowd crowd(makeGarment({.vertices = vertices, .encoding = encoding}), kCrowd);
        const std::string name = std::to_string(vertices) +
                                 (encoding == BasisEncoding::kMixed ? " C mixed" : " C float16");
        const double exact = crowd.leastStep(seconds_each);
        rows.push_back({name + " x 1000", exact, "sgemm of the reconstruction", sgemm, 0});
        crowd.batch.flags = HEM_APPROXIMATE;
        rows.push_back(
            {name + " x 1000 approximate", crowd.leastStep(seconds_each), "exact", exact, 0});
    }
}

// How far vertices are from those of another file of the same garment, metres.
struct Moved {
    std::string what;
    double mean, largest;
};
Moved movedBy(const std::string& what, Crowd& crowd, Crowd& exact) {
    Moved moved{what, 0, 0};
    for (Crowd* c : {&crowd, &exact}) {
        c->batch.flags |= HEM_CANONICAL;
        hem_reset(c->garment, c->batch);
    }
    const size_t vertices = exact.positions.size() / 3;
    for (size_t v = 0; v < vertices; ++v) {
        double square = 0;
        for (size_t i = 3 * v; i < 3 * v + 3; ++i)
            square += std::pow(double(crowd.positions[i] - exact.positions[i]), 2);
        moved.mean += std::sqrt(square) / double(vertices);
        moved.largest = std::max(moved.largest, std::sqrt(square));
    }
    return moved;
}

// Mixed files of several tolerances, HEM_APPROXIMATE, beside the same garment in float32: the coarser,
// the more modes are multiplied in 8 bits.
void benchQuantised(int vertices, std::vector<bench::Row>& rows, std::vector<Moved>& moved) {
    for (bool is_mirrored : {false, true}) {
        Crowd exact(makeGarment({.vertices = vertices, .mirrored = is_mirrored}), kCrowd);
        const double float32 = exact.leastStep(seconds_each);
        for (int tolerance_um : {300, 1000, 2000}) {
            Crowd crowd(makeGarment({.vertices = vertices,
                                     .encoding = BasisEncoding::kMixed,
                                     .mirrored = is_mirrored,
                                     .tolerance_um = float(tolerance_um)}),
                        kCrowd);
            const runtime::Garment garment = runtime::garmentOf(crowd.garment);
            uint32_t wide = 0;
            for (uint32_t half = 0; half < garment.bases_count; ++half)
                wide += garment.bases[half].header->wide_modes;
            const std::string name = std::to_string(vertices) + " C" +
                                     (is_mirrored ? " mirrored" : "") + " within " +
                                     std::to_string(tolerance_um) + " um (" +
                                     std::to_string(kModes - int(wide)) + " modes in 8 bits)";
            crowd.batch.flags = HEM_APPROXIMATE;
            rows.push_back({name + " x 1000 approximate", crowd.leastStep(seconds_each), "float32",
                            float32, float32 / 1.7});
            moved.push_back(movedBy(name, crowd, exact));
        }
    }
}

// Of which the file has one half, beside the whole reconstruction.
void benchMirrored(int vertices, std::vector<bench::Row>& rows) {
    const double sgemm = leastSgemm(3 * vertices, int(kCrowd), kModes, seconds_each);
    const char* codes[] = {" float32", " float16", " mixed"};
    for (bool modal : {false, true})
        for (BasisEncoding encoding :
             {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed}) {
            Crowd crowd(
                makeGarment(
                    {.vertices = vertices, .modal = modal, .encoding = encoding, .mirrored = true}),
                kCrowd);
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
            Crowd one(makeGarment({.modal = modal, .encoding = encoding, .mirrored = is_mirrored}),
                      1);
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
        Crowd crowd(makeGarment({.modal = modal}), kCrowd);
        crowd.batch.positions = nullptr;
        crowd.batch.weights = crowd.weights.data();
        rows.push_back({std::string(modal ? "S" : "C") + " x 1000 joints to weights",
                        crowd.leastStep(seconds_each), "its products at the rate of large sgemm",
                        kCrowd * stepFlops(modal, kModes) / peak_flops, 0});
    }
}

// Equation 5 of the paper alone, y_t from x_t, z and the y before, in groups as the player has
// them.
void benchEquation(double peak_flops, std::vector<bench::Row>& rows) {
    Crowd crowd(makeGarment({}), kCrowd);
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

void benchWorn(const std::string& file, const std::string& folder, std::vector<bench::Row>& rows) {
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
    const auto add = [&](const char* what, unsigned flags, double bar, const auto& step,
                         double share) {
        double plain = 1e30, flagged = 1e30;  // in turn: the machine is not the same all the time
        for (int i = 0; i < 5; ++i) {
            plain = std::min(plain,
                             share * bench::leastSeconds([&] { step(0); }, 1, 0.1 * seconds_each));
            flagged = std::min(
                flagged, share * bench::leastSeconds([&] { step(flags); }, 1, 0.1 * seconds_each));
        }
        rows.push_back(
            {file.substr(file.rfind('/') + 1) + what, flagged, "without", plain, bar * plain});
    };
    if (hem_pushesOut(crowd.garment)) {
        add(" x 1000 HEM_PUSH_OUT", HEM_PUSH_OUT, 2, stepAll, 1);
        add(" alone HEM_PUSH_OUT", HEM_PUSH_OUT, 2, stepEach, 1.0 / double(kCrowd));
    }
    add(" x 1000 HEM_APPROXIMATE", HEM_APPROXIMATE, 0, stepAll, 1);
}

// The largest distance that approximate products move a vertex, metres.
double approximateError(const std::vector<std::byte>& file) {
    Crowd exact(file, 100), approximate(file, 100);
    approximate.batch.flags = HEM_APPROXIMATE;
    return movedBy("", approximate, exact).largest;
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
    std::vector<Moved> moved;
    benchCoat(rows);
    if (!coat_alone) {
        for (int vertices : {766, 20530}) {
            benchCrowd(vertices, peak_flops, rows);
            benchQuantised(vertices, rows, moved);
        }
        benchMirrored(766, rows);
        benchMirrored(20530, rows);
        benchAlone(rows);
        benchLatent(peak_flops, rows);
        benchEquation(peak_flops, rows);
    }
    for (const auto& [file, folder] : worn) benchWorn(file, folder, rows);
    bench::print(rows, csv);
    if (csv) return 0;
    std::printf("kernels: %s; large sgemm %.1f GFLOP/s\n", runtime::kernels().name,
                peak_flops * 1e-9);
    std::puts("HEM_APPROXIMATE, and the file's encoding, move vertices of the float32 file by");
    for (const Moved& m : moved)
        std::printf("  %s: %.3f mm in the mean, %.2f at most\n", m.what.c_str(), 1e3 * m.mean,
                    1e3 * m.largest);
    std::printf("and HEM_APPROXIMATE alone those of the coat by at most %.4f mm\n",
                1e3 * approximateError(makeCoat(BasisEncoding::kMixed)));
    return 0;
}
