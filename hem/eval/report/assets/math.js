// SPDX-License-Identifier: Apache-2.0
// Vectors, matrices (4 by 4, column by column, as WebGL wants them), and arrays out of base64.
"use strict";

function fromBase64(text, ArrayType) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new ArrayType(bytes.buffer);
}

function normalize(v) {
    const n = Math.hypot(v[0], v[1], v[2]) || 1;
    return [v[0] / n, v[1] / n, v[2] / n];
}

function cross(a, b) {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function dot(a, b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function multiply(a, b) {
    const out = new Float32Array(16);
    for (let column = 0; column < 4; ++column)
        for (let row = 0; row < 4; ++row)
            for (let k = 0; k < 4; ++k) out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    return out;
}

function perspective(fovY, aspect, near, far) {
    const f = 1 / Math.tan(fovY / 2), d = 1 / (near - far);
    return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) * d, -1, 0, 0,
        2 * far * near * d, 0]);
}

function lookAt(eye, target) {
    const back = normalize([eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]]);
    const right = normalize(cross([0, 1, 0], back)), up = cross(back, right);
    return new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0,
        right[2], up[2], back[2], 0, -dot(right, eye), -dot(up, eye), -dot(back, eye), 1]);
}

// Area-weighted normals of a mesh, into `out`; positions and normals 3 a vertex.
function vertexNormals(positions, triangles, out) {
    out.fill(0);
    for (let i = 0; i < triangles.length; i += 3) {
        const a = 3 * triangles[i], b = 3 * triangles[i + 1], c = 3 * triangles[i + 2];
        const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1];
        const uz = positions[b + 2] - positions[a + 2], vx = positions[c] - positions[a];
        const vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
        const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        for (const k of [a, b, c]) {
            out[k] += nx;
            out[k + 1] += ny;
            out[k + 2] += nz;
        }
    }
}
