// SPDX-License-Identifier: Apache-2.0
// hemline picture: a character, a mesh, a motion or a recorded clip as a PNG, alone or as a contact
// sheet.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "hem/character/root.h"
#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/picture/contact_sheet.h"
#include "hem/picture/values.h"
#include "tools/picture_options.h"
#include "tools/subject.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

// A fault, and whose it is: the exit code says so.
struct Fault {
    Error error;
    int exit_code = kFailure;
};
Fault badUse(Error error) { return {std::move(error), kBadUse}; }

// Everything that has been found out on the way to the picture.
struct Job {
    PictureArguments arguments;
    PictureRequest request;
    Subject subject;
    std::optional<Motion> motion;
    std::vector<double> times;  // one per cell, with a motion
    std::optional<ColorScale> scale;
    std::vector<Vec3> cloth_colors;  // of a recording's vertices
    Image picture;
};

struct VertexValues {
    std::vector<double> values;
    ColorScale scale;
};

Result<VertexValues> weightValues(const Job& job, const std::string& joint_name) {
    const Skin& skin = job.subject.character.skin;
    if (job.subject.isMesh())
        return errorf("%s: a mesh has no joints to show the weights of",
                      job.arguments.input.c_str());
    const auto joint = findJoint(job.subject.character.skeleton, joint_name);
    if (!joint) return inContext(job.arguments.input, joint.error());
    VertexValues result{.values = std::vector<double>(skin.vertexCount(), 0.0)};
    for (size_t i = 0; i < skin.joints.size(); ++i)
        if (skin.joints[i] == *joint)
            result.values[i / size_t(skin.influences)] += double(skin.weights[i]);
    result.scale = {.low = 0, .high = 1, .label = "weight of " + joint_name};
    return result;
}

Result<VertexValues> fileValues(const Job& job) {
    const std::string& path = job.arguments.color_by;
    auto values = loadValues(path);
    if (!values) return values.error();
    const size_t vertices = job.subject.recording ? job.subject.recording->vertices()
                                                  : job.subject.character.mesh.positions.size();
    if (values->size() != vertices)
        return errorf("%s: holds %zu numbers, but %s has %zu vertices", path.c_str(),
                      values->size(), job.arguments.input.c_str(), vertices);
    for (double& value : *values) value *= job.request.unit.per_metre;
    const ColorScale scale = scaleFor(*values, stemOf(path) + job.request.unit.suffix);
    return VertexValues{std::move(*values), scale};
}

VertexValues heightValues(const Job& job) {
    VertexValues result;
    for (Vec3 p : job.subject.character.mesh.positions)
        result.values.push_back(double(p.y) * job.request.unit.per_metre);
    result.scale = scaleFor(result.values, "height" + job.request.unit.suffix);
    return result;
}

// Puts the colours of --color-by on the mesh.
std::optional<Fault> paint(Job& job) {
    constexpr std::string_view kWeights = "weights:";
    const std::string& color_by = job.arguments.color_by;
    if (color_by.empty()) return {};
    const bool weights = color_by.starts_with(kWeights);
    const Result<VertexValues> found = color_by == "height" ? heightValues(job)
                                       : weights
                                           ? weightValues(job, color_by.substr(kWeights.size()))
                                           : fileValues(job);
    if (!found) return Fault{found.error(), weights ? kBadUse : kFailure};
    job.scale = found->scale;
    job.scale->map = job.request.map;
    if (const auto& range = job.request.color_range)
        job.scale->low = range->first, job.scale->high = range->last;
    const bool of_cloth = job.subject.recording && !weights && color_by != "height";
    (of_cloth ? job.cloth_colors : job.subject.character.mesh.colors) =
        colorsOf(*job.scale, found->values);
    return {};
}

std::string motionNames(const Character& character) {
    std::string names;
    for (const Motion& motion : character.motions)
        names += (names.empty() ? "" : ", ") + motion.name;
    return names;
}

// A BVH file is its own motion; a character's are named.
std::optional<Fault> chooseMotion(Job& job) {
    const Character& character = job.subject.character;
    const PictureArguments& arguments = job.arguments;
    const bool is_motion = extensionOf(arguments.input) == "bvh" || job.subject.recording;
    if (job.subject.recording && !arguments.motion.empty())
        return badUse(errorf("%s: a recorded clip has its own motion; leave --motion out",
                             arguments.input.c_str()));
    if (arguments.motion.empty() && is_motion) {
        job.motion = character.motions.at(0);
    } else if (!arguments.motion.empty()) {
        if (job.subject.isMesh())
            return badUse(errorf("%s: a mesh has no joints to move; --motion needs a character",
                                 arguments.input.c_str()));
        auto motion = motionFor(job.subject.character, arguments.motion);
        const bool is_name = extensionOf(arguments.motion).empty();
        if (!motion) return Fault{motion.error(), is_name ? kBadUse : kFailure};
        job.motion = std::move(*motion);
    } else if (job.request.time || job.request.frame) {
        const std::string names = motionNames(character);
        return badUse(errorf("--time and --frame need --motion%s%s",
                             names.empty() ? "" : "; the file itself has ", names.c_str()));
    }
    return {};
}

size_t frameAt(const Motion& motion, double seconds) {
    return std::min(size_t(seconds * motion.rate + 0.5), motion.frames.size() - 1);
}

// The moments to show, from --time or --frame or the whole motion.
std::optional<Fault> chooseTimes(Job& job) {
    if (!job.motion) return {};
    const double duration = job.motion->duration(), rate = job.motion->rate;
    Range range{0, job.arguments.isSheet() ? duration : 0};
    if (job.request.frame)
        range = {job.request.frame->first / rate, job.request.frame->last / rate};
    if (job.request.time) range = *job.request.time;
    if (range.first < 0 || range.last > duration + 0.5 / rate)
        return badUse(
            errorf("the motion %s has %.3f s (frames 0 to %zu); %.3f to %.3f s are not in it",
                   quoteForMessage(job.motion->name).c_str(), duration,
                   job.motion->frames.size() - 1, range.first, range.last));
    if (job.request.cells == 1 && range.first < range.last)
        return badUse(errorf("a range of time needs --sheet COLUMNSxROWS or --frames N"));
    job.times = evenTimes(range.first, range.last, job.request.cells);
    // cloth is there at frames alone
    for (double& time : job.times)
        if (job.subject.recording) time = double(frameAt(*job.motion, time)) / rate;
    return {};
}

ShotOptions shotOptions(const Job& job) {
    ShotOptions options = job.request.shot;
    options.ground_height = job.subject.floor_height;
    options.material = job.scale && job.cloth_colors.empty() ? dataMaterial() : mannequinMaterial();
    if (job.subject.recording) options.wire = false;  // the cloth's edges, not the body's
    return options;
}

// Where the body faces at that moment, in degrees about the vertical; 0 where it has no hips.
float headingAt(const Motion& motion, double seconds) {
    const auto hips = findHipJoints(motion.skeleton);
    if (!hips) return 0;
    const Motion moment{.skeleton = motion.skeleton, .frames = {sampleAt(motion, seconds)}};
    return radiansToDegrees(rootsOf(moment, *hips)[0].heading);
}

// The subject at the chosen moments; without a motion, seen from all sides.
std::vector<Image> takePictures(const Job& job, std::vector<std::string>& labels) {
    const Character& character = job.subject.character;
    ShotOptions options = shotOptions(job);
    if (job.motion) {
        options.view.yaw += headingAt(*job.motion, job.times[0]);
        for (double time : job.times) labels.push_back(format("%.2f s", time));
        std::vector<Shot> shots = shotsOf(character, *job.motion, job.times);
        for (size_t i = 0; job.subject.recording && i < shots.size(); ++i)
            shots[i].worn = recordedCloth(job.subject, frameAt(*job.motion, job.times[i]),
                                          job.cloth_colors, job.request.shot.wire);
        return renderShots(character.mesh, shots, options);
    }
    const Mesh& mesh = character.mesh;
    const Vec3 centre = boundsOf(mesh.positions).centre();
    std::vector<Shot> shots;
    for (int i = 0; i < job.request.cells; ++i) {
        const float turn = 360 * float(i) / float(job.request.cells);
        labels.push_back(format("yaw %.0f", std::fmod(double(options.view.yaw + turn) + 720, 360)));
        const Quat rotation = fromAxisAngle({0, 1, 0}, -degreesToRadians(turn));
        Shot shot;
        for (Vec3 p : mesh.positions)
            shot.positions.push_back(centre + rotate(rotation, p - centre));
        shots.push_back(std::move(shot));
    }
    return renderShots(mesh, shots, options);
}

void makePicture(Job& job) {
    std::vector<std::string> labels;
    const std::vector<Image> images = takePictures(job, labels);
    SheetOptions sheet{
        .columns = job.request.columns, .title = job.arguments.title, .scale = job.scale};
    if (job.arguments.isSheet()) {
        if (sheet.title.empty())
            sheet.title = job.subject.character.name +
                          (job.motion && job.motion->name != job.subject.character.name
                               ? ": " + job.motion->name
                               : "");
        job.picture = contactSheet(images, labels, sheet);
    } else {
        job.picture = job.scale ? withLegend(images[0], *job.scale, sheet.paper) : images[0];
    }
}

void report(const Job& job, const Common& common) {
    const Mesh& mesh = job.subject.character.mesh;
    if (!common.json) {
        if (!common.quiet)
            std::printf("%s: %d by %d pixels\n", job.arguments.output.c_str(), job.picture.width,
                        job.picture.height);
        return;
    }
    nlohmann::json document = {
        {"file", job.arguments.output},          {"width", job.picture.width},
        {"height", job.picture.height},          {"cells", job.request.cells},
        {"subject", job.subject.character.name}, {"vertices", mesh.positions.size()},
        {"triangles", mesh.triangles.size()}};
    if (job.motion) {
        document["motion"] = job.motion->name;
        document["times_s"] = job.times;
    }
    if (job.scale)
        document["legend"] = {
            {"label", job.scale->label}, {"low", job.scale->low}, {"high", job.scale->high}};
    std::printf("%s\n", document.dump(2).c_str());
}

// In a sheet, rows that no cell stands in are not paid for: this is the whole grid's size.
std::optional<Fault> checkSheetSize(const Job& job) {
    const RenderOptions& cell = job.request.shot.render;
    const SheetLayout layout = layoutSheet(job.request.cells, cell.width, cell.height, true,
                                           {.columns = job.request.columns, .title = "title"});
    if (layout.width > kMaxImageSide - 200 || layout.height > kMaxImageSide)
        return badUse(
            errorf("the sheet would have %d by %d pixels; fewer cells or a smaller --size, please "
                   "(at most %d a side)",
                   layout.width, layout.height, kMaxImageSide - 200));
    return {};
}

int runPicture(const PictureArguments& arguments, const Common& common) {
    const auto request = understand(arguments);
    if (!request) return fail(request.error(), kBadUse);
    Job job{.arguments = arguments, .request = *request};
    if (const auto fault = checkSheetSize(job)) return fail(fault->error, fault->exit_code);
    auto subject = loadSubject(arguments.input);
    if (!subject) return fail(subject.error());
    job.subject = std::move(*subject);
    for (const auto step : {chooseMotion, chooseTimes, paint})
        if (const auto fault = step(job)) return fail(fault->error, fault->exit_code);
    makePicture(job);
    const Status saved = savePng(arguments.output, job.picture);
    if (!saved) return fail(saved.error());
    report(job, common);
    return 0;
}

constexpr const char* kExamples =
    "  hemline picture female -o mannequin.png\n"
    "  hemline picture hero.glb -o hero.png --sheet 4x1               # from four sides\n"
    "  hemline picture walk.bvh -o walk.png --sheet 6x2 --view side --follow   # a stick figure\n"
    "  hemline picture hero.glb --motion walk.bvh --sheet 6x2 --follow -o hero_walk.png\n"
    "  hemline picture hero.glb --motion Run --time 0.5 -o run.png    # a motion in the file\n"
    "  hemline picture male --color-by weights:LeftArm -o arm.png\n"
    "  hemline picture cape.obj --color-by error.txt --range 0:5 -o error.png\n"
    "  hemline picture recordings/dress/clips/walk --sheet 6x1 --follow -o dress.png\n"
    "  hemline picture cape.obj --wire --view 200,15 --size 900x1200 --quality high -o cape.png\n"
    "\n"
    "Views are the body's at the first moment shown: front is where it faces then. A sheet of a\n"
    "motion shows it at even steps of its time; without a motion it goes around the\n"
    "subject. Values files hold one number per vertex, in metres unless --unit none.\n";

void addInputOptions(CLI::App* verb, PictureArguments& a) {
    verb->add_option("INPUT", a.input,
                     "female or male (the built-in mannequin), an .obj mesh, a .glb, .gltf or .fbx "
                     "character, a .bvh motion, or the folder of a recorded clip")
        ->required();
    verb->add_option("-o,--output", a.output, "The PNG file to write")->required();
    verb->add_option(
            "--motion", a.motion,
            "A built-in motion (hemline motions lists them), a .bvh file, or the name of a "
            "motion in the character's file; carried over to the character")
        ->group("Motion");
    auto* time = verb->add_option("--time", a.time, "Seconds into the motion; FROM:TO for a sheet")
                     ->group("Motion");
    verb->add_option("--frame", a.frame, "The same in frames of the motion")
        ->group("Motion")
        ->excludes(time);
    verb->add_flag("--follow", a.follow, "The camera goes along with the body")->group("Motion");
    auto* sheet =
        verb->add_option("--sheet", a.sheet, "Contact sheet, COLUMNSxROWS")->group("Sheet");
    verb->add_option("--frames", a.frames, "Contact sheet of N cells, in a grid that fits")
        ->group("Sheet")
        ->check(CLI::Range(1, kMaxCells))
        ->excludes(sheet);
    verb->add_option("--title", a.title, "Text above the sheet (default: what it shows)")
        ->group("Sheet");
}

void addLookOptions(CLI::App* verb, PictureArguments& a) {
    verb->add_option("--view", a.view,
                     "front, side, back, three-quarter, top, or YAW,PITCH in degrees")
        ->capture_default_str()
        ->group("Look");
    verb->add_option(
            "--size", a.size,
            "WIDTHxHEIGHT in pixels, of a cell in a sheet (default: 480x640; in a sheet 200x300)")
        ->group("Look");
    verb->add_option("--quality", a.quality, "draft, normal or high")
        ->capture_default_str()
        ->group("Look");
    verb->add_option("--background", a.background, "paper, white, grey, black or #rrggbb")
        ->capture_default_str()
        ->group("Look");
    verb->add_flag("--wire", a.wire, "Draw the mesh's edges")->group("Look");
    verb->add_option("--color-by", a.color_by,
                     "height, weights:JOINT, or a .txt or .npy file with one number per vertex")
        ->group("Colours");
    verb->add_option("--range", a.range, "LOW:HIGH of the colours (default: all values)")
        ->group("Colours");
    verb->add_option("--unit", a.unit, "m, cm, mm, or none for numbers that are not metres")
        ->capture_default_str()
        ->group("Colours");
    verb->add_option("--map", a.map, "sequential or cold-hot")
        ->capture_default_str()
        ->group("Colours");
}

}  // namespace

void addPictureVerb(CLI::App& app, Common& common) {
    auto arguments = std::make_shared<PictureArguments>();
    CLI::App* verb =
        addVerb(app, common, "picture",
                "Render a character, mesh, motion or recorded clip to a PNG", kExamples);
    addInputOptions(verb, *arguments);
    addLookOptions(verb, *arguments);
    verb->callback([arguments, &common] { common.exit_code = runPicture(*arguments, common); });
}

}  // namespace hem::tools
