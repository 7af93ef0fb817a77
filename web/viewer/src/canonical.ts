// SPDX-License-Identifier: Apache-2.0
// The canonical frame of a garment, in which its basis lies: the root's position p and heading r. A vertex
// in the world is R_y(r) (mean + basis * weights) + p; of garments that joints carry, the skinned vertex plus
// R_y(r) (mean + basis * weights). hem/runtime/format.h describes the sections read here;
// the heading is the formula of upright bodies (docs/conventions.md), which the page's motions keep to.

export interface CanonicalFrame {
    root: number[];
    leftHip: number[];
    rightHip: number[];
    leftJoint: number;
    rightJoint: number;
}

const FRAME_SECTION = 5, POSE_SECTION = 6, NETWORK_SECTION = 18;

/** Where the first of a .hem file's sections with one of the ids lies. The player has opened it: it is sound. */
function sectionAt(view: DataView, ...ids: number[]): number {
    for (let i = 0; i < view.getUint32(32, true); ++i)
        if (ids.includes(view.getUint32(64 + 24 * i, true))) return Number(view.getBigUint64(64 + 24 * i + 8, true));
    throw new Error(`the file has no section ${ids.join(" or ")}`);
}

export function readCanonicalFrame(file: ArrayBuffer): CanonicalFrame {
    const view = new DataView(file), at = sectionAt(view, FRAME_SECTION);
    const point = (first: number) => [0, 4, 8].map((k) => view.getFloat32(at + first + k, true));
    return {
        root: point(0), leftHip: point(12), rightHip: point(24),
        leftJoint: view.getUint32(at + 36, true), rightJoint: view.getUint32(at + 40, true),
    };
}

/** The joints whose matrices the model looks at, besides those of the frame. Both sections begin with them. */
export function jointsRead(file: ArrayBuffer): number[] {
    const view = new DataView(file), at = sectionAt(view, POSE_SECTION, NETWORK_SECTION);
    return Array.from({ length: view.getUint32(at, true) }, (_, i) => view.getUint16(at + 64 + 2 * i, true));
}

/** Writes p and r (4 numbers at `o`) for skinning matrices in the garment's order of joints. */
export function canonicalRoot(frame: CanonicalFrame, joints: Float32Array, first: number, out: Float32Array,
                              o: number): void {
    const point = (joint: number, p: number[], row: number) => {
        const m = first + 12 * joint + 4 * row;
        return joints[m] * p[0] + joints[m + 1] * p[1] + joints[m + 2] * p[2] + joints[m + 3];
    };
    const hip = (row: number) =>
        point(frame.leftJoint, frame.leftHip, row) - point(frame.rightJoint, frame.rightHip, row);
    for (let row = 0; row < 3; ++row) out[o + row] = point(0, frame.root, row);
    out[o + 3] = Math.atan2(-hip(2), hip(0));
}
