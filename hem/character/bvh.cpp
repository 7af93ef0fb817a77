// SPDX-License-Identifier: Apache-2.0
// Reads BVH: first the tree of joints, then a line of numbers per frame, then units and rotations.
#include "hem/character/bvh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

constexpr size_t kMaxJoints = 4096, kMaxDepth = 256;
constexpr double kMaxNumber = 1e7;

enum class Kind { kPosition, kRotation, kScale };
struct Channel {
    Kind kind;
    int axis;
};
constexpr std::array<const char*, 9> kChannelNames{"Xposition", "Yposition", "Zposition",
                                                   "Xrotation", "Yrotation", "Zrotation",
                                                   "Xscale",    "Yscale",    "Zscale"};
const char* nameOf(Channel c) { return kChannelNames[size_t(c.kind) * 3 + size_t(c.axis)]; }

struct Node {
    std::string name;
    int parent = kNoParent;
    size_t line = 0;
    bool has_offset = false, has_channels = false, is_end_site = false;
    std::array<double, 3> offset{};  // in file units
    std::vector<Channel> channels;
    size_t first_channel = 0;  // its first number in a frame's line
};

struct File {
    std::vector<Node> nodes;  // depth first; End Sites among them
    size_t channels = 0;
    double rate = 0;
    std::vector<std::vector<double>> frames;  // frames by channels
};

bool sameWord(std::string_view a, std::string_view b) { return toLower(a) == toLower(b); }

// Words of the hierarchy and lines of the motion, with the line's number. Braces are words of their
// own.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    size_t line() const { return line_; }
    size_t bytesLeft() const { return text_.size() - at_; }

    // Empty at the end of the text.
    std::string_view word() {
        skipBlanks(" \t\r\n\f\v");
        if (at_ >= text_.size()) return {};
        const size_t start = at_;
        if (isBrace(text_[at_])) return text_.substr(at_++, 1);
        while (at_ < text_.size() && !isBlank(text_[at_]) && !isBrace(text_[at_])) ++at_;
        return text_.substr(start, at_ - start);
    }

    // What is left of this line before a brace, without blanks at its ends: a joint's name.
    std::string_view restOfLine(bool stop_at_brace) {
        const size_t start = at_;
        while (at_ < text_.size() && text_[at_] != '\n' && !(stop_at_brace && isBrace(text_[at_])))
            ++at_;
        return trimmed(text_.substr(start, at_ - start));
    }

    // The next line that is not blank; empty at the end.
    std::string_view fullLine() {
        skipBlanks(" \t\r\n\f\v");
        return restOfLine(false);
    }

private:
    static bool isBrace(char c) { return c == '{' || c == '}'; }
    static bool isBlank(char c) {
        return std::string_view(" \t\r\n\f\v").find(c) != std::string_view::npos;
    }
    static std::string_view trimmed(std::string_view s) {
        while (!s.empty() && isBlank(s.front())) s.remove_prefix(1);
        while (!s.empty() && isBlank(s.back())) s.remove_suffix(1);
        return s;
    }
    void skipBlanks(std::string_view blanks) {
        for (; at_ < text_.size() && blanks.find(text_[at_]) != std::string_view::npos; ++at_)
            if (text_[at_] == '\n') ++line_;
    }

    std::string_view text_;
    size_t at_ = 0, line_ = 1;
};

class Parser {
public:
    Parser(std::string_view text, const std::string& name) : scanner_(text), name_(name) {}

    Result<File> parse() {
        if (Status s = parseHierarchy(); !s) return s.error();
        if (Status s = parseMotion(); !s) return s.error();
        return std::move(file_);
    }

private:
    Error fault(const std::string& what) const { return faultAt(scanner_.line(), what); }
    Error faultAt(size_t line, const std::string& what) const {
        return errorf("%s:%zu: %s", name_.c_str(), line, what.c_str());
    }
    static std::string found(std::string_view word) {
        return word.empty() ? "the file ends here" : "found " + quoteForMessage(word);
    }

    Status parseHierarchy();
    Status openNode(std::string_view keyword);
    Status inNode(std::string_view word);
    Status closeNode();
    void makeNameUnique(Node& end_site);
    Status parseOffset(Node& node);
    Status parseChannels(Node& node);
    Status parseMotion();
    Result<std::string_view> valueOf(std::string_view key);
    Status parseFrameTime();
    Result<std::vector<double>> parseFrame(std::string_view line, size_t frame);
    std::string channelAt(size_t index) const;

    Scanner scanner_;
    std::string name_;
    File file_;
    std::vector<size_t> open_;  // the nodes whose brace is open
    std::unordered_map<std::string, size_t> line_of_name_;
};

Status Parser::parseHierarchy() {
    if (const auto word = scanner_.word(); !sameWord(word, "HIERARCHY"))
        return fault("a BVH file starts with HIERARCHY; " + found(word));
    if (const auto word = scanner_.word(); !sameWord(word, "ROOT"))
        return fault("ROOT and a joint's name were expected; " + found(word));
    if (Status s = openNode("ROOT"); !s) return s;
    while (!open_.empty())
        if (Status s = inNode(scanner_.word()); !s) return s;
    for (Node& node : file_.nodes) {
        if (node.is_end_site) makeNameUnique(node);
        node.first_channel = file_.channels;
        file_.channels += node.channels.size();
    }
    if (file_.channels == 0)
        return fault("no joint has CHANNELS, so there is no motion in the file");
    return Done{};
}

Status Parser::openNode(std::string_view keyword) {
    Node node;
    node.line = scanner_.line();
    node.parent = open_.empty() ? kNoParent : int(open_.back());
    node.name = scanner_.restOfLine(true);
    node.is_end_site = sameWord(keyword, "End");
    if (node.is_end_site) node.name = file_.nodes[open_.back()].name + "_end";
    if (node.name.empty()) return fault(std::string(keyword) + " needs a joint's name after it");
    if (!node.is_end_site && line_of_name_.contains(node.name))
        return fault(format("two joints are called %s (the other on line %zu); rename one",
                            quoteForMessage(node.name).c_str(), line_of_name_[node.name]));
    if (!node.is_end_site) line_of_name_[node.name] = node.line;
    if (file_.nodes.size() >= kMaxJoints || open_.size() >= kMaxDepth)
        return fault(format("joint %s is one too many: at most %zu joints, %zu deep, are read",
                            quoteForMessage(node.name).c_str(), kMaxJoints, kMaxDepth));
    if (const auto word = scanner_.word(); word != "{")
        return fault("'{' was expected after " + quoteForMessage(node.name) + "; " + found(word));
    open_.push_back(file_.nodes.size());
    file_.nodes.push_back(std::move(node));
    return Done{};
}

void Parser::makeNameUnique(Node& end_site) {
    const std::string first = end_site.name;
    for (int copy = 2; !line_of_name_.emplace(end_site.name, end_site.line).second; ++copy)
        end_site.name = first + std::to_string(copy);
}

Status Parser::inNode(std::string_view word) {
    Node& node = file_.nodes[open_.back()];
    const std::string in_joint = " in joint " + quoteForMessage(node.name);
    if (word == "}") return closeNode();
    if (sameWord(word, "OFFSET")) return parseOffset(node);
    if (sameWord(word, "CHANNELS") && !node.is_end_site) return parseChannels(node);
    const bool is_end = sameWord(word, "End");
    if ((sameWord(word, "JOINT") || is_end) && !node.is_end_site) return openNode(word);
    if (word.empty())
        return fault(
            format("the file ends%s, whose '}' is missing: it is cut short", in_joint.c_str()));
    return fault("OFFSET, CHANNELS, JOINT, End Site or '}' was expected" + in_joint + "; " +
                 found(word));
}

Status Parser::closeNode() {
    const Node& node = file_.nodes[open_.back()];
    if (!node.has_offset)
        return faultAt(node.line, "joint " + quoteForMessage(node.name) + " has no OFFSET");
    open_.pop_back();
    return Done{};
}

Status Parser::parseOffset(Node& node) {
    const std::string quoted = quoteForMessage(node.name);
    if (node.has_offset) return fault("a second OFFSET in joint " + quoted + "; remove one");
    for (double& number : node.offset) {
        const auto word = scanner_.word();
        const auto value = parseNumber(word);
        if (!value || std::abs(*value) > kMaxNumber)
            return fault("OFFSET of joint " + quoted + " needs three numbers; " + found(word));
        number = *value;
    }
    node.has_offset = true;
    return Done{};
}

Status Parser::parseChannels(Node& node) {
    const std::string quoted = quoteForMessage(node.name);
    if (node.has_channels) return fault("a second CHANNELS in joint " + quoted + "; remove one");
    node.has_channels = true;
    const auto count_word = scanner_.word();
    const auto count = parseInteger(count_word);
    if (!count || *count < 0 || *count > long(kChannelNames.size()))
        return fault(format("CHANNELS of joint %s needs a count from 0 to %zu; %s", quoted.c_str(),
                            kChannelNames.size(), found(count_word).c_str()));
    for (long i = 0; i < *count; ++i) {
        const auto word = scanner_.word();
        size_t index = 0;
        while (index < kChannelNames.size() && !sameWord(word, kChannelNames[index])) ++index;
        if (index == kChannelNames.size())
            return fault(
                format("joint %s has %ld channels, of which number %ld is not Xposition to "
                       "Zposition, Xrotation to Zrotation or Xscale to Zscale; %s",
                       quoted.c_str(), *count, i + 1, found(word).c_str()));
        const Channel channel{Kind(index / 3), int(index % 3)};
        for (const Channel& c : node.channels)
            if (c.kind == channel.kind && c.axis == channel.axis)
                return fault(format("joint %s has channel %s twice", quoted.c_str(), nameOf(c)));
        node.channels.push_back(channel);
    }
    return Done{};
}

// The text after "key:" on the next line that is not blank.
Result<std::string_view> Parser::valueOf(std::string_view key) {
    const auto line = scanner_.fullLine();
    const size_t colon = line.find(':');
    std::string words;
    for (const auto word : splitWords(line.substr(0, colon))) {
        if (!words.empty()) words.push_back(' ');
        words.append(word);
    }
    if (colon == line.npos || !sameWord(words, key))
        return fault("'" + std::string(key) + ": ' and a number were expected; " + found(line));
    const auto values = splitWords(line.substr(colon + 1));
    if (values.size() != 1)
        return fault(format("'%s:' needs one number after it; the line has %zu",
                            std::string(key).c_str(), values.size()));
    return values[0];
}

// Where `written` is the period of a whole rate cut or rounded to its digits, that rate.
double snappedRate(std::string_view written, double period) {
    const double whole = std::round(1 / period);
    if (whole < 1) return 1 / period;
    const size_t point = written.find('.');
    const bool plain = written.find_first_of("eE") == written.npos;
    const double digits = point == written.npos ? 0 : double(written.size() - point - 1);
    const double last_digit = plain ? std::pow(10.0, -digits) : 1e-6 * period;
    // never so coarse that two whole rates could both be meant
    const double tolerance = std::min(last_digit, 0.01 * period);
    return std::abs(period - 1 / whole) < tolerance ? whole : 1 / period;
}

Status Parser::parseFrameTime() {
    const auto text = valueOf("Frame Time");
    if (!text) return text.error();
    const auto period = parseNumber(*text);
    if (!period || *period < 1e-6 || *period > 3600)
        return fault("Frame Time must be a number of seconds above 0; " + found(*text) +
                     " (0.0333333 is 30 frames a second)");
    file_.rate = snappedRate(*text, *period);
    return Done{};
}

Status Parser::parseMotion() {
    const auto word = scanner_.word();
    if (sameWord(word, "ROOT"))
        return fault("a second root, " + quoteForMessage(scanner_.restOfLine(true)) +
                     ": one skeleton is read from a file; put each into a file of its own");
    if (!sameWord(word, "MOTION"))
        return fault("MOTION was expected after the joints; " + found(word));
    const auto count_text = valueOf("Frames");
    if (!count_text) return count_text.error();
    const auto count = parseInteger(*count_text);
    if (!count || *count < 1)
        return fault("Frames must be a whole number above 0; " + found(*count_text));
    if (Status s = parseFrameTime(); !s) return s;
    // A number takes two bytes at least: a count that the file cannot hold reserves nothing.
    file_.frames.reserve(std::min(size_t(*count), scanner_.bytesLeft() / (2 * file_.channels) + 1));
    for (auto line = scanner_.fullLine(); !line.empty(); line = scanner_.fullLine()) {
        if (file_.frames.size() == size_t(*count))
            return fault(format(
                "numbers after the last of %ld frames; correct 'Frames:' or remove them", *count));
        auto frame = parseFrame(line, file_.frames.size());
        if (!frame) return frame.error();
        file_.frames.push_back(std::move(*frame));
    }
    if (file_.frames.size() < size_t(*count))
        return fault(
            format("the file ends after %zu of %ld frames: it is cut short, or 'Frames:' is wrong",
                   file_.frames.size(), *count));
    return Done{};
}

std::string Parser::channelAt(size_t index) const {
    for (const Node& node : file_.nodes)
        if (index >= node.first_channel && index < node.first_channel + node.channels.size())
            return format("%s of joint %s", nameOf(node.channels[index - node.first_channel]),
                          quoteForMessage(node.name).c_str());
    return "no channel";
}

Result<std::vector<double>> Parser::parseFrame(std::string_view line, size_t frame) {
    std::vector<double> numbers;
    numbers.reserve(file_.channels);
    for (const auto word : splitWords(line)) {
        if (numbers.size() == file_.channels)
            return fault(format("frame %zu has more numbers than the %zu channels; %s is left over",
                                frame + 1, file_.channels, quoteForMessage(word).c_str()));
        const auto value = parseNumber(word);
        if (!value || std::abs(*value) > kMaxNumber)
            return fault(format("frame %zu: %s is %s, which is not a number below 1e7", frame + 1,
                                channelAt(numbers.size()).c_str(), quoteForMessage(word).c_str()));
        numbers.push_back(*value);
    }
    if (numbers.size() < file_.channels)
        return fault(format("frame %zu has %zu of %zu numbers; the first missing is %s", frame + 1,
                            numbers.size(), file_.channels, channelAt(numbers.size()).c_str()));
    return numbers;
}

// --- From the file's numbers to a Motion ---------------------------------------------------------

// The product of the rotation channels, in double: the file's digits are worth more than float's.
Quat rotationOf(const Node& node, const double* numbers) {
    double w = 1, v[3] = {0, 0, 0};
    for (size_t c = 0; c < node.channels.size(); ++c) {
        if (node.channels[c].kind != Kind::kRotation) continue;
        const double half = std::fmod(numbers[c], 720.0) * (3.14159265358979323846 / 360);
        const double s = std::sin(half), k = std::cos(half);
        const int a = node.channels[c].axis, b = (a + 1) % 3, d = (a + 2) % 3;
        const double next_w = w * k - v[a] * s;
        const double va = v[a] * k + w * s, vb = v[b] * k + v[d] * s, vd = v[d] * k - v[b] * s;
        w = next_w, v[a] = va, v[b] = vb, v[d] = vd;
    }
    return {float(w), float(v[0]), float(v[1]), float(v[2])};
}

// Position channels replace the offset, axis by axis.
std::array<double, 3> positionOf(const Node& node, const double* numbers) {
    auto position = node.offset;
    for (size_t c = 0; c < node.channels.size(); ++c)
        if (node.channels[c].kind == Kind::kPosition)
            position[size_t(node.channels[c].axis)] = numbers[c];
    return position;
}

double distanceBetween(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
double lengthOf(const std::array<double, 3>& a) { return distanceBetween(a, {}); }

bool hasKind(const Node& node, Kind kind) {
    return std::any_of(node.channels.begin(), node.channels.end(),
                       [kind](Channel c) { return c.kind == kind; });
}

// The rules for position and scale channels of bvh.h; says in `notes` what it left out.
void settleOffsets(File& file, double metres_per_unit, std::vector<std::string>& notes) {
    std::string stretching, scaled;
    double largest = 0;
    for (size_t n = 0; n < file.nodes.size(); ++n) {
        Node& node = file.nodes[n];
        if (hasKind(node, Kind::kScale)) scaled += (scaled.empty() ? "" : ", ") + node.name;
        if (n == 0 || !hasKind(node, Kind::kPosition)) continue;
        const auto first = positionOf(node, &file.frames[0][node.first_channel]);
        double changes = 0, from_offset = 0;
        for (const auto& frame : file.frames) {
            const auto here = positionOf(node, &frame[node.first_channel]);
            changes = std::max(changes, distanceBetween(here, first));
            from_offset =
                std::max(from_offset, std::min(lengthOf(here), distanceBetween(here, node.offset)));
        }
        if (lengthOf(node.offset) == 0 && changes * metres_per_unit < 1e-4) {
            node.offset = first;
        } else if (from_offset * metres_per_unit > 1e-3) {
            largest = std::max(largest, from_offset * metres_per_unit);
            stretching += (stretching.empty() ? "" : ", ") + node.name;
        }
    }
    if (!stretching.empty())
        notes.push_back(
            format("Position channels of %s differ from their OFFSET by up to %.3f m; bones do "
                   "not stretch here, so OFFSET was used.",
                   quoteForMessage(stretching, 200).c_str(), largest));
    if (!scaled.empty())
        notes.push_back("Scale channels were left out, of " + quoteForMessage(scaled, 200) + ".");
}

Skeleton skeletonOf(const File& file, double metres_per_unit, bool end_sites,
                    std::vector<size_t>* nodes) {
    Skeleton skeleton;
    std::vector<int> joint_of_node(file.nodes.size(), kNoParent);
    for (size_t n = 0; n < file.nodes.size(); ++n) {
        const Node& node = file.nodes[n];
        if (node.is_end_site && (!end_sites || lengthOf(node.offset) == 0)) continue;
        const double m = metres_per_unit;
        const Vec3 offset{float(node.offset[0] * m), float(node.offset[1] * m),
                          float(node.offset[2] * m)};
        const int parent = node.parent < 0 ? kNoParent : joint_of_node[size_t(node.parent)];
        joint_of_node[n] = int(skeleton.size());
        skeleton.joints.push_back({node.name, parent, {Quat{}, offset}});
        nodes->push_back(n);
    }
    return skeleton;
}

Pose poseOf(const File& file, const std::vector<size_t>& nodes, const std::vector<double>& frame,
            double metres_per_unit) {
    Pose pose;
    const auto root = positionOf(file.nodes[0], &frame[0]);
    const double m = metres_per_unit;
    pose.root_position = {float(root[0] * m), float(root[1] * m), float(root[2] * m)};
    for (size_t n : nodes)
        pose.rotations.push_back(
            rotationOf(file.nodes[n], frame.data() + file.nodes[n].first_channel));
    return pose;
}

// Height in file units of the joints and end sites in a pose.
double heightOf(const Skeleton& skeleton, const Pose& pose, int up) {
    double low = 1e30, high = -1e30;
    for (const Affine& joint : worldFromJoints(skeleton, pose)) {
        low = std::min(low, double(joint.translation()[up]));
        high = std::max(high, double(joint.translation()[up]));
    }
    return high - low;
}

struct Unit {
    const char* name;
    double metres;
};
constexpr Unit kUnits[] = {{"metres", 1},
                           {"centimetres", 0.01},
                           {"inches", 0.0254},
                           {"CMU units of 5.644 cm", kCmuMetresPerUnit},
                           {"millimetres", 0.001}};

bool isPersonsHeight(double metres) { return metres >= 1.2 && metres <= 2.2; }

// The unit rule of bvh.h.
double guessUnit(const File& file, bool z_up, std::vector<std::string>& notes) {
    std::vector<size_t> nodes;
    const Skeleton skeleton = skeletonOf(file, 1, true, &nodes);
    const int up = z_up ? 2 : 1;
    const double rest_height = heightOf(skeleton, restPose(skeleton), up);
    // wide limits: children are among the subjects, and metres are far below
    const double cmu_height = rest_height * kCmuMetresPerUnit;
    bool cmu = cmu_height > 0.8 && cmu_height < 2.6;
    for (const char* joint : {"LHipJoint", "LowerBack", "LThumb"})
        cmu = cmu && skeleton.find(joint) >= 0;
    if (cmu) {
        notes.push_back("Lengths are taken to be in CMU units of 5.644 cm, by the joints' names.");
        return kCmuMetresPerUnit;
    }
    double height = 0;
    const size_t step = std::max<size_t>(1, file.frames.size() / 16);
    for (size_t f = 0; f < file.frames.size(); f += step)
        height = std::max(height, heightOf(skeleton, poseOf(file, nodes, file.frames[f], 1), up));
    const Unit* best = kUnits;
    for (const Unit& unit : kUnits) {
        const auto misfit = [&](const Unit& u) {
            return std::abs(std::log(std::max(height, 1e-9) * u.metres / 1.65));
        };
        if (misfit(unit) < misfit(*best)) best = &unit;
    }
    const bool fits = isPersonsHeight(height * best->metres);
    notes.push_back(
        format("Lengths are taken to be in %s: the joints then span a height of %.2f m%s.",
               best->name, height * best->metres,
               fits ? "" : ", which is unusual for a person; give metres_per_unit if it is wrong"));
    return best->metres;
}

bool isCalibrationPose(const File& file, const std::vector<double>& frame) {
    size_t angles = 0, zeros = 0;
    for (const Node& node : file.nodes)
        for (size_t c = 0; c < node.channels.size(); ++c) {
            if (node.channels[c].kind != Kind::kRotation) continue;
            ++angles;
            zeros += frame[node.first_channel + c] == 0;
        }
    return angles > 0 && 3 * zeros >= 2 * angles;
}

void turnUpright(Motion& motion) {
    const Quat turn = fromAxisAngle({1, 0, 0}, -kPi / 2);
    Transform& root = motion.skeleton.joints[0].parent_from_rest;
    root = {turn, rotate(turn, root.translation)};
    for (Pose& pose : motion.frames) {
        pose.root_position = rotate(turn, pose.root_position);
        pose.rotations[0] = normalized(turn * pose.rotations[0]);
    }
}

void makeContinuous(Motion& motion) {
    for (size_t f = 1; f < motion.frames.size(); ++f)
        for (size_t j = 0; j < motion.skeleton.size(); ++j)
            motion.frames[f].rotations[j] =
                nearest(motion.frames[f].rotations[j], motion.frames[f - 1].rotations[j]);
}

Result<Motion> toMotion(File file, const std::string& name, const BvhOptions& options) {
    Motion motion;
    motion.name = stemOf(name);
    motion.rate = file.rate;
    if (options.drop_t_pose && file.frames.size() > 1 && isCalibrationPose(file, file.frames[0]) &&
        !isCalibrationPose(file, file.frames[1])) {
        file.frames.erase(file.frames.begin());
        motion.notes.push_back("The first frame, a calibration pose, was left out.");
    }
    const double metres = options.metres_per_unit > 0 ? options.metres_per_unit
                                                      : guessUnit(file, options.z_up, motion.notes);
    settleOffsets(file, metres, motion.notes);
    std::vector<size_t> nodes;
    motion.skeleton = skeletonOf(file, metres, options.end_sites, &nodes);
    if (Status s = validate(motion.skeleton); !s) return inContext(name, s.error());
    motion.frames.reserve(file.frames.size());
    for (auto& frame : file.frames) motion.frames.push_back(poseOf(file, nodes, frame, metres));
    if (options.z_up) {
        turnUpright(motion);
        motion.notes.push_back("The Z axis, which is up in the file, was turned to Y.");
    }
    makeContinuous(motion);
    return motion;
}

}  // namespace

Result<Motion> parseBvh(std::string_view text, const std::string& name, const BvhOptions& options) {
    CHECK(options.metres_per_unit >= 0 && std::isfinite(options.metres_per_unit));
    auto file = Parser(text, name).parse();
    if (!file) return file.error();
    return toMotion(std::move(*file), name, options);
}

Result<Motion> loadBvh(const std::string& path, const BvhOptions& options) {
    const auto text = readTextFile(path);
    if (!text) return text.error();
    return parseBvh(*text, path, options);
}

}  // namespace hem
