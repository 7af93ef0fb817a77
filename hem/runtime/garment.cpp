// SPDX-License-Identifier: Apache-2.0
#include "hem/runtime/garment.h"

namespace hem::runtime {
namespace {

using namespace hem::format;

constexpr uint32_t kKnownIds = kOddBasis + 1;

struct Sections {
    const unsigned char* bytes[kKnownIds];
    uint64_t size[kKnownIds];
};

// The section's parts in their order, each at a multiple of 64.
class Parts {
public:
    Parts(const Sections& sections, SectionId id)
        : start_(sections.bytes[id]), size_(sections.size[id]), good_(start_ != nullptr) {}

    template <class T>
    const T* take(uint64_t count) {
        const uint64_t at = (used_ + kAlignment - 1) / kAlignment * kAlignment;
        used_ = at + count * sizeof(T);
        good_ = good_ && used_ <= size_;
        return good_ ? reinterpret_cast<const T*>(start_ + at) : nullptr;
    }
    Matrix takeMatrix(uint32_t in, uint32_t out) {
        const float* bias = take<float>(paddedToLanes(out));
        return {bias, take<float>(uint64_t(in) * paddedToLanes(out)), in, out, nullptr, nullptr};
    }
    Matrix takePairs(uint32_t in, uint32_t out) {
        const float* bias = take<float>(paddedToLanes(out));
        const float* scale = take<float>(paddedToLanes(out));
        const uint64_t pairs = (uint64_t(in) + 1) / 2;
        return {bias, nullptr, in, out, take<int32_t>(pairs * paddedToLanes(out)), scale};
    }
    bool good() const { return good_; }
    bool goodAndDone() const { return good_ && used_ == size_; }

private:
    const unsigned char* start_;
    uint64_t size_, used_ = 0;
    bool good_;
};

bool findSections(const unsigned char* bytes, uint64_t size, uint32_t count, Sections* found) {
    *found = {};
    const auto* table = reinterpret_cast<const Section*>(bytes + sizeof(FileHeader));
    uint64_t end = sizeof(FileHeader) + count * sizeof(Section);
    if (end > size) return false;
    for (uint32_t i = 0; i < count; ++i) {
        const Section& s = table[i];
        if (s.offset % kAlignment || s.offset < end || s.offset > size || s.size > size - s.offset)
            return false;
        end = s.offset + s.size;
        if (s.id >= kKnownIds) continue;
        if (found->bytes[s.id]) return false;
        found->bytes[s.id] = bytes + s.offset;
        found->size[s.id] = s.size;
    }
    return true;
}

bool withinLimits(const FileHeader& h) {
    return h.vertices <= kMaxVertices && h.triangles <= kMaxTriangles && h.joints <= kMaxJoints &&
           h.modes <= kMaxModes && h.vertices && h.joints && h.modes;
}

hem_Error layPose(const Sections& sections, Garment* g) {
    Parts parts(sections, kPose);
    const auto* header = parts.take<PoseHeader>(1);
    if (!header) return HEM_ERROR_LAYOUT;
    g->joints_read = header->joints_read;
    g->features = header->features;
    if (g->joints_read > kMaxJoints || !g->joints_read || g->features > kMaxFeatures ||
        !g->features)
        return HEM_ERROR_LIMIT;
    g->joints = parts.take<uint16_t>(g->joints_read);
    g->pose = parts.takeMatrix(12 * g->joints_read, g->features);
    return parts.goodAndDone() ? HEM_OK : HEM_ERROR_LAYOUT;
}

hem_Error layInputs(const Sections& sections, Garment* g) {
    Parts inputs(sections, kInputs);
    const auto* count = inputs.take<uint32_t>(16);
    if (!count) return HEM_ERROR_LAYOUT;
    g->inputs = *count;
    if (g->inputs > kMaxInputs || !g->inputs) return HEM_ERROR_LIMIT;
    const float** const arrays[] = {&g->offset, &g->scale, &g->low, &g->high};
    for (const float** array : arrays) *array = inputs.take<float>(paddedToLanes(g->inputs));
    return inputs.goodAndDone() ? HEM_OK : HEM_ERROR_LAYOUT;
}

bool withinLimits(const NetworkHeader& h) {
    if (!h.joints_read || h.joints_read > kMaxReadJoints || !h.rotations ||
        h.rotations > kMaxRotations || !h.layers || h.layers > kMaxLayers)
        return false;
    for (uint32_t i = 0; i < h.layers; ++i)
        if (!h.widths[i] || h.widths[i] > kMaxWidth) return false;
    return true;
}

hem_Error layNetwork(const Sections& sections, Garment* g) {
    Parts parts(sections, kNetwork);
    g->network = parts.take<NetworkHeader>(1);
    if (!g->network) return HEM_ERROR_LAYOUT;
    const NetworkHeader& h = *g->network;
    if (!withinLimits(h)) return HEM_ERROR_LIMIT;
    if ((h.numbers != 4 && h.numbers != 6) || h.activation > kSiluActivation ||
        h.weights > kInt16Weights || g->inputs != h.numbers * h.rotations ||
        h.widths[h.layers - 1] != g->header->modes)
        return HEM_ERROR_LAYOUT;
    g->joints_read = h.joints_read;
    g->features = 12 * h.joints_read;
    g->joints = parts.take<uint16_t>(h.joints_read);
    g->rotation_joints = parts.take<uint16_t>(h.rotations);
    g->rotation_parents = parts.take<uint16_t>(h.rotations);
    g->rotation_turns = parts.take<float>(8 * uint64_t(h.rotations));
    for (uint32_t i = 0, in = g->inputs; i < h.layers; in = h.widths[i++])
        g->layers[i] = h.weights == kInt16Weights ? parts.takePairs(in, h.widths[i])
                                                  : parts.takeMatrix(in, h.widths[i]);
    return parts.goodAndDone() ? HEM_OK : HEM_ERROR_LAYOUT;
}

hem_Error laySkin(const Sections& sections, Garment* g) {
    Parts parts(sections, kSkin);
    const auto* header = parts.take<SkinHeader>(1);
    if (!header) return HEM_ERROR_LAYOUT;
    g->carrier_count = header->influences;
    g->carried_step = header->step;
    if (g->carrier_count > uint64_t(g->bases[0].panels) * g->joints_read) return HEM_ERROR_LIMIT;
    g->first_carrier = parts.take<uint32_t>(uint64_t(g->bases[0].panels) + 1);
    g->carriers = parts.take<uint16_t>(g->carrier_count);
    g->carried = parts.take<float>(uint64_t(g->carrier_count) * 4 * kLanes);
    g->carried_pairs = parts.take<int16_t>(uint64_t(g->carrier_count) * 4 * kLanes);
    return parts.goodAndDone() ? HEM_OK : HEM_ERROR_LAYOUT;
}

hem_Error layLinear(const Sections& sections, Garment* g) {
    Parts parts(sections, kLinear);
    g->linear = parts.take<LinearHeader>(1);
    if (!g->linear) return HEM_ERROR_LAYOUT;
    const uint32_t order = g->linear->order, modes = g->header->modes;
    if (order > kMaxOrder || g->linear->warm_up > kMaxWarmUp) return HEM_ERROR_LIMIT;
    if (g->linear->uses_root > 1 || g->inputs != g->features + 5 * order * g->linear->uses_root)
        return HEM_ERROR_LAYOUT;
    g->dynamics = parts.takeMatrix(g->inputs + order * modes, modes);

    Parts statics(sections, kStatic);
    const auto* header = statics.take<LinearHeader>(1);
    g->statics = statics.takeMatrix(g->features, modes);
    if (!parts.goodAndDone() || !statics.goodAndDone()) return HEM_ERROR_LAYOUT;
    return header->order || header->uses_root ? HEM_ERROR_LAYOUT : HEM_OK;
}

hem_Error layModal(const Sections& sections, Garment* g) {
    Parts parts(sections, kModal);
    g->modal = parts.take<ModalHeader>(1);
    if (!g->modal) return HEM_ERROR_LAYOUT;
    const uint32_t hidden = g->modal->hidden, states = g->modal->states, outer = g->modal->outer;
    if (hidden > kMaxHidden || states > kMaxStates || outer > kMaxOuter || !hidden || !states ||
        !outer)
        return HEM_ERROR_LIMIT;
    if (g->inputs != 2 * (g->features + 4) + 7) return HEM_ERROR_LAYOUT;
    g->log_decay = parts.take<float>(paddedToLanes(states));
    g->angle = parts.take<float>(paddedToLanes(states));
    g->input = parts.takeMatrix(g->inputs, hidden);
    g->input_residual = parts.takeMatrix(hidden, hidden);
    g->drive = parts.takeMatrix(hidden, 2 * states);
    g->outer = parts.takeMatrix(hidden + 2 * states, outer);
    g->outer_residual = parts.takeMatrix(outer, outer);
    g->output = parts.takeMatrix(g->inputs + 2 * states + outer, g->header->modes);
    return parts.goodAndDone() ? HEM_OK : HEM_ERROR_LAYOUT;
}

hem_Error layMirror(const Sections& sections, Garment* g) {
    const FileHeader& h = *g->header;
    const bool is_there = sections.bytes[kMirror];
    if (is_there != (h.version == kMirroredVersion)) return HEM_ERROR_LAYOUT;
    if (!is_there) return HEM_OK;
    Parts parts(sections, kMirror);
    const auto* header = parts.take<MirrorHeader>(1);
    if (!header || h.kind == kNeuralKind) return HEM_ERROR_LAYOUT;
    if (header->half > h.vertices || header->half < h.vertices - header->half ||
        !header->odd_modes || header->odd_modes >= h.modes)
        return HEM_ERROR_LIMIT;
    g->left = parts.take<uint32_t>(header->half);
    g->right = parts.take<uint32_t>(header->half);
    g->is_odd = parts.take<uint8_t>(h.modes);
    g->mirror = header;
    return parts.goodAndDone() ? HEM_OK : HEM_ERROR_LAYOUT;
}

// 0: of no encoding.
uint64_t panelBytes(const BasisHeader& header, uint64_t modes) {
    const uint64_t even_modes = (modes + 1) / 2 * 2, wide = header.wide_modes;
    if (header.encoding == kFloat32) return modes * 3 * kLanes * 4;
    if (header.encoding == kFloat16) return modes * 3 * kLanes * 2;
    if (header.encoding != kMixed || wide % 2 || wide > even_modes) return 0;
    const uint64_t bytes = wide * 3 * kLanes * 2 + (even_modes - wide) * 3 * kLanes;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// A basis whose modes are known.
hem_Error layBasis(const Sections& sections, SectionId id, uint32_t vertices, Basis* basis) {
    Parts parts(sections, id);
    basis->header = parts.take<BasisHeader>(1);
    if (!basis->header) return HEM_ERROR_LAYOUT;
    basis->panels = (vertices + kLanes - 1) / kLanes;
    basis->panel_bytes = panelBytes(*basis->header, basis->modes);
    if (!basis->panel_bytes) return HEM_ERROR_LAYOUT;
    if (id == kBasis) basis->mean = parts.take<float>(uint64_t(basis->panels) * 3 * kLanes);
    basis->scale = parts.take<float>(paddedToLanes(basis->modes));
    basis->data = parts.take<unsigned char>(basis->panels * basis->panel_bytes);
    return parts.goodAndDone() ? HEM_OK : HEM_ERROR_LAYOUT;
}

hem_Error layBases(const Sections& sections, Garment* g) {
    const FileHeader& h = *g->header;
    g->bases_count = g->mirror ? 2 : 1;
    g->bases[1].modes = g->mirror ? g->mirror->odd_modes : 0;
    g->bases[0].modes = h.modes - g->bases[1].modes;
    const uint32_t vertices = g->mirror ? g->mirror->half : h.vertices;
    hem_Error error = layBasis(sections, kBasis, vertices, &g->bases[0]);
    if (error || !g->mirror) return error;
    error = layBasis(sections, kOddBasis, vertices, &g->bases[1]);
    if (error) return error;
    return g->bases[1].header->encoding == g->bases[0].header->encoding ? HEM_OK : HEM_ERROR_LAYOUT;
}

hem_Error layRest(const Sections& sections, Garment* g) {
    const FileHeader& h = *g->header;
    Parts frame(sections, kFrame), output(sections, kOutput), stability(sections, kStability);
    Parts triangles(sections, kTriangles), texture(sections, kCornerTextureCoords);
    g->frame = frame.take<Frame>(1);
    g->limit = output.take<float>(paddedToLanes(h.modes));
    g->stability = stability.take<Stability>(1);
    g->triangles = triangles.take<uint32_t>(3 * uint64_t(h.triangles));
    const Parts* const required[] = {&frame, &output, &stability, &triangles};
    for (const Parts* part : required)
        if (!part->goodAndDone()) return HEM_ERROR_LAYOUT;
    g->corner_texture_coordinates = texture.take<float>(6 * uint64_t(h.triangles));
    if (sections.bytes[kCornerTextureCoords] && !texture.goodAndDone()) return HEM_ERROR_LAYOUT;

    g->joint_names = reinterpret_cast<const char*>(sections.bytes[kJointNames]);
    g->joint_names_end = g->joint_names + sections.size[kJointNames];
    g->info = reinterpret_cast<const char*>(sections.bytes[kInfo]);
    g->info_end = g->info + sections.size[kInfo];
    return g->joint_names && g->info ? HEM_OK : HEM_ERROR_LAYOUT;
}

hem_Error layBody(const Sections& sections, Garment* g) {
    if (!sections.bytes[kBody]) return HEM_OK;
    Parts parts(sections, kBody);
    const auto* header = parts.take<BodyHeader>(1);
    if (!header) return HEM_ERROR_LAYOUT;
    const BodyHeader& h = *header;
    constexpr uint32_t most_points = kMaxBodyPanels * kLanes;
    if (h.joints > kMaxBodyJoints || h.points > most_points || h.worn_points > most_points ||
        panelsOf(h) > kMaxBodyPanels || h.tiles > kMaxTiles || h.worn_tiles > h.tiles ||
        h.influences > panelsOf(h) * h.joints)
        return HEM_ERROR_LIMIT;
    const uint32_t panels = panelsOf(h);
    g->body_joints = parts.take<uint16_t>(h.joints);
    g->first_influence = parts.take<uint32_t>(panels + 1);
    g->influence_joints = parts.take<uint16_t>(h.influences);
    g->influence_weights = parts.take<float>(uint64_t(h.influences) * kLanes);
    g->body_points = parts.take<float>(uint64_t(panels) * 7 * kLanes);
    g->tile_vertices = parts.take<uint32_t>(uint64_t(h.tiles) * kTileVertices);
    g->body = header;
    return parts.goodAndDone() ? HEM_OK : HEM_ERROR_LAYOUT;
}

hem_Error layHidden(const Sections& sections, Garment* g) {
    if (!sections.bytes[kHidden]) return HEM_OK;
    Parts parts(sections, kHidden);
    const auto* header = parts.take<HiddenHeader>(1);
    if (!header) return HEM_ERROR_LAYOUT;
    if (!header->body_triangles || header->body_triangles > kMaxTriangles) return HEM_ERROR_LIMIT;
    g->hidden_bits = parts.take<unsigned char>((header->body_triangles + 7) / 8);
    g->hidden = header;
    return parts.goodAndDone() ? HEM_OK : HEM_ERROR_LAYOUT;
}

}  // namespace

hem_Error lay(const void* bytes, uint64_t size, Garment* garment) {
    *garment = {};
    const auto* start = static_cast<const unsigned char*>(bytes);
    const auto* header = reinterpret_cast<const FileHeader*>(start);
    garment->header = header;
    if (!withinLimits(*header) || header->section_count > kMaxSections) return HEM_ERROR_LIMIT;
    Sections sections;
    if (!findSections(start, size, header->section_count, &sections)) return HEM_ERROR_LAYOUT;
    hem_Error error = layInputs(sections, garment);
    if (!error) error = layMirror(sections, garment);
    if (!error) error = layBases(sections, garment);
    if (!error) error = layRest(sections, garment);
    if (!error) error = layBody(sections, garment);
    if (!error) error = layHidden(sections, garment);
    if (error) return error;
    if (header->kind == kNeuralKind) {
        error = layNetwork(sections, garment);
        return error ? error : laySkin(sections, garment);
    }
    error = layPose(sections, garment);
    if (error) return error;
    if (header->kind == kLinearKind) return layLinear(sections, garment);
    return header->kind == kModalKind ? layModal(sections, garment) : HEM_ERROR_VERSION;
}

}  // namespace hem::runtime
