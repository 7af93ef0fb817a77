/* SPDX-License-Identifier: Apache-2.0
 * Dresses one character for two seconds and prints where a vertex of its garment is.
 *
 *     play_c [GARMENT.hem]        (examples/toy.hem where none is given)
 *
 * Everything that an engine does is here: read the file, open it, give the wearer a state, reset it,
 * and step it once a frame with the character's skinning matrices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hem/runtime/hem.h"

/* The file's bytes at a multiple of 64, for free(); null where it cannot be read. */
static void* readFile(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    void* bytes = NULL;
    long length;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0) {
        *size = (size_t)length;
        bytes = aligned_alloc(64, (*size + 63) / 64 * 64);
        rewind(file);
        if (bytes && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(file);
    return bytes;
}

/* Stands in for the engine's animation: the whole body sways to and fro about its feet. A matrix is
 * 3 by 4, row by row, world_from_joint * joint_from_rest. */
static void animate(float* joints, size_t count, float seconds) {
    const float angle = 0.3f * sinf(4 * seconds);
    size_t j;
    for (j = 0; j < count; ++j) {
        float* m = joints + 12 * j;
        m[0] = 1, m[1] = 0, m[2] = 0, m[3] = 0;
        m[4] = 0, m[5] = cosf(angle), m[6] = -sinf(angle), m[7] = 0;
        m[8] = 0, m[9] = sinf(angle), m[10] = cosf(angle), m[11] = seconds;
    }
}

int main(int count, char** arguments) {
    const char* path = count > 1 ? arguments[1] : "examples/toy.hem";
    size_t size = 0;
    void* bytes = readFile(path, &size);
    hem_Error error = HEM_ERROR_TRUNCATED;
    const hem_Garment* garment = bytes ? hem_open(bytes, size, &error) : NULL;
    hem_Batch batch = {0};
    float *joints, *positions;
    void* state;
    int frame;
    if (!garment) {
        fprintf(stderr, "%s: %s\n", path, bytes ? hem_errorText(error) : "cannot be read");
        free(bytes);
        return 1;
    }
    printf("%s: %zu vertices, %zu modes, %zu joints, %g ticks a second\n", path,
           hem_vertexCount(garment), hem_modeCount(garment), hem_jointCount(garment),
           (double)hem_rate(garment));

    state = malloc(hem_stateSize(garment));
    joints = malloc(hem_jointCount(garment) * 12 * sizeof(float));
    positions = malloc(hem_vertexCount(garment) * 3 * sizeof(float));
    batch.count = 1;
    batch.states = state;
    batch.joints = joints;
    batch.positions = positions;

    animate(joints, hem_jointCount(garment), 0);
    hem_reset(garment, batch);
    for (frame = 1; frame <= 120; ++frame) {
        animate(joints, hem_jointCount(garment), (float)frame / 60);
        hem_step(garment, batch, 1.0f / 60);
        if (frame % 20 == 0)
            printf("%4.2f s: vertex 0 at %6.3f %6.3f %6.3f\n", frame / 60.0, (double)positions[0],
                   (double)positions[1], (double)positions[2]);
    }
    free(positions);
    free(joints);
    free(state);
    free(bytes);
    return 0;
}
