// SPDX-License-Identifier: Apache-2.0
// Poses of a skeleton, their blending, and the skinning matrices that the player and the body take.
import type { Character, Motion, Skin } from "./scene";

export class Pose {
    readonly root = new Float32Array(3);
    /** 4 a joint, x, y, z, w, relative to the parent. */
    readonly rotations: Float32Array;

    constructor(joints: number) {
        this.rotations = new Float32Array(4 * joints);
        for (let i = 3; i < this.rotations.length; i += 4) this.rotations[i] = 1;
    }

    copy(from: Pose): void {
        this.root.set(from.root);
        this.rotations.set(from.rotations);
    }

    /** A part `t` of the way to `to`, rotations by the short way. */
    blend(to: Pose, t: number): void {
        for (let i = 0; i < 3; ++i) this.root[i] += t * (to.root[i] - this.root[i]);
        blendRotations(this.rotations, this.rotations, 0, to.rotations, 0, t);
    }
}

function blendRotations(out: Float32Array, a: Float32Array, aFirst: number, b: Float32Array, bFirst: number,
                        t: number): void {
    for (let i = 0; i < out.length; i += 4) {
        const p = aFirst + i, q = bFirst + i;
        const dot = a[p] * b[q] + a[p + 1] * b[q + 1] + a[p + 2] * b[q + 2] + a[p + 3] * b[q + 3];
        const s = dot < 0 ? -t : t, r = 1 - t;
        const x = r * a[p] + s * b[q], y = r * a[p + 1] + s * b[q + 1];
        const z = r * a[p + 2] + s * b[q + 2], w = r * a[p + 3] + s * b[q + 3];
        const n = 1 / (Math.hypot(x, y, z, w) || 1);
        out[i] = x * n; out[i + 1] = y * n; out[i + 2] = z * n; out[i + 3] = w * n;
    }
}

/** The pose between frames; `frame` wraps round in a loop and is held at the ends otherwise. */
export function samplePose(motion: Motion, frame: number, out: Pose): void {
    const { frames, loop } = motion;
    const at = loop ? ((frame % frames) + frames) % frames : Math.min(Math.max(frame, 0), frames - 1);
    const a = Math.min(Math.floor(at), frames - 1), t = at - a;
    const b = a + 1 < frames ? a + 1 : loop ? 0 : a;
    for (let i = 0; i < 3; ++i)
        out.root[i] = (1 - t) * motion.root[3 * a + i] + t * motion.root[3 * b + i];
    const size = out.rotations.length;
    blendRotations(out.rotations, motion.rotations, a * size, motion.rotations, b * size, t);
}

/** Turns the whole body by `angle` about the vertical through the origin. */
export function turnPose(pose: Pose, angle: number): void {
    const { root, rotations } = pose;
    const c = Math.cos(angle), s = Math.sin(angle);
    const [x, , z] = root;
    root[0] = c * x + s * z;
    root[2] = -s * x + c * z;
    const hc = Math.cos(angle / 2), hs = Math.sin(angle / 2);
    const [qx, qy, qz, qw] = rotations;
    rotations[0] = hc * qx + hs * qz;
    rotations[1] = hc * qy + hs * qw;
    rotations[2] = hc * qz - hs * qx;
    rotations[3] = hc * qw - hs * qy;
}

/** The angle about the vertical by which the pelvis is turned. */
export function headingOf(rotations: Float32Array, first = 0): number {
    return 2 * Math.atan2(rotations[first + 1], rotations[first + 3]);
}

export class Skeleton {
    readonly count: number;
    private readonly world: Float32Array; // 12 a joint: world_from_joint

    constructor(private readonly character: Character) {
        this.count = character.parents.length;
        this.world = new Float32Array(12 * this.count);
    }

    pose(): Pose {
        return new Pose(this.count);
    }

    /** world_from_joint * joint_from_rest, 12 a joint. */
    matrices(pose: Pose, out: Float32Array): void {
        const { parents, translations, inverseBind } = this.character;
        const local = new Float32Array(12);
        for (let j = 0; j < this.count; ++j) {
            const t = j === 0 ? pose.root : translations.subarray(3 * j, 3 * j + 3);
            setLocal(local, pose.rotations, 4 * j, t);
            const parent = parents[j];
            if (parent < 0) this.world.set(local, 12 * j);
            else multiply(this.world, 12 * parent, local, 0, this.world, 12 * j);
            multiply(this.world, 12 * j, inverseBind, 12 * j, out, 12 * j);
        }
    }
}

function setLocal(m: Float32Array, q: Float32Array, i: number, t: ArrayLike<number>): void {
    const x = q[i], y = q[i + 1], z = q[i + 2], w = q[i + 3];
    m[0] = 1 - 2 * (y * y + z * z); m[1] = 2 * (x * y - z * w); m[2] = 2 * (x * z + y * w); m[3] = t[0];
    m[4] = 2 * (x * y + z * w); m[5] = 1 - 2 * (x * x + z * z); m[6] = 2 * (y * z - x * w); m[7] = t[1];
    m[8] = 2 * (x * z - y * w); m[9] = 2 * (y * z + x * w); m[10] = 1 - 2 * (x * x + y * y); m[11] = t[2];
}

/** out = a b, all 3 by 4; `out` may be neither. */
export function multiply(a: Float32Array, i: number, b: Float32Array, j: number, out: Float32Array,
                         o: number): void {
    for (let row = 0; row < 12; row += 4) {
        const x = a[i + row], y = a[i + row + 1], z = a[i + row + 2];
        for (let column = 0; column < 4; ++column)
            out[o + row + column] = x * b[j + column] + y * b[j + 4 + column] + z * b[j + 8 + column];
        out[o + row + 3] += a[i + row + 3];
    }
}

/** Linear blend skinning of positions, and of directions where they are given. */
export function skinVertices(skin: Skin, matrices: Float32Array, positions: Float32Array,
                             directions?: Float32Array, outDirections?: Float32Array): void {
    const { rest, joints, weights } = skin, each = (3 * weights.length) / rest.length;
    const m = new Float64Array(12);
    for (let v = 0, count = rest.length / 3; v < count; ++v) {
        m.fill(0);
        for (let k = each * v; k < each * (v + 1); ++k) {
            const w = weights[k], first = 12 * joints[k];
            if (w !== 0) for (let i = 0; i < 12; ++i) m[i] += w * matrices[first + i];
        }
        const p = 3 * v, x = rest[p], y = rest[p + 1], z = rest[p + 2];
        for (let i = 0; i < 3; ++i)
            positions[p + i] = m[4 * i] * x + m[4 * i + 1] * y + m[4 * i + 2] * z + m[4 * i + 3];
        if (!directions || !outDirections) continue;
        const a = directions[p], b = directions[p + 1], c = directions[p + 2];
        for (let i = 0; i < 3; ++i)
            outDirections[p + i] = m[4 * i] * a + m[4 * i + 1] * b + m[4 * i + 2] * c;
    }
}

/** Unit normals, weighted by area. */
export function vertexNormals(positions: Float32Array, triangles: Uint32Array, out: Float32Array): void {
    out.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
        const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
        const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1];
        const uz = positions[b + 2] - positions[a + 2];
        const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1];
        const vz = positions[c + 2] - positions[a + 2];
        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        for (const corner of [a, b, c]) {
            out[corner] += x; out[corner + 1] += y; out[corner + 2] += z;
        }
    }
    for (let i = 0; i < out.length; i += 3) {
        const n = 1 / (Math.hypot(out[i], out[i + 1], out[i + 2]) || 1);
        out[i] *= n; out[i + 1] *= n; out[i + 2] *= n;
    }
}
