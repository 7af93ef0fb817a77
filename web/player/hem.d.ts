// SPDX-License-Identifier: Apache-2.0
// Types of hem.js, whose head is the manual; hem/runtime/hem.h says more of every member.

/** Bits of Wearers.reports. */
export const BAD_JOINTS: 1;
export const BAD_STATE: 2;
export const OUT_OF_RANGE: 4;

/**
 * Opens the bytes of a .hem file, which are copied. Rejects with an Error that gives the reason if they
 * are not a sound garment: any bytes are safe. `module` is hem.wasm, compiled or as bytes, where it is not
 * a file beside hem.js.
 */
export function open(
    bytes: ArrayBuffer | ArrayBufferView,
    options?: { module?: WebAssembly.Module | BufferSource },
): Promise<Garment>;

/** A garment, opened. Its members are copies and stay as they are. */
export interface Garment {
    /** Of the player. */
    readonly version: string;
    readonly vertexCount: number;
    readonly jointCount: number;
    readonly jointNames: readonly string[];
    /** Latent weights: PCA modes of the cloth. */
    readonly modeCount: number;
    /** Bytes a wearer. */
    readonly stateSize: number;
    /** Ticks a second of the garment's own clock; step at any rate. */
    readonly rate: number;
    /** Whether the file has a body, and Wearers.pushOut does something. */
    readonly pushesOut: boolean;
    /** What the file says of itself: a JSON object, as text. */
    readonly info: string;
    /** 3 a triangle, counter-clockwise seen from outside. */
    readonly triangles: Uint32Array;
    /**
     * 2 a corner, 6 a triangle, as `triangles` has them: a vertex on a seam has a place on either side of
     * it. Metres of cloth, v upwards.
     */
    readonly cornerTextureCoordinates: Float32Array | null;
    /** 1 for each triangle of the body that the garment always hides; null where the file does not say. */
    readonly hiddenTriangles: Uint8Array | null;

    /** Buffers for `count` wearers; reset() them before the first step. */
    wearers(count: number, outputs?: Outputs): Wearers;
}

/** Which buffers wearers have: what is not asked for takes neither memory nor time. */
export interface Outputs {
    /** True by default. */
    positions?: boolean;
    /** Only with positions. */
    normals?: boolean;
    /** Latent weights, for a rebuild in a shader. */
    weights?: boolean;
    /** A level of detail for each wearer. */
    wearerModes?: boolean;
}

/**
 * Wearers of one garment. The arrays are views of the module's memory: read them from here each frame
 * rather than keep them, for Garment.wearers() may move the memory.
 */
export interface Wearers {
    readonly count: number;
    /** 12 a joint: 3 by 4, row by row, world_from_joint * joint_from_rest. Yours to write. */
    readonly joints: Float32Array;
    /** stateSize bytes a wearer: copy them out to save, and back to roll back. */
    readonly states: Uint8Array;
    /** 3 a vertex, metres. */
    readonly positions: Float32Array | null;
    readonly normals: Float32Array | null;
    readonly weights: Float32Array | null;
    /** Yours to write; 0: all modes. */
    readonly wearerModes: Uint16Array | null;
    /** 1 within what was trained on, towards 0 far out. */
    readonly confidence: Float32Array;
    /** BAD_JOINTS, BAD_STATE, OUT_OF_RANGE. */
    readonly reports: Uint8Array;

    /** Swing and sway added to the trained: -1 none, 0 as trained, 1 twice. */
    dial: number;
    /** Level of detail of all wearers, where there are no wearerModes; 0: all modes. */
    modes: number;
    /** Positions and normals about the wearer's root, heading removed. */
    canonical: boolean;
    /** Moves vertices that are inside the body out of it. */
    pushOut: boolean;
    /** Rebuilds with 16- and 8-bit products. */
    approximate: boolean;

    /**
     * Wearers start anew in the pose of `joints`, without an impulse. `rootMotion`, 4 a wearer: velocity
     * of the root in the world [m/s] and rate of heading [1/s]; left out: standing still.
     */
    reset(rootMotion?: ArrayLike<number> | null): void;
    /** Moves on to the pose of `joints`, `seconds` after the last call; any rate from 15 to 240 Hz. */
    step(seconds: number): void;
    /** Gives the buffers back to the garment, for other wearers; these are of no use then. */
    free(): void;
}
