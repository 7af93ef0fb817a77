// SPDX-License-Identifier: Apache-2.0
// hem_open(): takes nothing on trust. Order matters: sizes before anything is read, the checksum
// before meaning, counts before products of counts, and values last.
#include "hem/runtime/garment.h"
#include "hem/runtime/math.h"

namespace hem::runtime {
namespace {

using namespace hem::format;

// NaN is not within.
bool within(const float* values, uint64_t count, float most) {
    bool good = true;
    for (uint64_t i = 0; i < count; ++i) good &= absolute(values[i]) <= most;
    return good;
}
bool goodMatrix(const Matrix& m) {
    const uint64_t rows = paddedToLanes(m.out);
    return within(m.bias, rows, kMaxWeight) && within(m.panels, rows * m.in, kMaxWeight);
}
bool goodPairs(const Matrix& m) {
    const uint64_t rows = paddedToLanes(m.out), count = (uint64_t(m.in) + 1) / 2 * 2 * rows;
    const auto* integers = reinterpret_cast<const int16_t*>(m.pairs);
    bool good =
        within(m.bias, rows, kMaxWeight) && within(m.scale, rows, kMaxWeight / kMaxInt16Weight);
    for (uint64_t i = 0; i < count; ++i)
        good &= integers[i] <= kMaxInt16Weight && integers[i] >= -kMaxInt16Weight;
    return good;
}
template <class Index>
bool allBelow(const Index* values, uint64_t count, uint32_t limit) {
    bool good = true;
    for (uint64_t i = 0; i < count; ++i) good &= values[i] < limit;
    return good;
}

bool goodText(const Garment& g) {
    if (g.info == g.info_end || g.info_end[-1] != 0) return false;
    uint32_t names = 0;
    for (const char* c = g.joint_names; c != g.joint_names_end; ++c) names += *c == 0;
    return names == g.header->joints && g.joint_names_end[-1] == 0;
}

bool goodMeshAndFrame(const Garment& g) {
    const FileHeader& h = *g.header;
    const Frame& f = *g.frame;
    if (!allBelow(g.triangles, 3 * uint64_t(h.triangles), h.vertices)) return false;
    if (g.corner_texture_coordinates &&
        !within(g.corner_texture_coordinates, 6 * uint64_t(h.triangles), 1e30f))
        return false;
    if (!within(f.root, 3, kMaxWeight) || !within(f.left_hip, 3, kMaxWeight) ||
        !within(f.right_hip, 3, kMaxWeight))
        return false;
    if (f.left_hip_joint >= h.joints || f.right_hip_joint >= h.joints) return false;
    for (uint32_t i = 0; i < g.joints_read; ++i)
        if (g.joints[i] >= h.joints) return false;
    return goodText(g);
}

bool goodInputs(const Garment& g) {
    const uint32_t padded = paddedToLanes(g.inputs);
    if (!within(g.offset, padded, kMaxInputScale) || !within(g.scale, padded, kMaxInputScale) ||
        !within(g.low, padded, kMaxWeight) || !within(g.high, padded, kMaxWeight))
        return false;
    for (uint32_t i = 0; i < padded; ++i)
        if (!(g.low[i] <= g.high[i])) return false;
    return g.network || goodMatrix(g.pose);
}

bool goodOutput(const Garment& g) {
    for (uint32_t i = 0; i < g.header->modes; ++i)
        if (!(g.limit[i] > 0)) return false;
    return within(g.limit, paddedToLanes(g.header->modes), kMaxWeight);
}

bool goodPanel(const Basis& basis, const unsigned char* panel) {
    const uint64_t modes = basis.modes, lanes = 3 * kLanes;
    if (basis.header->encoding == kFloat32)
        return within(reinterpret_cast<const float*>(panel), modes * lanes, kMaxWeight);
    bool good = true;
    if (basis.header->encoding == kFloat16) {  // neither infinite nor NaN: within 65504
        const auto* halves = reinterpret_cast<const uint16_t*>(panel);
        for (uint64_t i = 0; i < modes * lanes; ++i) good &= (halves[i] & 0x7c00) != 0x7c00;
        return good;
    }
    const uint64_t wide = basis.header->wide_modes * lanes;
    const auto* wides = reinterpret_cast<const int16_t*>(panel);
    for (uint64_t i = 0; i < wide; ++i) good &= wides[i] != -32768;
    const auto* narrows = reinterpret_cast<const int8_t*>(panel + 2 * wide);
    for (uint64_t i = 0; i < (modes + 1) / 2 * 2 * lanes - wide; ++i) good &= narrows[i] != -128;
    return good;
}

__attribute__((noinline)) bool goodBasis(const Basis& basis) {
    if (!within(basis.scale, paddedToLanes(basis.modes), 1) ||
        !within(&basis.header->tolerance_um, 2, 1e30f))
        return false;
    bool good = true;
    for (uint32_t p = 0; p < basis.panels; ++p)
        good &= goodPanel(basis, basis.data + p * basis.panel_bytes);
    return good;
}

// Every vertex, none on two places.
__attribute__((noinline)) bool goodHalves(const Garment& g) {
    uint32_t seen[kMaxVertices / 32], count = 0;
    const uint32_t vertices = g.header->vertices;
    for (uint32_t i = 0; i < (vertices + 31) / 32; ++i) seen[i] = 0;
    const auto isNew = [&](uint32_t vertex) {
        if (vertex >= vertices || seen[vertex / 32] >> vertex % 32 & 1) return false;
        seen[vertex / 32] |= 1u << vertex % 32;
        ++count;
        return true;
    };
    for (uint32_t i = 0; i < g.mirror->half; ++i)
        if (!isNew(g.left[i]) || (g.right[i] != g.left[i] && !isNew(g.right[i]))) return false;
    return count == vertices;
}

bool goodMirror(const Garment& g) {
    if (!g.mirror) return true;
    uint32_t odd = 0;
    for (uint32_t m = 0; m < g.header->modes; ++m) odd += g.is_odd[m];
    return allBelow(g.is_odd, g.header->modes, 2) && odd == g.mirror->odd_modes && goodHalves(g) &&
           goodBasis(g.bases[1]);
}

// Starts of `count` runs and their end: from 0 to `end`, none before the last.
bool goodRuns(const uint32_t* starts, uint32_t count, uint32_t end) {
    bool good = starts[0] == 0 && starts[count] == end;
    for (uint32_t i = 0; i < count; ++i) good &= starts[i] <= starts[i + 1];
    return good;
}

bool goodBody(const Garment& g) {
    if (!g.body) return true;
    const BodyHeader& b = *g.body;
    if (!(b.reach >= 1e-3f && b.reach <= 10) || !(absolute(b.distance) <= 1) ||
        !(b.most >= 0 && b.most <= 1))
        return false;
    return goodRuns(g.first_influence, panelsOf(b), b.influences) &&
           allBelow(g.body_joints, b.joints, g.header->joints) &&
           allBelow(g.influence_joints, b.influences, b.joints) &&
           allBelow(g.tile_vertices, uint64_t(b.tiles) * kTileVertices, g.header->vertices) &&
           within(g.influence_weights, uint64_t(b.influences) * kLanes, 1) &&
           within(g.body_points, uint64_t(panelsOf(b)) * 7 * kLanes, kMaxBodyNumber);
}

// Within a thousandth: what the player makes of it stays finite whatever it is.
bool goodTurn(const float* q) {
    const float square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return square > 0.999f && square < 1.001f;
}

// The runs of carriers are good.
bool goodPairs(const Garment& g) {
    if (!(g.carried_step > 0 && g.carried_step <= 0.01f)) return false;
    bool good = true;
    for (uint32_t panel = 0; panel < g.bases[0].panels; ++panel) {
        uint32_t sums[kLanes] = {};
        for (uint32_t i = g.first_carrier[panel]; i < g.first_carrier[panel + 1]; ++i)
            for (uint32_t k = 0; k < 4 * kLanes; ++k) {
                const int32_t pair = g.carried_pairs[4 * kLanes * uint64_t(i) + k];
                sums[k / 2 % kLanes] += uint32_t(pair < 0 ? -pair : pair);
            }
        for (const uint32_t sum : sums) good &= sum <= kMaxPairs;
    }
    return good;
}

bool goodNetwork(const Garment& g) {
    const NetworkHeader& h = *g.network;
    for (uint32_t i = 0; i < h.rotations; ++i) {
        const uint16_t parent = g.rotation_parents[i];
        if (parent != kNoJoint && parent >= h.joints_read) return false;
        const float* turns = g.rotation_turns + 8 * size_t(i);
        if (!goodTurn(turns) || !goodTurn(turns + 4)) return false;
    }
    for (uint32_t i = 0; i < h.layers; ++i)
        if (!(g.layers[i].pairs ? goodPairs(g.layers[i]) : goodMatrix(g.layers[i]))) return false;
    return allBelow(g.rotation_joints, h.rotations, h.joints_read) &&
           goodRuns(g.first_carrier, g.bases[0].panels, g.carrier_count) &&
           allBelow(g.carriers, g.carrier_count, h.joints_read) &&
           within(g.carried, uint64_t(g.carrier_count) * 4 * kLanes, kMaxBodyNumber) &&
           goodPairs(g);
}

// As many bits as it says, none past the last triangle.
bool goodHidden(const Garment& g) {
    if (!g.hidden) return true;
    const uint32_t count = g.hidden->body_triangles, bytes = (count + 7) / 8;
    uint32_t ones = 0;
    for (uint32_t i = 0; i < bytes; ++i)
        for (unsigned bits = g.hidden_bits[i]; bits; bits &= bits - 1) ++ones;
    return ones == g.hidden->hidden && (count % 8 == 0 || !(g.hidden_bits[bytes - 1] >> count % 8));
}

hem_Error checkModal(const Garment& g) {
    const uint32_t padded = paddedToLanes(g.modal->states);
    if (!within(g.log_decay, padded, 30) || !within(g.angle, padded, kMaxAngle) ||
        !goodMatrix(g.input) || !goodMatrix(g.input_residual) || !goodMatrix(g.drive) ||
        !goodMatrix(g.outer) || !goodMatrix(g.outer_residual) || !goodMatrix(g.output))
        return HEM_ERROR_VALUE;
    // |lambda| = exp(-exp(log_decay)) <= kMaxDecay exactly where log_decay is at least this
    constexpr float least = -9.2102904f;  // log(-log(0.9999))
    for (uint32_t i = 0; i < g.modal->states; ++i)
        if (g.log_decay[i] < least) return HEM_ERROR_UNSTABLE;
    return HEM_OK;
}

hem_Error checkValues(const Garment& g) {
    const FileHeader& h = *g.header;
    if (!(h.rate >= 1 && h.rate <= 1000) || h.state_magic == 0 || h.state_magic >> 30)
        return HEM_ERROR_VALUE;
    if (!goodMeshAndFrame(g) || !goodInputs(g) || !goodOutput(g) || !goodBody(g) ||
        !goodHidden(g) || !goodBasis(g.bases[0]) || !goodMirror(g) ||
        !within(g.bases[0].mean, uint64_t(g.bases[0].panels) * 3 * kLanes, kMaxWeight))
        return HEM_ERROR_VALUE;
    // what the file claims of itself; y itself is held by kOutput whatever the claim
    const double lambda = g.stability->lambda;
    if (!(lambda >= 0 && lambda < 1)) return HEM_ERROR_UNSTABLE;
    if (g.modal) return checkModal(g);
    if (g.network) return goodNetwork(g) ? HEM_OK : HEM_ERROR_VALUE;
    return goodMatrix(g.dynamics) && goodMatrix(g.statics) ? HEM_OK : HEM_ERROR_VALUE;
}

hem_Error check(const void* bytes, size_t size) {
    if (!bytes || size < sizeof(FileHeader)) return HEM_ERROR_TRUNCATED;
    if (reinterpret_cast<uintptr_t>(bytes) % 16) return HEM_ERROR_ALIGNMENT;
    const auto* header = static_cast<const FileHeader*>(bytes);
    for (int i = 0; i < 8; ++i)
        if (header->magic[i] != kMagic[i]) return HEM_ERROR_NOT_HEM;
    if (header->version != kVersion && header->version != kMirroredVersion)
        return HEM_ERROR_VERSION;
    if (header->size > size || header->size < sizeof(FileHeader)) return HEM_ERROR_TRUNCATED;
    const auto* file = static_cast<const unsigned char*>(bytes);
    if (fileChecksum(file, size_t(header->size)) != header->checksum) return HEM_ERROR_CHECKSUM;
    Garment garment;
    const hem_Error error = lay(bytes, header->size, &garment);
    return error ? error : checkValues(garment);
}

}  // namespace
}  // namespace hem::runtime

const hem_Garment* hem_open(const void* bytes, size_t size, hem_Error* error) {
    const hem_Error found = hem::runtime::check(bytes, size);
    if (error) *error = found;
    return found ? nullptr : static_cast<const hem_Garment*>(bytes);
}
