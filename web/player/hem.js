// SPDX-License-Identifier: Apache-2.0
// The player in the browser, and in Node 18 or later: dresses characters with garments that Hemline
// learned. hem.wasm is hem/runtime compiled; hem/runtime/hem.h is the full manual, and everything
// said there of units, frame rates, hostile input and bits holds here. Types are in hem.d.ts.
//
//     import { open } from "hemline-player";
//
//     const response = await fetch("dress.hem");
//     const dress = await open(await response.arrayBuffer());   // throws with the reason if it is none
//     const crowd = dress.wearers(100, { normals: true });
//     animate(crowd.joints, 0);                                 // skinning matrices, written in place
//     crowd.reset();                                            // at spawn and after a teleport
//     for (;;) {                                                // once a frame
//         animate(crowd.joints, now);
//         crowd.step(seconds);
//         draw(crowd.positions, crowd.normals, dress.triangles);
//     }
//
// Three verbs: open, reset, step. After open nothing fails.
//
// Memory. Each garment has a module of its own, with the file, and all buffers of its wearers, in the
// module's memory: reads and writes go straight to it, nothing is copied on the way. Drop the garment
// and its wearers, and the garbage collector takes all of it. wearers.free() gives the buffers of a
// crowd back sooner, for another crowd of the same garment. crowd.positions and the like are views:
// read them from the crowd each frame rather than keep them, for a call of garment.wearers() may move
// the memory and leave older views empty. The stack takes 1 MiB.
//
// Threads. A module is used by one thread. Workers open the garment each for itself and share the
// wearers among them; results do not depend on how. Neither shared memory nor special headers are needed;
// under a content-security policy scripts need 'wasm-unsafe-eval'.
//
// Matrices are 3 by 4, row by row (three.js's Matrix4 keeps columns): world_from_joint *
// joint_from_rest for every joint, in the order of garment.jointNames.

const ALIGNMENT = 64;
const FLAGS = { canonical: 1, pushOut: 2, approximate: 4 };

/** Of Wearers.reports, bits: see hem.h. */
export const BAD_JOINTS = 1;
export const BAD_STATE = 2;
export const OUT_OF_RANGE = 4;

let compiled; // a promise of hem.wasm beside this file, compiled once

/**
 * Opens the bytes of a .hem file, which are copied. Throws an Error with the reason if they are not a
 * sound garment: any bytes are safe. `module` is hem.wasm, compiled or as bytes, where it is not a file
 * beside this one.
 */
export async function open(bytes, { module } = {}) {
    if (!module) module = await (compiled ??= compileBeside());
    else if (!(module instanceof WebAssembly.Module)) module = await WebAssembly.compile(module);
    const { exports } = await WebAssembly.instantiate(module, {});
    return new Garment(exports, bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes);
}

async function compileBeside() {
    try {
        return await WebAssembly.compile(await bytesOf(new URL("./hem.wasm", import.meta.url)));
    } catch (error) {
        compiled = undefined; // so that the next call tries again
        throw error;
    }
}

async function bytesOf(url) {
    if (url.protocol === "file:" && globalThis.process?.versions?.node) {
        const files = "node:fs/promises"; // by name, so that bundlers for browsers leave it alone
        return (await import(/* @vite-ignore */ /* webpackIgnore: true */ files)).readFile(url);
    }
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    return response.arrayBuffer();
}

/** A garment, opened. Its members are copies: they stay as they are. */
class Garment {
    #exports;
    #garment; // address

    constructor(exports, bytes) {
        if (!ArrayBuffer.isView(bytes)) throw new TypeError("open: not an ArrayBuffer or typed array");
        this.#exports = exports;
        const file = allocate(exports, bytes.byteLength);
        const source = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        new Uint8Array(exports.memory.buffer).set(source, file);
        const error = allocate(exports, 4);
        this.#garment = exports.hem_open(file, bytes.byteLength, error);
        const code = new Uint32Array(exports.memory.buffer, error, 1)[0];
        if (!this.#garment) throw new Error(textAt(exports, exports.hem_errorText(code)));
        exports.free(error);
        this.#describe();
        Object.freeze(this);
    }

    #describe() {
        const { memory, ...hem } = this.#exports;
        const garment = this.#garment;
        this.version = textAt(this.#exports, hem.hem_version());
        this.vertexCount = hem.hem_vertexCount(garment);
        this.jointCount = hem.hem_jointCount(garment);
        this.modeCount = hem.hem_modeCount(garment);
        this.stateSize = hem.hem_stateSize(garment);
        this.rate = hem.hem_rate(garment);
        this.pushesOut = hem.hem_pushesOut(garment) !== 0;
        this.info = textAt(this.#exports, hem.hem_info(garment));
        this.jointNames = Array.from({ length: this.jointCount }, (_, joint) =>
            textAt(this.#exports, hem.hem_jointName(garment, joint)));
        const corners = 3 * hem.hem_triangleCount(garment);
        this.triangles = new Uint32Array(memory.buffer, hem.hem_triangles(garment), corners).slice();
        const texture = hem.hem_cornerTextureCoordinates(garment);
        this.cornerTextureCoordinates =
            texture ? new Float32Array(memory.buffer, texture, 2 * corners).slice() : null;
        const bits = new Uint8Array(memory.buffer, hem.hem_hiddenTriangles(garment));
        const bodyTriangles = hem.hem_bodyTriangleCount(garment);
        this.hiddenTriangles =
            bodyTriangles ? Uint8Array.from({ length: bodyTriangles }, (_, t) => (bits[t >> 3] >> (t & 7)) & 1) : null;
    }

    /**
     * Buffers for `count` wearers, all zero; reset() them before the first step. Outputs that are not
     * asked for take neither memory nor time.
     */
    wearers(count, { positions = true, normals = false, weights = false, wearerModes = false } = {}) {
        if (!Number.isInteger(count) || count < 1) throw new RangeError(`wearers: ${count} is not a count`);
        if (normals && !positions) throw new RangeError("wearers: normals need positions");
        const coordinates = 3 * this.vertexCount;
        // type, and how many a wearer
        return new Wearers(this.#exports, this.#garment, count, {
            states: [Uint8Array, this.stateSize],
            joints: [Float32Array, 12 * this.jointCount],
            positions: [Float32Array, positions ? coordinates : 0],
            normals: [Float32Array, normals ? coordinates : 0],
            weights: [Float32Array, weights ? this.modeCount : 0],
            confidence: [Float32Array, 1],
            reports: [Uint8Array, 1],
            wearerModes: [Uint16Array, wearerModes ? 1 : 0],
            rootMotion: [Float32Array, 4],
        });
    }
}

/** Wearers of one garment, with their states and outputs. */
class Wearers {
    // Apply to every step from then on: see hem_Batch.
    dial = 0;
    modes = 0;
    canonical = false;
    pushOut = false;
    approximate = false;

    #exports;
    #garment;
    #batch; // address of a hem_Batch
    #buffers = {}; // by name: type, length, address and the last view

    constructor(exports, garment, count, shapes) {
        this.#exports = exports;
        this.#garment = garment;
        this.count = count;
        this.#batch = allocate(exports, 17 * 4);
        for (const [name, [type, length]] of Object.entries(shapes)) {
            const address = length ? allocate(exports, count * length * type.BYTES_PER_ELEMENT) : 0;
            this.#buffers[name] = { type, length: count * length, address, view: null };
        }
    }

    /** hem_stateSize() bytes a wearer: copy them out to save, and back to roll back. */
    get states() { return this.#view("states"); }
    /** 12 a joint. */
    get joints() { return this.#view("joints"); }
    /** 3 a vertex; null where not asked for, as are the next three. */
    get positions() { return this.#view("positions"); }
    get normals() { return this.#view("normals"); }
    get weights() { return this.#view("weights"); }
    /** Level of detail of each wearer; 0: all modes. */
    get wearerModes() { return this.#view("wearerModes"); }
    get confidence() { return this.#view("confidence"); }
    get reports() { return this.#view("reports"); }

    /**
     * Wearers start anew in the pose of `joints`, without an impulse. `rootMotion`, 4 a wearer: velocity
     * of the root in the world [m/s] and rate of heading [1/s]; standing still where it is left out.
     */
    reset(rootMotion) {
        if (rootMotion && rootMotion.length !== 4 * this.count)
            throw new RangeError(`reset: ${rootMotion.length} numbers of root motion, not 4 a wearer`);
        if (rootMotion) this.#view("rootMotion").set(rootMotion);
        this.#exports.hem_reset(this.#garment, this.#writeBatch(Boolean(rootMotion)));
    }

    /** Moves on to the pose of `joints`, `seconds` after the last call. */
    step(seconds) {
        this.#exports.hem_step(this.#garment, this.#writeBatch(false), seconds);
    }

    /** Gives the buffers back to the garment, for other wearers. These are of no use then. */
    free() {
        if (!this.#batch) return;
        for (const { address } of Object.values(this.#buffers)) this.#exports.free(address);
        this.#exports.free(this.#batch);
        this.#batch = 0;
    }

    #view(name) {
        if (!this.#batch) throw new Error(`${name}: these wearers were freed`);
        const buffer = this.#buffers[name];
        const memory = this.#exports.memory.buffer;
        if (!buffer.address) return null;
        if (buffer.view?.buffer !== memory)
            buffer.view = new buffer.type(memory, buffer.address, buffer.length);
        return buffer.view;
    }

    // The words of hem_Batch, in their order (batch.c checks it).
    #writeBatch(hasRootMotion) {
        if (!this.#batch) throw new Error("these wearers were freed");
        const at = (name) => this.#buffers[name].address;
        const words = new Uint32Array(this.#exports.memory.buffer, this.#batch, 17);
        words.fill(0);
        words[0] = this.count;
        const outputs = ["states", "joints", "positions", "normals", "weights", "confidence", "reports"];
        outputs.forEach((name, i) => { words[1 + i] = at(name); });
        words[12] = at("wearerModes");
        words[13] = this.modes;
        new Float32Array(words.buffer, words.byteOffset, 17)[14] = this.dial;
        for (const [name, bit] of Object.entries(FLAGS)) if (this[name]) words[15] |= bit;
        words[16] = hasRootMotion ? at("rootMotion") : 0;
        return this.#batch;
    }
}

// Zeros, at a multiple of 64.
function allocate(exports, size) {
    const padded = Math.max(1, Math.ceil(size / ALIGNMENT)) * ALIGNMENT;
    const address = padded < 2 ** 32 ? exports.aligned_alloc(ALIGNMENT, padded) >>> 0 : 0;
    if (!address) throw new RangeError(`out of memory: ${size} bytes`);
    new Uint8Array(exports.memory.buffer, address, padded).fill(0);
    return address;
}

function textAt(exports, address) {
    const bytes = new Uint8Array(exports.memory.buffer, address);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}
