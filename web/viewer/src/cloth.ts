// SPDX-License-Identifier: Apache-2.0
// Where a cloth's vertices come from: a model in the player, the simulator's recording, plain skinning, or
// PCA weights set by hand. All give positions in the world, 3 a vertex.
import { open, type Garment, type Wearers } from "../../player/hem.js";
import { canonicalRoot, readCanonicalFrame, type CanonicalFrame } from "./canonical";
import { fetchBytes } from "./npy";
import type { Character, GarmentEntry } from "./scene";
import { skinVertices } from "./skeleton";

/** The moment that cloth is to be at. */
export interface Moment {
    /** Skinning matrices, 12 a joint. */
    joints: Float32Array;
    /** Velocity of the root [m/s] and rate of heading [1/s]. */
    rootMotion: [number, number, number, number];
    /** Frame of the clip, between frames too; 0 without a clip. */
    frame: number;
    /** Frames since the body was stopped dead, where it was. */
    sinceStop: number;
}

export interface Dials {
    /** Swing and sway: -1 to 1. */
    dial: number;
    pushOut: boolean;
}

export interface ClothSource {
    readonly positions: Float32Array;
    reset(moment: Moment): void;
    step(moment: Moment, seconds: number, dials: Dials): void;
    free(): void;
}

let wasm: Promise<WebAssembly.Module> | undefined;

/** The player's module, compiled once. */
export function playerModule(): Promise<WebAssembly.Module> {
    return (wasm ??= fetchBytes("/hem.wasm").then((bytes) => WebAssembly.compile(bytes)));
}

/** A .hem file, opened. */
export interface OpenedFile {
    bytes: ArrayBuffer;
    garment: Garment;
    /** For each joint of the garment, the character's of the same name. */
    map: Uint16Array;
    frame: CanonicalFrame;
}

const opened = new Map<string, Promise<OpenedFile>>();

/** The file at an address, opened once. */
export function openFile(file: string, character: Character): Promise<OpenedFile> {
    let promise = opened.get(file);
    if (!promise) opened.set(file, (promise = fetchAndOpen(file, character)));
    return promise;
}

async function fetchAndOpen(file: string, character: Character): Promise<OpenedFile> {
    const [bytes, module] = await Promise.all([fetchBytes(file), playerModule()]);
    const garment = await open(bytes, { module }).catch((error) => {
        throw new Error(`${file}: ${error.message}`);
    });
    return { bytes, garment, map: jointMap(garment, character, file), frame: readCanonicalFrame(bytes) };
}

function jointMap(garment: Garment, character: Character, file: string): Uint16Array {
    return Uint16Array.from(garment.jointNames, (name) => {
        const joint = character.jointNames.indexOf(name);
        if (joint < 0) throw new Error(`${file}: the character "${character.name}" has no joint "${name}"`);
        return joint;
    });
}

export class ModelCloth implements ClothSource {
    private readonly wearers: Wearers;

    constructor(private readonly file: OpenedFile) {
        this.wearers = file.garment.wearers(1);
    }

    get positions(): Float32Array {
        return this.wearers.positions!;
    }

    get confidence(): number {
        return this.wearers.confidence[0];
    }

    reset(moment: Moment): void {
        this.setJoints(moment);
        this.wearers.reset(moment.rootMotion);
    }

    step(moment: Moment, seconds: number, dials: Dials): void {
        this.setJoints(moment);
        this.wearers.dial = dials.dial;
        this.wearers.pushOut = dials.pushOut;
        this.wearers.step(seconds);
    }

    free(): void {
        this.wearers.free();
    }

    private setJoints(moment: Moment): void {
        copyJoints(moment.joints, this.file.map, this.wearers.joints);
    }
}

/** Matrices of the character's joints in the garment's order. */
export function copyJoints(from: Float32Array, map: Uint16Array, to: Float32Array): void {
    map.forEach((joint, i) => to.set(from.subarray(12 * joint, 12 * joint + 12), 12 * i));
}

export class RecordedCloth implements ClothSource {
    readonly positions: Float32Array;

    /** `frames` of the clip; `afterStop`, from the stop on. */
    constructor(private readonly frames: Float32Array, private readonly afterStop: Float32Array | null,
                vertexCount: number) {
        this.positions = new Float32Array(3 * vertexCount);
    }

    reset(moment: Moment): void {
        const stopped = moment.sinceStop > 0 && this.afterStop;
        const frames = stopped ? this.afterStop! : this.frames;
        const size = this.positions.length, last = frames.length / size - 1;
        const at = Math.min(Math.max(stopped ? moment.sinceStop : moment.frame, 0), last);
        const a = Math.floor(at), b = Math.min(a + 1, last), t = at - a;
        for (let i = 0; i < size; ++i)
            this.positions[i] = (1 - t) * frames[a * size + i] + t * frames[b * size + i];
    }

    step(moment: Moment): void {
        this.reset(moment);
    }

    free(): void {}
}

export class SkinnedCloth implements ClothSource {
    readonly positions: Float32Array;

    constructor(private readonly garment: GarmentEntry) {
        this.positions = new Float32Array(3 * garment.vertexCount);
    }

    reset(moment: Moment): void {
        skinVertices(this.garment.skin!, moment.joints, this.positions);
    }

    step(moment: Moment): void {
        this.reset(moment);
    }

    free(): void {}
}

/**
 * mean + sum of weight * basis on the body with these skinning matrices: about the root, its heading put back, or
 * added to the garment as the joints carry it. `weights`: of the first modes.
 */
export function shapeOfModes(garment: GarmentEntry, file: OpenedFile, joints: Float32Array, weights: ArrayLike<number>,
                             positions: Float32Array): void {
    const { mean, basis, carried } = garment;
    const own = new Float32Array(12 * file.map.length), root = new Float32Array(4), sum = new Float64Array(mean);
    for (let k = 0; k < weights.length; ++k)
        if (weights[k] !== 0)
            for (let i = 0, first = k * mean.length; i < mean.length; ++i) sum[i] += weights[k] * basis[first + i];
    copyJoints(joints, file.map, own);
    canonicalRoot(file.frame, own, 0, root, 0);
    const c = Math.cos(root[3]), s = Math.sin(root[3]);
    if (carried) skinVertices(carried, joints, positions);
    for (let i = 0; i < positions.length; i += 3) {
        const from = carried ? positions : root, at = carried ? i : 0;
        positions[i] = from[at] + c * sum[i] + s * sum[i + 2];
        positions[i + 1] = from[at + 1] + sum[i + 1];
        positions[i + 2] = from[at + 2] - s * sum[i] + c * sum[i + 2];
    }
}

/** The modes' shapes, one by one: Figure 2 of the paper. */
export class ModesCloth implements ClothSource {
    readonly positions: Float32Array;

    /** `deviations`: of the first modes, in standard deviations; read at each step. */
    constructor(private readonly garment: GarmentEntry, private readonly file: OpenedFile,
                private readonly deviations: Float32Array) {
        this.positions = new Float32Array(3 * garment.vertexCount);
    }

    reset(moment: Moment): void {
        const { sigma, modeCount } = this.garment;
        const weights = this.deviations.subarray(0, modeCount).map((deviation, k) => deviation * sigma[k]);
        shapeOfModes(this.garment, this.file, moment.joints, weights, this.positions);
    }

    step(moment: Moment): void {
        this.reset(moment);
    }

    free(): void {}
}
