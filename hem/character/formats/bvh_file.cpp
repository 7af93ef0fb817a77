// SPDX-License-Identifier: Apache-2.0
// The tree of joints, then a line of numbers per frame.
#include "hem/character/formats/bvh_file.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "hem/core/text.h"

namespace hem {
namespace {

constexpr size_t kMaxJoints = 4096, kMaxDepth = 256;
constexpr double kMaxNumber = 1e7;

constexpr std::array<const char*, 9> kChannelNames{"Xposition", "Yposition", "Zposition",
                                                   "Xrotation", "Yrotation", "Zrotation",
                                                   "Xscale",    "Yscale",    "Zscale"};
const char* nameOf(BvhChannel c) { return kChannelNames[size_t(c.kind) * 3 + size_t(c.axis)]; }

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

    Result<BvhFile> parse() {
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
    void makeNameUnique(BvhNode& end_site);
    Status parseOffset(BvhNode& node);
    Status parseChannels(BvhNode& node);
    Status parseMotion();
    Result<std::string_view> valueOf(std::string_view key);
    Status parseFrameTime();
    Result<std::vector<double>> parseFrame(std::string_view line, size_t frame);
    std::string channelAt(size_t index) const;

    Scanner scanner_;
    std::string name_;
    BvhFile file_;
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
    for (BvhNode& node : file_.nodes) {
        if (node.is_end_site) makeNameUnique(node);
        node.first_channel = file_.channels;
        file_.channels += node.channels.size();
    }
    if (file_.channels == 0)
        return fault("no joint has CHANNELS, so there is no motion in the file");
    return Done{};
}

Status Parser::openNode(std::string_view keyword) {
    BvhNode node;
    node.line = scanner_.line();
    node.parent = open_.empty() ? -1 : int(open_.back());
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

void Parser::makeNameUnique(BvhNode& end_site) {
    const std::string first = end_site.name;
    for (int copy = 2; !line_of_name_.emplace(end_site.name, end_site.line).second; ++copy)
        end_site.name = first + std::to_string(copy);
}

Status Parser::inNode(std::string_view word) {
    BvhNode& node = file_.nodes[open_.back()];
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
    const BvhNode& node = file_.nodes[open_.back()];
    if (!node.has_offset)
        return faultAt(node.line, "joint " + quoteForMessage(node.name) + " has no OFFSET");
    open_.pop_back();
    return Done{};
}

Status Parser::parseOffset(BvhNode& node) {
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

Status Parser::parseChannels(BvhNode& node) {
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
        const BvhChannel channel{BvhChannel::Kind(index / 3), int(index % 3)};
        for (const BvhChannel& c : node.channels)
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
    for (const BvhNode& node : file_.nodes)
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

}  // namespace

Result<BvhFile> parseBvhFile(std::string_view text, const std::string& name) {
    return Parser(text, name).parse();
}

}  // namespace hem
