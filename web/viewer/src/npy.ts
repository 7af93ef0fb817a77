// SPDX-License-Identifier: Apache-2.0
// Arrays as .npy files: version 1.0, C order, little endian, the types that the server sends.

export type Numbers = Float32Array | Uint32Array | Uint16Array | Uint8Array;

export interface NpyArray<T extends Numbers = Numbers> {
    data: T;
    shape: number[];
}

const TYPES: Record<string, new (buffer: ArrayBuffer, offset: number, length: number) => Numbers> = {
    "<f4": Float32Array,
    "<u4": Uint32Array,
    "<u2": Uint16Array,
    "|u1": Uint8Array,
};

/** Throws an Error that says what is wrong; `name` is put before it. */
export function parseNpy(buffer: ArrayBuffer, name: string): NpyArray {
    const bytes = new Uint8Array(buffer);
    const magic = String.fromCharCode(...bytes.subarray(1, 6));
    if (bytes[0] !== 0x93 || magic !== "NUMPY") throw new Error(`${name}: not an .npy file`);
    const start = 10 + new DataView(buffer).getUint16(8, true);
    const header = new TextDecoder("latin1").decode(bytes.subarray(10, start));
    const descr = /'descr':\s*'([^']+)'/.exec(header)?.[1] ?? "";
    const shapeText = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1];
    const type = TYPES[descr];
    if (!type || shapeText === undefined || /'fortran_order':\s*True/.test(header))
        throw new Error(`${name}: an .npy file of a kind that the page does not read (${header.trim()})`);
    const shape = shapeText.split(",").filter((text) => text.trim()).map(Number);
    const count = shape.reduce((product, extent) => product * extent, 1);
    const size = count * (Number(descr[2]) || 1);
    if (buffer.byteLength < start + size) throw new Error(`${name}: cut short`);
    // a copy where the numbers are not aligned
    const aligned = start % 4 === 0 ? buffer : buffer.slice(start);
    return { data: new type(aligned, aligned === buffer ? start : 0, count), shape };
}

/** The bytes at an address of this page's own server. Rejects with a reason for people. */
export async function fetchBytes(address: string): Promise<ArrayBuffer> {
    let response: Response;
    try {
        response = await fetch(address);
    } catch {
        throw new Error(`${address}: the server does not answer. Is "hemline view" still running?`);
    }
    if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
    return response.arrayBuffer();
}

async function fetchNpy(address: string): Promise<NpyArray> {
    return parseNpy(await fetchBytes(address), address);
}

export async function fetchFloats(address: string): Promise<NpyArray<Float32Array>> {
    const array = await fetchNpy(address);
    if (!(array.data instanceof Float32Array)) throw new Error(`${address}: not 32-bit floats`);
    return array as NpyArray<Float32Array>;
}

/** Whole numbers of any width, widened to 32 bits. */
export async function fetchIndices(address: string): Promise<Uint32Array> {
    const { data } = await fetchNpy(address);
    if (data instanceof Float32Array) throw new Error(`${address}: floats in place of whole numbers`);
    return data instanceof Uint32Array ? data : Uint32Array.from(data);
}
