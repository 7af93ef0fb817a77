// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/record.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "hem/core/parallel.h"
#include "hem/core/text.h"
#include "hem/recording/clip_writer.h"

namespace hem {
namespace {

using Clip = RecordPlan::Clip;

size_t framesOfStop(double seconds, double rate) { return size_t(seconds * rate + 0.5) + 1; }

Status checkMotion(const Motion& motion, const ClothScene& scene) {
    const std::string& name = motion.name;
    if (!isClipName(name))
        return errorf("%s: a clip's name has letters, digits and _ - + . only; rename the motion",
                      quoteForMessage(name).c_str());
    if (!(motion.skeleton == scene.character.skeleton))
        return errorf("%s: the motion is not on the character's skeleton; retarget it first",
                      name.c_str());
    if (motion.rate != scene.rate)
        return errorf("%s: the motion has %g frames a second, the scene %g; resample it first",
                      name.c_str(), motion.rate, scene.rate);
    if (motion.frames.empty()) return errorf("%s: the motion has no frames", name.c_str());
    return Done{};
}

// A clip that is there must be what would be recorded now.
Status checkThere(const RecordingSet& set, const Clip& clip, const std::vector<Pose>& poses,
                  const std::string& simulator) {
    const auto there = set.clip(clip.name);
    if (!there) return there.error();
    const RecordingMeta& meta = there->meta();
    const char* cure = "remove its folder to record it again, or choose another folder";
    const std::string folder = set.clipFolder(clip.name);
    if (meta.simulator != simulator)
        return errorf("%s: was recorded by %s, not by %s; %s", folder.c_str(),
                      quoteForMessage(meta.simulator).c_str(), quoteForMessage(simulator).c_str(),
                      cure);
    if (clip.stop > 0 && meta.stop.frame != clip.frame)
        return errorf(
            "%s: stops at frame %zu, but frame %zu was asked for (another number of stops?); %s",
            folder.c_str(), meta.stop.frame, clip.frame, cure);
    if (there->frames() != clip.frames)
        return errorf("%s: has %zu frames, but %zu were asked for; %s", folder.c_str(),
                      there->frames(), clip.frames, cure);
    if (clip.stop == 0 && meta.motion_hash != motionHash(poses))
        return errorf("%s: was recorded with another motion of that name; %s", folder.c_str(),
                      cure);
    return Done{};
}

// What workers take their work from. A clip's stops come in once the clip is there.
class WorkQueue {
public:
    WorkQueue(const RecordPlan& plan, const std::atomic<bool>* cancel) : cancel_(cancel) {
        std::map<size_t, bool> there;
        for (const Clip& clip : plan.clips) {
            if (clip.stop == 0) there[clip.motion] = clip.there;
            if (clip.there) continue;
            ++left_;
            if (clip.stop == 0 || there[clip.motion])
                ready_.push_back(&clip);
            else
                waiting_[clip.motion].push_back(&clip);
        }
        std::stable_sort(ready_.begin(), ready_.end(),
                         [](const Clip* a, const Clip* b) { return a->frames > b->frames; });
    }

    // The next clip; nothing when all is done, or on cancel.
    const Clip* take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !ready_.empty() || left_ == 0 || cancelled(); });
        if (ready_.empty() || cancelled()) return nullptr;
        const Clip* clip = ready_.front();
        ready_.pop_front();
        return clip;
    }

    // Stops of a clip that failed are not to be had.
    void done(const Clip& clip, bool good) {
        const std::lock_guard lock(mutex_);
        --left_;
        if (clip.stop == 0) {
            auto& stops = waiting_[clip.motion];
            if (good)
                ready_.insert(ready_.begin(), stops.begin(), stops.end());
            else
                left_ -= stops.size();
            stops.clear();
        }
        changed_.notify_all();
    }

    bool cancelled() const { return cancel_ && *cancel_; }

private:
    const std::atomic<bool>* cancel_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<const Clip*> ready_;
    std::map<size_t, std::vector<const Clip*>> waiting_;
    size_t left_ = 0;
};

// What all workers share.
struct Session {
    const RecordingSet& set;
    const std::vector<Motion>& motions;
    const SimulatorFactory& factory;
    const RecordOptions& options;
    HipJoints hips;
    WorkQueue queue;
    std::mutex mutex;  // of the report and the factory
    RecordReport report;
    std::optional<Error> no_simulator;
};

// What a clip starts from and plays.
struct Take {
    RecordingMeta meta;
    std::vector<Pose> poses;
    std::vector<Root> roots;
    ClothState start;
};

Result<Take> takeOfClip(Session& session, const Clip& clip, Simulator& simulator) {
    const Motion& motion = session.motions[clip.motion];
    auto start = simulator.drape(motion.frames[0]);
    if (!start) return errorf("%s, frame 0: %s", clip.name.c_str(), start.error().message.c_str());
    return Take{{.name = clip.name, .motion = motion.name, .simulator = simulator.name()},
                motion.frames,
                rootsOf(motion, session.hips),
                std::move(*start)};
}

// The body freezes; the cloth goes on from what was recorded.
Result<Take> takeOfStop(Session& session, const Clip& clip, const Simulator& simulator) {
    const Motion& motion = session.motions[clip.motion];
    const auto moving = session.set.clip(motion.name);
    if (!moving) return moving.error();
    return Take{{.name = clip.name,
                 .motion = motion.name,
                 .simulator = simulator.name(),
                 .is_stop = true,
                 .stop = {motion.name, clip.frame}},
                std::vector<Pose>(clip.frames, moving->pose(clip.frame)),
                std::vector<Root>(clip.frames, moving->root(clip.frame)),
                moving->state(clip.frame)};
}

// False where it was cancelled on the way.
Result<bool> recordClip(Session& session, const Clip& clip, Simulator& simulator) {
    const auto take = clip.stop == 0 ? takeOfClip(session, clip, simulator)
                                     : takeOfStop(session, clip, simulator);
    if (!take) return take.error();
    auto writer = ClipWriter::start(session.set, take->meta, take->poses, take->roots);
    if (!writer) return writer.error();
    Status written = Done{};
    bool cancelled = false;
    auto keep = [&](const ClothState& state) {
        written = writer->append(state);
        if (session.options.progress) session.options.progress(1);
        cancelled = session.queue.cancelled();
        return written && !cancelled;
    };
    if (keep(take->start)) {
        const Status advanced = simulator.advance(take->start, take->poses, keep);
        if (!advanced)
            return errorf("%s, frame %zu: %s", clip.name.c_str(), writer->frames(),
                          advanced.error().message.c_str());
    }
    if (!written) return written.error();
    if (writer->frames() < take->poses.size()) {
        if (cancelled) return false;
        return errorf("%s, frame %zu: the simulator ended early", clip.name.c_str(),
                      writer->frames());
    }
    if (const Status finished = writer->finish(); !finished) return finished.error();
    return true;
}

void work(Session& session) {
    std::unique_ptr<Simulator> simulator;
    while (const Clip* clip = session.queue.take()) {
        if (!simulator) {
            const std::lock_guard lock(session.mutex);
            auto made = session.factory(session.set.scene());
            if (made)
                simulator = std::move(*made);
            else
                session.no_simulator = made.error();
        }
        const Result<bool> result =
            simulator ? recordClip(session, *clip, *simulator) : Result<bool>(false);
        const bool good = result && *result;
        {
            const std::lock_guard lock(session.mutex);
            session.report.recorded += good;
            session.report.frames += good ? clip->frames : 0;
            if (!result) session.report.failures.push_back(result.error());
        }
        session.queue.done(*clip, good);
    }
}

// Each worker keeps to its own core; a single one lets its simulator use them all.
void runWorkers(Session& session, size_t workers) {
    if (workers <= 1) return work(session);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < workers; ++i)
        threads.emplace_back([&] { runOnOneThread([&] { work(session); }); });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

size_t stopFrame(size_t frames, int number, int stops) {
    return size_t(number) * frames / (size_t(stops) + 1);
}

Result<RecordPlan> planRecording(const RecordingSet& set, const std::vector<Motion>& motions,
                                 const std::string& simulator, const RecordOptions& options) {
    RecordPlan plan;
    std::map<std::string, size_t> names;
    for (size_t m = 0; m < motions.size(); ++m) {
        const Motion& motion = motions[m];
        if (const Status valid = checkMotion(motion, set.scene()); !valid) return valid.error();
        if (!names.emplace(motion.name, m).second)
            return errorf("two clips are called %s; rename one",
                          quoteForMessage(motion.name).c_str());
        for (int stop = 0; stop <= options.stops; ++stop) {
            Clip clip{.name = stop ? stopName(motion.name, stop) : motion.name,
                      .motion = m,
                      .stop = stop,
                      .frame = stop ? stopFrame(motion.frames.size(), stop, options.stops) : 0,
                      .frames = stop ? framesOfStop(options.stop_seconds, set.scene().rate)
                                     : motion.frames.size()};
            clip.there = set.has(clip.name);
            if (clip.there)
                if (const Status same = checkThere(set, clip, motion.frames, simulator); !same)
                    return same.error();
            plan.frames += clip.there ? 0 : clip.frames;
            plan.clips.push_back(std::move(clip));
        }
    }
    return plan;
}

Result<RecordReport> record(const RecordingSet& set, const std::vector<Motion>& motions,
                            const SimulatorFactory& factory, const RecordOptions& options) {
    auto first = factory(set.scene());
    if (!first) return first.error();
    const auto plan = planRecording(set, motions, (*first)->name(), options);
    if (!plan) return plan.error();
    const auto hips = findHipJoints(set.scene().character.skeleton);
    if (!hips) return hips.error();
    // the one that told its name serves the first worker
    std::unique_ptr<Simulator> spare = std::move(*first);
    const SimulatorFactory lend =
        [&](const ClothScene& scene) -> Result<std::unique_ptr<Simulator>> {
        if (spare) return std::move(spare);
        return factory(scene);
    };
    const auto missing = size_t(std::count_if(plan->clips.begin(), plan->clips.end(),
                                              [](const Clip& clip) { return !clip.there; }));
    const size_t workers = options.workers > 0 ? size_t(options.workers) : size_t(threadLimit());
    Session session{set, motions, lend, options, *hips, {*plan, options.cancel}, {}, {}, {}};
    session.report.skipped = plan->clips.size() - missing;
    if (options.started) options.started(plan->frames);
    runWorkers(session, std::min(workers, missing));
    if (session.no_simulator) return *session.no_simulator;
    session.report.cancelled = session.queue.cancelled();
    return std::move(session.report);
}

}  // namespace hem
