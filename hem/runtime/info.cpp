// SPDX-License-Identifier: Apache-2.0
// What a garment tells of itself.
#include "hem/runtime/garment.h"
#include "hem/runtime/state.h"

using hem::runtime::garmentOf;

static const hem::format::FileHeader& headerOf(const hem_Garment* garment) {
    return *reinterpret_cast<const hem::format::FileHeader*>(garment);
}

size_t hem_vertexCount(const hem_Garment* garment) { return headerOf(garment).vertices; }
size_t hem_triangleCount(const hem_Garment* garment) { return headerOf(garment).triangles; }
const uint32_t* hem_triangles(const hem_Garment* garment) { return garmentOf(garment).triangles; }
const float* hem_cornerTextureCoordinates(const hem_Garment* garment) {
    return garmentOf(garment).corner_texture_coordinates;
}
size_t hem_jointCount(const hem_Garment* garment) { return headerOf(garment).joints; }
size_t hem_modeCount(const hem_Garment* garment) { return headerOf(garment).modes; }
float hem_rate(const hem_Garment* garment) { return headerOf(garment).rate; }
int hem_pushesOut(const hem_Garment* garment) { return garmentOf(garment).body != nullptr; }
size_t hem_bodyTriangleCount(const hem_Garment* garment) {
    const hem::format::HiddenHeader* hidden = garmentOf(garment).hidden;
    return hidden ? hidden->body_triangles : 0;
}
const uint8_t* hem_hiddenTriangles(const hem_Garment* garment) {
    return garmentOf(garment).hidden_bits;
}
const char* hem_info(const hem_Garment* garment) { return garmentOf(garment).info; }

const char* hem_jointName(const hem_Garment* garment, size_t joint) {
    if (joint >= headerOf(garment).joints) return nullptr;
    const char* name = garmentOf(garment).joint_names;
    for (; joint; --joint)
        while (*name++) {
        }
    return name;
}

size_t hem_stateSize(const hem_Garment* garment) {
    return sizeof(float) * hem::runtime::stateLayout(garmentOf(garment)).size;
}

const char* hem_errorText(hem_Error error) {
    switch (error) {
        case HEM_OK:
            return "no error";
        case HEM_ERROR_ALIGNMENT:
            return "the bytes do not lie at a multiple of 16";
        case HEM_ERROR_TRUNCATED:
            return "the file is cut short";
        case HEM_ERROR_NOT_HEM:
            return "not a Hemline garment";
        case HEM_ERROR_VERSION:
            return "written by a version of Hemline that this player does not know";
        case HEM_ERROR_CHECKSUM:
            return "the file is damaged: its checksum does not agree";
        case HEM_ERROR_LAYOUT:
            return "sections are missing, overlap or have the wrong size";
        case HEM_ERROR_LIMIT:
            return "more vertices, modes, joints or inputs than a player takes";
        case HEM_ERROR_VALUE:
            return "a number is not finite or an index is out of range";
        case HEM_ERROR_UNSTABLE:
            return "the garment's motion does not die out: it could blow up";
    }
    return "unknown error";
}
