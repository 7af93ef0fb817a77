/* SPDX-License-Identifier: Apache-2.0
 * The player: dresses characters with garments that Hemline learned. Plain C, no dependency, no
 * allocation. Copy this folder into an engine.
 *
 * Three verbs. hem_open() checks the bytes of a .hem file and gives the garment; hem_reset() puts
 * wearers into a state of rest, at spawn and after a teleport; hem_step() moves them on by a time
 * step. One garment is a batch of one. See examples/play.c.
 *
 * Memory. The caller owns all of it. The garment is the bytes of the file, read-only, which must
 * stay where they are; there is nothing to close. A wearer's state is hem_stateSize() plain bytes:
 * memcpy saves it and rolls it back. The player uses at most 256 KiB of stack.
 *
 * Threads. There is no hidden state: calls on distinct wearers may run at the same time. Results do
 * not depend on how wearers are divided into batches or on the number of threads.
 *
 * Nothing fails after hem_open(). Joint matrices that are not finite are replaced by the last good
 * ones (by the rest pose where there were none), a damaged state is reset, and both are reported
 * (hem_Batch::reports). Only the joints that the garment reads are looked at.
 *
 * Units are metres and seconds, Y up, right-handed. Matrices are 3 by 4, row by row: the skinning
 * matrices world_from_joint * joint_from_rest that the engine has at hand for its own skinning, for
 * every joint of the skeleton that the garment was trained on, in its order (hem_jointName()).
 *
 * Frame rate. Any, from 15 to 240 steps a second, varying from step to step. The garment's own
 * clock ticks at the rate of its recordings (hem_rate()); ticks between two calls see the motion
 * interpolated between them; between ticks the player takes a part of a step, which leaves the next
 * tick untouched, so that every frame rate shows the same motion. A step that ends within a
 * thousandth of a tick from one ends on it.
 *
 * Bits. The same on repeated runs. Processors that fuse multiplication and addition (AVX2, AVX-512,
 * NEON) agree with each other to the bit; so do the others (scalar, SSE4, WebAssembly). */
#ifndef HEM_RUNTIME_HEM_H
#define HEM_RUNTIME_HEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEM_VERSION_MAJOR 0
#define HEM_VERSION_MINOR 2
#define HEM_VERSION_PATCH 0

/* The version of the library that is linked ("0.2.0"), to be compared with the header's. Never
 * null. */
const char* hem_version(void);

typedef struct hem_Garment hem_Garment;

typedef enum hem_Error {
    HEM_OK = 0,
    HEM_ERROR_ALIGNMENT, /* `bytes` is not a multiple of 16 */
    HEM_ERROR_TRUNCATED, /* shorter than the file says of itself */
    HEM_ERROR_NOT_HEM,   /* another kind of file */
    HEM_ERROR_VERSION,   /* written by a newer or an unsupported older Hemline */
    HEM_ERROR_CHECKSUM,  /* damaged */
    HEM_ERROR_LAYOUT,    /* sections missing, overlapping or of the wrong size */
    HEM_ERROR_LIMIT,     /* more vertices, modes, joints or inputs than format.h allows */
    HEM_ERROR_VALUE,     /* a number that is not finite, an index out of range */
    HEM_ERROR_UNSTABLE   /* a decay of 1 or more: the garment could blow up */
} hem_Error;

/* A sentence for people, without a full stop. Never null. */
const char* hem_errorText(hem_Error error);

/* Checks everything that the player relies on, reading all of the bytes once: any bytes are safe.
 * Null, and a reason in *error (which may be null), if they are not a garment. `bytes` is at a
 * multiple of 16, better of 64: elsewhere one wearer alone can take a quarter longer. */
const hem_Garment* hem_open(const void* bytes, size_t size, hem_Error* error);

size_t hem_vertexCount(const hem_Garment* garment);
size_t hem_triangleCount(const hem_Garment* garment);
/* 3 a triangle, counter-clockwise seen from outside. */
const uint32_t* hem_triangles(const hem_Garment* garment);
/* 2 a corner, 6 a triangle, as hem_triangles() has them; or null where unknown. By corners, for a
 * vertex on a seam has a place on either side of it: a mesh for drawing doubles such vertices.
 * Metres of cloth, u along the weft, v along the warp, upwards. */
const float* hem_cornerTextureCoordinates(const hem_Garment* garment);
size_t hem_jointCount(const hem_Garment* garment);
/* Null at and past the last. */
const char* hem_jointName(const hem_Garment* garment, size_t joint);
/* Latent weights: PCA modes of the cloth. */
size_t hem_modeCount(const hem_Garment* garment);
float hem_rate(const hem_Garment* garment); /* ticks a second */
/* 1: the file has a body, and HEM_PUSH_OUT does something; 0: it does nothing. */
int hem_pushesOut(const hem_Garment* garment);
/* Triangles of the body that the garment hid in all of training, wherever it was seen from: they need
 * not be drawn, and then cannot show through (section 6.2 of the 2010 paper). Bit t % 8 of byte t / 8
 * is triangle t of hem_bodyTriangleCount(), those of the mesh of the character that was trained on, in
 * its order. Null, and 0 of them, where the file does not say. */
const uint8_t* hem_hiddenTriangles(const hem_Garment* garment);
size_t hem_bodyTriangleCount(const hem_Garment* garment);
size_t hem_stateSize(const hem_Garment* garment);
/* What the file says of itself: what was trained on what, errors, bounds, as a JSON object; null
 * terminated. */
const char* hem_info(const hem_Garment* garment);

enum {                      /* hem_Batch::flags */
       HEM_CANONICAL = 1,   /* positions and normals about the wearer's root, heading removed */
       HEM_PUSH_OUT = 2,    /* moves vertices that are inside the body out of it, where the file has
                               a body (hem_pushesOut()), by at most some centimetres. Positions
                               alone are changed, before the normals: weights and states are the
                               same with it and without. Reads joints of the body too. Nearly
                               doubles the time of one wearer (docs/player.md) */
       HEM_APPROXIMATE = 4, /* rebuilds with 16- and 8-bit products: for crowds up to twice as fast,
                               wrong by some hundredths of a millimetre, at most some tenths.
                               Weights of the neural kind, too */
};

enum {                      /* hem_Batch::reports, bits */
       HEM_BAD_JOINTS = 1,  /* not finite, or past 1e6 m or a scale of 1e3: the last good ones were
                               used, or with HEM_PUSH_OUT, if only joints of the body are
                               bad: vertices were not moved out of it */
       HEM_BAD_STATE = 2,   /* never reset, of another garment, or damaged: it was reset */
       HEM_OUT_OF_RANGE = 4 /* the motion is outside what was trained on: inputs were clamped */
};

/* Wearers of one garment. Zero-initialise it, then set what is needed: whatever is left 0 or null
 * has a sane meaning. Strides count floats. Buffers must not overlap. */
typedef struct hem_Batch {
    size_t count;
    void* states;        /* count * hem_stateSize() bytes, at a multiple of 4 */
    const float* joints; /* count * hem_jointCount() * 12 */

    float* positions; /* count * hem_vertexCount() * 3, or null for none */
    float* normals;   /* the same, only with positions; unit, area-weighted; or null */
    float* weights;   /* count * hem_modeCount(), or null: for a rebuild in a shader, mean + basis *
                          weights */
    float* confidence; /* count, or null: 1 within what was trained on, towards 0 far out. It is
                          1 / (1 + 4 d), d the sum of the squares of how far inputs are out of their
                          range, in widths of it, and follows within a tenth of a second; of
                          garments that know no motion (docs/neural.md), at once */
    uint8_t* reports;  /* count, or null */

    size_t joints_stride;    /* from wearer to wearer; 0: tight */
    size_t positions_stride; /* from wearer to wearer, normals too; 0: tight */
    size_t vertex_stride;    /* from vertex to vertex, normals too; 0: 3 */
    size_t weights_stride;   /* 0: tight */

    const uint16_t* wearer_modes; /* level of detail of each wearer, or null; 0: all modes */
    unsigned modes;               /* of all wearers where wearer_modes is null; 0: all modes */
    float dial;                   /* swing and sway added to the trained: -1 none, 0 as trained, 1
                                     twice; below -1 counts as -1, above 1 as 1. Garments that know no
                                     motion have none to add */
    unsigned flags;               /* HEM_CANONICAL, ... */

    /* hem_reset() only. 4 a wearer: velocity of the root in the world [m/s], rate of heading [1/s],
     * or null for standing still. The cloth starts as it would hang after moving so for long. */
    const float* root_motion;
} hem_Batch;

/* Wearers start anew in the pose of `joints`, without an impulse from wherever they were. Writes
 * the outputs that are asked for. */
void hem_reset(const hem_Garment* garment, hem_Batch batch);

/* Moves on to the pose of `joints`, `seconds` after the last call. A step that is not finite or not
 * above 0 counts as 0: the pose is taken without the passing of time. One above 0.25 s counts as
 * 0.25. Writes the outputs that are asked for. */
void hem_step(const hem_Garment* garment, hem_Batch batch, float seconds);

#ifdef __cplusplus
}
#endif

#endif
