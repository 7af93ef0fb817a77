// SPDX-License-Identifier: Apache-2.0
#include "hem/core/text.h"
#include "hem/eval/report/html.h"
#include "hem/eval/report/sections.h"

namespace hem {
namespace {

std::string button(const char* id, const char* text, const char* label) {
    return format("<button type=\"button\" id=\"%s\" aria-label=\"%s\">%s</button>", id, label,
                  text);
}

std::string choice(const char* value, const char* text, bool checked) {
    return format(
        "<label><input type=\"radio\" name=\"shown\" value=\"%s\"%s><span>%s</span>"
        "</label>",
        value, checked ? " checked" : "", text);
}

// What the cloth that is shown has been through.
std::string pushedOut(const Findings& f) {
    return f.pushed_out ? " Vertices inside the body are pushed out of it (HEM_PUSH_OUT), as in a "
                          "game."
                        : "";
}

std::string controls() {
    return "<div class=\"controls\"><div class=\"row\">" + button("play", "Play", "Play or pause") +
           "<input type=\"range\" id=\"scrub\" min=\"0\" value=\"0\" step=\"1\" "
           "aria-label=\"Frame\"><output id=\"clock\"></output></div><div class=\"row\">"
           "<fieldset><legend>Show</legend>" +
           choice("simulation", "Simulation", false) + choice("prediction", "Prediction", true) +
           choice("overlay", "Both", false) +
           "</fieldset><label>Model <select id=\"model\"></select></label>"
           "<label class=\"check\"><input type=\"checkbox\" id=\"colors\" checked> Error in "
           "colours</label><label>Speed <select id=\"speed\"><option value=\"1\">1×</option>"
           "<option value=\"0.5\">½×</option><option value=\"0.25\">¼×</option></select></label>" +
           button("home", "Reset view", "Reset the camera") + "</div></div>\n";
}

}  // namespace

std::string viewSection(const Findings& f) {
    return "<section id=\"view\"><h2>The worst clip</h2>\n<p><b>" + escaped(f.worst().name) +
           "</b>" +
           format(", %.2f cm in the mean, around its worst frame, as ", f.worst().errors.mean_cm) +
           escaped(f.each[0].label) + " plays it." + pushedOut(f) +
           " <span class=\"keys\">Drag or use the arrow keys to turn; the wheel, two fingers or + "
           "and − to come nearer; space plays, comma and full stop step.</span></p>\n"
           "<div class=\"stage\"><canvas id=\"canvas\" tabindex=\"0\" role=\"img\" "
           "aria-label=\"The dressed body in three dimensions\"></canvas><p id=\"no-view\" "
           "hidden></p></div>\n<img class=\"still\" id=\"still\" alt=\"\">\n" +
           controls() + colorBarHtml(f.scale_cm) + "</section>\n";
}

std::string framesSection(const Findings& f) {
    if (f.pictures.empty()) return "";
    std::string out = "<section id=\"frames\"><h2>The worst frames</h2>\n<p>Of <b>" +
                      escaped(f.each[0].label) +
                      "</b>, at least a second apart, seen from the side where the error is "
                      "largest." +
                      pushedOut(f) + "</p>\n" + colorBarHtml(f.scale_cm);
    for (const FramePictures& p : f.pictures) {
        const std::string clip = f.score(0).clips[p.frame.clip].name;
        const std::string where =
            format("frame %zu, %.2f s: %.2f cm in the mean, %.1f cm at most", p.frame.frame,
                   double(p.frame.frame) / f.rate, p.mean_cm, p.largest_cm);
        out +=
            "<div class=\"frame\"><h3>" + escaped(clip) + " <small>" + where +
            "</small></h3><div class=\"three\">" +
            pictureHtml(p.simulated, "Simulation", "The simulated cloth, " + clip + ", " + where) +
            pictureHtml(p.played, "Prediction", "The predicted cloth, " + clip + ", " + where) +
            pictureHtml(p.error, "Error", "The predicted cloth coloured by its error, " + where) +
            "</div></div>\n";
    }
    return out + "</section>\n";
}

}  // namespace hem
