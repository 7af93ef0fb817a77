// SPDX-License-Identifier: Apache-2.0
// Garment: where the parts of a .hem file lie (format.h). Made anew at the start of every call, by
// one pass over the table of sections: there is nowhere to keep it, and it costs less than a
// wearer.
#pragma once

#include "hem/runtime/format.h"
#include "hem/runtime/hem.h"

namespace hem::runtime {

// out = panels * in + bias
struct Matrix {
    const float* bias;
    const float* panels;
    uint32_t in, out;
    // In place of panels where they are kInt16Weights; otherwise null.
    const int32_t* pairs;
    const float* scale;
};

// Vertices of modes, and their mean.
struct Basis {
    const format::BasisHeader* header;
    const float* mean;  // null for the odd modes
    const float* scale;
    const unsigned char* data;
    uint32_t modes, panels;
    uint64_t panel_bytes;
};

struct Garment {
    const format::FileHeader* header;
    const format::Frame* frame;

    const uint16_t* joints;  // that are read
    uint32_t joints_read, features;
    Matrix pose;  // F, f0

    uint32_t inputs;
    const float *offset, *scale, *low, *high;

    const format::LinearHeader* linear;  // null for the other kinds
    Matrix dynamics, statics;

    const format::ModalHeader* modal;  // null for the other kinds
    const float *log_decay, *angle;
    Matrix input, input_residual, drive, outer, outer_residual, output;

    // Null for the other kinds. Features are then K, 12 for each of the joints read.
    const format::NetworkHeader* network;
    const uint16_t *rotation_joints, *rotation_parents;
    const float* rotation_turns;
    Matrix layers[format::kMaxLayers];
    const uint32_t* first_carrier;  // kSkin
    const uint16_t* carriers;
    const float* carried;
    const int16_t* carried_pairs;
    float carried_step;
    uint32_t carrier_count;

    const float* limit;

    Basis bases[2];  // of all modes, or where there is a mirror of the even and of the odd ones
    uint32_t bases_count;
    const format::MirrorHeader* mirror;  // or null, and then nothing below
    const uint32_t *left, *right;
    const uint8_t* is_odd;

    const uint32_t* triangles;
    const float* corner_texture_coordinates;  // or null
    const char* joint_names;
    const char* joint_names_end;
    const char* info;
    const char* info_end;
    const format::Stability* stability;

    const format::BodyHeader* body;  // or null, and then nothing below
    const uint16_t* body_joints;
    const uint32_t* first_influence;
    const uint16_t* influence_joints;
    const float *influence_weights, *body_points;
    const uint32_t* tile_vertices;

    const format::HiddenHeader* hidden;  // or null, and then nothing below
    const unsigned char* hidden_bits;
};

inline uint32_t paddedToLanes(uint32_t n) {
    return (n + format::kLanes - 1) / format::kLanes * format::kLanes;
}

// Checks sizes, counts and offsets, not values. `size`: of the bytes, at least the header's.
hem_Error lay(const void* bytes, uint64_t size, Garment* garment);

// Of bytes that hem_open() took.
inline Garment garmentOf(const hem_Garment* bytes) {
    Garment garment;
    const auto* header = reinterpret_cast<const format::FileHeader*>(bytes);
    lay(header, header->size, &garment);
    return garment;
}

}  // namespace hem::runtime
