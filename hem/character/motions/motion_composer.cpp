// SPDX-License-Identifier: Apache-2.0
// Free combinations of the training kinds of motion, by seed.
#include "hem/character/motions/motion_sets.h"
#include "hem/core/random.h"
#include "hem/core/text.h"

namespace hem {
namespace {

class Composer {
public:
    Composer(const std::string& name, uint64_t seed)
        : writer_(name, "", seed), random_(seed, "composition") {}

    MotionScript compose(double seconds) {
        stand(draw(0.5, 1.0));
        while (length_ < seconds) addPhrase();
        writer_.script.description = "combines " + kinds();
        return writer_.cut(0, seconds);
    }

private:
    // Drawn one per statement: the order within an expression is the compiler's choice.
    double draw(double low, double high) { return random_.uniform(float(low), float(high)); }
    // One of the angles, give or take a tenth, to either side.
    double drawAngle(std::initializer_list<double> angles) {
        const int which = random_.integer(0, int(angles.size()) - 1);
        const double about = draw(0.9, 1.1);
        return angles.begin()[which] * about * (random_.chance(0.5f) ? 1 : -1);
    }

    void addPhrase() {
        switch (random_.integer(0, 7)) {
            case 0:
            case 1:
                return walkPhrase();
            case 2:
                return runPhrase();
            case 3:
                return spotTurn();
            case 4:
                return jump();
            case 5:
                return duckWalk();
            case 6:
                return leap();
            default:
                return stop();
        }
    }

    void walkPhrase() {
        const double speed = draw(0.75, 1.9);
        const double seconds = draw(1.4, 3.0);
        walk(speed, seconds);
        if (random_.chance(0.75f)) turnWalking(speed);
        note("walk");
    }
    // At a rate that people turn at: slower for the faster.
    void turnWalking(double speed) {
        const double degrees = drawAngle({45, 90, 135, 180, 360});
        const double rate = draw(42, 68) * (speed > 1.5 ? 0.8 : 1);
        walk(speed, std::abs(degrees) / rate + 0.45, degrees);
        const double onwards = draw(0.8, 1.6);
        walk(speed, onwards);
        note("turns");
    }
    void runPhrase() {
        const double speed = draw(2.2, 4.2);
        const double seconds = draw(2.0, 3.4);
        run(speed, seconds);
        if (random_.chance(0.6f)) {
            const double degrees = drawAngle({45, 90, 180}), rate = 190 / speed;
            run(speed * 0.9, std::abs(degrees) / rate + 0.5, degrees);
            const double onwards = draw(0.8, 1.4);
            run(speed, onwards);
        }
        note("run");
    }
    void spotTurn() {
        if (!standing_) stand(1.5);
        const double degrees = drawAngle({45, 90, 180, 360});
        const double seconds = std::abs(degrees) / draw(80, 105) + 0.6;
        writer_.turn(degrees, seconds);
        length_ += seconds;
        stand(draw(0.7, 1.2));
        note("turns on the spot");
    }
    void jump() {
        if (!standing_) stand(1.6);
        const double height = draw(0.1, 0.3), distance = random_.chance(0.5f) ? draw(0.2, 0.75) : 0;
        writer_.jump(height, distance);
        length_ += jumpTimes(height).total();
        stand(draw(0.5, 1.0));
        note("jump");
    }
    void duckWalk() {
        const double speed = draw(1.0, 1.5);
        const double before = draw(1.2, 2.0);
        walk(speed, before);
        const double seconds = draw(1.7, 2.6);
        walk(0.75 * speed, seconds + 0.2);
        const double drop = draw(0.14, 0.26);
        writer_.duck(0.1, drop, seconds);
        const double after = draw(0.8, 1.5);
        walk(speed, after);
        note("duck");
    }
    void leap() {
        const double speed = draw(2.3, 3.6);
        const double seconds = draw(3.2, 4.2);
        run(speed, seconds);
        const double when = draw(1.7, 2.2);
        const double flight = draw(0.27, 0.34);
        writer_.leap(when, flight);
        note("leap");
    }
    void stop() {
        if (standing_) return walkPhrase();
        const double ramp = draw(0.5, 1.1);
        writer_.stand(ramp + 1.0, ramp);
        length_ += ramp + 1.0;
        standing_ = true;
        if (random_.chance(0.4f)) writer_.twist(ramp, draw(-60, 60), 1.4);
        note("stops");
    }

    void stand(double seconds) {
        writer_.stand(seconds);
        length_ += seconds;
        standing_ = true;
    }
    void walk(double speed, double seconds, double turn = 0) {
        const double ramp = draw(0.8, 1.1);
        writer_.walk(speed, seconds, turn, ramp);
        length_ += seconds;
        standing_ = false;
    }
    void run(double speed, double seconds, double turn = 0) {
        const double ramp = draw(1.0, 1.4);
        writer_.run(speed, seconds, turn, ramp);
        length_ += seconds;
        standing_ = false;
    }

    void note(const char* kind) {
        for (const std::string& known : kinds_)
            if (known == kind) return;
        kinds_.push_back(kind);
    }
    std::string kinds() const {
        std::string text;
        for (size_t k = 0; k < kinds_.size(); ++k)
            text += (k == 0 ? "" : k + 1 == kinds_.size() ? " and " : ", ") + kinds_[k];
        return text;
    }

    ScriptWriter writer_;
    Random random_;
    double length_ = 0;
    bool standing_ = true;
    std::vector<std::string> kinds_;
};

}  // namespace

MotionScript composeFreely(const std::string& name, uint64_t seed, double seconds) {
    return Composer(name, seed).compose(seconds);
}

}  // namespace hem
