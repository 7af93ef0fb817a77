// SPDX-License-Identifier: Apache-2.0
// A garment's basis as a texture array, a layer a mode, for a rebuild in the vertex shader. A texel is a
// vertex: six 16-bit floats, the mode's offset and what the mode does to the vertex's normal.
//
// Normals. The area-weighted normal N of a vertex is a sum of cross products of edges, so quadratic in the
// weights; its derivative at the mean is a basis too: N0 + sum of weight * dN. Both are divided by |N0|. Of a
// garment that joints carry, N0 and dN are of its mean on a body that stands, taken back to rest by the matrices
// of that body; the shader takes them to the pose at hand.
import { DataArrayTexture, DataUtils, RGBAIntegerFormat, UnsignedIntType } from "three";
import type { GarmentEntry } from "./scene";
import { skinVertices } from "./skeleton";

export const BASIS_WIDTH = 256;

/** Sum over each vertex's triangles of edge cross products, of `a` with `b` and of `b` with `a`. */
function crossSums(a: Float32Array, b: Float32Array, triangles: Uint32Array, out: Float32Array): void {
    out.fill(0);
    const u = new Float64Array(3), v = new Float64Array(3), p = new Float64Array(3), q = new Float64Array(3);
    for (let t = 0; t < triangles.length; t += 3) {
        const i = 3 * triangles[t], j = 3 * triangles[t + 1], k = 3 * triangles[t + 2];
        for (let c = 0; c < 3; ++c) {
            u[c] = a[j + c] - a[i + c]; v[c] = a[k + c] - a[i + c];
            p[c] = b[j + c] - b[i + c]; q[c] = b[k + c] - b[i + c];
        }
        for (let c = 0; c < 3; ++c) {
            const d = (c + 1) % 3, e = (c + 2) % 3;
            const sum = u[d] * q[e] - u[e] * q[d] + p[d] * v[e] - p[e] * v[d];
            out[i + c] += sum; out[j + c] += sum; out[k + c] += sum;
        }
    }
}

/** What the garment is like in the mean: itself, or on a body that stands with these skinning matrices. */
export interface MeanShape {
    positions: Float32Array;
    triangles: Uint32Array;
    joints: Float32Array;
}

/** The mean's normals, unit, and the length that they had, at 3 a vertex. */
function meanNormals({ positions, triangles }: MeanShape): { unit: Float32Array; scale: Float32Array } {
    const normals = new Float32Array(positions.length), scale = new Float32Array(positions.length / 3);
    crossSums(positions, positions, triangles, normals);
    for (let v = 0; v < scale.length; ++v) {
        // crossSums counts each product twice
        const length = Math.hypot(normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]) || 1;
        scale[v] = 2 / length;
        for (let c = 0; c < 3; ++c) normals[3 * v + c] /= length;
    }
    return { unit: normals, scale };
}

/** Rows of each vertex's blended skinning matrix, without its translation: 9 a vertex. */
function blendedTurns(garment: GarmentEntry, joints: Float32Array): Float32Array {
    const turns = new Float32Array(9 * garment.vertexCount), column = new Float32Array(3 * garment.vertexCount);
    const unit = new Float32Array(column.length), unused = new Float32Array(column.length);
    for (let c = 0; c < 3; ++c) {
        unit.forEach((_, i) => { unit[i] = i % 3 === c ? 1 : 0; });
        skinVertices(garment.carried!, joints, unused, unit, column);
        column.forEach((value, i) => { turns[3 * i + c] = value; });
    }
    return turns;
}

/** Takes directions back to rest; of a garment that is not carried, leaves them. */
function backToRest(turns: Float32Array | null, directions: Float32Array): void {
    if (!turns) return;
    for (let i = 0; i < directions.length; i += 3) {
        const x = directions[i], y = directions[i + 1], z = directions[i + 2], t = 3 * i;
        for (let c = 0; c < 3; ++c) directions[i + c] = turns[t + c] * x + turns[t + 3 + c] * y + turns[t + 6 + c] * z;
    }
}

export function basisTexture(garment: GarmentEntry, shape: MeanShape): { basis: DataArrayTexture; normals: Float32Array } {
    const { basis, modeCount, vertexCount, mean } = garment;
    const height = Math.ceil(vertexCount / BASIS_WIDTH), layer = BASIS_WIDTH * height;
    const texels = new Uint32Array(4 * layer * modeCount), turn = new Float32Array(mean.length);
    const { unit, scale } = meanNormals(shape), turns = garment.carried && blendedTurns(garment, shape.joints);
    backToRest(turns, unit);
    const pack = (a: number, b: number) => DataUtils.toHalfFloat(a) | (DataUtils.toHalfFloat(b) << 16);
    for (let k = 0; k < modeCount; ++k) {
        const mode = basis.subarray(k * mean.length, (k + 1) * mean.length);
        crossSums(shape.positions, mode, shape.triangles, turn);
        backToRest(turns, turn);
        for (let v = 0; v < vertexCount; ++v) {
            const i = 3 * v, o = 4 * (k * layer + v), n = [0, 1, 2].map((c) => clampHalf(turn[i + c] * scale[v]));
            texels[o] = pack(mode[i], mode[i + 1]);
            texels[o + 1] = pack(mode[i + 2], n[0]);
            texels[o + 2] = pack(n[1], n[2]);
        }
    }
    const texture = new DataArrayTexture(texels, BASIS_WIDTH, height, modeCount);
    texture.format = RGBAIntegerFormat;
    texture.type = UnsignedIntType;
    texture.internalFormat = "RGBA32UI";
    texture.needsUpdate = true;
    return { basis: texture, normals: unit };
}

const clampHalf = (x: number) => Math.min(Math.max(x, -60000), 60000);
