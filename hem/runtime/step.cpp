// SPDX-License-Identifier: Apache-2.0
// hem_reset() and hem_step(): wearers in blocks, block by block from joints to vertices.
#include <string.h>

#include "hem/runtime/hem.h"
#include "hem/runtime/kinds.h"
#include "hem/runtime/normals.h"
#include "hem/runtime/pose.h"
#include "hem/runtime/push_out.h"

namespace hem::runtime {
namespace {

using format::kMaxModes;

constexpr size_t kBlock = 128;             // wearers that share a pass over the basis, at most
constexpr size_t kGroup = 32;              // wearers that share a pass over the networks, at most
constexpr size_t kWeightFloats = 1 << 14;  // of a block
constexpr size_t kGroupFloats = 3 << 13;   // scratch of a group
constexpr float kSnap = 1e-3f;             // ticks: nearer to a tick than this is on it
constexpr float kFullTurns = 100;          // radians of heading after which whole turns are dropped
constexpr float kSaneState = 1e22f;        // far above what the limits of format.h lead to
constexpr float kSaneMatrices = 1e9f;  // the same of states that hold K, whose products are taken
static_assert(kWeightFloats / kMaxModes >= 8);
static_assert(kPanelFloats >= 48 * kMaxModes);
static_assert(6 * kMaxIntegerJoints * kBlock >= kWeightFloats / 2);

// What a call has of a wearer besides its state.
struct Wearer {
    const float* joints;  // or null: bad
    float seconds;
    Root root;
    uint8_t report;
    bool pushes;  // vertices are to be moved out of the body
    float confidence;
    // ticks that the call crosses, where it starts and ends between ticks, and its length in ticks
    uint32_t ticks;
    float phase_before, phase_after, length;
};

struct Block {
    Wearer wearers[kBlock];
    alignas(64) float weights[kWeightFloats];  // wearers by stride
    size_t stride;                             // a multiple of 16
    size_t count;
};

StateHeader& headerOf(float* state) { return *reinterpret_cast<StateHeader*>(state); }

bool saneHeading(const HeadingState& h) {
    return h.started == 1 && absolute(h.heading) < 1e7f && absolute(h.mismatch) < 1e7f;
}
bool saneRoot(const Root& r) {
    return absolute(r.position[0]) < 1e8f && absolute(r.position[1]) < 1e8f &&
           absolute(r.position[2]) < 1e8f && absolute(r.heading) < 1e7f && absolute(r.sin) < 1.1f &&
           absolute(r.cos) < 1.1f;
}

bool saneState(const Context& context, const float* state) {
    const auto& header = *reinterpret_cast<const StateHeader*>(state);
    if (header.magic != context.garment.header->state_magic || header.ticks == 0) return false;
    if (!(header.phase >= 0 && header.phase < 1)) return false;
    if (!saneHeading(header.heading) || !saneRoot(header.root)) return false;
    const Root* roots = reinterpret_cast<const Root*>(state + context.layout.roots);
    for (uint32_t k = 0; k < context.layout.roots_count; ++k)
        if (!saneRoot(roots[k])) return false;
    // the header's whole numbers pass as small floats
    return context.kernels->allWithin(state, context.layout.size,
                                      context.garment.network ? kSaneMatrices : kSaneState);
}

// --- Ticks ---------------------------------------------------------------------------------------

void planTicks(const Context& context, const StateHeader& header, Wearer& w) {
    w.ticks = 0;
    w.phase_before = w.phase_after = 0;
    if (context.garment.network) return;  // knows no time: the moment of the call is all
    w.phase_before = header.phase;
    w.length = w.seconds * context.garment.header->rate;
    float end = header.phase + w.length;
    const float nearest = float(nearestWhole(double(end)));
    if (absolute(end - nearest) < kSnap) end = nearest;
    w.ticks = uint32_t(end);
    w.phase_after = end - float(w.ticks);
}

// Where tick `number` (1, 2, ...) stands between the last call, 0, and this one, 1.
float shareAtTick(const Wearer& w, uint32_t number) {
    if (number == w.ticks && w.phase_after == 0) return 1;
    const float share = (float(number) - w.phase_before) / w.length;
    return share < 1 ? share : 1;
}

void evaluate(const Context& context, Moment* moments, size_t count, float* scratch) {
    if (context.garment.linear)
        evaluateLinear(context, moments, count, scratch);
    else if (context.garment.network)
        evaluateNeural(context, moments, count, scratch);
    else
        evaluateModal(context, moments, count, scratch);
}

// Confidence follows its moments within a tenth of a second.
float followed(const Context& context, float before, float moment, float part) {
    return before + (moment - before) * part / (1 + 0.1f * context.garment.header->rate);
}

void finishMoment(const Context& context, const Moment& m, Wearer& w) {
    StateHeader& header = headerOf(m.state);
    w.confidence = context.garment.network
                       ? m.confidence
                       : followed(context, header.confidence, m.confidence, m.part);
    if (m.keeps) {
        header.confidence = w.confidence;
        header.ticks += header.ticks < 1000;
    }
    if (m.weights && m.clamped) w.report |= HEM_OUT_OF_RANGE;
}

// --- A group of wearers, from joints to weights --------------------------------------------------

struct Group {
    float* states[kGroup];
    Wearer* wearers[kGroup];
    float* weights[kGroup];
    const float* features[kGroup];  // of this call
    size_t count;
};

// f = F K + f0 of every wearer, or K for the neural kind, in `features` (rows of `stride`); the last
// good ones where joints are bad.
void readFeatures(const Context& context, Group& group, float* features, size_t stride,
                  float* scratch) {
    const Garment& g = context.garment;
    const size_t k_size = g.network ? stride : g.pose.in;
    if (g.network) scratch = features;
    for (size_t i = 0; i < group.count; ++i) {
        Wearer& w = *group.wearers[i];
        StateHeader& header = headerOf(group.states[i]);
        w.root = header.root;
        if (w.joints) w.root = readRoot(g, w.joints, &header, w.seconds);
    }
    for (size_t i = 0; i < group.count; ++i) {
        const Wearer& w = *group.wearers[i];
        float* k = scratch + i * k_size;
        if (w.joints)
            readCanonicalJoints(g, w.joints, w.root, k);
        else
            memset(k, 0, k_size * sizeof(float));
    }
    if (!g.network)
        context.kernels->layer(g.pose,
                               {scratch, k_size, features, stride, group.count, Activation::kNone});
    for (size_t i = 0; i < group.count; ++i) {
        group.features[i] = features + i * stride;
        if (!group.wearers[i]->joints)
            group.features[i] = group.states[i] + context.layout.features;
    }
}

// The moment of a wearer's tick, its inputs between those of the last call and of this one.
Moment momentOfTick(const Context& context, const Group& group, size_t i, uint32_t number,
                    float* between_features) {
    const Wearer& w = *group.wearers[i];
    const bool is_output = number == w.ticks && w.phase_after == 0;
    Moment m{group.states[i], group.features[i], w.root, 1, true, nullptr, 1, false};
    if (is_output) m.weights = group.weights[i];
    const float share = shareAtTick(w, number);
    if (share == 1) return m;
    const float* last = group.states[i] + context.layout.features;
    for (uint32_t k = 0; k < context.garment.features; ++k)
        between_features[k] = last[k] + (m.features[k] - last[k]) * share;
    m.features = between_features;
    m.root = between(headerOf(group.states[i]).root, w.root, share);
    return m;
}

// Whole turns of heading are dropped now and then, so that it stays fine.
void dropTurns(const Context& context, float* state) {
    StateHeader& header = headerOf(state);
    if (absolute(header.heading.heading) < kFullTurns) return;
    const double turns = nearestWhole(double(header.heading.heading) / (2 * kPiD)) * (2 * kPiD);
    const auto drop = [turns](float& heading) { heading = float(double(heading) - turns); };
    drop(header.heading.heading);
    drop(header.root.heading);
    for (uint32_t k = 0; k < context.layout.roots_count; ++k)
        drop(rootsOf(state, context.layout)[k].heading);
}

__attribute__((noinline)) void stepGroup(const Context& context, Group& group) {
    alignas(64) float scratch[kGroupFloats];
    const Garment& g = context.garment;
    const size_t stride = paddedToLanes(g.features);
    float* between_features = scratch + group.count * stride;
    float* rest = between_features + (g.network ? 0 : group.count * stride);
    readFeatures(context, group, scratch, stride, rest);

    Moment moments[kGroup];
    size_t owner[kGroup];
    const auto run = [&](size_t count) {
        evaluate(context, moments, count, rest);
        for (size_t i = 0; i < count; ++i)
            finishMoment(context, moments[i], *group.wearers[owner[i]]);
    };
    uint32_t most_ticks = 0;
    for (size_t i = 0; i < group.count; ++i)
        most_ticks = group.wearers[i]->ticks > most_ticks ? group.wearers[i]->ticks : most_ticks;
    for (uint32_t number = 1; number <= most_ticks; ++number) {
        size_t count = 0;
        for (size_t i = 0; i < group.count; ++i) {
            if (number > group.wearers[i]->ticks) continue;
            moments[count] = momentOfTick(context, group, i, number, between_features + i * stride);
            owner[count++] = i;
        }
        run(count);
    }
    // the moment of the call itself, where that is not a tick's
    size_t count = 0;
    for (size_t i = 0; i < group.count; ++i) {
        const Wearer& w = *group.wearers[i];
        if (w.ticks > 0 && w.phase_after == 0) continue;
        moments[count] = {group.states[i], group.features[i], w.root, w.phase_after,
                          false,           group.weights[i],  1,      false};
        owner[count++] = i;
    }
    if (count) run(count);

    for (size_t i = 0; i < group.count; ++i) {
        StateHeader& header = headerOf(group.states[i]);
        header.phase = group.wearers[i]->phase_after;
        header.root = group.wearers[i]->root;
        memmove(group.states[i] + context.layout.features, group.features[i],
                g.features * sizeof(float));
        dropTurns(context, group.states[i]);
    }
}

// --- Reset ---------------------------------------------------------------------------------------

SteadyMotion canonicalMotion(const float* root_motion, const Root& root) {
    if (!root_motion) return {};
    for (int i = 0; i < 4; ++i)
        if (!(absolute(root_motion[i]) <= 1e6f)) return {};
    const float *v = root_motion, s = root.sin, c = root.cos;
    return {{c * v[0] - s * v[2], v[1], s * v[0] + c * v[2]}, v[3]};
}

__attribute__((noinline)) void readRest(const Context& context, float* state, float* k) {
    RestJoints rest;
    setToRest(context.garment, &rest);
    StateHeader& header = headerOf(state);
    header.root = readRoot(context.garment, rest.matrices, &header, 0);
    readCanonicalJoints(context.garment, rest.matrices, header.root, k);
}

// The wearer's state from nothing. `weights` as for Moment.
__attribute__((noinline)) void settle(const Context& context, float* state, Wearer& w,
                                      const float* root_motion, float* weights) {
    alignas(64) float scratch[kGroupFloats];
    const Garment& g = context.garment;
    memset(state, 0, context.layout.size * sizeof(float));
    StateHeader& header = headerOf(state);
    header.magic = g.header->state_magic;
    header.ticks = 1;
    if (w.joints) {
        header.root = readRoot(g, w.joints, &header, 0);
        readCanonicalJoints(g, w.joints, header.root, scratch);
    } else {
        readRest(context, state, scratch);
    }
    float* f = state + context.layout.features;
    if (g.network) {
        memcpy(f, scratch, g.features * sizeof(float));
    } else {
        float padded[format::kMaxFeatures + 16];
        context.kernels->layer(g.pose, {scratch, g.pose.in, padded, 0, 1, Activation::kNone});
        memcpy(f, padded, g.features * sizeof(float));
    }

    const SteadyMotion motion = canonicalMotion(root_motion, header.root);
    Moment m{state, f, header.root, 0, false, weights, 1, false};
    if (g.linear)
        settleLinear(context, m, motion, scratch);
    else if (g.network)
        evaluateNeural(context, &m, 1, scratch);
    else
        settleModal(context, m, motion, scratch);
    w.root = header.root;
    w.confidence = header.confidence = m.confidence;
    if (m.clamped) w.report |= HEM_OUT_OF_RANGE;
}

// --- A block: outputs ----------------------------------------------------------------------------

unsigned modesOf(const Garment& g, const hem_Batch& batch, size_t wearer) {
    const unsigned wanted = batch.wearer_modes ? batch.wearer_modes[wearer] : batch.modes;
    return wanted == 0 || wanted > g.header->modes ? g.header->modes : wanted;
}

float* stateOf(const Context& context, const hem_Batch& batch, size_t wearer) {
    return static_cast<float*>(batch.states) + wearer * context.layout.size;
}

size_t orTight(size_t stride, size_t tight) { return stride ? stride : tight; }

// Level of detail, and the small outputs. The largest number of modes of any wearer comes back.
size_t writeSmallOutputs(const Context& context, const hem_Batch& batch, size_t first,
                         Block& block) {
    const size_t all = context.garment.header->modes;
    size_t most = 0;
    for (size_t i = 0; i < block.count; ++i) {
        const size_t wearer = first + i, modes = modesOf(context.garment, batch, wearer);
        float* weights = block.weights + i * block.stride;
        memset(weights + modes, 0, (block.stride - modes) * sizeof(float));
        if (batch.weights)
            memcpy(batch.weights + wearer * orTight(batch.weights_stride, all), weights,
                   all * sizeof(float));
        if (batch.confidence) batch.confidence[wearer] = block.wearers[i].confidence;
        if (batch.reports) batch.reports[wearer] = block.wearers[i].report;
        most = modes > most ? modes : most;
    }
    return most;
}

void placeWearers(const Block& block, bool canonical, Placement* places) {
    for (size_t i = 0; i < block.count; ++i) {
        const Root& root = block.wearers[i].root;
        places[i] = {1, 0, 0, {0, 0, 0}};
        if (canonical) continue;
        places[i] = {
            root.cos, root.sin, -root.sin, {root.position[0], root.position[1], root.position[2]}};
    }
}

// Where the vertices of a wearer are to go.
struct Destination {
    float* positions;
    size_t wearer_stride, vertex_stride;
};
Destination destinationOf(const Garment& g, const hem_Batch& batch, size_t first) {
    const size_t vertex_stride = orTight(batch.vertex_stride, 3);
    const size_t wearer_stride =
        orTight(batch.positions_stride, vertex_stride * g.header->vertices);
    return {batch.positions + first * wearer_stride, wearer_stride, vertex_stride};
}

// Numbers of a wearer's row of weights: where there is a mirror, even modes' and odd modes' are
// each padded.
size_t weightsStride(const Garment& g) {
    return paddedToLanes(g.bases[0].modes) + paddedToLanes(g.bases[1].modes);
}

// Where the weights of each mode go in a row: to the even or the odd ones.
struct Halves {
    uint16_t place[kMaxModes];
    size_t modes[2];  // of the first `modes`
};
Halves halvesOf(const Garment& g, size_t modes) {
    Halves halves{};
    for (size_t m = 0, odd = 0; m < g.header->modes; ++m) {
        const bool is_odd = g.is_odd[m];
        halves.place[m] = uint16_t(is_odd ? paddedToLanes(g.bases[0].modes) + odd : m - odd);
        halves.modes[is_odd] += m < modes;
        odd += is_odd;
    }
    return halves;
}
void sortWeights(const Garment& g, const Halves& halves, Block& block) {
    for (size_t i = 0; i < block.count; ++i) {
        float* row = block.weights + i * block.stride;
        float sorted[kMaxModes + 2 * format::kLanes] = {};
        for (size_t m = 0; m < g.header->modes; ++m) sorted[halves.place[m]] = row[m];
        memcpy(row, sorted, block.stride * sizeof(float));
    }
}

// Scratch memory for integers.
struct Integers {
    int32_t pairs[kWeightFloats / 2], fine_pairs[6 * kMaxIntegerJoints * kBlock];
    float units[2][kBlock];
    int32_t shifts[2][kBlock];
};

void scaleWeights(const Basis& basis, float share, float* weights, const Block& block) {
    for (size_t i = 0; i < block.count; ++i, weights += block.stride)
        for (size_t m = 0; m < basis.modes; ++m) weights[m] *= basis.scale[m] * share;
}

// The job of each basis; the first `modes` of all count. Of integers, the weights become those of the
// numbers that they stand for, `share` of them.
void setWeights(const Garment& g, size_t modes, float share, Block& block, Integers& integers,
                RebuildJob& job) {
    size_t used[2] = {modes, 0};
    if (g.mirror) {
        const Halves halves = halvesOf(g, modes);
        sortWeights(g, halves, block);
        for (int half = 0; half < 2; ++half) used[half] = halves.modes[half];
    }
    for (uint32_t half = 0, first = 0; half < g.bases_count; ++half) {
        const Basis& basis = g.bases[half];
        BasisJob& weights = job.weights[half];
        weights.x = block.weights + first;
        weights.x_stride = block.stride;
        weights.modes = used[half] % 2 && used[half] < basis.modes ? used[half] + 1 : used[half];
        weights.pairs = integers.pairs + first / 2;
        weights.units = integers.units[half];
        weights.shifts = integers.shifts[half];
        if (basis.header->encoding == format::kMixed)
            scaleWeights(basis, share, block.weights + first, block);
        first += paddedToLanes(basis.modes);
    }
}

__attribute__((noinline)) void rebuildVertices(const Context& context, const hem_Batch& batch,
                                               size_t first, const Destination& to, size_t modes,
                                               Block& block) {
    const Garment& g = context.garment;
    alignas(64) float panels[kPanelFloats];
    Integers integers;
    Placement places[kBlock];
    placeWearers(block, batch.flags & HEM_CANONICAL, places);
    const bool approximate = batch.flags & HEM_APPROXIMATE,
               mixed = g.bases[0].header->encoding == format::kMixed,
               fine = mixed && g.network && !approximate;

    RebuildJob job{};
    setWeights(g, modes, approximate || fine ? 1 : 1 / 65536.0f, block, integers, job);
    if (fine) job.weights[0].fine_pairs = integers.fine_pairs;
    job.matrices = g.network ? stateOf(context, batch, first) + context.layout.features : nullptr;
    job.matrices_stride = context.layout.size;
    job.joint_scratch = integers.fine_pairs;
    job.places = places;
    job.rows = block.count;
    job.panels = panels;
    job.vertex_stride = to.vertex_stride;
    job.wearer_stride = to.wearer_stride;
    job.positions = to.positions;
    if (approximate || fine)
        context.kernels->rebuildIntegers(g, job);
    else
        context.kernels->rebuild(g, job);
}

void writeVertices(const Context& context, const hem_Batch& batch, size_t first, size_t modes,
                   Block& block) {
    const Destination to = destinationOf(context.garment, batch, first);
    rebuildVertices(context, batch, first, to, modes, block);
    for (size_t i = 0; i < block.count; ++i) {
        const Wearer& w = block.wearers[i];
        float* positions = to.positions + i * to.wearer_stride;
        if (w.pushes)
            pushOut(context, w.joints, w.root, batch.flags & HEM_CANONICAL, positions,
                    to.vertex_stride);
        if (batch.normals)
            computeNormals(context.garment, positions, to.vertex_stride,
                           batch.normals + (first + i) * to.wearer_stride);
    }
}

void writeOutputs(const Context& context, const hem_Batch& batch, size_t first, Block& block) {
    const size_t modes = writeSmallOutputs(context, batch, first, block);
    if (batch.positions) writeVertices(context, batch, first, modes, block);
}

// --- The whole batch -----------------------------------------------------------------------------

Context contextOf(const hem_Garment* garment, const hem_Batch& batch) {
    Context context;
    context.garment = garmentOf(garment);
    context.layout = stateLayout(context.garment);
    context.kernels = &kernels();
    context.approximate = batch.flags & HEM_APPROXIMATE;
    const float dial = batch.dial;
    context.dial = dial > -1 ? (dial < 1 ? dial : 1) : dial <= -1 ? -1 : 0;  // NaN: as trained
    return context;
}

const float* jointsOf(const Garment& g, const hem_Batch& batch, size_t wearer) {
    return batch.joints + wearer * orTight(batch.joints_stride, 12 * size_t(g.header->joints));
}

// The matrices that will be read of a wearer are fetched while those before it are looked at.
void prefetchJoints(const Garment& g, const hem_Batch& batch, size_t wearer) {
    if (wearer >= batch.count) return;
    const float* joints = jointsOf(g, batch, wearer);
    for (uint32_t i = 0; i < g.joints_read; ++i) {
        __builtin_prefetch(joints + 12 * g.joints[i]);
        __builtin_prefetch(joints + 12 * g.joints[i] + 11);
    }
}

void readJoints(const Context& context, const hem_Batch& batch, size_t wearer, Wearer& w) {
    const Garment& g = context.garment;
    constexpr size_t kAhead = 4;
    prefetchJoints(g, batch, wearer + kAhead);
    w.joints = jointsOf(g, batch, wearer);
    const bool good = goodJoints(g, w.joints), push = batch.flags & HEM_PUSH_OUT && g.body;
    w.pushes = good && push && goodBodyJoints(g, w.joints);
    if (!good || w.pushes != push) w.report |= HEM_BAD_JOINTS;
    if (!good) w.joints = nullptr;
}

// Wearers that the scratch memory of a group has room for.
size_t groupSize(const Context& context) {
    const Garment& g = context.garment;
    const size_t kind = g.linear    ? linearScratch(g)
                        : g.network ? neuralScratch(g)
                                    : modalScratch(g);
    const size_t tables = g.modal ? modalTables(g) : 0;
    const size_t each =
        (g.network ? 1 : 2) * paddedToLanes(g.features) + (kind > g.pose.in ? kind : g.pose.in);
    const size_t room = (kGroupFloats - tables - 64) / each;
    return room >= kGroup ? kGroup : room >= 8 ? room / 8 * 8 : room;
}

void stepBlock(const Context& context, const hem_Batch& batch, size_t first, float seconds,
               Block& block) {
    const size_t group_size = groupSize(context);
    for (size_t begin = 0; begin < block.count; begin += group_size) {
        Group group;
        group.count = block.count - begin < group_size ? block.count - begin : group_size;
        for (size_t i = 0; i < group.count; ++i) {
            const size_t wearer = first + begin + i;
            Wearer& w = block.wearers[begin + i];
            w = {};
            w.seconds = seconds;
            group.states[i] = stateOf(context, batch, wearer);
            group.wearers[i] = &w;
            group.weights[i] = block.weights + (begin + i) * block.stride;
            readJoints(context, batch, wearer, w);
            if (!saneState(context, group.states[i])) {
                settle(context, group.states[i], w, nullptr, nullptr);
                w.report |= HEM_BAD_STATE;
                w.seconds = 0;
            }
            planTicks(context, headerOf(group.states[i]), w);
        }
        stepGroup(context, group);
    }
}

void resetBlock(const Context& context, const hem_Batch& batch, size_t first, Block& block) {
    for (size_t i = 0; i < block.count; ++i) {
        Wearer& w = block.wearers[i];
        w = {};
        readJoints(context, batch, first + i, w);
        const float* motion = batch.root_motion ? batch.root_motion + 4 * (first + i) : nullptr;
        settle(context, stateOf(context, batch, first + i), w, motion,
               block.weights + i * block.stride);
    }
}

template <class EachBlock>
void inBlocks(const hem_Garment* garment, const hem_Batch& batch, EachBlock each) {
    if (!batch.states || !batch.joints) return;
    const Context context = contextOf(garment, batch);
    Block block;
    block.stride = weightsStride(context.garment);
    const size_t room = kWeightFloats / block.stride, most = room < kBlock ? room : kBlock;
    for (size_t first = 0; first < batch.count; first += most) {
        block.count = batch.count - first < most ? batch.count - first : most;
        each(context, first, block);
        writeOutputs(context, batch, first, block);
    }
}

float usedSeconds(float seconds) {
    if (!(seconds > 0 && seconds < 1e30f)) return 0;
    return seconds < 0.25f ? seconds : 0.25f;
}

}  // namespace
}  // namespace hem::runtime

void hem_reset(const hem_Garment* garment, hem_Batch batch) {
    using namespace hem::runtime;
    inBlocks(garment, batch, [&](const Context& context, size_t first, Block& block) {
        resetBlock(context, batch, first, block);
    });
}

void hem_step(const hem_Garment* garment, hem_Batch batch, float seconds) {
    using namespace hem::runtime;
    const float used = usedSeconds(seconds);
    inBlocks(garment, batch, [&](const Context& context, size_t first, Block& block) {
        stepBlock(context, batch, first, used, block);
    });
}
