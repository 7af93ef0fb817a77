// SPDX-License-Identifier: Apache-2.0
// The .hem file, version 1: one relocatable blob, little-endian, used where it lies. Version 2 is the
// same with kMirror, which players of version 1 alone would not understand.
//
//  1. FileHeader, 64 bytes.
//  2. Section[section_count], 24 bytes each.
//  3. The sections' bytes, each at a multiple of 64 from the start of the file, in the order of the
//     table, gaps filled with zeros. Ids are unique. A player skips ids that it does not know.
//
// The checksum is fileChecksum() of everything but itself. Numbers are IEEE; every float is
// finite and within the limits below, which keep every sum of the player finite. "Panels" below are
// how matrices lie: a matrix of `in` columns and `out` rows is ceil(out / 16) panels, each `in` by
// 16 floats, panel p holding rows 16p to 16p+15, row numbers running fastest, padded with zeros.
// One load is 16 rows of one column, whatever the width of the processor's registers, and sums run
// over the columns in their order on all of them.
//
// How the player uses the sections, once a tick (hem.h) and wearer; sizes in brackets:
//
//     p, r    root position and heading from the joints            kFrame, heading.h
//     K       joint matrices in the canonical frame of (p, r)      R_y(-r) (J - p)
//     f       = F K + f0                                           kPose      [features]
//     i       inputs, put together by the model kind               below      [inputs]
//     u       = clamp((i - offset) * scale, low, high)             kInputs    [inputs]
//     y       = the model kind's step                              kLinear or kModal [modes]
//     y       = clamp(y, -limit, limit)                            kOutput    [modes]
//     vertex  = R_y(r) (mean + sum_m y_m basis_m) + p              kBasis     [vertices]
//
// With kMirror, of either of the first two kinds: the cloth's mean is its own mirror image, and so is
// each mode, or the opposite of it. Such an even or odd mode is known by one half of the vertices:
//
//     E       = mean + sum over the even modes of y_m basis_m      kBasis     [half]
//     O       = sum over the odd modes of y_m basis_m              kOddBasis  [half]
//     left    = R_y(r) (E + O) + p                                 kMirror    [half]
//     right   = R_y(r) diag(-1, 1, 1) (E - O) + p                  kMirror    [half]
//
// Model kind kLinearKind (the 2010 paper's A, B and C of order N = 0..5):
//     i   = [f; z_{t,t-N}; z_{t-1,t-N}; ...; z_{t-N+1,t-N}]; the z (5 each, equation 6, radians and
//           metres) only where uses_root
//     y_t = W [u; y_{t-1}; ...; y_{t-N}] + w
//     kStatic, of the same shape with N = 0 and no z (so its u is the first `features` of u), is
//     the 0th-order model: y of the first N ticks after a reset without warm-up, where the warm-up
//     starts, and what the dial fades to.
//     Histories hold the y that are clamped by kOutput. A part s of a tick: y and roots of the
//     ticks before are interpolated linearly between neighbouring ticks.
//
// Model kind kModalKind (ours, "S"): the state h is linear and time-invariant, and every |lambda| <
// 1:
//     g   = [f; v; w]: v = R_y(-r_t) (p_t - p_{t-1}) rate, w = (r_t - r_{t-1}) rate
//     i   = [g; g_t - g_{t-1}; v|v| (3, per component); w^2; w v (3)]
//     a'  = silu(W1 u + b1),      a = a' + silu(Wa a' + ba)        [hidden]
//     h_t = lambda h_{t-1} + B a + b, per complex mode             [states complex numbers]
//     e'  = silu(W2 [a; h] + b2), e = e' + silu(We e' + be)        [outer]
//     y   = W3 [u; h; e] + b3
//     A part s of a tick: lambda^s and (1 - lambda^s) / (1 - lambda) (B a + b); p, r and g of one
//     tick ago are interpolated linearly between the last two ticks.
//     At rest: h = (B a + b) / (1 - lambda). The dial scales what h differs from that by.
//     [h] as reals: all real parts, then all imaginary parts.
//
// Model kind kNeuralKind (the 2021 paper's network, "N"): the pose alone, without time. There is no
// kPose; kNetwork tells whose K are read, and kSkin adds the garment as the joints carry it:
//     q_j = left_j q(K_p^T K_j) right_j                            joint j's rotation in its parent p
//     i   = the q_j, each w x y z with w >= 0, or the first two columns of its matrix
//     y   = W_L s(... W_2 s(W_1 u + b_1) + b_2 ...) + b_L, s the activation
//     vertex = R_y(r) (sum_j w_j K_j rest + mean + sum_m y_m basis_m) + p
//     q() is the rotation of the matrix whose first two columns, orthonormal by Gram and Schmidt,
//     are those of its argument; for a joint without a parent K_p is the identity.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace hem::format {

inline constexpr char kMagic[8] = {'H', 'E', 'M', 'L', 'I', 'N', 'E', 0};
inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kMirroredVersion = 2;  // of files that have kMirror
inline constexpr uint32_t kAlignment = 64;
inline constexpr uint32_t kLanes = 16;  // rows of a panel
inline constexpr uint32_t kTileVertices = 16;

// Limits: with them, offsets and scratch memory have known bounds.
inline constexpr uint32_t kMaxVertices = 1 << 20, kMaxTriangles = 1 << 21, kMaxJoints = 1024;
inline constexpr uint32_t kMaxModes = 256, kMaxFeatures = 256, kMaxInputs = 512, kMaxHidden = 256,
                          kMaxStates = 128, kMaxOuter = 256, kMaxOrder = 5, kMaxWarmUp = 1000,
                          kMaxSections = 64;

inline constexpr uint32_t kMaxReadJoints = 128, kMaxRotations = 64, kMaxLayers = 8,
                          kMaxWidth = 512;  // of kNetwork

inline constexpr uint32_t kMaxBodyJoints = 256, kMaxBodyPanels = 128, kMaxTiles = 1 << 17;

inline constexpr float kMaxWeight = 1e4f;  // |number| in kPose, kLinear, kStatic, layers of kModal
                                           // and kNetwork, kBasis, kOddBasis; |low|, |high|; limit
inline constexpr float kMaxInputScale = 1e8f;  // |offset|, |scale|
inline constexpr float kMaxDecay = 0.9999f;    // |lambda|
inline constexpr float kMaxAngle = 3.2f;       // |angle|, radians

// 2 was S with one layer before the state and one behind it, which is played no more.
enum Kind : uint32_t { kLinearKind = 1, kNeuralKind = 3, kModalKind = 4 };

struct FileHeader {
    char magic[8];
    uint32_t version;
    uint32_t kind;
    uint64_t size;      // of the whole file
    uint64_t checksum;  // fileChecksum()
    uint32_t section_count;
    uint32_t vertices, triangles, joints, modes;
    float rate;            // ticks a second, 1 to 1000
    uint32_t state_magic;  // 1 to 2^30 - 1, of this file: marks the states that are its own
    uint32_t reserved;
};
static_assert(sizeof(FileHeader) == 64);

struct Section {
    uint32_t id;
    uint32_t reserved;
    uint64_t offset, size;
};
static_assert(sizeof(Section) == 24);

enum SectionId : uint32_t {
    kInfo = 1,        // JSON, null-terminated
    kTriangles = 2,   // uint32[3 * triangles]
    kJointNames = 4,  // `joints` null-terminated strings
    kFrame = 5,       // Frame
    kPose = 6,        // PoseHeader, uint16[joints_read], then at multiples of 64: float f0
                      // [features, padded to 16], F: panels of 12 * joints_read columns
    kInputs = 7,      // uint32 inputs and 15 zeros, then float offset, scale, low, high
                      // [inputs, padded to 16 each], low <= high
    kLinear = 8,      // LinearHeader, then at 64: w [modes, padded], W panels
    kStatic = 9,      // the same
    kModal = 10,      // ModalHeader, then each at a multiple of 64: log_decay, angle [states,
                      // padded]: lambda = exp(-exp(log_decay) + i angle); b1, W1; ba, Wa; b, B;
                      // b2, W2; be, We; b3, W3 (biases padded to 16)
    kOutput = 11,     // float limit[modes, padded to 16], each > 0 (padding: 0)
    kBasis = 12,      // BasisHeader and what follows it there
    kStability = 13,  // Stability
    kCornerTextureCoords = 16,  // float[6 * triangles]; optional
    kHidden = 17,               // HiddenHeader, then at 64 a bit a triangle; optional
    kNetwork = 18,              // NetworkHeader and what follows it there
    kSkin = 19,                 // SkinHeader and what follows it there
    kBody = 20,                 // BodyHeader and what follows it there, for HEM_PUSH_OUT; optional
    kMirror = 21,               // MirrorHeader and what follows it there; in version 2 alone
    kOddBasis = 22,             // as kBasis, of its encoding, without `mean`; beside kMirror
};

struct Frame {
    float root[3];                    // rest position of joint 0
    float left_hip[3], right_hip[3];  // rest positions of the joints the hip line runs between
    uint32_t left_hip_joint, right_hip_joint;
    uint32_t reserved[5];
};
static_assert(sizeof(Frame) == 64);

struct PoseHeader {
    uint32_t joints_read, features;
    uint32_t reserved[14];
};
static_assert(sizeof(PoseHeader) == 64);

struct LinearHeader {
    uint32_t order;      // 0..5
    uint32_t uses_root;  // 1: z among the inputs
    uint32_t warm_up;  // ticks of the first pose at a reset, in place of the static start; 0: none
    uint32_t reserved[13];
};
static_assert(sizeof(LinearHeader) == 64);

struct ModalHeader {
    uint32_t hidden, states, outer;
    uint32_t reserved[13];
};
static_assert(sizeof(ModalHeader) == 64);

// After the header, each at a multiple of 64:
//     uint16 joints[joints_read]        whose K are read
//     uint16 of[rotations]              numbers in `joints`: whose rotations are inputs
//     uint16 parent[rotations]          likewise, or kNoJoint
//     float  turns[rotations][8]        left, right: w x y z each, unit
//     b_1, W_1; b_2, W_2; ...           biases padded to 16, panels
// or, where `weights` is kInt16Weights, b_1, s_1, W_1; ... with W of two columns a lane, padded with
// a column of zeros where they are odd: int16 [panel][pair of columns][16][2], |integer| at most
// kMaxInt16Weight and |s| at most kMaxWeight / kMaxInt16Weight. Weight = integer * s[row].
struct NetworkHeader {
    uint32_t joints_read, rotations;
    uint32_t numbers;     // of a rotation: 4 or 6
    uint32_t activation;  // Activations
    uint32_t layers;      // 1 to 8
    uint32_t widths[8];   // outputs of the layers, the last one's being the modes; then noughts
    uint32_t weights;     // Weights
    uint32_t reserved[2];
};
static_assert(sizeof(NetworkHeader) == 64);
enum Activations : uint32_t { kRelu = 0, kSiluActivation = 1 };
enum Weights : uint32_t { kFloatWeights = 0, kInt16Weights = 1 };
// The finer weights are, the coarser are the inputs that HEM_APPROXIMATE multiplies by them within
// int32: with these both err alike.
inline constexpr int32_t kMaxInt16Weight = 16383;
inline constexpr uint16_t kNoJoint = 0xffff;
inline constexpr uint32_t kMaxPairs = 65000;  // times 32767 is within int32

// How joints carry the garment, by the same panels of 16 vertices as kBasis. After the header, each
// at a multiple of 64:
//     uint32 first_influence[panels + 1]
//     uint16 influence_joint[influences]          numbers in kNetwork's `joints`
//     float  influence_rest[influences][4][16]    w x, w y, w z, w: weight times rest position
//     int16  influence_pairs[influences][2][16][2]    the same, rest positions counted from kFrame's
//                                                     root, in steps of `step`: for HEM_APPROXIMATE
// The |pairs| of a vertex sum up to at most kMaxPairs.
struct SkinHeader {
    uint32_t influences;
    float step;  // metres, above 0, at most 0.01
    uint32_t reserved[14];
};
static_assert(sizeof(SkinHeader) == 64);

// Panels of 16 vertices: all, or those of kMirror's half; and modes: all, or beside kMirror the even
// ones, or in kOddBasis the odd ones, in their order. First `mean`, float32, [panel][3][16]; then
// scale, float32 [modes, padded to 16]; then the basis, one panel after another:
// - kFloat32, kFloat16: [mode][3][16] numbers. scale is the mode's largest |number| / 32767, for
//   HEM_APPROXIMATE alone.
// - kMixed: integers, two modes a lane: [pair of modes][3][16][2], padded with a mode of zeros
//   where modes are odd. The first `wide_modes` (even) are int16, the others int8; a panel starts
//   at a multiple of 64. Value = integer * scale[mode]. -32768 and -128 do not occur.
enum Encoding : uint32_t { kFloat32 = 0, kFloat16 = 1, kMixed = 2 };
struct BasisHeader {
    uint32_t encoding;
    uint32_t wide_modes;     // kMixed
    float tolerance_um;      // that was asked for; 0 for kFloat32
    float largest_error_um;  // of any vertex over the frames given to pack(), by the encoding
    uint32_t reserved[12];
};
static_assert(sizeof(BasisHeader) == 64);

// Which vertices are each other's mirror images, and which modes their own. After the header, each at
// a multiple of 64:
//     uint32 left[half]      the vertices whose numbers kBasis and kOddBasis hold
//     uint32 right[half]     those opposite; in the middle of the garment a vertex's own number again
//     uint8  is_odd[modes]   1: the mode is in kOddBasis; 0: in kBasis
// Every vertex is there, none on two places but for those in the middle.
struct MirrorHeader {
    uint32_t half;       // at least half of the vertices, at most all
    uint32_t odd_modes;  // at least 1 and fewer than all
    uint32_t reserved[14];
};
static_assert(sizeof(MirrorHeader) == 64);

// The body as oriented points that joints carry, each the plane of its patch of skin. With the
// matrices M of the body's joints, centre c and normal n of a point (which need not be unit) become
// sum_j w_j M_j c and sum_j w_j M_j n (without translation), and skin's distance from x is
//
//     d(x) = sum_k g_k (n_k . (x - c_k) - offset_k) / sum_k g_k,
//     g_k  = max(0, 1 - |x - c_k|^2 / reach^2)^4
//
// (implicit moving least squares, Kolluri 2005). Centres lie below the skin, by their offset, so
// that of two skins that face each other (thighs, an arm at the waist) the nearer one counts. Where
// d is below `distance`, the vertex moves along sum_k g_k n_k by what is missing, at most `most`;
// and again from there, where that was over 4 `distance`, up to three times. Vertices more than
// 100 m from the root stay where they are. Tiles are 16 vertices
// that are looked for together. The first `worn_tiles` look at all points, the others at the first
// `points` of them: what passes through cloth that is not worn on it comes last.
//
// After the header, each at a multiple of 64:
//     uint16 joints[joints]                       those that carry points
//     uint32 first_influence[panels + 1]
//     uint16 influence_joint[influences]          numbers in `joints`
//     float  influence_weight[influences][16]
//     float  points[panels][7][16]                centre, normal, offset
//     uint32 vertices[tiles][16]                  the last repeated where there are fewer
// A panel is 16 points carried by the same joints, those of its influences; `points` and then
// `worn_points` fill as many panels as they need. What is left of a panel repeats a point of it.
struct BodyHeader {
    uint32_t joints, points, worn_points, influences, tiles, worn_tiles;
    float reach;     // metres, 0.001 to 10
    float distance;  // from the skin, metres, within 1
    float most;      // metres, 0 to 1
    uint32_t reserved[7];
};
static_assert(sizeof(BodyHeader) == 64);
constexpr uint32_t panelsOf(uint32_t points) { return points / kLanes + (points % kLanes != 0); }
constexpr uint32_t panelsOf(const BodyHeader& body) {
    return panelsOf(body.points) + panelsOf(body.worn_points);
}
inline constexpr float kMaxBodyNumber = 100;  // of centres, normals, offsets, rest positions

// Section 6.2 of the paper: triangles of the body's mesh that the garment hid in all of training. Bit
// t % 8 of byte t / 8 is triangle t; bits past the last are 0.
struct HiddenHeader {
    uint32_t body_triangles;  // 1 to kMaxTriangles
    uint32_t hidden;          // how many bits are 1
    uint32_t reserved[14];
};
static_assert(sizeof(HiddenHeader) == 64);

// Section 6.1 of the paper, and its like for S (docs/stable_space.md): what was proved when the
// file was made. E_t <= lambda E_{t-1} + k_max in the norm given there, so E stays below
// max(E_0, energy_bound), energy_bound = k_max / (1 - lambda).
struct Stability {
    double lambda, k_max, energy_bound;
    double largest_output;  // bound on |vertex - mean|, metres, by the limits of kOutput
    uint32_t reserved[8];
};
static_assert(sizeof(Stability) == 64);

// FNV-1a over 8 bytes at a time, the tail byte by byte: fast enough to check at every open.
inline uint64_t checksumOf(const unsigned char* bytes, size_t size,
                           uint64_t sum = 0xcbf29ce484222325u) {
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t word = 0;
        for (int b = 7; b >= 0; --b) word = word << 8 | bytes[i + size_t(b)];
        sum = (sum ^ word) * 0x100000001b3u;
        sum ^= sum >> 29;
    }
    for (; i < size; ++i) sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

// Of a whole file, at least a header long: of the header before and after the checksum, then of the
// rest.
inline uint64_t fileChecksum(const unsigned char* file, size_t size) {
    constexpr size_t at = offsetof(FileHeader, checksum), after = at + sizeof(uint64_t);
    return checksumOf(file + after, size - after, checksumOf(file, at));
}

}  // namespace hem::format
